/*
 * eval - the value of an expression for one row. There is one evaluator; dialects differ
 * in the flags of dialect.h and in their tables of functions.
 *
 * A query has one struct eval, for one thread. Values borrow from the index, from the
 * expressions and from the arena of the row, so these must outlive them.
 * Evaluating never fails: what has no value is VALUE_ERROR. Steps, time and memory are
 * limited: then stopped is set, everything evaluates to an error, and the caller ends.
 */
#pragma once

#include "base/stop.h"
#include "vault/eval/dialect.h"
#include "vault/eval/expr.h"
#include "vault/eval/value.h"
#include "vault/index/index.h"

enum {
    EVAL_STEPS_MAX = 50000000,   /* of one query */
    EVAL_MS_MAX = 5000,          /* of one query */
    EVAL_DEPTH_MAX = 1024,       /* of trees and formulas in each other */
    EVAL_NEST_MAX = 64,          /* of lists in lists */
    EVAL_CHAIN_MAX = 64,         /* formulas that use each other */
    EVAL_TEXT_MAX = 1 << 20,     /* bytes of a text that is made */
    EVAL_MEMORY_MAX = 256 << 20, /* bytes of the arena that values are made in */
};

/* The limit that stopped a query. */
enum eval_limit { EVAL_GOES_ON, EVAL_STEPS, EVAL_TIME, EVAL_MEMORY };

/* The same in words: "more than 50 million steps"; NULL if it was not stopped. */
const char *eval_limit_text(enum eval_limit limit);

struct eval_formula {
    str name;
    const struct expr *expr;
};

struct eval {
    /* The query; set by the caller. */
    const struct dialect *dialect;
    const struct index *index;
    struct date now;
    struct value this_file; /* value_file() with its flag set, or null */
    const struct eval_formula *formulas;
    size_t n_formulas;
    const struct stop *stop;    /* or NULL */
    uint64_t seed;              /* of random() */
    struct value values;        /* of EXPR_VALUES */
    struct value_reader reader; /* arena, names, utc_offset, property types */

    /* The row; set by eval_row(). */
    const struct row *row;

    /* State. */
    uint64_t steps;
    enum eval_limit stopped;
    uint64_t until; /* clock_ms(), while a plan runs; 0: no limit */
    unsigned depth, chain;
    struct value *vars;
    struct eval_memo *memo; /* of formulas, for this row */
    uint32_t row_number;
    uint32_t root, draws; /* which formula is evaluated, and its calls of random() */
    struct regex_scratch *scratch; /* or NULL */
};

/* Prepare e, whose query is set; arena is for what lasts as long as e. */
void eval_open(struct eval *e, struct arena *arena);
void eval_release(struct eval *e);

/* Evaluate for this row from now on, and make values in the arena. */
void eval_row(struct eval *e, const struct row *row, struct arena *arena);

struct value eval_value(struct eval *e, const struct expr *x);

/* Whether x is true, and not an error; *why, if not NULL, is set to an error. */
bool eval_holds(struct eval *e, const struct expr *x, struct value *why);

/* Replace parts without fields, names and random() by their values, once per query and
 * before its first row. */
void eval_fold(struct eval *e, struct expr *x);

/* --- for functions --- */

/* Count n steps; false if the query has to stop. */
bool eval_step(struct eval *e, size_t n);

/* Look at the time and the memory; true if the query has to stop. */
bool eval_is_stopped(struct eval *e);

/* The value of everything in a query that was stopped: an error that names the limit. */
struct value eval_stopped(struct eval *e);

/* An error, or null in a quiet dialect. */
struct value eval_error(struct eval *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* left op right, for operators on two values. */
struct value eval_binary(struct eval *e, enum expr_op op, const struct value *left,
                         const struct value *right);

/* v.name; an error if the type has no such field. */
struct value eval_member(struct eval *e, const struct value *v, str name);

/* v[key]. */
struct value eval_index(struct eval *e, const struct value *v, const struct value *key);

/* The items of a list in one array, *n of them; another value is a list of one, and null
 * an empty list. */
const struct value *eval_items(struct eval *e, const struct value *v, size_t *n);

/* A list or map that was made; an error if it is too large or too deep. */
struct value eval_list(struct eval *e, const struct value *items, size_t n);

/* A text that was made; an error if it is too long. */
struct value eval_text(struct eval *e, str text);

/* Property `name` of a file; null if it has none. */
struct value eval_property(struct eval *e, const struct file *f, str name);

/* A lambda for one item: its variables are set to args, then its body is evaluated. If x
 * is not a lambda, it is evaluated as it is. */
struct value eval_lambda(struct eval *e, const struct expr *x, const struct value *args,
                         size_t n);

/* For matching regular expressions; made when it is first needed. */
struct regex_scratch *eval_scratch(struct eval *e);

/* The file that a file, link or text means for the row's note; NULL if there is none. */
const struct file *eval_file(struct eval *e, const struct value *v);
