#include "app/tools/sets.h"

extern const struct mcp_tool tool_append_note;
extern const struct mcp_tool tool_append_section;
extern const struct mcp_tool tool_create_note;
extern const struct mcp_tool tool_delete_note;
extern const struct mcp_tool tool_get_frontmatter;
extern const struct mcp_tool tool_get_links;
extern const struct mcp_tool tool_insert_note;
extern const struct mcp_tool tool_list_notes;
extern const struct mcp_tool tool_read_note;
extern const struct mcp_tool tool_read_section;
extern const struct mcp_tool tool_rename_note;
extern const struct mcp_tool tool_replace_note;
extern const struct mcp_tool tool_search_notes;
extern const struct mcp_tool tool_set_frontmatter;
extern const struct mcp_tool tool_update_note;

const struct mcp_tool *const claude_desktop_tools[] = {
    &tool_read_note,       &tool_create_note,
    &tool_append_note,     &tool_update_note,
    &tool_delete_note,     &tool_rename_note,
    &tool_search_notes,    &tool_get_links,
    &tool_get_frontmatter, &tool_set_frontmatter,
    &tool_list_notes,      &tool_replace_note,
    &tool_insert_note,     &tool_read_section,
    &tool_append_section,  NULL,
};
