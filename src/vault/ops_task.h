/*
 * ops_task - change, add or move one task, as a step of a draft (forms/task_note.h has
 * the rules).
 */
#pragma once

#include "vault/draft.h"
#include "vault/forms/task_note.h"
#include "vault/ops.h"

struct ops_task {
    str path;      /* the note, as for ops_open() */
    uint32_t line; /* of the task; 0: any */
    str text;      /* of the task; empty: any */
    str add;       /* the text of a task to add instead; or empty */
    str status;    /* as in struct task_change */
    struct task_fields fields;
    str to; /* "Note#Heading", "Note" or "#Heading": where to move or add it; or empty */

    /* of a board (ops_board.h) */
    str lane;          /* the title of a lane, or its number; or empty */
    uint32_t position; /* in its lane, from 1; 0: the end */
    bool archive;
    bool remove; /* the task from the note, with what belongs to it */
};

/* Whether it says what is to be done. */
bool ops_task_any(const struct ops_task *t);

/* The task that is meant, before it is changed. */
struct ops_task_found {
    struct task_settings settings;
    struct draft_file file; /* the note that it is in, or is added to */
    struct task_place place;
};

/* Fails like ops_open() and task_find(). */
MUST_CHECK bool ops_task_find(struct draft *d, const struct ops_task *t,
                              struct ops_task_found *out, struct err *err);

struct ops_task_done {
    struct draft_file file;   /* the note that has the task now */
    struct edit_result edit;  /* its new text, which the caller writes */
    struct ops_report report; /* of links to a task that moved to another note */
};

/*
 * Make the change, but for the new text of done.file (changed_rewrite()). A task that
 * moves to another note takes the links to its block ids along. After a failure, the hint
 * of done.edit may say more.
 */
MUST_CHECK bool ops_task_change(struct draft *d, const struct ops_task *t,
                                const struct ops_task_found *found,
                                struct ops_task_done *done, struct err *err);

/* The settings of the Tasks plugin, in the arena. */
MUST_CHECK bool ops_task_settings(struct vault *v, struct arena *a,
                                  struct task_settings *out, struct err *err);

/*
 * Fields as clients give them; those whose p is NULL are not set. Dates are YYYY-MM-DD,
 * today or tomorrow, and empty or "none" removes one. Fails with E_INVALID_ARGUMENT.
 */
struct ops_task_words {
    str due, scheduled, start, priority;
};
MUST_CHECK bool ops_task_fields(const struct ops_task_words *w, struct task_fields *out,
                                struct err *err);
