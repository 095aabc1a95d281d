/*
 * dql - queries of the plugin Dataview, as plans for the one engine (plan.h).
 *
 *     TABLE rating, length(file.tasks) AS "Tasks"
 *     FROM #book and -"Archive"
 *     WHERE rating >= 4
 *     SORT rating DESC
 *     LIMIT 10
 *
 * LIST, TABLE and TASK; one source; then any number of WHERE, SORT, GROUP BY, FLATTEN and
 * LIMIT, in the order written. Keywords ignore case. Comments begin with //. What Dataview
 * has and this does not is refused by name: CALENDAR, csv(), inline queries, functions
 * that are not in the table of dql_functions.c. docs/dataview.md has the language.
 *
 * As in Dataview, `and` and `or` have the same precedence, from left to right.
 */
#pragma once

#include "vault/eval/plan.h"

enum {
    DQL_TEXT_MAX = 16 << 10, /* bytes */
    DQL_STEPS_MAX = 64,      /* WHERE, SORT, ... */
    DQL_COLUMNS_MAX = 32,    /* also fields to sort by */
};

enum dql_type { DQL_LIST, DQL_TABLE, DQL_TASK };

struct field_list;
struct unknown_field;

struct dql {
    enum dql_type type;
    bool without_id;              /* rows are shown without their note, task or group */
    bool grouped;                 /* rows are groups, with the names `key` and `rows` */
    str group;                    /* what they are grouped by */
    str columns[DQL_COLUMNS_MAX]; /* the names of the plan's columns */
    struct plan plan;
    const struct field_list *fields; /* properties that it names */
    struct unknown_field *unknown;   /* those of them that no note has */
    size_t n_unknown;
};

extern const struct dialect dialect_dql;

/* Whether a text begins as a query does, with one of its types in capitals and a space;
 * even if it is refused. */
bool dql_looks_like(str text);

/* The same in any case, which may also be the beginning of a name. */
bool dql_begins(str text);

/*
 * Parse text. Links and folders are those of the reader's names, dates such as
 * date(today) are relative to now. The result is in the arena and borrows from text and
 * owner. Fails with ERR_INVALID (INVALID_QUERY), naming the byte from 0 and what was
 * expected there, or ERR_LIMIT.
 */
MUST_CHECK bool dql_parse(struct arena *a, struct expr_owner *owner,
                          const struct value_reader *r, struct date now, str text,
                          struct dql *out, struct err *err);

struct dql_request {
    const struct index *index;
    str text;
    const struct file *this_file; /* what `this` and [[]] mean; NULL: nothing */
    struct date now;
    int utc_offset;
    const struct stop *stop; /* or NULL */
    size_t offset, limit;    /* the page of rows; limit 0: all */
};

/*
 * Parse and run a query. Fails as dql_parse() does, and with INVALID_QUERY if it could
 * not be evaluated for any row. The result is in the arena and borrows from the index.
 */
MUST_CHECK bool dql_run(struct arena *a, const struct dql_request *w, struct dql *query,
                        struct plan_result *found, struct err *err);

/* A name of a row, such as `key` or `rows` of a group; NULL if it does not have it. */
const struct value *dql_row_name(const struct row *row, str name);
