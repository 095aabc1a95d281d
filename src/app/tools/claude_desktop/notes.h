/*
 * notes - what the tools of the set claude-desktop share: notes are known by their names,
 * and every change answers in the same way.
 *
 * A name is a path, a path without .md, or the name of a note as in a link; one that
 * several notes have is not guessed at.
 */
#pragma once

#include "app/kit/kit_change.h"

enum {
    NOTES_TEXT_MAX = 1 << 20, /* bytes of a text that is answered with */
    NOTES_LISTED = 1000,      /* most entries of a list in an answer */
};

#define NOTES_NAME "Note: its name (\"My note\"), or its path where names repeat"

/* The path of the note that is meant, in the arena; only those that are there. */
MUST_CHECK bool notes_find(struct mcp_call *call, str name, str *path, struct err *err);

/* The same and its text, as it is now. */
MUST_CHECK bool notes_read(struct mcp_call *call, str name, str *path, str *text,
                           struct err *err);

/* text is the result, if it is not too long; say what else to do if it is. */
MUST_CHECK bool notes_answer(struct mcp_call *call, str text, const char *else_,
                             struct err *err);

/* --- changing --- */

/* Begin to change the note that is meant. */
MUST_CHECK bool notes_open(struct kit_changing *c, str name, struct draft_file *out,
                           struct err *err);

/* What is answered: {"name", "path", done: true}; {done: replacements}; and what a note
 * that was renamed or deleted has changed in others. */
extern const struct answer_shape notes_done_shape, notes_counted_shape,
    notes_renamed_shape, notes_deleted_shape;

/* The tools of the set. */
extern const struct mcp_tool tool_append_note, tool_append_section, tool_create_note,
    tool_delete_note, tool_get_frontmatter, tool_get_links, tool_insert_note,
    tool_list_notes, tool_read_note, tool_read_section, tool_rename_note,
    tool_replace_note, tool_search_notes, tool_set_frontmatter, tool_update_note;
