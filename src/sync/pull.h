/*
 * pull - apply a commit of the remote to the vault. Private to pull*.c.
 *
 * pull_plan.c sorts what they changed since the base into files to merge and names that
 * exist only in the tree; pull_merge.c merges each file with the one on disk; pull.c
 * makes the change of the vault and the commit.
 *
 * Contents are read and merged in batches, and names are counted before they are listed
 * (PULL_NAMES_MAX), so memory is bounded however much they changed. A pull whose new
 * contents exceed PULL_PART_BYTES is made in parts: each is a change of the vault that
 * leaves HEAD where it is, after which the pull begins again and finds these files as
 * they should be. The last part makes the commit.
 */
#pragma once

#include "base/map.h"
#include "sync/conflict.h"
#include "sync/pull_limit.h"
#include "sync/unsynced.h"
#include "sync/work.h"

enum { PULL_PART_BYTES = 64 << 20 };

/* One file that they changed, and its entry in the tree if it is not on disk. */
struct pull_item {
    str from, to;             /* vault paths; they differ if it was renamed */
    str base_id, theirs_id;   /* empty: no file */
    str base, theirs;         /* contents, while its batch is merged */
    size_t size;              /* of both */
    unsigned base_mode, mode; /* of base, or 0; and of theirs */
    struct git_entry after;   /* mode 0: nothing */
};

struct pull {
    struct work *w;
    struct arena *a;
    struct arena *contents; /* of the current batch, and of the operations before */
    int64_t when;           /* the pull began */
    bool copies;            /* renamed files are written and deleted, not moved */
    bool partial;           /* the operations are only a part: more files are to come */
    str head, theirs, base; /* commits; head and base may be empty */
    bool known;             /* head contains theirs: there is nothing to pull */
    bool forward;           /* theirs contains head */
    struct git_diff *our, *their;
    size_t n_our, n_their;
    struct unsynced unsynced;

    struct pull_item *items;
    size_t n_items;
    bool refreshed;     /* the index knows the disk as it was when the pull began */
    struct map targets; /* vault paths that were decided */

    struct change_op *ops;
    size_t n_ops;
    struct git_entry *edits; /* in the tree of the repository */
    size_t n_edits;
    str *texts; /* new contents, and which edits they are for */
    size_t *text_edits;
    size_t n_texts;

    struct sync_conflict conflicts[WORK_NOTICES_MAX];
    size_t n_conflicts;
    str tree, author; /* of theirs */
    str head_tree;    /* of head, or empty */
};

MUST_CHECK bool pull_plan(struct pull *p, struct err *err);
MUST_CHECK bool pull_merge(struct pull *p, struct err *err);

/* Convert a vault path to a path in the repository. */
str pull_full(const struct pull *p, str path);

/* Set a name of the tree. */
void pull_edit(struct pull *p, str full, unsigned mode, str id);

/* Our path of the file that was path in base, if we renamed it; otherwise path. */
str pull_our_name(const struct pull *p, str path);

/* The mode of a file that we merge: executable if HEAD has it so. */
unsigned pull_our_mode(const struct pull *p, const struct pull_item *item);

/* Whether HEAD still has the file that was path in base, under that name. */
bool pull_we_have(const struct pull *p, str path);

/* Where the file is that HEAD has at path, and the disk has not: the one file with that
 * content that HEAD does not have; path if there is none, or several. */
MUST_CHECK bool pull_find_moved(struct pull *p, str path, str *now, struct err *err);

/* Set a name of the tree that is not in the vault: theirs, unless we changed it. */
void pull_take_theirs(struct pull *p, str full, unsigned mode, str id);
