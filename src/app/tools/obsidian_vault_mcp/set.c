#include "app/tools/sets.h"

const struct mcp_tool *const obsidian_vault_mcp_tools[] = {NULL};
