/*
 * notes - what the tools of the set claude-desktop share: notes are identified by name,
 * and all changes have the same form of answer.
 *
 * A name is a path, a path without .md, or the name of a note as in a link. A name that
 * several notes have is an error, never a guess.
 */
#pragma once

#include "app/tool_support/tool_change.h"

enum {
    NOTES_TEXT_MAX = 1 << 20, /* largest text in an answer, in bytes */
    NOTES_LISTED = 1000,      /* most entries in a list of an answer */
};

#define NOTES_NAME "Note: its name (\"My note\"), or its path where names repeat"

/* The path of the named note, which must exist; in the arena. */
MUST_CHECK bool notes_find(struct mcp_call *call, str name, str *path, struct err *err);

/* The same, and the note's current text. */
MUST_CHECK bool notes_read(struct mcp_call *call, str name, str *path, str *text,
                           struct err *err);

/* The named note with its index locked, which includes its current text; call tool_unlock().
 * NULL: err says why, and nothing is locked. */
const struct file *notes_lock(struct mcp_call *call, str name, const struct index **x,
                              struct err *err);

/* Answer with text, or fail if it is too long; the error then says what to do instead. */
MUST_CHECK bool notes_answer(struct mcp_call *call, str text, const char *else_,
                             struct err *err);

/* --- changing --- */

/* Begin to change the named note. */
MUST_CHECK bool notes_open(struct tool_changing *c, str name, struct draft_file *out,
                           struct err *err);

/* The answers: {"name", "path", done: true}; {done: replacements}; and what renaming or
 * deleting a note changed in others. */
extern const struct answer_shape notes_done_shape, notes_counted_shape,
    notes_renamed_shape, notes_deleted_shape;

/* The tools of the set. */
extern const struct mcp_tool tool_append_note, tool_append_section, tool_create_note,
    tool_delete_note, tool_get_frontmatter, tool_get_links, tool_insert_note,
    tool_list_notes, tool_read_note, tool_read_section, tool_rename_note,
    tool_replace_note, tool_search_notes, tool_set_frontmatter, tool_update_note;
