/*
 * draft - a change under construction: several steps, one outcome.
 *
 * Steps see the results of earlier ones; nothing is on disk before draft_commit(), which
 * makes everything as one change (change.h) and updates the index. Files are read from
 * disk, and the commit fails if one has changed by then. If a step fails, discard the
 * draft. Lives in an arena, for one thread. transact_run() makes a draft, commits it and,
 * if a file has changed in the meantime, starts again with a new one.
 */
#pragma once

#include "base/stop.h"
#include "vault/change/change.h"
#include "vault/text/encoding.h"
#include "vault/vault.h"

enum {
    DRAFT_NOTE_MAX = 8 << 20, /* bytes of a note that can be edited or written */
    DRAFT_LEVELS_MAX = 200,   /* new folders in one path */
};

struct draft;

/* by: who asks (change.h). Closing frees what is not in the arena. */
struct draft *draft_create(struct vault *v, struct arena *a, const struct actor *by);
void draft_close(struct draft *d);

struct vault *draft_vault(const struct draft *d);
struct arena *draft_arena(const struct draft *d);

/* Steps that take long ask stop, and fail with TIMEOUT. A new draft never stops. */
void draft_set_stop(struct draft *d, const struct stop *stop);
const struct stop *draft_stop(const struct draft *d);

/*
 * What files are for this draft, instead of what is on disk: as a proposal would leave them
 * (proposal.h), so that another one can build on it. find says false for a file that it does
 * not know. Such a draft can only be proposed.
 */
struct draft_base {
    bool (*find)(void *arg, str path, bool *exists, str *bytes);
    void *arg;
};
void draft_set_base(struct draft *d, const struct draft_base *base);

/* For loops of steps: false, with TIMEOUT or ERR_LIMIT, if the draft is to stop. */
MUST_CHECK bool draft_go_on(const struct draft *d, struct err *err);

/* True when it is called for the first time. */
bool draft_first_look(struct draft *d);

/* Whether the draft would change nothing so far. */
bool draft_is_empty(const struct draft *d);

/*
 * A file as it is at this point of the draft. If the path does not exist, the one file
 * that differs only in case or normal form is found.
 */
struct draft_file {
    str path;                 /* its real path */
    str text;                 /* as UTF-8, if encoding is another one */
    struct hash_content hash; /* of its bytes */
    size_t size;              /* in bytes */
    enum encoding encoding;   /* of these */
};
MUST_CHECK bool draft_read(struct draft *d, str path, struct draft_file *out,
                           struct err *err);

/* Whether a file or folder exists, or a file that differs only in case or normal form;
 * *real is its path. */
bool draft_find(struct draft *d, str path, str *real);
bool draft_exists(struct draft *d, str path);

/* Whether an earlier step of the draft has changed the text of the file at path. */
bool draft_has_changed(struct draft *d, str path);

enum draft_write {
    DRAFT_CREATE,    /* the path must be free */
    DRAFT_OVERWRITE, /* the file may exist; it becomes UTF-8 */
    DRAFT_EDIT,      /* the file may exist, and keeps its encoding */
};

/* path is clean; a new one is checked by draft_check_new(). A text that the encoding of
 * its file does not have is refused by draft_check() and draft_commit(). */
MUST_CHECK bool draft_write(struct draft *d, str path, str text, enum draft_write how,
                            struct err *err);

/* Whether the draft creates, deletes or moves files; if not, all names are those of the
 * vault's index. */
bool draft_renames(const struct draft *d);

/*
 * The index as the draft leaves it, so that a step sees the links, names and tags of the
 * steps before it; without words. Hold it like vault_lock(), which this does, too. It is
 * kept between steps, and only what has changed is put into it.
 */
const struct index *draft_lock(struct draft *d);
void draft_unlock(struct draft *d);

/* The files of x, the vault's index, that the draft has rewritten, made anew with the
 * same ids; each to be freed (file_free()). Only if the draft renames nothing. */
size_t draft_rewritten(struct draft *d, const struct index *x, struct file ***out);

/*
 * Give a file of that index a new text that was derived from its text there. That must
 * still be its text in the draft (else ERR_CONFLICT), and on disk at the commit. Nothing
 * here looks at the disk: draft_judge() does, after the index was unlocked, for files
 * that are symlinks (PATH_NOT_ALLOWED if one leads to where the caller may not write).
 */
MUST_CHECK bool draft_rewrite(struct draft *d, const struct file *f, str text,
                              struct err *err);
MUST_CHECK bool draft_judge(struct draft *d, struct err *err);

MUST_CHECK bool draft_delete(struct draft *d, str path, struct err *err);
MUST_CHECK bool draft_make_folder(struct draft *d, str path, struct err *err);

/*
 * Move a file or folder. All moves of a draft are made together, so things may swap
 * places. from is the path before the draft; to must be free (draft_find) and allowed
 * (draft_check_new). Afterwards it is found at to; nothing can be written to from in the
 * same draft.
 */
void draft_move(struct draft *d, str from, str to);

/*
 * The same for what is at `from` at this point of the draft, wherever it was before.
 * Fails with ERR_INVALID if the moves of a folder and of files in it cannot be made
 * together.
 */
MUST_CHECK bool draft_rename(struct draft *d, str from, str to, struct err *err);

/* Whether a folder is at path at this point of the draft; the other also counts one that
 * exists only because the draft puts a file into it. */
bool draft_is_folder(struct draft *d, str path);
bool draft_has_folder(struct draft *d, str path);

/*
 * Whether the parts of path that do not exist yet may be created (path_check_new). Also
 * fails with ERR_EXISTS if a folder would differ from another only in case or normal
 * form, and with ERR_LIMIT if there are more than DRAFT_LEVELS_MAX new folders. from is
 * the path of what moves there and may keep its name, or empty.
 */
MUST_CHECK bool draft_check_new(struct draft *d, str path, bool folder, str from,
                                struct err *err);

/* Remove a folder, which must be empty by then. */
void draft_remove_folder(struct draft *d, str path);

/* An etag identifies a content: "9f86d081884c7d65". */
enum { DRAFT_ETAG = 16 };
str draft_etag(struct arena *a, struct hash_content hash);

/* Fails with ERR_CONFLICT, naming the current etag, unless the file has the given one; an
 * empty one always matches. */
MUST_CHECK bool draft_match(struct draft *d, str path, str etag, struct err *err);

enum draft_outcome { DRAFT_CREATED, DRAFT_CHANGED, DRAFT_DELETED, DRAFT_MOVED };

struct draft_touched {
    enum draft_outcome outcome;
    str path, to;             /* to: of MOVED; and of CHANGED, if it moves, too */
    str before, after;        /* texts */
    struct hash_content hash; /* of the new text */
};

/* Its path after the change; of MOVED, before it. */
static inline str draft_touched_path(const struct draft_touched *f)
{
    return f->outcome == DRAFT_CHANGED && f->to.n > 0 ? f->to : f->path;
}

struct draft_result {
    uint64_t change; /* 0: nothing changed, or not committed */
    bool repeated;
    str proposal; /* its id, if it waits for a review instead of being made; or empty */
    str answer;   /* of the first call, if repeated */
    struct draft_touched *files; /* none if repeated */
    size_t n;
    size_t in_all; /* of an undo: the files, with those in folders that it moves */
};

/* What an undo did or would do to each file (change_result.undoing), without texts; and
 * the same of an undo that was not made yet, with the texts before and after. */
void draft_list_undo(struct arena *a, const struct change_result *undo,
                     struct draft_result *out);
MUST_CHECK bool draft_read_undo(struct vault *v, struct arena *a,
                                const struct change_result *undo,
                                struct draft_result *out, struct err *err);

/* How many files it changes, with those in folders that it moves. */
size_t draft_files(struct draft *d);

/* Everything that it would do to files as they are now, as a digest: which files and
 * folders, what becomes of them, and what is in them. It does not depend on the new
 * texts, which may contain the time. */
str draft_plan(struct draft *d);

/* What is in a file or folder of the vault, as a digest of names, sizes and texts. */
str draft_digest(struct vault *v, struct arena *a, str path);

/* Whether committing it would only propose it (vault_needs_review()). */
bool draft_needs_review(struct draft *d);

/* The user has confirmed it. */
void draft_confirm(struct draft *d);

/*
 * Whether the files that it writes are valid (note/valid.h), or were invalid before in
 * the same way. Fails with INVALID_CONTENT, naming the file, line and reason.
 */
MUST_CHECK bool draft_check(struct draft *d, struct err *err);

/* What the draft would do; nothing is changed. */
void draft_preview(struct draft *d, struct draft_result *out);

/* Make the change, if its request is new; or propose it, if a part of it needs a review:
 * then out->proposal is set, and nothing was changed. */
MUST_CHECK bool draft_commit(struct draft *d, const struct idempotency *once,
                             struct draft_result *out, struct err *err);

/* A readable diff of all files, at most max bytes long (0: no limit). */
str draft_diff(struct arena *a, const struct draft_result *r, size_t max);
