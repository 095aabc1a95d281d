/*
 * expr - an expression as a tree, whichever language it was written in.
 *
 * Parsers (select_parse.c, bases_parse.h, DQL) make trees; eval.h evaluates them;
 * prefilter.h finds what the index can answer. A tree lives in an arena and is never
 * changed once it is made, except by eval_fold(). Regular expressions in it are owned by
 * a struct expr_owner, which the caller releases.
 */
#pragma once

#include "base/err.h"
#include "vault/eval/value.h"

enum {
    EXPR_TEXT_MAX = 16 << 10, /* bytes of one expression */
    EXPR_NODES_MAX = 2000,
    EXPR_DEPTH_MAX = 64,   /* of brackets, calls and signs */
    EXPR_HEIGHT_MAX = 256, /* of trees; a + b + c is 3 high */
    EXPR_VARS_MAX = 256,   /* bound names around one place */
    EXPR_REGEX_MAX = 256,  /* regular expressions of one query */
};

enum expr_kind {
    EXPR_LITERAL, /* value */
    EXPR_FIELD,   /* field: a property or built-in field of the row */
    EXPR_NAME,    /* text: a name given by the row itself (struct row_name), or null */
    EXPR_FILE,    /* the row's file */
    EXPR_NOTE,    /* all properties of the row's file, as a map */
    EXPR_THIS,    /* the file that `this` means */
    EXPR_FORMULA, /* number: which one */
    EXPR_VALUES,  /* the values of a column, in a summary */
    EXPR_VAR,     /* number: a name bound by a lambda around it */
    EXPR_MEMBER,  /* kids[0].text */
    EXPR_INDEX,   /* kids[0][kids[1]] */
    EXPR_UNARY,   /* op kids[0] */
    EXPR_BINARY,  /* kids[0] op kids[1]; with more kids: op holds for any of them */
    EXPR_ALL,     /* every kid is true; an error is the result if it comes first */
    EXPR_ANY,     /* some kid is true; the same */
    EXPR_CALL,    /* text(kids...) */
    EXPR_METHOD,  /* kids[0].text(kids[1], ...) */
    EXPR_LIST,    /* [kids...] */
    EXPR_OBJECT,  /* {keys: kids, ...} */
    EXPR_LAMBDA,  /* kids[0], with n_vars names bound from number on */
};

enum expr_op {
    /* unary */
    EXPR_NOT,
    EXPR_MINUS,
    EXPR_TRUE,   /* kids[0] counts as true */
    EXPR_EXISTS, /* the field exists, even without a value */
    EXPR_EMPTY,
    /* binary */
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE,
    EXPR_MODULO,
    EXPR_EQUAL, /* this and all below give true or false */
    EXPR_NOT_EQUAL,
    EXPR_LESS,
    EXPR_LESS_EQUAL,
    EXPR_GREATER,
    EXPR_GREATER_EQUAL,
    EXPR_CONTAINS,
    EXPR_STARTS,
    EXPR_ENDS,
    EXPR_MATCHES, /* a regular expression */
    EXPR_BELOW,   /* a folder, the right one or below it */
};

/* The operator that means the same when its sides are exchanged: > for <. */
enum expr_op expr_mirrored(enum expr_op op);

struct field;
struct function;

/* If apart is set, the kids are filters of their own: an error in one does not hide the
 * others, but if they do not decide, it is the result. */
struct expr {
    enum expr_kind kind;
    enum expr_op op;
    uint32_t at;     /* byte of the text at which it begins */
    uint32_t number; /* of a formula or variable; of a lambda: its first variable */
    uint16_t n_vars; /* of a lambda; of a whole tree: in all */
    uint16_t height;
    uint32_t n; /* kids */
    bool apart; /* of EXPR_ALL and EXPR_ANY; see above */
    struct expr **kids;
    str text;                        /* a name */
    const str *keys;                 /* of an object */
    const struct field *field;       /* field.h */
    const struct function *function; /* of a call or method whose name is known */
    struct value value;
};

/* Whether a node of that kind is in the tree. */
bool expr_has(const struct expr *x, enum expr_kind kind);

/* What outlives the arena of the trees; {0} is empty. */
struct expr_owner {
    struct regex *regexes[EXPR_REGEX_MAX];
    size_t n_regexes;
};
void expr_release(struct expr_owner *o);

/* Keep a compiled regular expression; ERR_LIMIT if there are too many (r is freed). */
MUST_CHECK bool expr_own(struct expr_owner *o, struct regex *r, struct err *err);

/* --- making trees, for parsers --- */

/* Counts nodes and depth while a parser works. */
struct expr_maker {
    struct arena *arena;
    struct expr_owner *owner;
    const char *what; /* the text's name in messages: "filter", "formula x" */
    str text;
    unsigned nodes_max; /* 0: EXPR_NODES_MAX */
    unsigned nodes, depth;
    struct err *err;
};

/* A node at byte at; NULL, with the error set, above EXPR_NODES_MAX. */
struct expr *expr_new(struct expr_maker *m, enum expr_kind kind, size_t at);
struct expr *expr_literal(struct expr_maker *m, struct value v, size_t at);
struct expr *expr_unary(struct expr_maker *m, enum expr_op op, struct expr *kid,
                        size_t at);
struct expr *expr_binary(struct expr_maker *m, enum expr_op op, struct expr *left,
                         struct expr *right, size_t at);
/* False above EXPR_HEIGHT_MAX. */
MUST_CHECK bool expr_add(struct expr_maker *m, struct expr *x, struct expr *kid);

/* Enter a level of nesting, which the caller leaves with m->depth--; false above
 * EXPR_DEPTH_MAX. */
MUST_CHECK bool expr_deeper(struct expr_maker *m);

/* "what: expected ... at byte 5, found 'x'" (ERR_INVALID, INVALID_QUERY); false. */
bool expr_fail(const struct expr_maker *m, size_t at, const char *expected);
