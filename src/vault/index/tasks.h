/*
 * tasks - the dates and priorities of all tasks (forms/task.h), and which notes have tasks
 * that are due in a period.
 *
 * Both formats are read, and no global filter is applied: settings are up to the reader,
 * so these answers do not depend on them.
 *
 * Nothing is collected until the first question; then it is kept. Excluded files are left
 * out. One writer; any number of threads may ask while there is no writing.
 */
#pragma once

#include "vault/forms/task.h"
#include "vault/index/file.h"
#include "vault/index/ids.h"

struct tasks; /* index_tasks() has it; made by tasks_kind (derived.h) */

/* --- questions: valid until a change --- */

struct tasks_item {
    int32_t dates[TASK_DATES]; /* as in struct task */
    uint8_t priority;          /* enum task_priority */
    bool has_text;             /* it has a rule, an id or dependencies */
};

/* One for each task of the note, in the order of its text; NULL if it has none. */
const struct tasks_item *tasks_of(const struct tasks *t, file_id note);

/* A task with a due date. */
struct tasks_due {
    int32_t day;
    file_id note;
    uint32_t task; /* its place among the tasks of the note */
};

/* All of them by day, and those that are due from day first to day last. */
size_t tasks_by_due(const struct tasks *t, int32_t first, int32_t last,
                    const struct tasks_due **out);

/* Notes with tasks that have an id, or depend on others. */
struct ids tasks_linked(const struct tasks *t);
