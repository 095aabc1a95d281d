/*
 * access - what a caller may see and change in a vault.
 *
 * Patterns name files and folders from the vault's root; a folder includes everything in
 * it. "Work", "Work/" and "/Work" are that folder of the root, "/" is the whole vault. A
 * pattern with one of * ? [ { is a glob (glob.h: without '/' it matches names in any
 * folder). Names are compared like all names in a vault, ignoring case and normal form.
 *
 * A literal access, as grants have it, has no globs: "[Archive]" is the folder of that
 * name. Its names are compared as the vault's file system compares them, so that a grant
 * for Work never includes another folder, work.
 *
 * A path may be read if a read pattern matches it (or there are none) and no deny pattern
 * does. It may be written if it may be read and a write pattern matches it (or there are
 * none), unless everything is read-only. Where a propose pattern matches, or if all of it
 * is only proposed, what would be written waits for a review instead. Paths that may not be
 * read are treated as if they did not exist: vault_as() does that.
 *
 * Grants have places instead: literal folders with a level each. The innermost place that a
 * path is in decides; where there is none, the level of everything else.
 *
 * An access is a value that points into the arena it was made in. {0} allows everything.
 * Safe for any number of threads.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    ACCESS_PATTERNS_MAX = 256,       /* of one kind in one access */
    ACCESS_PATTERN_BYTES_MAX = 1024, /* in one pattern */
};

/* What may be done to a file or folder; a higher level includes the lower ones. */
enum access_level {
    ACCESS_HIDDEN, /* it does not exist */
    ACCESS_READ,
    ACCESS_PROPOSE, /* a change is proposed, and made when a person has accepted it */
    ACCESS_WRITE,
};

/* Their names in texts, by level: "hidden", "read", "propose", "write". */
extern const char *const access_level_names[ACCESS_WRITE + 1];
bool access_level_find(str name, enum access_level *out); /* false: it is none */

/* Of two levels of the same place, the lower one counts. */
struct access_place {
    str path; /* literal */
    enum access_level level;
};

struct access_places {
    enum access_level elsewhere;
    const struct access_place *items;
    size_t n;
};

/* An access as configured. */
struct access_request {
    bool read_only, literal;
    bool propose;                            /* nothing is written without a review */
    const str *read, *write, *deny, *review; /* review: nor in these */
    size_t n_read, n_write, n_deny, n_review;
    const struct access_places *places; /* NULL: they restrict nothing */
};

struct access_rule; /* made from one request */

struct access {
    bool read_only, propose;
    bool folds; /* the file system ignores case: literal names do, too */
    const struct access_rule *const *rules; /* all must allow it */
    size_t n;
};

/* Fails with ERR_INVALID, naming the pattern, or ERR_LIMIT. */
MUST_CHECK bool access_make(struct arena *a, const struct access_request *request,
                            struct access *out, struct err *err);

/* The access that allows what both allow. */
struct access access_join(struct arena *a, const struct access *x,
                          const struct access *y);

/* A copy in the arena. */
struct access access_copy(struct arena *a, const struct access *x);

/* path is a clean path (path.h) of a file or folder; the root can always be read. */
bool access_reads(const struct access *x, str path);

/* What may be done to the file or folder at a path, which need not exist. */
enum access_level access_level(const struct access *x, str path);

/* Whether it may be written without a review. */
bool access_writes(const struct access *x, str path);

/* Whether there is something that is only proposed. */
bool access_has_review(const struct access *x);

/* Whether everything may be read; whether anything could be read, or changed, at least after
 * a review. */
bool access_reads_all(const struct access *x);
bool access_reads_some(const struct access *x);
bool access_changes_some(const struct access *x);

/* Whether something below a folder may be readable even if the folder itself is not. */
bool access_enters(const struct access *x, str folder);

/*
 * The lowest level of everything that could ever be in a folder. From ACCESS_PROPOSE on, the
 * folder itself can be moved or deleted without revealing what is hidden in it.
 */
enum access_level access_folder_level(const struct access *x, str folder);

/*
 * An access as text, and back: to store it (in a token's grant). Equal texts allow the
 * same. Parsing fails with ERR_INVALID.
 */
str access_text(struct arena *a, const struct access *x);
MUST_CHECK bool access_parse(struct arena *a, str text, struct access *out,
                             struct err *err);

/* The part that decides what can be read: equal keys mean the same visible files of one
 * vault. */
str access_key(struct arena *a, const struct access *x);

/* The patterns that may be written, perhaps after a review, separated by commas, for people;
 * empty if that is everything or nothing. */
str access_where(struct arena *a, const struct access *x);
