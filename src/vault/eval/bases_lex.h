/*
 * bases_lex - the tokens of a Bases expression. Private to bases_lex.c and bases_parse.c.
 */
#pragma once

#include "vault/eval/expr.h"

enum bases_token_kind {
    BASES_END,
    BASES_NAME,
    BASES_NUMBER,
    BASES_STRING, /* text: without quotes and escapes */
    BASES_REGEXP, /* text: the source; flags */
    BASES_SIGN,
};

struct bases_token {
    enum bases_token_kind kind;
    str text;
    size_t at, end;
    double number;
    str flags;
};

/*
 * Replace *t by the token after it; begin with {0}. A slash divides after a value, and
 * begins a regular expression elsewhere. Fails if no token can begin there.
 */
MUST_CHECK bool bases_lex(struct expr_maker *m, struct bases_token *t);
