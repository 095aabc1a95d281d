/*
 * tool_read_log - what the client of a call has seen of a note (read_log.h), for tools
 * that read and tools that replace a part of it.
 */
#pragma once

#include "app/tool_support/tool_change.h"

enum { TOOL_STALE_SHOWN = 4000 }; /* bytes of a part that a refusal shows */

/* The client gets these bytes of the note's text. */
void tool_saw(struct mcp_call *call, str path, str text, struct edit_range shown);

/* The change of the call was made. */
void tool_saw_change(struct mcp_call *call, const struct changed *c);

/* A change of the call was undone. */
void tool_forget(struct mcp_call *call, const struct draft_result *undo);

/*
 * Whether the client may replace a section or block of the file, or lines of it, without
 * an etag. If another client has changed it since this one read it, the refusal
 * (E_STALE) shows its text, which then counts as read. A file that the same draft has
 * already changed is not checked.
 */
MUST_CHECK bool tool_check_part(struct tool_changing *c, const struct draft_file *f,
                                struct edit_range part, struct err *err);
MUST_CHECK bool tool_check_lines(struct tool_changing *c, const struct draft_file *f,
                                 uint32_t first, uint32_t last, struct err *err);
