/*
 * index - everything known about a vault, in memory: its files, their names, links, tags
 * and words, kept in step.
 *
 * Purely a data structure: it reads no disk. One writer; whoever holds a const index may
 * read it with any number of threads while nobody writes (vault.h has the lock). Excluded
 * files have no words and tags, but names and links.
 */
#pragma once

#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/names.h"
#include "vault/index/tags.h"
#include "vault/index/words.h"
#include "vault/note/obsidian.h"

struct index {
    struct file **files; /* by id; NULL where there is none */
    file_id n, cap;      /* ids are below n */
    size_t count;        /* files that are there */
    size_t text_bytes;   /* of all texts */
    size_t unread;       /* notes and canvases that are not excluded, but not read */
    struct names *names;
    struct graph *graph;
    struct words *words;
    struct tags *tags;
    file_id *unused; /* ids to be used again */
    size_t n_unused;
    size_t unreadable; /* folders that could not be looked into when it was loaded */
    struct index_order *order; /* by path; made when first asked for */
    struct index_view *view;   /* what makes it one; else NULL */
    struct index *views;       /* of it, newest first */
};

/* Whether a file is in a view; may not change its mind about the same file. */
typedef bool index_shows(const void *arg, const struct file *f);

struct index *index_create(void);
void index_free(struct index *x); /* its views first */

/*
 * An index of some files of x, which lends them: same blocks, same ids, but names, links,
 * tags and words of its own, as if the other files did not exist. It follows every change
 * of x, and only those. arg is borrowed for as long.
 */
struct index *index_view(struct index *x, index_shows *shows, const void *arg);

/* Take over f, which replaces the file of the same path; excluded is set. */
void index_put(struct index *x, struct file *f, bool excluded);

/* False when there is no file of exactly that path. */
bool index_remove(struct index *x, str path);

/*
 * Fill an empty index with n files, taking them over: their ids are their places in the
 * array, where NULL is an unused id; their excluded is set already. The words follow by
 * index_set_words().
 */
void index_fill(struct index *x, struct file **files, size_t n);

/* Take over words, which has all files that are not excluded. */
void index_set_words(struct index *x, struct words *words);

/* An index in parts, as a snapshot has it; tags are made anew. */
struct index_parts {
    struct file **files; /* by id; NULL where there is none */
    size_t n;
    struct names *names;
    struct graph *graph;
    struct words *words;
};

/* Whether the parts, which may be damaged, are of the same files. */
bool index_fits(const struct index_parts *parts);

/* Make an empty index of parts that fit, taking them over. */
void index_restore(struct index *x, struct index_parts *parts);

void index_parts_release(struct index_parts *parts);

/* The file of exactly that path, or NULL. */
const struct file *index_find(const struct index *x, str path);

/* The file with that id, or NULL. */
static inline const struct file *index_file(const struct index *x, file_id id)
{
    return id < x->n ? x->files[id] : NULL;
}

/*
 * The i-th file by path (bytes), NULL behind the last; and how many stand before the
 * first whose path is greater, so "" gives 0. The order is made once for all who ask
 * until a file comes or goes.
 */
const struct file *index_nth(const struct index *x, size_t i);
size_t index_behind(const struct index *x, str path);

/* How much there is. Folders are those that have a file somewhere below them. */
struct index_counts {
    size_t notes, attachments, folders;
    int64_t bytes;
    int64_t newest; /* modification time, seconds since 1970; 0: no files */
};
void index_count(const struct index *x, struct index_counts *out);

/* All files by path (bytes), which is the order of lists and searches. */
size_t index_sorted(const struct index *x, struct arena *a, const struct file ***out);

/* Files with that tag or one below it, by path; excluded ones have none. */
size_t index_tagged(const struct index *x, struct arena *a, str tag,
                    const struct file ***out);

/* Bytes taken, about, by everything. */
size_t index_memory(const struct index *x);
