/*
 * query_node - a compiled query. Private to query_*.c.
 */
#pragma once

#include "vault/ask/query_match.h"
#include "vault/text/needles.h"

enum query_op {
    QUERY_FILE,
    QUERY_PATH,
    QUERY_CONTENT,
    QUERY_MATCH_CASE,
    QUERY_IGNORE_CASE,
    QUERY_TAG,
    QUERY_LINE,
    QUERY_BLOCK,
    QUERY_SECTION,
    QUERY_TASK,
    QUERY_TASK_TODO,
    QUERY_TASK_DONE,
};

/* Something to look for: with needles if they can find it, else with the regex engine. */
struct query_finder {
    struct needles *needles;
    struct regex *regex;
};

struct query_node {
    enum query_kind kind;
    enum query_op op;
    str text;   /* of a word, phrase or comparison */
    str folded; /* the same without case, for names, values and tags */
    char cmp;
    struct query_finder *finders; /* of a word: one; of a phrase: one per word in it */
    size_t n_finders;
    struct regex *regex;
    struct query_node *child, *next;
};

struct query_matcher {
    struct arena arena;
    struct query_node *root;
};

/* The first occurrence in text at or after from. */
bool query_find(const struct query_finder *f, struct regex_scratch *s, str text,
                size_t from, size_t *start, size_t *end);

/* While one file is matched. */
struct query_run {
    struct regex_scratch *scratch;
    struct arena *arena;
    const struct query_file *file;
    struct query_hits *hits; /* NULL: positions are not needed */
    size_t cap;
    bool limited;
};

/* Add a span to the hits; eval() takes it back if the surrounding term does not match. */
void query_add_span(struct query_run *run, size_t start, size_t end);

/* The part of a text that a piece operator looks at. */
struct query_piece {
    struct span span;
    struct span below; /* of a section: including its subsections; else the same */
};

/* Iterates over pieces of one kind within another piece; begin with {.op, .within}. */
struct query_pieces {
    enum query_op op;
    struct span within;
    uint32_t at;    /* where the next one may begin */
    uint32_t index; /* among headings or tasks */
    bool started;
};

bool query_next_piece(const struct query_file *file, struct query_pieces *it,
                      struct query_piece *out);

/*
 * Whether word, phrase or regex n matches somewhere in text, which begins at byte offset
 * of the file's text; its occurrences become spans if record is set.
 */
bool query_leaf_in(struct query_run *run, const struct query_node *n, str text,
                   size_t offset, bool record);

/* query_property.c: [name], [name:value]. */
bool query_property(struct query_run *run, const struct query_node *n, bool record);
