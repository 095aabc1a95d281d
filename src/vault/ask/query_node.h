/*
 * query_node - a compiled query. Private to vault/query_*.c.
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

/* Something to look for: needles where they can, the regex engine where not. */
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
    struct query_finder
        *finders; /* a word: one; a phrase: one per piece between blanks */
    size_t n_finders;
    struct regex *regex;
    struct query_node *child, *next;
};

struct query_matcher {
    struct arena arena;
    struct query_node *root;
};

/* The first occurrence in text from from on. */
bool query_find(const struct query_finder *f, struct regex_scratch *s, str text,
                size_t from, size_t *start, size_t *end);

/* While one file is matched. */
struct query_run {
    struct regex_scratch *scratch;
    struct arena *arena;
    const struct query_file *file;
    struct query_hits *hits; /* NULL: nobody wants to know where */
    size_t cap;
    bool limited;
};

/* The spans of hits grow; those of something that then failed are taken back. */
void query_add_span(struct query_run *run, size_t start, size_t end);

/* The part of a text that a piece operator looks at. */
struct query_piece {
    struct span span;
    struct span below; /* of a section: with the sections below it; else the same */
};

/* Pieces of a kind within another piece, one by one; begin with {.op, .within}. */
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
