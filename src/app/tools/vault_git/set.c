#include "app/tools/rows.h"
#include "app/tools/sets.h"
#include "app/tools/vault_git/plain.h"

const struct mcp_tool *const vault_git_tools[] = {
    &tool_read_file,
    &tool_write_file,
    &tool_edit_file,
    &tool_delete_file,
    &tool_rename_file,
    &tool_list_directory,
    &tool_create_directory,
    &tool_search_files,
    &tool_grep,
    &tool_find_files,
    &tool_get_vault_info,
    &tool_get_backlinks,
    &tool_get_tags,
    &tool_get_obsidian_guide,
    &tool_get_claude_context,
    NULL,
};
