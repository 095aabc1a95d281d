#include "app/tools/sets.h"

extern const struct mcp_tool tool_create_directory;
extern const struct mcp_tool tool_delete_file;
extern const struct mcp_tool tool_edit_file;
extern const struct mcp_tool tool_find_files;
extern const struct mcp_tool tool_get_backlinks;
extern const struct mcp_tool tool_get_claude_context;
extern const struct mcp_tool tool_get_obsidian_guide;
extern const struct mcp_tool tool_get_tags;
extern const struct mcp_tool tool_get_vault_info;
extern const struct mcp_tool tool_grep;
extern const struct mcp_tool tool_list_directory;
extern const struct mcp_tool tool_read_file;
extern const struct mcp_tool tool_rename_file;
extern const struct mcp_tool tool_search_files;
extern const struct mcp_tool tool_write_file;

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
