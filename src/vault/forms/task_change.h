/*
 * task_change - changes of a task line: other statuses, other dates, and the next
 * occurrence of a task that recurs. A line in, lines out, as the Tasks plugin writes them.
 *
 * Fails with E_INVALID_ARGUMENT if the line is not a task, and with E_INVALID_CONTENT if
 * it cannot be written without losing something (task_can_write()) or recurs by a rule
 * that has no next date here.
 */
#pragma once

#include "vault/forms/task.h"

struct task_lines {
    str lines[2]; /* that replace the line */
    size_t n;     /* 0: the task is removed (onCompletion: delete) */
    size_t task;  /* which one is the task; n if it is removed */
    str warning;  /* why a task that was completed has no next occurrence, although it
                     seems to recur (task_stray.h); or empty */
};

/*
 * Give a task the status with that symbol; empty: the one that follows its own. If that
 * completes a task which recurs, its next occurrence is one of the lines. If it has that
 * status already, nothing changes. today: days since 1970.
 */
MUST_CHECK bool task_set_status(struct arena *a, const struct task_settings *s, str line,
                                str symbol, int32_t today, struct task_lines *out,
                                struct err *err);

/* What "done", "todo" and "cancelled" mean for a task with that symbol in its box. */
str task_done_symbol(const struct task_settings *s, str symbol);
str task_open_symbol(const struct task_settings *s, str symbol);
str task_cancelled_symbol(const struct task_settings *s);

/* The symbol of the status that a client names: by its symbol, name or type, ignoring
 * case; empty if there is none. */
str task_find_symbol(const struct task_settings *s, str name);

/* Other values for fields; those that are not set stay. */
struct task_fields {
    bool set[TASK_DATES];
    int32_t dates[TASK_DATES]; /* TASK_NO_DATE removes it */
    bool set_priority;
    enum task_priority priority;
};

/* Whether any is set. */
bool task_fields_any(const struct task_fields *f);

/* A date that is set takes the place of one that the plugin does not read (task_stray.h). */
MUST_CHECK bool task_set_fields(struct arena *a, const struct task_settings *s, str line,
                                const struct task_fields *fields, str *out,
                                struct err *err);

/*
 * The line of a new task. text is its description, perhaps with fields, or a whole line;
 * it gets the global filter and the date of creation if the settings say so.
 */
MUST_CHECK bool task_make(struct arena *a, const struct task_settings *s, str text,
                          const struct task_fields *fields, int32_t today, str *out,
                          struct err *err);
