/*
 * base_file - a base of Obsidian: filters, formulas, properties, summaries and views, read
 * from its YAML.
 *
 * Only the form is checked here. Expressions are texts with their place; vault/eval parses
 * and evaluates them. Older spellings are read as well: display for properties, group_by
 * for groupBy, column for property in sort. Unknown keys are ignored, because plugins add
 * their own; those of the base itself are in warnings.
 */
#pragma once

#include "base/err.h"
#include "vault/forms/base_source.h"

struct prop;

enum {
    BASE_MAX_BYTES = 1 << 20,
    BASE_MAX_VIEWS = 64,
    BASE_MAX_MEMBERS = 256, /* of formulas, properties, summaries, order and sort */
    BASE_MAX_EXPRESSION = 16 << 10,
    BASE_MAX_DEPTH = 64, /* of filters in filters */
};

/* An expression, or anything else that is one scalar of the YAML. */
struct base_text {
    str text;
    struct span raw; /* as written, in source.text */
};

enum base_filter_kind { BASE_FILTER, BASE_AND, BASE_OR, BASE_NOT };

struct base_filter {
    enum base_filter_kind kind;
    struct base_text expression;      /* of BASE_FILTER */
    struct base_filter *child, *next; /* of the others: the filters in it */
};

/* A formula, a custom summary, or the display name of a property. */
struct base_member {
    str name;
    struct base_text value;
};

struct base_members {
    struct base_member *items;
    size_t n;
};

struct base_order {
    struct base_text property; /* as written: price, note.price, file.name, formula.x; may
                                  be empty */
    bool descending;
};

struct base_view {
    str type, name;             /* never empty */
    struct base_filter *filter; /* NULL: none */
    struct base_text *columns;  /* property ids, as written */
    size_t n_columns;
    struct base_order *order;
    size_t n_order;
    struct base_order group;       /* its property is empty: none */
    size_t limit;                  /* 0: none */
    struct base_members summaries; /* of a property id: the name of a summary */
};

struct base {
    struct base_source source;
    struct prop *root;          /* everything, also unknown keys */
    struct base_filter *filter; /* of all views; NULL: none */
    struct base_members formulas, properties, summaries;
    struct base_view *views; /* at least one */
    size_t n_views;
    str *warnings; /* one sentence each */
    size_t n_warnings;
};

/*
 * Read a base; it lives in the arena and borrows from the source. Fails with ERR_INVALID
 * or ERR_LIMIT; the message begins with "line N, column N".
 */
MUST_CHECK bool base_read(struct arena *a, const struct base_source *source,
                          struct base *out, struct err *err);

/* The view of that name, exactly or else ignoring case; the first if name is empty; NULL
 * if there is none. */
const struct base_view *base_find_view(const struct base *b, str name);

/* The display name of a property id, else the last part of the id. */
str base_display_name(const struct base *b, str property);

/* Fill err with the place of byte `at` of a text of the base and what is wrong there.
 * Returns false. */
bool base_fail_at(const struct base *b, const struct base_text *text, size_t at,
                  enum err_code code, const char *what, struct err *err);

/* --- property ids --- */

enum base_owner { BASE_NOTE, BASE_FILE, BASE_FORMULA };

/* Whose property an id is, and its name there: only the first dot counts. */
enum base_owner base_property(str id, str *name);

/* Whether two ids are the same property: price and note.price are. */
bool base_same_property(str a, str b);
