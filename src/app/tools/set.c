#include "app/tools/rows.h"
#include "app/tools/sets.h"

/* In the order that a model sees: looking around, finding, changing. */
const struct mcp_tool *const default_tools[] = {
    &tool_vault_info,
    &tool_vault_list,
    &tool_vault_read,
    &tool_vault_search,
    &tool_vault_query,
    &tool_vault_links,
    &tool_vault_check,
    &tool_vault_context,
    &tool_vault_guide,
    &tool_vault_write,
    &tool_vault_edit,
    &tool_vault_insert,
    &tool_vault_frontmatter,
    &tool_vault_task,
    &tool_vault_canvas,
    &tool_vault_move,
    &tool_vault_delete,
    &tool_vault_daily,
    &tool_vault_batch,
    &tool_vault_undo,
    &tool_vault_changes,
    &tool_vault_sync,
    NULL,
};

/* ChatGPT's connectors and deep research require these names and shapes. */
const struct mcp_tool *const chatgpt_tools[] = {&tool_search, &tool_fetch, NULL};

const struct mcp_tool *const adr_tools[] = {&tool_adr_publish, NULL};
