/*
 * complete - offers for what somebody began to type: paths and tags of the vault.
 *
 * Case is ignored. The best come first; mcp_suggest() sends a hundred and counts the
 * rest.
 */
#pragma once

#include "mcp/call.h"

/*
 * Paths with a segment that begins so, "Garden/So" being a beginning, too: first by their
 * title, then by their start, then by any folder, then by an alias; shorter ones before
 * longer ones. Notes only, or all files.
 */
MUST_CHECK bool complete_path(struct mcp_call *call, str typed, bool notes_only,
                              struct err *err);

/* Tags that begin so, with or without '#', then those with a lower level that does; the
 * most used first. */
MUST_CHECK bool complete_tag(struct mcp_call *call, str typed, struct err *err);
