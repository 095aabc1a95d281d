#include "app/tools/sets.h"

const struct mcp_tool *const obsidian_bundle_tools[] = {NULL};
