/*
 * base_resource - views of bases for MCP clients: vault-base:///View/path/of.base, both
 * percent-encoded; if there are several vaults, vault-base://name/View/path. A note with
 * base blocks is a base, too.
 */
#pragma once

#include "mcp/resource.h"

extern const struct mcp_resource base_resource, base_resource_of_many;
