/*
 * names_table - the internals of names.h: the table, and comparisons of folded paths.
 * Private to names*.c.
 *
 * A hash table from the folded name with extension to groups of files, which have that
 * name. Most groups are one file, but each folder may have an "index.md", and looking at
 * all of them for each link would take forever. So a group is a search tree; in fact two,
 * over the same files: by path, where what is below a folder is together, and by ending,
 * where what ends alike is together. Every node knows the best file (names_by_length) of
 * its subtree, so that the best of a range is found without visiting it (names_tree.c).
 *
 * Both trees are treaps with the same priorities, so they have the same root. It
 * represents the group: buckets are lists of roots.
 *
 * Most paths are ASCII: these are stored only as they are on disk, and folded during
 * comparison; other paths are followed by their folded form.
 */
#pragma once

#include "base/hash.h"
#include "vault/index/names.h"

#define NAMES_MD STR(".md")

enum names_order { NAMES_BY_PATH, NAMES_BY_ENDING, NAMES_ORDERS };

struct names_node {
    file_id left, right; /* or NO_FILE */
    file_id best;        /* of the subtree; NO_FILE: hidden, in no tree */
};

struct names_file {
    char *path; /* n bytes as on disk, then n_folded; NULL: no such file */
    uint32_t n;
    uint32_t n_folded; /* 0: the path is ASCII */
    uint32_t hash;     /* of the folded name */
    file_id next;      /* of a root: the next one in the same bucket */
    struct names_node nodes[NAMES_ORDERS];
};

struct names {
    struct names_file *files; /* by id */
    size_t n_files;           /* length of the array */
    size_t count;             /* number of files */
    size_t n_groups;          /* in buckets */
    file_id *buckets;
    size_t mask;
    size_t path_bytes;
    struct hash_key key;
    str packed; /* paths in here are borrowed from an image */
};

/* Folded text, with room for ".md". */
struct names_text {
    char few[512];
    struct arena arena;
    char *p;
    size_t n;
};

static inline str names_folded(const struct names_text *f)
{
    return (str){f->p, f->n};
}

void names_fold(struct names_text *f, str s);
void names_fold_link(struct names_text *f, str s); /* without spaces at both ends */
void names_fold_add_md(struct names_text *f);
void names_fold_done(struct names_text *f);

uint32_t names_hash(const struct names *n, str folded_name);

/* The root of the files with that name, or NO_FILE. */
file_id names_group(const struct names *n, str folded_name, uint32_t hash);

/* Make a file findable; its path and hash are set. */
void names_insert(struct names *n, file_id id);

static inline bool names_is_found(const struct names_file *f)
{
    return f->nodes[NAMES_BY_PATH].best != NO_FILE;
}

/* Whether a root is the only one of its group. */
static inline bool names_is_only(const struct names *n, file_id root)
{
    const struct names_node *node = &n->files[root].nodes[NAMES_BY_PATH];
    return node->left == NO_FILE && node->right == NO_FILE;
}

/* --- names_tree.c --- */

/* A group with another file, or without it; its new root, NO_FILE if it is empty. */
file_id names_tree_add(struct names *n, file_id root, file_id id);
file_id names_tree_remove(struct names *n, file_id root, file_id id);

/* All files of a group, by path. */
size_t names_tree_list(const struct names *n, struct arena *a, file_id root,
                       file_id **out);

/*
 * A range of a group, in one of its orders: place() is negative for files before it, and
 * positive for those after it. Of the files in it, those that fit() are looked for.
 */
struct names_range {
    enum names_order order;
    int (*place)(const void *arg, const struct names_file *f);
    bool (*fits)(const void *arg, const struct names_file *f);
    const void *arg;
};

/*
 * The best file of a range, or NO_FILE. It takes few steps if most of the range fits, and
 * never many more than the range has files. False: after so many *steps it was not found.
 */
bool names_tree_best(const struct names *n, file_id root, const struct names_range *range,
                     size_t steps, file_id *best);

/*
 * Where the path of a file is in the order by path, compared with what is below folder,
 * and with rest in folder; in the order by ending, compared with what ends with rest at
 * the start of a segment.
 */
int names_place_below(const struct names_file *f, str folder);
int names_place_path(const struct names_file *f, str folder, str rest);
int names_place_ending(const struct names_file *f, str rest);

/* Whether the folded names are the same, without folders. */
bool names_are_alike(const struct names_file *a, const struct names_file *b);

/* Whether it is there. */
bool names_path_is(const struct names_file *f, str folder, str rest);
bool names_path_ends(const struct names_file *f, str rest);
bool names_path_below(const struct names_file *f, str folder);

/* Order by length as Obsidian counts it, then by bytes; for sort_with(), arg is the names. */
int names_by_length(const void *a, const void *b, void *arg);
