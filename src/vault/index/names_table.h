/*
 * names_table - the internals of names.h: the table, and comparisons of folded paths.
 * Private to names*.c.
 *
 * A hash table from the folded name with extension to files, chained through the files
 * themselves. Most paths are ASCII: these are stored only as they are on disk, and folded
 * during comparison; other paths are followed by their folded form.
 */
#pragma once

#include "base/hash.h"
#include "vault/index/names.h"

#define NAMES_MD STR(".md")

struct names_file {
    char *path; /* n bytes as on disk, then n_folded; NULL: no such file */
    uint32_t n;
    uint32_t n_folded; /* 0: the path is ASCII */
    uint32_t hash;     /* of the folded name */
    file_id next;      /* in the same bucket */
};

struct names {
    struct names_file *files; /* by id */
    size_t n_files;           /* length of the array */
    size_t count;             /* number of files */
    size_t n_found;           /* in buckets */
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

/* The next file with that name; the first if id is NO_FILE. */
file_id names_next(const struct names *n, file_id id, str folded_name, uint32_t hash);

/* Make a file findable; its path and hash are set. */
void names_insert(struct names *n, file_id id);

/*
 * Whether the path is rest in folder; ends with rest, at the start of a segment; is below
 * folder.
 */
bool names_path_is(const struct names_file *f, str folder, str rest);
bool names_path_ends(const struct names_file *f, str rest);
bool names_path_below(const struct names_file *f, str folder);

/* Order by length as Obsidian counts it, then by bytes; for qsort_r, arg is the names. */
int names_by_length(const void *a, const void *b, void *arg);
