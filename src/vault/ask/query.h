/*
 * query - Obsidian's search queries: the grammar of obsidian.md 17, parsed into a tree.
 *
 *     tag:#work -path:Archive "next step" OR [priority:>2]
 *
 * What the grammar leaves open is decided so that no text is lost: brackets, quotes and
 * groups that are never closed end with the query, a slash or square bracket that opens
 * nothing is part of a word, as is OR without something on both sides.
 * query_match.h evaluates a query on notes.
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
    struct query *child, *next;
};

/* Never fails on odd input: what is no syntax is a word. ERR_LIMIT above a limit. */
MUST_CHECK bool query_parse(struct arena *a, str text, const struct query **out,
                            struct err *err);

/*
 * The query as text again, in one way of writing: it parses to the same tree, but that a
 * word which would be syntax elsewhere becomes a phrase.
 */
str query_print(struct arena *a, const struct query *q);
