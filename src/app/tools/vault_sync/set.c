#include "app/tools/sets.h"

extern const struct mcp_tool vault_sync_edit;
extern const struct mcp_tool vault_sync_list;
extern const struct mcp_tool vault_sync_list_all;
extern const struct mcp_tool vault_sync_read;
extern const struct mcp_tool vault_sync_search;
extern const struct mcp_tool vault_sync_write;

const struct mcp_tool *const vault_sync_tools[] = {
    &vault_sync_list_all,
    &vault_sync_list,
    &vault_sync_read,
    &vault_sync_search,
    &vault_sync_write,
    &vault_sync_edit,
    NULL,
};
