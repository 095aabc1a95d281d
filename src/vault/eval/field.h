/*
 * field - the fields of a row: its properties, and built-in ones such as
 * file.name.
 */
#pragma once

#include "base/err.h"
#include "vault/eval/task_field.h"
#include "vault/eval/value.h"
#include "vault/index/index.h"

enum { FIELD_ITEMS_MAX = 10000 }; /* of file.links and the like; the rest is ignored */

enum field_kind {
    FIELD_PROPERTY,
    FIELD_FILE_NAME,
    FIELD_FILE_PATH,
    FIELD_FILE_FOLDER,
    FIELD_FILE_EXT,
    FIELD_FILE_SIZE,
    FIELD_FILE_MODIFIED,
    FIELD_FILE_TAGS,
    FIELD_FILE_ALIASES,
    FIELD_FILE_LINKS,
    FIELD_FILE_BACKLINKS,
    FIELD_FILE_HEADINGS,
    FIELD_FILE_TASKS,
    FIELD_FILE_LINK,
    FIELD_TASK_TEXT, /* fields of tasks come after all others */
    FIELD_TASK_STATUS,
    FIELD_TASK_DONE,
    FIELD_TASK_LINE,
    FIELD_TASK_HEADING,
    FIELD_TASK_TAGS,
    FIELD_TASK_FIELD,    /* of the Tasks plugin */
    FIELD_TASK_STATUSES, /* task.status as it is compared: a list of all its names */
};

struct field {
    enum field_kind kind;
    str name;   /* of a property: whole; quotes removed */
    str *path;  /* the same, folded and split at dots; one part if it was quoted */
    str *spelt; /* the parts as written */
    size_t n_path;
    bool of_note;  /* of the note, also in queries for tasks: note.x */
    bool of_task;  /* an inline field of the task itself: task.x */
    bool in_tasks; /* tasks of a note may have it */
    bool length;   /* the number of its items; of a property: unless it has that member */
    const struct field_of_task *task; /* of FIELD_TASK_FIELD; if it was named without
                                             "task.", a property takes the place of a
                                             field that the task does not have */
    struct task_field_reader *tasks;
    struct field *next; /* in the same query */
};

/* All fields of a query, in the order they were written. */
struct field_list {
    struct arena *arena;
    bool of_tasks; /* the rows are tasks */
    struct field *first, *last;
    struct task_field_reader tasks; /* for fields of the Tasks plugin */
};

/* What rows are sorted by, if v is the value of the field. */
struct value field_key(const struct field *f, const struct value *v);

struct value field_value(const struct value_reader *r, const struct field *f,
                         const struct index *x, const struct row *row);

/* Whether the property exists, even without a value; other fields: is not empty. */
bool field_exists(const struct value_reader *r, const struct field *f,
                  const struct index *x, const struct row *row);

/*
 * The field that a word names, with backticks and dots as syntax; at is its offset. Fails
 * if it begins with file. or task. and there is no such field. what names the argument
 * for messages: "where", "select".
 */
MUST_CHECK bool field_make(struct field_list *s, const char *what, str word, size_t at,
                           const struct field **out, struct err *err);

/* The property of exactly that name. */
const struct field *field_property(struct field_list *s, str name);

/* The property of that name, or, if it has dots, a member of a map. */
const struct field *field_dotted(struct field_list *s, str name);

/* Forget a field that turned out to be text. */
void field_drop(struct field_list *s, const struct field *f);

/* Forget all fields up to that one; NULL: none. */
void field_drop_until(struct field_list *s, const struct field *last);

/* Whether a column is the built-in field with that usual name, by any of its names. */
bool field_is(str column, const char *name);

/* The usual name of built-in field i, for descriptions and help; NULL after the last. */
const char *field_name(size_t i);
