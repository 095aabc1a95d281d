/*
 * names - which file a link means, exactly in Obsidian's order.
 *
 * A table of all files of a vault by name, and a resolver. Names are compared after
 * utf8_fold() (base/utf8.h); results are ids of the caller's files. One writer; const
 * functions are safe for any number of threads while there is no writing.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/index/image.h"

struct names;

/* A file in the caller's table: small numbers, reused after a removal. */
typedef uint32_t file_id;
#define NO_FILE UINT32_MAX

struct names *names_create(void);
void names_free(struct names *n);

/*
 * path is copied. The same id must not be added twice. Hidden files (with a segment for
 * which path_is_hidden() is true) have a path, but are never found.
 */
void names_add(struct names *n, file_id id, str path);
void names_remove(struct names *n, file_id id); /* need not exist */

/* The path as added, valid until it is removed; empty if there is no such file. */
str names_path(const struct names *n, file_id id);

size_t names_count(const struct names *n); /* files */

/* Approximate size in bytes. */
size_t names_memory(const struct names *n);

/* The rule that decided, or why nothing was found. */
enum names_rule {
    NAMES_SELF,       /* empty path: the source note */
    NAMES_ONLY_ONE,   /* no folder given, one candidate */
    NAMES_RELATIVE,   /* ./ or ../ from the source's folder */
    NAMES_EXACT,      /* the whole path from the root */
    NAMES_OWN_FOLDER, /* suffix match below the source's folder */
    NAMES_SHORTEST,   /* suffix match, shortest path */
    NAMES_UNRESOLVED, /* no file with that name, or no path with that ending */
    NAMES_NOT_A_PATH, /* a URL or the like */
};

struct names_answer {
    file_id file; /* NO_FILE: unresolved */
    enum names_rule rule;
    file_id *others; /* other files with that name, best first; only with explain */
    size_t n_others;
};

/*
 * The meaning of path (the path part of a wikilink, or of a Markdown link after
 * percent-decoding) in source, the path of the note that contains it; source_id is the
 * answer for an empty path. If explain is not NULL, the other candidates are listed in
 * it.
 */
void names_resolve(const struct names *n, struct arena *explain, str path, str source,
                   file_id source_id, struct names_answer *out);

/*
 * The result of names_resolve() after added was added, given the result before.
 * Equivalent, but does not visit all files with that name.
 */
file_id names_resolve_added(const struct names *n, str path, str source,
                            file_id source_id, file_id before, file_id added);

/*
 * The file with that path after folding; NO_FILE if there is none. *twins is the number
 * of files that fold to it; of several, the one with exactly this spelling is returned,
 * otherwise the first by bytes.
 */
file_id names_find_path(const struct names *n, str path, size_t *twins);

/* The number of files whose folded name is that of path, as far as it matters: 2 means
 * two or more. */
size_t names_sharing(const struct names *n, str path);

/*
 * Whether a link with that path may mean the file with that id, or would if it were not
 * for others that are better.
 */
bool names_may_mean(const struct names *n, str path, file_id id);

/* All files whose name (with or without .md) folds to name, shortest path first. */
size_t names_find_name(const struct names *n, struct arena *a, str name, file_id **out);

/*
 * Whether a wikilink's path is an address that never means a file, such as "https://…".
 */
bool names_is_external(str path);

/*
 * A key that a link's path has in common with all files it could mean: if the keys of a
 * path and a file differ, the link never means the file, whatever the source. It is a
 * hash, so equal keys prove nothing.
 */
uint64_t names_key(const struct names *n, str path);

/* The table as bytes, for names_load(). */
void names_save(const struct names *n, const struct image_out *out);

/*
 * Load a saved table from an image, which is borrowed and must outlive it. NULL if the
 * image is damaged in a way that could do harm.
 */
struct names *names_load(struct image_in *in);
