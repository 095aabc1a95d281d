/*
 * select_node - a parsed query. Private to select*.c.
 */
#pragma once

#include "vault/eval/select.h"
#include "vault/eval/select_task.h"
#include "vault/text/regex.h"

/* --- fields --- */

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
    SELECT_TASK_FIELD, /* of the Tasks plugin */
};

struct select_field {
    enum select_field_kind kind;
    str name;   /* of a property: whole; quotes removed */
    str *path;  /* the same, folded and split at dots; one part if it was quoted */
    str *spelt; /* the parts as written */
    size_t n_path;
    bool length; /* the number of its items; of a property: unless it has that member */
    const struct select_task_field *task; /* of SELECT_TASK_FIELD; if it was named without
                                             "task.", a property takes the place of a
                                             field that the task does not have */
    struct select_tasks *tasks;
    struct select_field *next; /* in the same query */
};

/* The row whose fields are read. */
struct select_row_of {
    const struct index *index;
    const struct file *file;
    const struct note_task *task;
};

/* What rows are sorted by, if v is the value of the field. */
struct value select_field_key(const struct select_field *f, const struct value *v);

struct value select_field_value(const struct value_reader *r,
                                const struct select_field *f,
                                const struct select_row_of *row);

/* Whether the property exists, even without a value; other fields: is not empty. */
bool select_field_exists(const struct value_reader *r, const struct select_field *f,
                         const struct select_row_of *row);

/* --- expressions --- */

struct select_operand {
    const struct select_field *field; /* NULL: a constant */
    struct value value;               /* texts folded */
    int64_t months, seconds;          /* added to a date */
    str quoted; /* the field was written in quotes, and may turn out to be text */
};

enum select_op {
    SELECT_AND,
    SELECT_OR,
    SELECT_NOT,
    SELECT_TRUE, /* this and the next two use only left */
    SELECT_EXISTS,
    SELECT_EMPTY,
    SELECT_EQUAL, /* this and all below: left with any of rights */
    SELECT_LESS,
    SELECT_LESS_EQUAL,
    SELECT_GREATER,
    SELECT_GREATER_EQUAL,
    SELECT_CONTAINS,
    SELECT_STARTS,
    SELECT_ENDS,
    SELECT_MATCHES,
    SELECT_BELOW, /* left is a folder, the right one or below it */
};

struct select_node {
    enum select_op op;
    struct select_operand left;
    struct select_operand *rights;
    size_t n_rights;
    struct regex *regex;
    struct select_node *child, *next;
};

/* --- a whole query --- */

struct select_plan {
    struct arena *arena;
    const struct index *index;
    enum select_from from;
    struct value_reader reader; /* for constants */
    struct date now;
    struct select_tasks tasks;
    struct select_node *where;                /* NULL: all */
    struct select_field *fields, *last_field; /* in the order they were written */
    struct regex *regexes[SELECT_TERMS_MAX];  /* to be freed */
    size_t n_regexes;
};

/* what names the argument for messages: "where", "select". */
MUST_CHECK bool select_parse_where(struct select_plan *p, str text, struct err *err);
MUST_CHECK bool select_parse_field(struct select_plan *p, const char *what, str text,
                                   const struct select_field **out, struct err *err);

/*
 * The field that a word names, with backticks and dots as syntax; at is its offset. Fails
 * if it begins with file. or task. and there is no such field.
 */
MUST_CHECK bool select_field_make(struct select_plan *p, const char *what, str word,
                                  size_t at, const struct select_field **out,
                                  struct err *err);
const struct select_field *select_field_property(struct select_plan *p, str name);

/* Forget a field that turned out to be text. */
void select_field_drop(struct select_plan *p, const struct select_field *f);

/* State while rows are matched. */
struct select_match {
    struct value_reader reader;
    struct select_row_of row;
    struct regex_scratch *regex; /* NULL if there are no regular expressions */
};
bool select_matches(const struct select_match *m, const struct select_node *n);

/* Notes by id: those that a filter or field can be about, or all. */
struct select_notes {
    const file_id *ids; /* in the arena or the index */
    size_t n;
    bool all;
};

/* Perhaps too many, never too few. */
struct select_notes select_narrow(const struct select_plan *p);
struct select_notes select_having(const struct select_plan *p,
                                  const struct select_field *property);

/* The tasks that have a due date and can match, by day; others: those without one can
 * match, too. */
struct select_due {
    const struct tasks_due *tasks;
    size_t n;
    bool others;
};
struct select_due select_find_due(const struct select_plan *p);

/* Property fields of the query that no note has, with the nearest names. */
void select_find_unknown(const struct select_plan *p, struct select_result *out);

/* --- tokens --- */

enum select_token_kind {
    SELECT_END,
    SELECT_WORD,   /* including dots and backticks */
    SELECT_QUOTED, /* text: unescaped */
    SELECT_INTEGER,
    SELECT_REAL,
    SELECT_DATE,
    SELECT_DURATION,
    SELECT_LINK, /* text: including brackets */
    SELECT_TAG,  /* text: without '#' */
    SELECT_SIGN, /* = != <= && ( and so on */
};

struct select_token {
    enum select_token_kind kind;
    str text;
    size_t at, end;
    char quote; /* of quoted text */
    int64_t number;
    double real;
    struct date date;
    int64_t months, seconds;
};

/* The next token at or after byte at. Fails if none can begin there. */
MUST_CHECK bool select_lex(const struct select_plan *p, const char *what, str text,
                           size_t at, struct select_token *out, struct err *err);

/* ERR_INVALID with the position: "where: expected … at byte 5, found 'x'". */
bool select_fail(const char *what, str text, size_t at, const char *expected,
                 struct err *err);
