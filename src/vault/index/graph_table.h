/*
 * graph_table - the inside of graph.h. Private to graph*.c.
 *
 * Links with the same path (folded) share a text; an edge represents the links of one
 * source with one text. An edge is in three lists: of its source, its text and its
 * target. Texts are found by their path, to share them, and by names_key(), to resolve
 * them again.
 *
 *     a.md: [[Note]] [[note]] [[x]]     text "Note" --- edge (a.md, count 2) --> note.md
 *     b.md: [[Note]]                              \--- edge (b.md, count 1) --> note.md
 *                                       text "x" ------ edge (a.md, count 1) --> nothing
 */
#pragma once

#include "base/hash.h"
#include "vault/index/graph.h"
#include "vault/index/order.h"

#define GRAPH_NONE UINT32_MAX

enum { GRAPH_CHUNK = 4096 }; /* edges; chunks never move, so growing copies nothing */

struct graph_link {
    file_id source, target; /* target NO_FILE: unresolved */
    uint32_t text;
    uint32_t count;
    uint32_t next;                       /* of the same source, or in the free list */
    uint32_t text_before, text_next;     /* of the same text */
    uint32_t target_before, target_next; /* of the same target */
};

struct graph_text {
    char *written; /* NULL: free, and next is the next free one */
    uint32_t n;    /* its length */
    uint32_t hash; /* of the folded path */
    uint32_t key;
    uint32_t next, key_next; /* in the same bucket */
    uint32_t first;          /* edge */
    file_id only;            /* the target for all sources; NO_FILE: not known */
    uint32_t missing;        /* unresolved links */
};

struct graph_file {
    uint32_t out, in; /* first edge from and to it */
    bool there;
};

struct graph {
    const struct names *names;
    struct graph_link **chunks;
    size_t n_chunks;
    uint32_t free_link;
    struct graph_text *texts;
    uint32_t n_texts, free_text;
    uint32_t *by_text, *by_key; /* buckets, the same number of each */
    uint32_t *guesses;          /* the same number: texts by spelling; may be wrong */
    uint32_t mask;
    struct graph_file *files;
    size_t n_files;
    struct graph_counts counts;
    struct order *missing; /* texts with unresolved links, the most frequent first */
    size_t text_bytes;
    struct hash_key key;    /* of the hashes */
    size_t borrowed_chunks; /* the first ones are in an image, */
    str says;               /* and so are texts that point into this */
};

static inline struct graph_link *graph_link(const struct graph *g, uint32_t link)
{
    return &g->chunks[link / GRAPH_CHUNK][link % GRAPH_CHUNK];
}

static inline str graph_says(const struct graph_text *t)
{
    return (str){t->written, t->n};
}

/* Texts with unresolved links, for graph->missing. */
extern const struct order_by graph_by_missing;

/* Put all texts into buckets, and free ones into the free list. */
void graph_find_texts(struct graph *g);

/* The file's place in the table, or NULL. */
static inline const struct graph_file *graph_file(const struct graph *g, file_id file)
{
    return file < g->n_files && g->files[file].there ? &g->files[file] : NULL;
}
