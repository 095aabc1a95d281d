/*
 * base - a view of a base (forms/base_file.h) as Obsidian shows it: rows, groups and
 * summaries. bases_parse.h parses its expressions, plan.h does the work.
 */
#pragma once

#include "vault/eval/plan.h"
#include "vault/forms/base_file.h"

struct base_query {
    const struct index *index;
    const struct base *base;
    const struct base_view *view; /* of base */
    const struct file *this_file; /* what `this` means; NULL: nothing */
    struct date now;
    int utc_offset;
    const struct stop *stop; /* or NULL */
    /* The declared type of a property ("checkbox"), or empty; as in value.h. */
    str (*property_type)(const void *arg, str name);
    const void *type_arg;
    size_t offset, limit; /* the page of rows; limit 0: all */
};

struct base_column {
    str id, name; /* as written in the view; as shown */
};

struct base_table {
    struct base_column *columns;
    size_t n_columns;
    struct plan_result found; /* its page has offset and limit applied */
    size_t shown;             /* rows of the view: found.total, or the view's limit */
    size_t offset;            /* of found.rows[0] in these */
    str *warnings;            /* of the base, and properties that no note has */
    size_t n_warnings;
};

/*
 * Whether all expressions of a base can be parsed. Else ERR_INVALID or ERR_LIMIT; the
 * message begins with "line N, column N" and names the filter, formula or summary.
 */
MUST_CHECK bool base_check(struct arena *a, const struct base *b, struct err *err);

/*
 * Run a view. Fails like base_check(), before any row is looked at. Columns, orders and
 * summaries that do not exist are errors in their cells. The table lives in the arena and
 * borrows from the base and the index.
 */
MUST_CHECK bool base_run(struct arena *a, const struct base_query *q,
                         struct base_table *out, struct err *err);
