#include "app/tools/sets.h"
#include "app/tools/vault_sync/shape.h"

const struct mcp_tool *const vault_sync_tools[] = {
    &vault_sync_list_all,
    &vault_sync_list,
    &vault_sync_read,
    &vault_sync_search,
    &vault_sync_write,
    &vault_sync_edit,
    NULL,
};
