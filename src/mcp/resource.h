/*
 * resource - a resource, or a family of resources with a URI template, is a row in a
 * table.
 *
 * Templates support {name}, one path segment, and {+name}, any number of segments;
 * mcp_variable() returns the values percent-decoded.
 */
#pragma once

#include "mcp/call.h"

struct mcp_resource {
    const char *uri; /* of one resource, or a template with {variables} */
    const char *name, *title, *about, *mime;
    bool quick;  /* as MCP_QUICK */
    bool hidden; /* readable but not listed (ui:// views) */
    bool (*read)(struct mcp_call *call, str uri, struct err *err);

    /* A template may list its resources, from a cursor that it returned (or empty). */
    bool (*list)(struct mcp_call *call, str cursor, struct err *err);

    /* It may also complete a variable. */
    bool (*complete)(struct mcp_call *call, str variable, str typed, struct err *err);

    /* MCP Apps: the _meta.ui object of a ui:// page, JSON text. */
    const char *ui_meta;
};

/* Whether uri matches the template; values[i] is then the value of the i-th variable. */
enum { MCP_VARIABLES_MAX = 8, MCP_URI_MAX = 8192 };
bool mcp_template_match(struct arena *a, str pattern, str uri, str *values);

/* The name of the i-th variable; empty if there are fewer. */
str mcp_template_variable(str pattern, size_t i);
