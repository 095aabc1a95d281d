/*
 * select_parser - the parser of vault_query's filters. Private to select*.c: select_lex.c
 * has the tokens, select_operand.c reads the values, select_parse.c has the grammar.
 */
#pragma once

#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/select.h"

#define SELECT_WHERE "where" /* the name of the text in messages */

/* What is known of a query while it is parsed, and what is made of it. */
struct select_query {
    struct arena *arena;
    struct value_reader reader; /* for constants */
    struct date now;
    struct field_list fields;
    struct expr_owner owner;
};

/* NULL: all. */
MUST_CHECK bool select_parse_where(struct select_query *q, str text, struct expr **out,
                                   struct err *err);

/* What the comparisons of a filter with fields of tasks mean: they are changed in place. */
MUST_CHECK bool select_mean(struct select_query *q, struct expr *x, struct err *err);

/* what names the argument for messages: "select", "sort". */
MUST_CHECK bool select_parse_field(struct select_query *q, const char *what, str text,
                                   struct expr **out, struct err *err);

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
    struct duration duration;
};

/* The next token at or after byte at; messages name m->what. */
MUST_CHECK bool select_lex(struct expr_maker *m, int utc_offset, size_t at,
                           struct select_token *out);

/* --- the parser --- */

struct select_parser {
    struct expr_maker m;
    struct select_query *query;
    struct select_token token; /* the next one */
    unsigned terms;
};

/* A field or a constant, perhaps moved by durations. */
struct select_operand {
    struct expr *expr;
    bool is_field;
    str quoted; /* the field was written in quotes, and may turn out to be text */
};

/* Fail at the next token. */
bool select_fail_next(struct select_parser *p, const char *expected);

/* Take the next token. */
MUST_CHECK bool select_next(struct select_parser *p);

/* Test the next token; words ignore case. */
bool select_is_sign(const struct select_parser *p, const char *sign);
bool select_is_word(const struct select_parser *p, const char *word);
bool select_is_call(const struct select_parser *p);

/* Take the given sign, or fail. */
MUST_CHECK bool select_expect(struct select_parser *p, const char *sign,
                              const char *expected);

/* Take the name of a call and its opening bracket. */
MUST_CHECK bool select_open(struct select_parser *p);

/* On the left, a word or quoted text is a field; on the right it is text. */
MUST_CHECK bool select_parse_operand(struct select_parser *p, bool left,
                                     struct select_operand *out);
MUST_CHECK bool select_constant_text(struct select_parser *p, str text, size_t at,
                                     struct select_operand *out);
MUST_CHECK bool field_operand(struct select_parser *p, const struct field *field,
                              size_t at, struct select_operand *out);
