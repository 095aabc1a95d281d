#include "mcp/revision.h"

str mcp_revision_name(enum mcp_revision r)
{
    static const char *const names[MCP_REVISIONS] = {
        [MCP_NO_REVISION] = "",          [MCP_2024_11_05] = "2024-11-05",
        [MCP_2025_03_26] = "2025-03-26", [MCP_2025_06_18] = "2025-06-18",
        [MCP_2025_11_25] = "2025-11-25", [MCP_2026_07_28] = "2026-07-28",
    };
    return str_c(names[r]);
}

enum mcp_revision mcp_revision_find(str name)
{
    for (enum mcp_revision r = MCP_NO_REVISION + 1; r < MCP_REVISIONS; r++)
        if (str_eq(name, mcp_revision_name(r)))
            return r;
    return MCP_NO_REVISION;
}

bool mcp_names_modern(str name)
{
    return str_cmp(name, mcp_revision_name(MCP_OLDEST_MODERN)) >= 0;
}
