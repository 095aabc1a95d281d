/*
 * complete - completions for paths and tags of the vault while the user types.
 *
 * Case is ignored. Best first; mcp_suggest() sends a hundred and counts the rest.
 */
#pragma once

#include "mcp/call.h"

/*
 * Paths with a segment that begins with the typed text, which may itself contain slashes
 * ("Garden/So"): first matches of the title, then of the start of the path, of any
 * folder, and of an alias; shorter paths before longer ones. Notes only, or all files.
 */
MUST_CHECK bool complete_path(struct mcp_call *call, str typed, bool notes_only,
                              struct err *err);

/* Names of vaults that begin with the typed text. Returns true. */
bool complete_vault(struct mcp_call *call, str typed);

/* Tags that begin with the typed text, with or without '#', then tags with a nested level
 * that does; most used first. */
MUST_CHECK bool complete_tag(struct mcp_call *call, str typed, struct err *err);
