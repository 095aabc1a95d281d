/*
 * ops - what people do with notes beyond editing a text: move, delete, restore, dated
 * notes. Each adds its steps to a draft.
 */
#pragma once

#include "vault/daily.h"
#include "vault/draft.h"
#include "vault/rename.h"
#include "vault/walk.h"

/* What a step came to, for the answer. */
struct ops_report {
    str path, to;    /* the file or folder it was about, and where it is then */
    size_t files;    /* moved or deleted */
    size_t rewrites; /* other files that get new links or tags */
    size_t links;    /* links or tags in them */
    const str *warnings;
    size_t n_warnings;
};

/*
 * Move a note, attachment or folder, and rewrite the links to it. from is a path, or the
 * name of a note as in a link; to a path, or a folder that exists (or ends with '/'). A
 * note keeps its extension.
 */
MUST_CHECK bool ops_move(struct draft *d, str from, str to, struct ops_report *out,
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
    bool unlink;    /* links to it become plain text */
    bool forever;   /* not to the trash */
};

/* Into .trash, where it keeps its path (numbered if that is taken), unless the vault's
 * settings or forever say otherwise. */
MUST_CHECK bool ops_delete(struct draft *d, str path, const struct ops_delete *how,
                           struct ops_report *out, struct err *err);

/* Bring back what is in .trash under that path; to is where to, or empty. */
MUST_CHECK bool ops_restore(struct draft *d, str path, str to, struct ops_report *out,
                            struct err *err);

/* What is in the trash: paths as ops_restore() takes them. */
MUST_CHECK bool ops_trash(struct vault *v, struct arena *a, struct walk *out,
                          struct err *err);

/* The dated note for a day, made from its template if it is not there. */
MUST_CHECK bool ops_daily(struct draft *d, enum obsidian_period period,
                          const struct moment *when, struct ops_report *out,
                          bool *created, struct err *err);
