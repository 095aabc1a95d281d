/*
 * select_field - the fields of a row: its properties, and built-in ones such as
 * file.name.
 */
#pragma once

#include "vault/eval/eval.h"
#include "vault/eval/select.h"
#include "vault/eval/select_task.h"

enum select_field_kind {
    SELECT_PROPERTY,
    SELECT_FILE_NAME,
    SELECT_FILE_PATH,
    SELECT_FILE_FOLDER,
    SELECT_FILE_EXT,
    SELECT_FILE_SIZE,
    SELECT_FILE_MODIFIED,
    SELECT_FILE_TAGS,
    SELECT_FILE_ALIASES,
    SELECT_FILE_LINKS,
    SELECT_FILE_BACKLINKS,
    SELECT_FILE_HEADINGS,
    SELECT_FILE_TASKS,
    SELECT_FILE_LINK,
    SELECT_TASK_TEXT, /* fields of tasks come after all others */
    SELECT_TASK_STATUS,
    SELECT_TASK_DONE,
    SELECT_TASK_LINE,
    SELECT_TASK_HEADING,
    SELECT_TASK_TAGS,
    SELECT_TASK_FIELD,    /* of the Tasks plugin */
    SELECT_TASK_STATUSES, /* task.status as it is compared: a list of all its names */
};

struct select_field {
    enum select_field_kind kind;
    str name;   /* of a property: whole; quotes removed */
    str *path;  /* the same, folded and split at dots; one part if it was quoted */
    str *spelt; /* the parts as written */
    size_t n_path;
    bool of_note;  /* of the note, also in queries for tasks: note.x */
    bool of_task;  /* an inline field of the task itself: task.x */
    bool in_tasks; /* tasks of a note may have it */
    bool length;   /* the number of its items; of a property: unless it has that member */
    const struct select_task_field *task; /* of SELECT_TASK_FIELD; if it was named without
                                             "task.", a property takes the place of a
                                             field that the task does not have */
    struct select_tasks *tasks;
    struct select_field *next; /* in the same query */
};

/* All fields of a query, in the order they were written. */
struct select_fields {
    struct arena *arena;
    enum select_from from;
    struct select_field *first, *last;
    struct select_tasks tasks; /* for fields of the Tasks plugin */
};

/* What rows are sorted by, if v is the value of the field. */
struct value select_field_key(const struct select_field *f, const struct value *v);

struct value select_field_value(const struct value_reader *r,
                                const struct select_field *f, const struct index *x,
                                const struct row *row);

/* Whether the property exists, even without a value; other fields: is not empty. */
bool select_field_exists(const struct value_reader *r, const struct select_field *f,
                         const struct index *x, const struct row *row);

/*
 * The field that a word names, with backticks and dots as syntax; at is its offset. Fails
 * if it begins with file. or task. and there is no such field. what names the argument
 * for messages: "where", "select".
 */
MUST_CHECK bool select_field_make(struct select_fields *s, const char *what, str word,
                                  size_t at, const struct select_field **out,
                                  struct err *err);

/* The property of exactly that name. */
const struct select_field *select_field_property(struct select_fields *s, str name);

/* The property of that name, or, if it has dots, a member of a map. */
const struct select_field *select_field_dotted(struct select_fields *s, str name);

/* Forget a field that turned out to be text. */
void select_field_drop(struct select_fields *s, const struct select_field *f);

/* Forget all fields up to that one; NULL: none. */
void select_field_drop_until(struct select_fields *s, const struct select_field *last);

/* The properties among the fields that no note has, with the nearest names: their number,
 * at most SELECT_UNKNOWN_MAX; 0 if it was stopped. */
size_t select_find_unknown(const struct index *x, const struct select_fields *fields,
                           const struct stop *stop, struct select_unknown **out);
