/*
 * select_node - a query, parsed. Private to vault/select*.c.
 */
#pragma once

#include "vault/ask/select.h"
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
    SELECT_TASK_TEXT, /* those of tasks are behind all others */
    SELECT_TASK_STATUS,
    SELECT_TASK_DONE,
    SELECT_TASK_LINE,
    SELECT_TASK_HEADING,
    SELECT_TASK_TAGS,
};

struct select_field {
    enum select_field_kind kind;
    str name;   /* of a property: whole; quotes removed */
    str *path;  /* the same, folded, by the dots; one part if it was quoted */
    str *spelt; /* as written */
    size_t n_path;
    struct select_field *next; /* of the same query */
};

/* What a field is asked of. */
struct select_row_of {
    const struct index *index;
    const struct file *file;
    const struct note_task *task;
};

struct value select_field_value(const struct value_reader *r,
                                const struct select_field *f,
                                const struct select_row_of *row);

/* Whether the property is there, even without value; of other fields: is not empty. */
bool select_field_exists(const struct value_reader *r, const struct select_field *f,
                         const struct select_row_of *row);

/* The property of that name in a map, or else one that differs in case; or NULL. */
const struct prop *select_property(struct arena *a, const struct prop *map, str name,
                                   str folded);

/* --- expressions --- */

struct select_operand {
    const struct select_field *field; /* NULL: a constant */
    struct value value;               /* texts folded */
    int64_t months, seconds;          /* added to a date */
    str quoted; /* the field was written "so", and might have been meant as text */
};

enum select_op {
    SELECT_AND,
    SELECT_OR,
    SELECT_NOT,
    SELECT_TRUE, /* of left alone, as the two below */
    SELECT_EXISTS,
    SELECT_EMPTY,
    SELECT_EQUAL, /* of left and any of rights, as all below */
    SELECT_LESS,
    SELECT_LESS_EQUAL,
    SELECT_GREATER,
    SELECT_GREATER_EQUAL,
    SELECT_CONTAINS,
    SELECT_STARTS,
    SELECT_ENDS,
    SELECT_MATCHES,
    SELECT_BELOW, /* left is a folder */
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
    struct select_node *where;                /* NULL: all */
    struct select_field *fields, *last_field; /* as they were written */
    struct regex *regexes[SELECT_TERMS_MAX];  /* to be freed */
    size_t n_regexes;
};

/* what names the argument for messages: "where", "columns". */
MUST_CHECK bool select_parse_where(struct select_plan *p, str text, struct err *err);
MUST_CHECK bool select_parse_field(struct select_plan *p, const char *what, str text,
                                   const struct select_field **out, struct err *err);

/*
 * The field a word names, backticks and dots being syntax; at is where it stands. Fails
 * when it begins with file. or task. and is none of these.
 */
MUST_CHECK bool select_field_make(struct select_plan *p, const char *what, str word,
                                  size_t at, const struct select_field **out,
                                  struct err *err);
const struct select_field *select_field_property(struct select_plan *p, str name);

/* It was none after all. */
void select_field_drop(struct select_plan *p, const struct select_field *f);

/* While rows are matched. */
struct select_match {
    struct value_reader reader;
    struct select_row_of row;
    struct regex_scratch *regex; /* NULL if there are no regular expressions */
};
bool select_matches(const struct select_match *m, const struct select_node *n);

/* Property fields of the query that no note has, with the nearest names. */
void select_find_unknown(const struct select_plan *p, struct select_result *out);

/* --- tokens --- */

enum select_token_kind {
    SELECT_END,
    SELECT_WORD,   /* with its dots and backticks */
    SELECT_QUOTED, /* text: unescaped */
    SELECT_INTEGER,
    SELECT_REAL,
    SELECT_DATE,
    SELECT_DURATION,
    SELECT_LINK, /* text: with its brackets */
    SELECT_TAG,  /* text: without '#' */
    SELECT_SIGN, /* = != <= && ( and so on */
};

struct select_token {
    enum select_token_kind kind;
    str text;
    size_t at, end;
    char quote; /* of quoted ones */
    int64_t number;
    double real;
    struct date date;
    int64_t months, seconds;
};

/* The token from byte at on, blanks skipped. Fails on what can be none. */
MUST_CHECK bool select_lex(const struct select_plan *p, const char *what, str text,
                           size_t at, struct select_token *out, struct err *err);

/* ERR_INVALID with place: "where: expected … at byte 5, before 'x'". */
bool select_fail(const char *what, str text, size_t at, const char *expected,
                 struct err *err);

/* The unit of a duration ("d", "weeks"), case ignored. */
bool select_unit(str word, int64_t *months, int64_t *seconds);
