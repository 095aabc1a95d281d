/*
 * shape - what the six tools of this set have in common: their errors are those of the
 * document that they come from, word for word, without advice.
 */
#pragma once

#include "app/kit/tool_kit.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

/* The path of the file that is meant: as given, or by the name of a note. */
MUST_CHECK bool shape_path(struct mcp_call *call, str word, str *path, struct err *err);

/* An edit failed: the sentence that the document has for it. Returns false. */
bool shape_edit_failed(const struct edit_result *r, struct err *err);

/* Commit; nothing but the answer that was written is said of it. */
MUST_CHECK bool shape_commit(struct draft *d, struct err *err);

/* The tools of the set. */
extern const struct mcp_tool vault_sync_edit, vault_sync_list, vault_sync_list_all,
    vault_sync_read, vault_sync_search, vault_sync_write;
