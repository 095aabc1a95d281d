#include "app/tools.h"

extern const struct mcp_tool tool_vault_changes;
extern const struct mcp_tool tool_vault_context;
extern const struct mcp_tool tool_vault_daily;
extern const struct mcp_tool tool_vault_delete;
extern const struct mcp_tool tool_vault_edit;
extern const struct mcp_tool tool_vault_frontmatter;
extern const struct mcp_tool tool_vault_guide;
extern const struct mcp_tool tool_vault_info;
extern const struct mcp_tool tool_vault_insert;
extern const struct mcp_tool tool_vault_links;
extern const struct mcp_tool tool_vault_list;
extern const struct mcp_tool tool_vault_list_all;
extern const struct mcp_tool tool_vault_move;
extern const struct mcp_tool tool_vault_query;
extern const struct mcp_tool tool_vault_read;
extern const struct mcp_tool tool_vault_search;
extern const struct mcp_tool tool_vault_tags;
extern const struct mcp_tool tool_vault_undo;
extern const struct mcp_tool tool_vault_write;

/* In the order in which a model is shown them: looking around, finding, changing. */
const struct mcp_tool *const app_tools[] = {
    &tool_vault_info,    &tool_vault_list_all,    &tool_vault_list,    &tool_vault_read,
    &tool_vault_search,  &tool_vault_query,       &tool_vault_links,   &tool_vault_tags,
    &tool_vault_context, &tool_vault_guide,       &tool_vault_write,   &tool_vault_edit,
    &tool_vault_insert,  &tool_vault_frontmatter, &tool_vault_move,    &tool_vault_delete,
    &tool_vault_daily,   &tool_vault_undo,        &tool_vault_changes, NULL,
};
