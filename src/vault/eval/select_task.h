/*
 * select_task - the fields that tasks have from the Tasks plugin: task.due, task.priority
 * and the like. Private to select*.c.
 *
 * The plugin's settings decide about statuses and about the global filter: a checkbox
 * without it has no fields. Both formats of fields are read, whichever is written.
 */
#pragma once

#include "base/map.h"
#include "vault/eval/value.h"
#include "vault/forms/task.h"
#include "vault/index/index.h"

/* What the fields need, once for each query; for one thread. */
struct select_tasks {
    struct arena *arena, *row; /* row: for values of the row that is read */
    const struct index *index;
    struct task_settings settings;
    const struct tasks *items;    /* NULL until a field is used */
    bool linked;                  /* the next two are collected */
    struct map open_ids, awaited; /* of tasks that are not over: their ids, and the ids
                                      that they depend on */
};

/* settings: NULL for the plugin's defaults. */
void select_tasks_open(struct select_tasks *c, struct arena *a, const struct index *x,
                       const struct task_settings *settings);

struct select_task_field {
    const char *name; /* task.due */
    enum task_date date;
    struct value (*read)(struct select_tasks *c, const struct select_task_field *f,
                         const struct file *file, const struct note_task *t);
    bool plain; /* also without "task." */
    bool is_due, is_priority;
};

/* The i-th field, NULL after the last; the field of that name, ignoring case, or NULL.
 * *plain: it was named without "task.". */
const struct select_task_field *select_task_nth(size_t i);
const struct select_task_field *select_task_named(str name, bool *plain);

/* Its value for a task, in the arena. */
struct value select_task_value(struct select_tasks *c, struct arena *a,
                               const struct select_task_field *f, const struct file *file,
                               const struct note_task *t);

/* Whether a value says that the task's line does not have the field: null, no priority,
 * not blocked. */
bool select_task_is_unset(const struct value *v);

/* Whether the task lacks the global filter, so that it has no fields. */
bool select_task_is_plain(const struct select_tasks *c, const struct file *file,
                          const struct note_task *t);

/* Whether it is the due date; the priority. */
bool select_task_is_due(const struct select_task_field *f);
bool select_task_is_priority(const struct select_task_field *f);

/* The symbol, name and type of a task's status, as a list. */
struct value select_task_statuses(struct select_tasks *c, struct arena *a,
                                  const struct file *file, const struct note_task *t);

/* What a value of the field is sorted by: priorities by their order. */
struct value select_task_key(const struct select_task_field *f, const struct value *v);

/*
 * Notes with tasks that are due from day first to day last, by id. Perhaps too many, never
 * too few.
 */
struct ids select_tasks_due(struct select_tasks *c, int32_t first, int32_t last);
