#include "app/tools/sets.h"

const struct mcp_tool *const vault_git_tools[] = {NULL};
