/*
 * shape - what the six tools of this set share: their errors are those of their
 * specification, word for word, without advice.
 */
#pragma once

#include "app/tool_support/tool_change.h"

/* The path of the file: as given, or found by the name of a note. */
MUST_CHECK bool shape_path(struct mcp_call *call, str word, str *path, struct err *err);

/* An edit failed: report it in the specification's words. Returns false. */
bool shape_edit_failed(const struct edit_result *r, struct err *err);

/* The answer to a change: path, done, size (unless it was an edit), total_lines. */
extern const struct answer_shape shape_changed;

/* The tools of the set. */
extern const struct mcp_tool vault_sync_edit, vault_sync_list, vault_sync_list_all,
    vault_sync_read, vault_sync_search, vault_sync_write;
