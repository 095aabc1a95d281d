#include "app/tools/obsidian_vault_mcp/tools.h"
#include "app/tools/rows.h"
#include "app/tools/sets.h"

const struct mcp_tool *const obsidian_vault_mcp_tools[] = {
    &ovm_note_read,       &ovm_note_upsert,  &ovm_vault_search,
    &ovm_vault_sync,      &ovm_link_add,     &ovm_backlinks_search,
    &ovm_graph_neighbors, &tool_adr_publish, NULL,
};
