/*
 * tools - the registry of tools. One file each below tools/.
 */
#pragma once

#include "mcp/tool.h"

/* Ends with NULL. */
extern const struct mcp_tool *const app_tools[];
