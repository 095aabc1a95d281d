/*
 * access - what somebody may see and change of a vault.
 *
 * Patterns name files and folders from the vault's root; a folder means everything in it.
 * "Work", "Work/" and "/Work" are that folder of the root, "/" is all of the vault; with
 * one of * ? [ { in it, a pattern is a glob (glob.h: without '/' it fits names in any
 * folder). Names are compared as the vault compares them: in any case and normal form.
 *
 * A path may be read when a read pattern fits it (none given: all do) and no deny pattern
 * does. It may be written when it may be read and a write pattern fits it (none: all do),
 * unless everything is read-only. What may not be read is to be treated as if it were not
 * there: vault_as() does so.
 *
 * An access is a value; what it points to is in the arena it was made in. {0} may do
 * everything. Safe for any number of threads.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    ACCESS_PATTERNS_MAX = 256,       /* of one kind in one access */
    ACCESS_PATTERN_BYTES_MAX = 1024, /* of one pattern */
};

/* As somebody wrote it down. */
struct access_wish {
    bool read_only;
    const str *read, *write, *deny;
    size_t n_read, n_write, n_deny;
};

struct access_rule; /* one wish */

struct access {
    bool read_only;
    const struct access_rule *const *rules; /* all of which must agree */
    size_t n;
};

/* Fails with ERR_INVALID, naming the pattern, or ERR_LIMIT. */
MUST_CHECK bool access_make(struct arena *a, const struct access_wish *wish,
                            struct access *out, struct err *err);

/* What both allow. */
struct access access_join(struct arena *a, const struct access *x,
                          const struct access *y);

/* The same access for as long as the arena lives. */
struct access access_copy(struct arena *a, const struct access *x);

/* path is clean (path.h), that of a file or folder; the root can always be read. */
bool access_reads(const struct access *x, str path);
bool access_writes(const struct access *x, str path);

/* Whether everything may be read. */
bool access_reads_all(const struct access *x);

/* Whether something below a folder may be readable, though the folder itself is not. */
bool access_enters(const struct access *x, str folder);

/* Whether everything that may ever be in a folder could be read and written: only then
 * can the folder itself be moved or deleted without a word about what is hidden in it. */
bool access_owns(const struct access *x, str folder);

/*
 * An access as text, and back: for who keeps it (a token's grant). Equal texts allow the
 * same. Reading one fails with ERR_INVALID.
 */
str access_text(struct arena *a, const struct access *x);
MUST_CHECK bool access_parse(struct arena *a, str text, struct access *out,
                             struct err *err);

/* The part of it that decides what can be read; equal for who sees the same. */
str access_key(struct arena *a, const struct access *x);

/* The patterns below which something may be written, with commas between, for people;
 * empty when that is everywhere, or nowhere. */
str access_where(struct arena *a, const struct access *x);
