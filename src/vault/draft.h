/*
 * draft - a change that is being put together: several steps, one outcome.
 *
 * Steps see what earlier ones did; nothing is on disk before draft_commit(), which makes
 * all of it one change (change.h) and brings the index up to date. Files are read from
 * disk, and the change fails if one is different by then. When a step fails the draft is
 * to be given up. Lives in an arena, for one thread. ops_run() makes, commits and, if
 * somebody else was faster, repeats one.
 */
#pragma once

#include "vault/change/change.h"
#include "vault/vault.h"

enum { DRAFT_NOTE_MAX = 8 << 20 }; /* bytes of a note that can be edited or written */

struct draft;

/* as: who wants what (change.h); its operations are ignored. */
struct draft *draft_create(struct vault *v, struct arena *a, const struct change *as);

struct vault *draft_vault(const struct draft *d);
struct arena *draft_arena(const struct draft *d);

/* Whether nothing would be changed so far. */
bool draft_is_empty(const struct draft *d);

/*
 * A file as it is at this point of the draft. A path that is not there finds the one file
 * that differs by case or normal form only.
 */
struct draft_file {
    str path; /* its real one */
    str text;
    struct hash_content hash;
};
MUST_CHECK bool draft_read(struct draft *d, str path, struct draft_file *out,
                           struct err *err);

/* Whether a file or folder is there, or a file that differs by case or normal form only;
 * *real is its path. */
bool draft_find(struct draft *d, str path, str *real);
bool draft_exists(struct draft *d, str path);

enum draft_write {
    DRAFT_CREATE,    /* nothing may be there */
    DRAFT_OVERWRITE, /* a file may be there */
};

/* path is clean; a new one is checked by draft_check_new(). */
MUST_CHECK bool draft_write(struct draft *d, str path, str text, enum draft_write how,
                            struct err *err);

/*
 * A file of the index gets another text, which was made from the one in the index: that
 * must be what it has now (else ERR_CONFLICT) and on disk when it is committed.
 */
MUST_CHECK bool draft_rewrite(struct draft *d, const struct file *f, str text,
                              struct err *err);

MUST_CHECK bool draft_delete(struct draft *d, str path, struct err *err);
MUST_CHECK bool draft_make_folder(struct draft *d, str path, struct err *err);

/*
 * Files and folders that move, all at once: they may change places. from is where it was
 * before the draft, to is free (draft_find) and allowed (draft_check_new). Afterwards it
 * is found at to; where it was, nothing can be written in the same draft.
 */
void draft_move(struct draft *d, str from, str to);

/*
 * Whether those names of path that are not on disk yet may be made (path_check_new);
 * also fails with ERR_EXISTS when a folder would differ from another by case or normal
 * form only. from is what moves there and may keep its name, or empty.
 */
MUST_CHECK bool draft_check_new(struct draft *d, str path, bool folder, str from,
                                struct err *err);

/* Removes a folder that is empty then. */
void draft_remove_folder(struct draft *d, str path);

/* An etag names a content: "9f86d081884c7d65". */
enum { DRAFT_ETAG = 16 };
str draft_etag(struct arena *a, struct hash_content hash);

/* Fails with ERR_CONFLICT naming the etag there is, unless the file has the one given;
 * an empty one is always right. */
MUST_CHECK bool draft_match(struct draft *d, str path, str etag, struct err *err);

enum draft_outcome { DRAFT_CREATED, DRAFT_CHANGED, DRAFT_DELETED, DRAFT_MOVED };

struct draft_touched {
    enum draft_outcome outcome;
    str path, to;      /* to: of MOVED */
    str before, after; /* texts */
    size_t size_before, size_after;
    struct hash_content hash; /* of the new text */
};

struct draft_result {
    uint64_t change; /* 0: nothing changed, or not committed */
    bool repeated;
    str answer;                  /* of the first call, when repeated */
    struct draft_touched *files; /* none when repeated */
    size_t n;
};

/* What it would do; nothing is changed. */
void draft_preview(struct draft *d, struct draft_result *out);

/*
 * Whether the same call was made before (change.h: key): if so out->repeated, and nothing
 * is left to do. To be asked before any step, which might fail because it was made.
 */
MUST_CHECK bool draft_repeated(struct draft *d, struct draft_result *out,
                               struct err *err);

/* Do it. answer is kept for who repeats the call. */
MUST_CHECK bool draft_commit(struct draft *d, str answer, struct draft_result *out,
                             struct err *err);

/* A readable diff of all files, of at most max bytes (0: any). */
str draft_diff(struct arena *a, const struct draft_result *r, size_t max);
