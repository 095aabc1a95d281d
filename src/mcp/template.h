/*
 * template - URI templates: {name} is one path segment, {+name} any number of them. Private
 * to src/mcp.
 */
#pragma once

#include "base/arena.h"

/* Whether uri matches the template; values[i] is then the value of the i-th variable. */
enum { MCP_VARIABLES_MAX = 8, MCP_URI_MAX = 8192 };
bool mcp_template_match(struct arena *a, str pattern, str uri, str *values);

/* The name of the i-th variable; empty if there are fewer. */
str mcp_template_variable(str pattern, size_t i);
