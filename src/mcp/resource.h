/*
 * resource - a resource, or a family of resources with a URI template, is a row in a
 * table.
 * mcp_variable() returns the values of variables (template.h), percent-decoded.
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
