/*
 * task_note - the tasks of a note: find the one that is meant, change it, take it out.
 *
 * Pure, like edit.h: a text in, the new text out. Tasks are those that note_scan() finds,
 * so a line of a code block is not one.
 */
#pragma once

#include "vault/forms/task_change.h"
#include "vault/note/edit.h"

/* A task and what belongs to it: the indented lines below it. */
struct task_place {
    uint32_t line, last; /* from 1 */
    str text;            /* its line, without the line break */
};

/* Which task is meant if several have a text. */
enum task_wanted { TASK_WANT_OPEN, TASK_WANT_OVER };

/*
 * The task at that line (0: any) with that text (empty: any): its line, what follows the
 * box, its description, or a part of these that only one task has. If several have it,
 * the only one that is open, or over, as wanted. Fails with E_STALE if
 * another text is at that line, saying what is there and where the text is found; else
 * with E_TEXT_NOT_FOUND, or with E_TEXT_NOT_UNIQUE and the lines.
 */
MUST_CHECK bool task_find(struct arena *a, const struct task_settings *s, str note,
                          uint32_t line, str text, enum task_wanted wanted,
                          struct task_place *out, struct err *err);

struct task_change {
    str status; /* "done", "todo" or "open", "cancelled", "next", or the symbol, name or type of a
                   status; empty: stays as it is */
    struct task_fields fields;
    int32_t today; /* days since 1970 */
};

/* Whether that status is "todo" or "open". */
bool task_status_reopens(str status);

/*
 * Change the task at place, which is updated; its line is 0 if the task was removed, which
 * did then says. Fails like task_set_status() and task_set_fields(), and with
 * E_INVALID_ARGUMENT for an unknown status.
 */
MUST_CHECK bool task_edit(struct arena *a, const struct task_settings *s, str note,
                          struct task_place *place, const struct task_change *change,
                          struct edit_result *out, struct err *err);

/* Take the task out of the note, with what belongs to it; *lines are those, as
 * task_outdent() has them. No lines are new then, and did says what was removed. */
MUST_CHECK bool task_cut(struct arena *a, str note, const struct task_place *place,
                         str *lines, struct edit_result *out, struct err *err);

/* Lines that begin with a task, without its indentation and the last line break. */
str task_outdent(struct arena *a, str lines);
