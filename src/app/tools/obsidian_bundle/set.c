#include "app/tools/obsidian_bundle/bundle.h"
#include "app/tools/sets.h"

const struct mcp_tool *const obsidian_bundle_tools[] = {
    &bundle_create_note, &bundle_read_note,
    &bundle_append_note, &bundle_prepend_note,
    &bundle_delete_note, &bundle_move_note,
    &bundle_rename_note, &bundle_open_note,
    &bundle_file_info,   NULL,
};
