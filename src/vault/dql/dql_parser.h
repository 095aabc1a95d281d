/*
 * dql_parser - the state of parsing a DQL query. Private to dql_*.c: dql_lex.c reads words
 * and literals, dql_atom.c and dql_expr.c expressions, dql_source.c what comes after FROM,
 * dql_parse.c the rest.
 *
 * Functions that return a tree return NULL, with the error set, if they fail.
 */
#pragma once

#include "vault/dql/dql.h"
#include "vault/eval/field.h"
#include "vault/eval/uses.h"
#include "vault/eval/value_inline.h"

enum { DQL_NAMES_MAX = DQL_STEPS_MAX + 2 };

struct dql_use_list {
    struct use *items;
    size_t n;
};

struct dql_parser {
    struct expr_maker make; /* its text is the query */
    size_t at;              /* the cursor */
    const struct value_reader *reader;
    struct date now;
    struct field_list fields;
    str vars[EXPR_VARS_MAX]; /* bound by the lambdas around the cursor */
    uint32_t n_vars;
    str names[DQL_NAMES_MAX]; /* given by FLATTEN and GROUP BY so far */
    size_t n_names;
    bool grouped;
    struct dql_use_list uses; /* dql_uses.h */
};

/* --- dql_lex.c --- */

/* Skip spaces and comments; the byte there, or NUL at the end. */
char dql_look(struct dql_parser *p);

/* The word at the cursor: letters, digits, "_", "-", and all that is not ASCII. Empty if
 * none begins there. The cursor stays. */
str dql_word(struct dql_parser *p);

/* Take the word, ignoring case, or the sign, if it is next. */
bool dql_take_word(struct dql_parser *p, const char *word);
bool dql_take_sign(struct dql_parser *p, const char *sign);

/* Whether a word begins a command, and so cannot be a field. */
bool dql_is_keyword(str word);

/* "text" at the cursor, unescaped; false, with the error set, if it is not closed. */
MUST_CHECK bool dql_quoted(struct dql_parser *p, str *out);

/* [[target|display]] at the cursor, which is at its brackets; an embed, too. */
MUST_CHECK bool dql_link(struct dql_parser *p, str *target, str *display);

/* #tag at the cursor, without '#'. */
MUST_CHECK bool dql_tag(struct dql_parser *p, str *out);

bool dql_fail(struct dql_parser *p, const char *expected);

/* x with one kid more; NULL if either is, or if the tree is too high. */
struct expr *dql_with(struct dql_parser *p, struct expr *x, struct expr *kid);

/* --- dql_uses.c --- */

/* The bytes [start, end) name value; an empty one is not a use. */
void dql_use(struct dql_parser *p, enum use_kind kind, size_t start, size_t end,
             str value);

/* Forget what was found before that byte, because it is read again. */
void dql_drop_uses(struct dql_parser *p, size_t before);

/* --- dql_parse.c --- */

/* dql_parse(), but only for the uses. */
MUST_CHECK bool dql_parse_uses(struct arena *a, struct expr_owner *owner,
                               const struct value_reader *r, str text,
                               struct dql_use_list *out, struct err *err);

/* --- dql_date.c --- */

/* The date that a word means in date(...): today, eow, 2026-11-16; false if none. */
bool dql_date(str word, struct date now, int utc_offset, struct date *out);

/* --- expressions --- */

struct expr *dql_expr(struct dql_parser *p);

/* Operands with `and` and `or` between them. */
struct expr *dql_chain(struct dql_parser *p,
                       struct expr *(*operand)(struct dql_parser *));
struct expr *dql_atom(struct dql_parser *p);  /* without what may follow it */
struct expr *dql_field(struct dql_parser *p); /* an atom with .x, [y] and so on */

/* A field, name or property of the row by its name. */
struct expr *dql_named(struct dql_parser *p, str name, size_t at);

/* Arguments up to ")" as kids of call. */
MUST_CHECK bool dql_arguments(struct dql_parser *p, struct expr *call);

/* --- sources --- */

/* A filter: whether the row's file is in the source. */
struct expr *dql_source(struct dql_parser *p);
