/*
 * graph - which file links to which, and which links lead nowhere.
 *
 * Nodes are the files of a names table (names.h), which is borrowed and resolves the
 * links. The caller keeps the two in step: names_add() before graph_add(), names_remove()
 * before graph_remove(). Everything is incremental: when a name appears or disappears,
 * only links whose last segment is that name are resolved again. After any sequence of
 * calls the graph is the one that a fresh build over the same files gives, but for the
 * spelling of unresolved paths, of which the first that was seen is kept.
 *
 * A note's links to itself are kept, but are no backlinks and connect nothing. External
 * links do not belong here. Lists that come out are ordered and live in the arena.
 * One writer; queries are safe for any number of threads while nobody writes.
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

/* The file is in names no more; path is what it had there. Its own links are dropped. */
void graph_remove(struct graph *g, file_id file, str path);

/*
 * Replace the links of source, which was added. paths are as names_resolve() wants them,
 * copied; one for each link, so one that stands there twice counts twice.
 */
void graph_set(struct graph *g, file_id source, const str *paths, size_t n);

/* The graph as bytes, for graph_load(). */
void graph_save(const struct graph *g, const struct image_out *out);

/*
 * The graph that was saved, from an image that is borrowed, is changed and must outlive
 * it; names are those that were saved with it. NULL when it is damaged in a way that
 * could do harm.
 */
struct graph *graph_load(const struct names *names, struct image_in *in);

struct graph_counts {
    size_t files, links; /* links: each as often as it is written */
    size_t unresolved;   /* of those */
};
void graph_count(const struct graph *g, struct graph_counts *out);

/* Whether the file was added. */
bool graph_has(const struct graph *g, file_id file);

/* Bytes taken, about; without the names. */
size_t graph_memory(const struct graph *g);

/* One target of a file, or one source of links to it. */
struct graph_edge {
    file_id file;   /* NO_FILE: unresolved */
    str path;       /* of an unresolved one: as written first, valid until a change */
    uint32_t count; /* how many links */
};

/* Targets of file by id, unresolved ones by path behind them; itself included. */
size_t graph_links(const struct graph *g, struct arena *a, file_id file,
                   struct graph_edge **out);

/* Files that link to file, by id; itself left out. */
size_t graph_backlinks(const struct graph *g, struct arena *a, file_id file,
                       struct graph_edge **out);

struct graph_missing {
    str path;         /* as written first, valid until a change */
    uint32_t count;   /* links, of all sources */
    file_id *sources; /* by id */
    size_t n_sources;
};

/* Links that lead nowhere by what they say, case ignored; most links first, then by path.
 */
size_t graph_unresolved(const struct graph *g, struct arena *a,
                        struct graph_missing **out);

/* Notes (.md) that no other file links to and that have no link, even an unresolved one,
 * to anything but themselves; by id. */
size_t graph_orphans(const struct graph *g, struct arena *a, file_id **out);

enum graph_way { GRAPH_OUT = 1, GRAPH_IN = 2, GRAPH_BOTH = 3 };

struct graph_near {
    file_id file;
    uint32_t distance; /* links between, from 1 */
};

/* Files at most depth links away, nearest first, then by id; at most max of them. */
size_t graph_neighbours(const struct graph *g, struct arena *a, file_id file,
                        enum graph_way way, uint32_t depth, size_t max,
                        struct graph_near **out);

/*
 * A shortest way from one file to another, both included; of several always the same
 * one. 0 when there is none.
 */
size_t graph_path(const struct graph *g, struct arena *a, file_id from, file_id to,
                  enum graph_way way, file_id **out);
