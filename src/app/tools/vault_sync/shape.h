/*
 * shape - what the six tools of this set have in common: their errors are those of the
 * document that they come from, word for word, without advice.
 */
#pragma once

#include "app/kit/kit_change.h"

/* The path of the file that is meant: as given, or by the name of a note. */
MUST_CHECK bool shape_path(struct mcp_call *call, str word, str *path, struct err *err);

/* An edit failed: the sentence that the document has for it. Returns false. */
bool shape_edit_failed(const struct edit_result *r, struct err *err);

/* The answer to a change: path, done, size unless it was edited, total_lines. */
extern const struct answer_shape shape_changed;

/* The tools of the set. */
extern const struct mcp_tool vault_sync_edit, vault_sync_list, vault_sync_list_all,
    vault_sync_read, vault_sync_search, vault_sync_write;
