/*
 * query - Obsidian's search queries: their grammar, parsed into a tree.
 *
 *     tag:#work -path:Archive "next step" OR [priority:>2]
 *
 * Where the grammar leaves a choice, no text is lost: brackets, quotes and groups that
 * are never closed end with the query. A slash or square bracket that opens nothing is
 * part of a word, and so is OR without a term on both sides. query_match.h evaluates a
 * query on notes.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { QUERY_MAX_BYTES = 4096, QUERY_MAX_DEPTH = 64 };

enum query_kind {
    QUERY_WORD,
    QUERY_PHRASE, /* escapes removed */
    QUERY_REGEX,  /* between the slashes, as written */
    QUERY_AND,    /* no child: matches everything */
    QUERY_OR,
    QUERY_NOT,      /* one child */
    QUERY_OPERATOR, /* one child; text: the name in lower case */
    QUERY_PROPERTY, /* first child: the name; second, if any: the value */
    QUERY_NULL,     /* [p:null] */
    QUERY_COMPARE,  /* [p:<5]; text: the value, cmp: '<' or '>' */
};

struct query {
    enum query_kind kind;
    str text; /* in the query or the arena */
    char cmp;
    bool apart; /* of an operator: a space or // follows its colon, as in plain text */
    struct query *child, *next;
};

/* Anything that is not syntax is a word, so this fails only with ERR_LIMIT. */
MUST_CHECK bool query_parse(struct arena *a, str text, const struct query **out,
                            struct err *err);

/* Whether a text that may also be meant literally is a query. */
enum query_intent {
    QUERY_NOT_MEANT, /* words and phrases: the same as plain text */
    QUERY_MAY_BE,    /* it has OR, [property], or "task: x" */
    QUERY_MEANT,     /* it has task:x or [property:value] */
};
enum query_intent query_intent(const struct query *q);
