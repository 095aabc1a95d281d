/*
 * graph - which file links to which, and which links are unresolved.
 *
 * Nodes are the files of a names table (names.h), which is borrowed and resolves the
 * links. The caller keeps the two in step: names_add() before graph_add(), names_remove()
 * before graph_remove(). Everything is incremental: when a name appears or disappears,
 * only links whose last segment is that name are resolved again. After any sequence of
 * calls the graph equals a fresh one of the same files, except for the spelling of
 * unresolved paths: the first one seen is kept.
 *
 * A note's links to itself are kept, but they are not backlinks and connect nothing.
 * External links are ignored. Lists returned are sorted and live in the arena. One
 * writer; queries are safe for any number of threads while there is no writing.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/index/names.h"

struct graph;

struct graph *graph_create(const struct names *names);
void graph_free(struct graph *g);

/* The file is in names now. It has no links yet. */
void graph_add(struct graph *g, file_id file);

/*
 * The file is no longer in names; path is the one it had there. Its own links are
 * dropped.
 */
void graph_remove(struct graph *g, file_id file, str path);

/*
 * Replace the links of source, which was added. paths are as for names_resolve(), and
 * copied; there is one for each link, so a duplicate counts twice.
 */
void graph_set(struct graph *g, file_id source, const str *paths, size_t n);

/* The graph as bytes, for graph_load(). */
void graph_save(const struct graph *g, const struct image_out *out);

/*
 * Load a saved graph from an image, which is borrowed and modified and must outlive it;
 * names are those saved with it. NULL if it is damaged in a way that could do harm.
 */
struct graph *graph_load(const struct names *names, struct image_in *in);

struct graph_counts {
    size_t files, links; /* links: every occurrence counts */
    size_t unresolved;   /* of these links */
    size_t missing;      /* different paths of unresolved links, case ignored */
};
void graph_count(const struct graph *g, struct graph_counts *out);

/* Whether the file was added. */
bool graph_has(const struct graph *g, file_id file);

/* Approximate size in bytes, without the names. */
size_t graph_memory(const struct graph *g);

/* One target of a file, or one source of links to it. */
struct graph_edge {
    file_id file;   /* NO_FILE: unresolved */
    str path;       /* of the file; if unresolved: as first written (index_spelling()).
                       Valid until a change */
    uint32_t count; /* number of links */
};

/* Targets of file by path, then unresolved ones by path; including file itself. */
size_t graph_links(const struct graph *g, struct arena *a, file_id file,
                   struct graph_edge **out);

/* Files that link to file, by path; without file itself. */
size_t graph_backlinks(const struct graph *g, struct arena *a, file_id file,
                       struct graph_edge **out);

/* The paths of the links from source to target, each once: as first written, valid until
 * a change. Others may be spelled differently; graph_is_same() compares them. */
size_t graph_between(const struct graph *g, struct arena *a, file_id source,
                     file_id target, str **out);
bool graph_is_same(struct arena *scratch, str path, str other);

struct graph_missing {
    str path;         /* as first written (index_spelling()), valid until a change */
    uint32_t count;   /* links, of all sources */
    file_id *sources; /* by path */
    size_t n_sources;
};

/*
 * Unresolved links by path, case ignored; most frequent first, then by path. Skips offset
 * of them and returns at most limit; graph_counts has the number of all.
 */
size_t graph_unresolved(const struct graph *g, struct arena *a, size_t offset,
                        size_t limit, struct graph_missing **out);

/*
 * Notes (.md) without links from other files and without links, resolved or not, to
 * anything but themselves; by path.
 */
size_t graph_orphans(const struct graph *g, struct arena *a, file_id **out);

enum graph_way { GRAPH_OUT = 1, GRAPH_IN = 2, GRAPH_BOTH = 3 };

struct graph_near {
    file_id file;
    uint32_t distance; /* in links, from 1 */
};

/* Files at most depth links away, nearest first, then by path; at most max of them. */
size_t graph_neighbours(const struct graph *g, struct arena *a, file_id file,
                        enum graph_way way, uint32_t depth, size_t max,
                        struct graph_near **out);

/*
 * The same for one link in either direction, of one file after another: the files are
 * unordered and valid until the next call, and memory does not grow with the calls.
 */
struct graph_beside {
    const struct graph *graph;
    uint32_t *seen; /* by file: the number of the call that found it */
    uint32_t calls;
    file_id *files;
};
struct graph_beside graph_beside_of(const struct graph *g, struct arena *a);
size_t graph_beside(struct graph_beside *b, file_id file, const file_id **out);

/*
 * A shortest path from one file to another, both included; if there are several, always
 * the same one. 0 if there is none.
 */
size_t graph_path(const struct graph *g, struct arena *a, file_id from, file_id to,
                  enum graph_way way, file_id **out);
