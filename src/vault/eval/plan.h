/*
 * plan - what a query does with rows, in a given order: filter, sort, limit, group,
 * flatten; then cells and summaries of those that are left. One function runs the plans of
 * all three languages.
 *
 * Bases: filter, sort, limit, group. vault_query: filter, sort or group, and a page. DQL:
 * any steps in any order.
 */
#pragma once

#include "vault/eval/eval.h"

enum {
    PLAN_ROWS_MAX = 10000,  /* in one answer */
    PLAN_MADE_MAX = 1000000 /* rows that steps make (FLATTEN, groups of items) */
};

enum plan_from {
    PLAN_NOTES, /* Markdown notes */
    PLAN_TASKS, /* tasks in them */
    PLAN_FILES, /* all files, attachments and bases included */
};

enum plan_op {
    PLAN_FILTER,  /* keep rows for which expr holds; an error does not hold */
    PLAN_SORT,    /* by keys, then as before (at first: by path and line) */
    PLAN_LIMIT,   /* keep the first n rows */
    PLAN_GROUP,   /* groups of rows whose expr is equal; see plan_result.groups */
    PLAN_COLLECT, /* one row for each value of expr, ascending, with the names `key`, name,
                     and `rows`, a list of VALUE_ROW (DQL's GROUP BY) */
    PLAN_FLATTEN, /* one row for each item of expr, which is called name (DQL) */
};

struct plan_key {
    const struct expr *expr;
    bool descending;
    bool checkbox; /* null counts as false, as the declared type says */
};

struct plan_step {
    enum plan_op op;
    const struct expr *expr;
    const struct plan_key *keys; /* of a sort */
    size_t n;                    /* keys; rows of a limit */
    str name;
    bool descending; /* groups */
    bool by_item;    /* groups: a list is in the group of each of its items */
    bool by_count;   /* groups: the largest first; their rows are only counted */
};

enum plan_summary_kind {
    PLAN_AVERAGE,
    PLAN_MIN,
    PLAN_MAX,
    PLAN_SUM,
    PLAN_RANGE,
    PLAN_MEDIAN,
    PLAN_STDDEV,
    PLAN_EARLIEST,
    PLAN_LATEST,
    PLAN_CHECKED,
    PLAN_UNCHECKED,
    PLAN_EMPTY,
    PLAN_FILLED,
    PLAN_UNIQUE,
    PLAN_CUSTOM, /* expr, over `values` */
};

struct plan_summary {
    const struct expr *of; /* the column's expression */
    enum plan_summary_kind kind;
    const struct expr *expr;
};

/* The default summary of that name ("Average"), exactly; false if there is none. */
bool plan_summary_named(str name, enum plan_summary_kind *out);

struct plan {
    enum plan_from from;
    const struct plan_step *steps;
    size_t n_steps;
    const struct expr *const *columns;
    size_t n_columns;
    const struct plan_summary *summaries;
    size_t n_summaries;
    str folder;           /* only files below it, folded; "": all */
    size_t offset, limit; /* the page of the rows that are left; limit 0: all */
    bool count_only;      /* only the total is needed */
    bool explain;         /* if there are no rows, find what is missing */
};

struct plan_row {
    struct row row;
    struct value *cells; /* one per column */
};

struct plan_group {
    struct value key; /* as first met */
    size_t first, n;  /* its rows, of plan_result.rows; offset and limit do not apply */
    size_t count;     /* different rows in it, before the page */
    struct value *summaries;
};

struct plan_result {
    struct plan_row *rows; /* with groups: in the order of the groups */
    size_t n;
    size_t total; /* rows that passed the filters, before a limit */
    size_t left;  /* rows after all steps, before the page */
    struct plan_group *groups;
    size_t n_groups, total_groups;
    struct value *summaries; /* of all rows that are left */
    size_t errors;           /* rows for which a filter was an error */
    str first_error;         /* the first message */
    const char *limit;       /* stopped by it, so rows may be missing; or NULL */
    str missing; /* what the filters ask for that no row has (plan.explain); or empty */
};

/* Results are in the arena of e, and borrow from its index. e is open. */
void plan_run(struct eval *e, const struct plan *p, struct arena *a,
              struct plan_result *out);
