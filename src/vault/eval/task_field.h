/*
 * task_field - the fields that tasks have from the Tasks plugin: task.due, task.priority
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
struct task_field_reader {
    struct arena *arena, *row; /* row: for values of the row that is read */
    const struct index *index;
    struct task_settings settings;
    const struct tasks *items;    /* NULL until a field is used */
    bool linked;                  /* the next two are collected */
    struct map open_ids, awaited; /* of tasks that are not over: their ids, and the ids
                                      that they depend on */
};

/* settings: NULL for the plugin's defaults. */
void task_field_reader_open(struct task_field_reader *c, struct arena *a,
                            const struct index *x, const struct task_settings *settings);

struct field_of_task {
    const char *name; /* task.due */
    enum task_date date;
    struct value (*read)(struct task_field_reader *c, const struct field_of_task *f,
                         const struct file *file, const struct note_task *t);
    bool plain; /* also without "task." */
    bool is_due, is_priority;
};

/* The i-th field, NULL after the last; the field of that name, ignoring case, or NULL.
 * *plain: it was named without "task.". */
const struct field_of_task *task_field_nth(size_t i);
const struct field_of_task *task_field_named(str name, bool *plain);

/* Its value for a task, in the arena. */
struct value task_field_value(struct task_field_reader *c, struct arena *a,
                              const struct field_of_task *f, const struct file *file,
                              const struct note_task *t);

/* Whether a value says that the task's line does not have the field: null, no priority,
 * not blocked. */
bool task_field_is_unset(const struct value *v);

/* Whether the task lacks the global filter, so that it has no fields. */
bool task_field_is_plain(const struct task_field_reader *c, const struct file *file,
                         const struct note_task *t);

/* Whether it is the due date; the priority. */
bool task_field_is_due(const struct field_of_task *f);
bool task_field_is_priority(const struct field_of_task *f);

/* The symbol, name and type of a task's status, as a list. */
struct value task_field_statuses(struct task_field_reader *c, struct arena *a,
                                 const struct file *file, const struct note_task *t);

/* What a value of the field is sorted by: priorities by their order. */
struct value task_field_key(const struct field_of_task *f, const struct value *v);

/*
 * Notes with tasks that are due from day first to day last, by id. Perhaps too many, never
 * too few.
 */
struct ids task_field_due(struct task_field_reader *c, int32_t first, int32_t last);
