/*
 * select_parser - state of the parser of a filter. Private to select_parse.c, which has
 * the grammar, and select_operand.c, which reads the values in it.
 */
#pragma once

#include "vault/eval/select_node.h"

#define SELECT_WHERE "where" /* the name of the text in messages */

struct select_parser {
    struct select_plan *plan;
    str text;
    struct select_token token; /* the next one */
    unsigned depth, terms;
    struct err *err;
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

/* Go one level deeper, or fail at the limit; the caller decrements depth again. */
MUST_CHECK bool select_deeper(struct select_parser *p);

/* On the left, a word or quoted text is a field; on the right it is text. */
MUST_CHECK bool select_parse_operand(struct select_parser *p, bool left,
                                     struct select_operand *out);
struct select_operand select_constant_text(struct select_parser *p, str text);
