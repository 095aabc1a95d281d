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

/* --- changing, within kit_change() --- */

/* No condition, no preview. */
extern const struct kit_change notes_now;

struct notes_edit {
    struct draft *draft;
    struct draft_file file;
    str warnings[EDIT_WARNINGS_MAX + 1];
    size_t n_warnings;
};

/* Begin to change the note that is meant. */
MUST_CHECK bool notes_open(struct mcp_call *call, const char *tool, str name,
                           struct notes_edit *out, struct err *err);

/* What an edit (edit.h) made of the note, or why it failed, is how it goes on. */
MUST_CHECK bool notes_take(struct mcp_call *call, struct notes_edit *e, bool edited,
                           const struct edit_result *r, struct err *err);

/* The note gets that text, which is on disk then. */
MUST_CHECK bool notes_save(struct mcp_call *call, struct notes_edit *e, str text,
                           struct err *err);

/* The answer {"name":…,"path":…,done:true}, with warnings; and those alone. */
void notes_put_done(struct mcp_call *call, const struct notes_edit *e, const char *done);
void notes_put_warnings(struct mcp_call *call, const struct notes_edit *e);

/* Commit, or with dry_run only look; what other notes were changed goes into the open
 * object. */
MUST_CHECK bool notes_commit(struct mcp_call *call, struct draft *d, bool dry_run,
                             size_t links, struct err *err);

/* The tools of the set. */
extern const struct mcp_tool tool_append_note, tool_append_section, tool_create_note,
    tool_delete_note, tool_get_frontmatter, tool_get_links, tool_insert_note,
    tool_list_notes, tool_read_note, tool_read_section, tool_rename_note,
    tool_replace_note, tool_search_notes, tool_set_frontmatter, tool_update_note;
