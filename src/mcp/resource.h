/*
 * resource - a resource, or a family of them behind a URI template, is a row in a table.
 *
 * Templates know {name}, one path segment, and {+name}, any number of them; values arrive
 * percent-decoded through mcp_variable().
 */
#pragma once

#include "mcp/call.h"

struct mcp_resource {
    const char *uri; /* of one, or with {variables} a template */
    const char *name, *title, *about, *mime;
    bool quick;  /* as MCP_QUICK */
    bool hidden; /* readable but not listed (ui:// views) */
    bool (*read)(struct mcp_call *call, str uri, struct err *err);

    /* A template may list what it stands for, beginning behind a cursor it gave (or
     * empty). */
    bool (*list)(struct mcp_call *call, str cursor, struct err *err);

    /* And complete a variable. */
    bool (*complete)(struct mcp_call *call, str variable, str typed, struct err *err);

    /* MCP Apps: the _meta.ui object of a ui:// page, JSON text. */
    const char *ui_meta;
};

/* Whether uri is one of the template's; then values[i] belongs to the i-th variable. */
enum { MCP_VARIABLES_MAX = 8, MCP_URI_MAX = 8192 };
bool mcp_template_match(struct arena *a, str pattern, str uri, str *values);

/* The name of the i-th variable; empty when there are fewer. */
str mcp_template_variable(str pattern, size_t i);
