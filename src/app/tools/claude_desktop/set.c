#include "app/tools/claude_desktop/notes.h"
#include "app/tools/sets.h"

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
