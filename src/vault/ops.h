/*
 * ops - operations on notes beyond editing their text: move, delete, restore, dated
 * notes. Each adds its steps to a draft.
 *
 * Links are looked up in the index, which is first brought up to date. It has neither the
 * other steps of the draft nor changes on disk made before the commit. A rewrite that
 * would overwrite one of these fails with ERR_CONFLICT, and transact.h then tries again.
 */
#pragma once

#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/note/daily.h"
#include "vault/walk.h"

/* The outcome of a step, for the answer. */
struct ops_report {
    str path, to;    /* the file or folder, and where it is afterwards */
    size_t files;    /* moved or deleted */
    size_t rewrites; /* other files that get new links or tags */
    size_t links;    /* links or tags in them */
    const str *warnings;
    size_t n_warnings;
};

/*
 * Move a note, attachment or folder, and rewrite the links to it. from is a path, or the
 * name of a note as in a link; to is a path, or a folder that exists (or ends with '/').
 * A note, canvas or base keeps its extension, other files do if to has none. Must be the
 * first step of a draft, else ERR_INVALID. Links in notes that the caller cannot see stay
 * as they are; links in notes that may be read but not written are ERR_DENIED.
 */
MUST_CHECK bool ops_move(struct draft *d, str from, str to, struct ops_report *out,
                         struct err *err);

/* The same, but all links stay as they are. */
MUST_CHECK bool ops_move_only(struct draft *d, str from, str to, struct ops_report *out,
                              struct err *err);

/* Rename a heading ("A" or "A#B"; line chooses between several), a block id, a tag. */
MUST_CHECK bool ops_rename_heading(struct draft *d, str path, str heading, uint32_t line,
                                   str title, struct ops_report *out, struct err *err);
MUST_CHECK bool ops_rename_block(struct draft *d, str path, str id, str new_id,
                                 struct ops_report *out, struct err *err);
MUST_CHECK bool ops_rename_tag(struct draft *d, str tag, str new_tag,
                               struct ops_report *out, struct err *err);

struct ops_delete {
    bool recursive; /* a folder with everything in it */
    bool unlink;    /* links to it become plain text; only for files */
    bool forever;   /* do not move it to the trash */
};

enum { OPS_FOREVER_MAX = 64 << 20 }; /* bytes: the journal keeps them for undo */

/* Move to .trash, with the same path there (numbered if that is taken). If the vault's
 * settings or `forever` say so, delete instead; ERR_LIMIT above OPS_FOREVER_MAX. */
MUST_CHECK bool ops_delete(struct draft *d, str path, const struct ops_delete *how,
                           struct ops_report *out, struct err *err);

/* Restore a path from .trash; to is the target as in ops_move(), or empty for the
 * original path. */
MUST_CHECK bool ops_restore(struct draft *d, str path, str to, struct ops_report *out,
                            struct err *err);

/* The contents of the trash: paths as ops_restore() takes them. */
MUST_CHECK bool ops_trash(struct vault *v, struct arena *a, struct walk *out,
                          struct err *err);

/* The dated note for a day, created from its template if it does not exist. */
MUST_CHECK bool ops_daily(struct draft *d, enum obsidian_period period,
                          const struct moment *when, struct ops_report *out,
                          bool *created, struct err *err);
