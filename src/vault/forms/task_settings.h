/*
 * task_settings - the settings of the Tasks plugin that decide what its task lines mean:
 * their format, the global filter, the statuses.
 *
 * A missing or wrong value means the plugin's default. Texts are borrowed from the JSON.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"

enum { TASK_STATUSES_MAX = 200 };

enum task_type {
    TASK_TODO,
    TASK_IN_PROGRESS,
    TASK_ON_HOLD,
    TASK_DONE,
    TASK_CANCELLED,
    TASK_NON_TASK,
};

/* "TODO" and so on, by enum task_type; ends with NULL. */
extern const char *const task_types[];

struct task_status {
    str symbol, name, next; /* next: the symbol that follows it */
    enum task_type type;
};

enum task_format { TASK_EMOJI = 1, TASK_DATAVIEW = 2 };

struct task_settings {
    enum task_format format; /* that is written */
    unsigned read;           /* the formats that are read */
    str filter;              /* a text that all tasks contain; or empty */
    bool set_created, set_done, set_cancelled; /* give new tasks that date */
    bool next_below;     /* the next occurrence is below the completed one, not above */
    bool drop_scheduled; /* the next occurrence has no scheduled date */
    bool file_date;      /* tasks without dates are scheduled for the date in the name of
                            their file */
    const struct task_status *statuses;
    size_t n_statuses;
};

/* From the plugin's data.json, or NULL; statuses are in the arena. */
void task_settings_read(struct arena *a, const struct json *data,
                        struct task_settings *out);

/* The same settings, for questions: both formats are read. */
struct task_settings task_settings_both(const struct task_settings *s);

/* The status of a symbol. An unknown one is a task to do, followed by "x". */
struct task_status task_status_of(const struct task_settings *s, str symbol);

/* Whether nothing remains to be done: done, cancelled, or not a task. */
static inline bool task_type_is_over(enum task_type type)
{
    return type >= TASK_DONE;
}
