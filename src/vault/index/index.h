/*
 * index - everything known about a vault, in memory: its files, and their names, links,
 * tags and words, kept consistent.
 *
 * Only a data structure: it reads no disk. One writer; any number of threads may read a
 * const index while there is no writing (vault.h has the lock). Excluded files have names
 * and links, but no words and tags.
 */
#pragma once

#include "base/stop.h"
#include "vault/index/derived.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/names.h"
#include "vault/index/skipped.h"
#include "vault/index/tags.h"
#include "vault/index/tasks.h"
#include "vault/index/title_bigrams.h"
#include "vault/index/titles.h"
#include "vault/index/values.h"
#include "vault/index/words.h"
#include "vault/note/obsidian.h"

enum index_derived {
    INDEX_VALUES,
    INDEX_TITLES,
    INDEX_TASKS,
    INDEX_TITLE_BIGRAMS,
    INDEX_DERIVED,
};

struct index {
    struct file **files; /* by id; NULL where there is none */
    file_id n, cap;      /* ids are below n */
    size_t count;        /* number of files */
    size_t notes;        /* of these */
    size_t listed;       /* of these notes, those that are not excluded */
    int64_t bytes;       /* of all files, on disk */
    size_t text_bytes;   /* of all texts */
    size_t unread;       /* text files, not excluded, known by name only (file.h) */
    size_t unpaged;      /* files whose text is still to be made (file_is_unpaged) */
    size_t paged_bytes;  /* of the texts of pages (FILE_PDF) */
    struct ids unworded; /* files whose text is not in words: canvases, excluded ones */
    struct ids querying; /* files whose queries name others (file.h) */
    struct ids aliased;  /* files that may be in the vault under another name, too */
    struct names *names;
    struct graph *graph;
    struct words *words;
    struct tags *tags;
    struct derived *derived[INDEX_DERIVED]; /* for index_values() and so on */
    file_id *unused;                        /* ids for reuse */
    size_t n_unused;
    size_t unreadable;         /* folders that could not be read during loading */
    struct skipped skipped;    /* read it with index_skipped(), which knows views */
    struct index_order *order; /* by path, by time; made on demand */
    bool borrowed;             /* its files belong to others */
    bool wordless;             /* words is empty, whatever the files contain */
    struct index_view *view;   /* if this is a view; otherwise NULL */
    struct index *views;       /* of this index, newest first */
};

/* Whether a file is in a view; must always return the same for the same file. */
typedef bool index_shows(const void *arg, const struct file *f);

struct index *index_create(void);
void index_free(struct index *x); /* free its views first */

/*
 * An index of some files of x, borrowed from it: same blocks, same ids, but its own
 * names, links, tags and words, as if the other files did not exist. It follows every
 * change of x and is never changed otherwise. arg must outlive it. Each change of x costs
 * as much again for each of its views, so more than INDEX_VIEWS_MAX of them are a BUG().
 */
enum { INDEX_VIEWS_MAX = 17 };
struct index *index_view(struct index *x, index_shows *shows, const void *arg);

/* An index of n files that others own and keep, by id (NULL: none), without words. Its
 * files get their ids. */
struct index *index_borrow(struct file **files, size_t n);

/* Changes such an index: the file with that id is f from now on, or none (NULL). What
 * takes the path of another file comes after that one has left it. */
void index_lay(struct index *x, file_id id, struct file *f);

/* An id that no file of it has. */
file_id index_new_id(struct index *x);

/*
 * The next file from *at on, which is advanced; NULL after the last one, or if stop says
 * so (asked for every INDEX_ASKS files). Loops over all files are made with it, so that
 * each of them has a stop; the caller checks stop_now() again and fails
 * (stop_fail()).
 */
enum { INDEX_ASKS = 64 };
const struct file *index_next(const struct index *x, file_id *at,
                              const struct stop *stop);

/* The same by path, as index_nth(). */
const struct file *index_next_by_path(const struct index *x, size_t *at,
                                      const struct stop *stop);

/* Take ownership of f, which replaces the file with the same path; sets f->excluded. */
void index_put(struct index *x, struct file *f, bool excluded);

/* A file has the same content as before, but this info. */
void index_touch(struct index *x, file_id id, const struct fs_info *info);

/* False if there is no file with exactly that path. */
bool index_remove(struct index *x, str path);

/*
 * Fill an empty index with n files, taking ownership: their ids are their positions in
 * the array, where NULL is an unused id; excluded is set already. Words are added with
 * index_set_words().
 */
void index_fill(struct index *x, struct file **files, size_t n);

/* Take ownership of words, which has all files that are not excluded. */
void index_set_words(struct index *x, struct words *words);

/* An index in parts, as in a snapshot; tags are rebuilt. */
struct index_parts {
    struct file **files; /* by id; NULL where there is none */
    size_t n;
    struct names *names;
    struct graph *graph;
    struct words *words;
};

/* Whether the parts, which may be damaged, belong to the same files. */
bool index_fits(const struct index_parts *parts);

/* Fill an empty index with parts that fit, taking ownership of them. */
void index_restore(struct index *x, struct index_parts *parts);

void index_parts_release(struct index_parts *parts);

/* The file with exactly that path, or NULL. */
const struct file *index_find(const struct index *x, str path);

/* The path of an unresolved link of a file, as that file first has it: links of others
 * may be spelled differently, and the graph knows one spelling. path itself if it has
 * none. */
str index_spelling(const struct index *x, struct arena *a, file_id source, str path);

/* The file with that id, or NULL. */
static inline const struct file *index_file(const struct index *x, file_id id)
{
    return id < x->n ? x->files[id] : NULL;
}

/*
 * The i-th file by path (bytes), NULL after the last; and the number of files before the
 * first whose path is greater, so that "" gives 0. The order is computed once, then kept.
 */
const struct file *index_nth(const struct index *x, size_t i);
size_t index_after(const struct index *x, str path);

/* Whether that order was computed already. */
bool index_is_sorted(const struct index *x);

/* Whether there are files below a folder; and these, in any order: it looks at all files,
 * unless their order was computed already. */
bool index_has_below(const struct index *x, str folder);
size_t index_below(const struct index *x, struct arena *a, str folder,
                   const struct file ***out);

/* All files by path: their ids, valid until a change. */
size_t index_by_path(const struct index *x, const file_id **out);

/* All files, newest first, then by path: their ids, valid until a change. */
size_t index_newest(const struct index *x, const file_id **out);

/* Folders with a file somewhere below them, each before those in it; until a change. */
size_t index_folders(const struct index *x, const str **out);

/* Their names without the folders that they are in, in the same order, each followed by a
 * slash; starts has where they begin. */
str index_folder_names(const struct index *x, const uint32_t **starts);

/* The next thing that is on the disk but not in the index, as far as it is known and x
 * would show it; begin with *at = 0. NULL after the last. */
const struct skipped_file *index_skipped(const struct index *x, size_t *at);

/* Totals. Only folders with a file somewhere below them are counted. */
struct index_counts {
    size_t notes, attachments, folders;
    int64_t bytes;
    int64_t newest; /* modification time, seconds since 1970; 0: no files */
};
void index_count(const struct index *x, struct index_counts *out);

/* All files by path (bytes), the order of lists and searches. */
size_t index_sorted(const struct index *x, struct arena *a, const struct file ***out);

/* Files with that tag or one below it, by path; excluded files have no tags. */
size_t index_tagged(const struct index *x, struct arena *a, str tag,
                    const struct file ***out);

/* The values of properties; collected by the first call, then kept. */
const struct values *index_values(const struct index *x);

/* The titles and aliases of notes; the same. */
const struct titles *index_titles(const struct index *x);

/* The dates of tasks; the same. */
const struct tasks *index_tasks(const struct index *x);

/* The titles of notes by their pairs of letters; the same. */
const struct title_bigrams *index_title_bigrams(const struct index *x);

/* Approximate size of everything in bytes. */
size_t index_memory(const struct index *x);
