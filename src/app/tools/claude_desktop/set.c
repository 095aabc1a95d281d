#include "app/tools/sets.h"

const struct mcp_tool *const claude_desktop_tools[] = {NULL};
