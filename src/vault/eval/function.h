/*
 * function - the functions and methods of expressions, in a table for each dialect. The
 * tables share implementations (function_*.c).
 */
#pragma once

#include "vault/eval/eval.h"

struct call {
    const struct expr *node; /* for lazy functions, whose arguments are its kids */
    struct value self;       /* of a method: the value before the dot */
    const struct value *args;
    size_t n; /* arguments, without self */
};

enum function_flag {
    FUNCTION_LAZY = 1,      /* arguments are not evaluated: args is NULL */
    FUNCTION_PLAIN = 2,     /* called as f(self, ...), not as self.f(...) */
    FUNCTION_SPREADS = 4,   /* in a spreading dialect, of a list: of each item */
    FUNCTION_CHANGES = 8,   /* another result for each call or row: never folded */
    FUNCTION_ON_ERROR = 16, /* errors are arguments like others */
    /* for prefilter.c: */
    FUNCTION_NEEDS_SELF = 32, /* false of what is missing */
    FUNCTION_CONTAINS = 64,   /* of a text, or of tags */
    FUNCTION_HAS_TAG = 128,
    FUNCTION_IN_FOLDER = 256,
    FUNCTION_HAS_LINK = 512,
};

#define ON(type) (1u << (type))
#define ON_TEXT (ON(VALUE_TEXT) | ON(VALUE_LINK) | ON(VALUE_TAG))
#define ON_ANY (~0u)

struct function {
    const char *name;
    unsigned on;      /* types of self, as bits; 0: a function without self */
    uint8_t min, max; /* number of arguments, without self; more are ignored */
    unsigned flags;
    struct value (*call)(struct eval *e, const struct call *c);
};

/* The function of that name, or the first of the methods of that name; NULL if there is
 * none. Parsers store it in the node. */
const struct function *function_find(const struct dialect *d, str name, bool method);

/* The known name that is nearest to one that is not; NULL if none is near. on has the
 * types that a method may be of; 0: functions. */
const char *function_nearest(const struct dialect *d, str name, unsigned on);

/* Evaluate a call or method node. */
struct value function_call(struct eval *e, const struct expr *x);
