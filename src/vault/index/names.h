/*
 * names - which file a link means, exactly in Obsidian's order (obsidian.md 6.2).
 *
 * A table of all files of a vault by name, and the resolver over it. Names are compared
 * after base/utf8.h's utf8_fold; answers are files of the caller's own table. The table
 * is changed by one writer; everything const is safe for any number of threads while
 * nobody changes it.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/index/image.h"

struct names;

/* What a file is in the caller's own table: small numbers, reused after a removal. */
typedef uint32_t file_id;
#define NO_FILE UINT32_MAX

struct names *names_create(void);
void names_free(struct names *n);

/*
 * path is copied. The same id must not be added twice. Hidden files (a segment for which
 * path_is_hidden) have a path, but nothing finds them.
 */
void names_add(struct names *n, file_id id, str path);
void names_remove(struct names *n, file_id id); /* fine when it is not there */

/* As it was added, until it is removed; empty when it was not. */
str names_path(const struct names *n, file_id id);

size_t names_count(const struct names *n); /* files */

/* Bytes taken, about. */
size_t names_memory(const struct names *n);

/* The rule that chose (or why nothing was found). */
enum names_rule {
    NAMES_SELF,       /* empty path: the source note */
    NAMES_ONLY_ONE,   /* no folder given, one candidate */
    NAMES_RELATIVE,   /* ./ or ../ from the source's folder */
    NAMES_EXACT,      /* the whole path from the root */
    NAMES_OWN_FOLDER, /* suffix match below the source's folder */
    NAMES_SHORTEST,   /* suffix match, shortest path */
    NAMES_UNRESOLVED, /* no file of that name, or no path that ends so */
    NAMES_NOT_A_PATH, /* a URL or the like */
};

struct names_answer {
    file_id file; /* NO_FILE: unresolved */
    enum names_rule rule;
    file_id *others; /* further files of that name, best first; only with explain */
    size_t n_others;
};

/*
 * What path (the path part of a wikilink, or of a Markdown link after percent-decoding)
 * means in source, the path of the note that holds it; source_id is the answer to an
 * empty path. With an arena, the other candidates are listed, too.
 */
void names_resolve(const struct names *n, struct arena *explain, str path, str source,
                   file_id source_id, struct names_answer *out);

/*
 * The file that names_resolve() answers with now that added is there, if it was before
 * until then. The same, but does not look at all files of that name.
 */
file_id names_resolve_added(const struct names *n, str path, str source,
                            file_id source_id, file_id before, file_id added);

/*
 * The exact path, folded; NO_FILE if there is none. *twins: how many files fold to it;
 * of several, the one that is spelt so, else the first by bytes.
 */
file_id names_find_path(const struct names *n, str path, size_t *twins);

/* All files whose name (with or without .md) folds to name, shortest path first. */
size_t names_find_name(const struct names *n, struct arena *a, str name, file_id **out);

/* Whether a wikilink's path is an address that never means a file: "https://…". */
bool names_is_external(str path);

/*
 * What a link's path and the files it could mean have in common: two of them that differ
 * here have nothing to do with each other, whatever the source. Hashed, so the converse
 * may fail.
 */
uint64_t names_key(const struct names *n, str path);

/* The table as bytes, for names_load(). */
void names_save(const struct names *n, const struct image_out *out);

/*
 * The table that was saved, from an image that is borrowed and must outlive it. NULL when
 * the image is damaged in a way that could do harm.
 */
struct names *names_load(struct image_in *in);
