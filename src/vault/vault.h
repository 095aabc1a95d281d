/*
 * vault - a folder of notes, opened, and its index, kept current.
 *
 * Opening is instant; vault_start() reads the notes into memory in the background (or
 * from the snapshot of the last time) and then watches the folder. Everything on disk is
 * confined to the folder (base/fs.h). Knows nothing of JSON-RPC, HTTP or who asks. Paths
 * that come in are what a client sent; paths that go out are clean, from the vault's
 * root, without a leading '/'. Safe for any number of threads.
 *
 * A struct vault is a vault as somebody may use it (access.h). What they may not read is,
 * for every function here and all that is built on them, not there.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/pool.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/index/index.h"
#include "vault/walk.h"

struct vault;

enum {
    VAULT_READ_MAX = 8 << 20, /* bytes of a note that is read whole */
    VAULT_POLL_MS = 50,
    VAULT_VIEWS_MAX = 16, /* indexes for who sees less; the one unused for longest goes */
};
static const int64_t VAULT_MEMORY_MAX = 4LL << 30;

#define VAULT_CONFIG ".obsidian"
#define VAULT_TRASH ".trash" /* what is in it belongs to who may use where it was */

/* folder is a path of the machine. */
MUST_CHECK bool vault_open(const char *folder, struct vault **out, struct err *err);
void vault_close(struct vault *v);

/* The name people know it by: that of its folder. */
str vault_name(const struct vault *v);

/* Its absolute path; empty if that is not known. */
const char *vault_folder(const struct vault *v);

/* --- who --- */

/*
 * The same vault for somebody who may do less. Lives in the arena, where access must
 * live, too, and no longer than v. Whoever sees other files than v does waits, the first
 * time, until an index of those is made.
 */
struct vault *vault_as(struct vault *v, struct arena *a, const struct access *access);

/*
 * The same vault without what the settings deny to clients: for the program's own work,
 * such as sync, which must see and write every file. Its index is that of v; lives as
 * long as v.
 */
struct vault *vault_whole(struct vault *v);

bool vault_is_read_only(const struct vault *v);

/* Whether anything can be changed; else ERR_DENIED (READ_ONLY). Waits for the index. */
MUST_CHECK bool vault_can_change(struct vault *v, struct err *err);

/* Whether a file of that path, which need not exist, could be seen. */
bool vault_may_read(const struct vault *v, str path);

/* Whether every file can be seen. */
bool vault_may_read_all(const struct vault *v);

/* The folders that may be written, for people; empty when that is all, or nothing. */
str vault_writable(const struct vault *v, struct arena *a);

/* --- the index --- */

struct vault_options {
    struct pool *pool;           /* helps to read and search; may be NULL */
    const char *state_dir;       /* where the snapshot is kept; NULL: nowhere */
    const struct access *access; /* for everybody, copied; NULL: all */
    bool journal; /* also when access is read-only: for changes of the program's own */
    bool watch;   /* keep the index current */
    bool poll;    /* by looking every so often, even where the system would tell */
    int64_t memory_max; /* bytes of notes kept in memory; 0: VAULT_MEMORY_MAX */

    /*
     * The index has taken in a change of these files, whoever made it; names: some are
     * new or gone. On the thread that brought it in, without locks, so calls may overlap.
     * The paths are gone when it returns. Not for the first index. May be NULL.
     */
    void (*changed)(void *arg, const str *paths, size_t n, bool names);

    /*
     * A change was made through vault_change() or vault_undo(), and is on disk. On the
     * thread that made it; must not block. May be NULL.
     */
    void (*made)(void *arg, const struct change *change,
                 const struct change_result *made);
    void *changed_arg;
};

/* Begin to index, once. Returns at once. */
void vault_start(struct vault *v, const struct vault_options *options);

/* Change nothing any more, and use the pool no more. vault_close() does it, too. */
void vault_stop(struct vault *v);

/* Whether the index of the last run is of use for the next. Fails with ERR_NOT_FOUND when
 * there is none, and as snapshot_open(). For a vault that was not started. */
MUST_CHECK bool vault_check_stored(const struct vault *v, const char *state_dir,
                                   struct err *err);

struct vault_progress {
    bool ready;
    size_t done, expected; /* files read, of those that must be */
};
struct vault_progress vault_progress(struct vault *v);

/*
 * Wait for the first index. stop, if given, is asked every VAULT_POLL_MS whether to give
 * up (ERR_BUSY). Fails as well when the vault's folder cannot be read.
 */
MUST_CHECK bool vault_wait(struct vault *v, bool (*stop)(void *arg), void *arg,
                           struct err *err);

/*
 * The index, which does not change until vault_let_go(): everything in it may be read and
 * is gone after that. Hold it once per thread, briefly, and never while waiting for
 * anything. Only after vault_wait().
 */
const struct index *vault_hold(struct vault *v);
void vault_let_go(struct vault *v);

/* The vault's own settings; as the index, while it is held. */
const struct obsidian *vault_obsidian(const struct vault *v);

/*
 * Bring the index up to date with these paths on disk, files or folders, now; with none,
 * with all. For changes that came through us, and for who cannot wait for the watcher.
 */
void vault_refresh(struct vault *v, const str *paths, size_t n);

/* How it hears of changes: "inotify", "polling" or "off". */
const char *vault_watching(const struct vault *v);

/* --- changes --- */

/*
 * Make a change (change.h) and bring the index up to date with it. Fails as
 * changes_make(); also with ERR_DENIED when there is no state folder to keep the journal
 * in, or when one of the paths may not be written. Waits for the index.
 */
MUST_CHECK bool vault_change(struct vault *v, struct arena *a,
                             const struct change *change, struct change_result *out,
                             struct err *err);

/*
 * Whether path may be written; else ERR_DENIED (PATH_NOT_ALLOWED, READ_ONLY), with the
 * same words whether something is there or not. The other: whether a folder may be moved
 * or deleted with all that may ever be in it.
 */
MUST_CHECK bool vault_may_write(struct vault *v, str path, struct err *err);
MUST_CHECK bool vault_may_take(struct vault *v, str folder, struct err *err);

/*
 * Whoever looks first and changes then holds this meanwhile, so that no two in this
 * process get in each other's way. vault_change() itself does without.
 */
void vault_lock_changes(struct vault *v);
void vault_unlock_changes(struct vault *v);

/* Take one back; as says who does it. One that touched what cannot be seen is not there.
 */
MUST_CHECK bool vault_undo(struct vault *v, struct arena *a, uint64_t number,
                           const struct change *as, struct change_result *out,
                           struct err *err);

/* The latest that can be seen and taken back. Fails with CHANGE_NOT_FOUND. */
MUST_CHECK bool vault_undoable(struct vault *v, uint64_t *out, struct err *err);

/* The changes so far, of everybody, or NULL with a reason; ask of each whether it can be
 * seen. */
struct changes *vault_changes(struct vault *v, struct err *err);
bool vault_sees_change(const struct vault *v, const struct journal_change *change);

/* --- the disk --- */

/* The folder itself, with all that is in it: only for the program's own work. */
const struct fs_root *vault_root(const struct vault *v);

/* As fs_stat(), fs_read(), fs_list() and walk_below(); path is clean. */
MUST_CHECK bool vault_stat(struct vault *v, str path, struct fs_info *info,
                           struct err *err);
MUST_CHECK bool vault_bytes(struct vault *v, struct arena *a, str path, size_t max,
                            str *out, struct err *err);
MUST_CHECK bool vault_entries(struct vault *v, struct arena *a, str folder,
                              struct fs_list *out, struct err *err);
MUST_CHECK bool vault_walk(struct vault *v, str folder, struct walk *out,
                           struct err *err);

/* Files and folders of one folder, by name; folders with how many entries they have. */
struct vault_entry {
    str name;
    struct fs_info info;
    size_t children; /* of a folder */
};

struct vault_listing {
    str path;
    struct vault_entry *entries;
    size_t n;
};

MUST_CHECK bool vault_list(struct vault *v, struct arena *a, str path,
                           struct vault_listing *out, struct err *err);

/* Some lines of a file, as stored. Lines count from 1; an empty file has none. */
struct vault_text {
    str path;
    str content;
    size_t total_lines;
    size_t first, last; /* both 0 when nothing is shown */
};

/*
 * From memory when the file is still the one that was indexed, else from disk.
 * Read up to limit lines from line first on; limit 0 reads all. Fails with ERR_INVALID
 * (INVALID_RANGE) when first is behind the last line, or when the file is not text;
 * ERR_LIMIT when it is larger than VAULT_READ_MAX.
 */
MUST_CHECK bool vault_read(struct vault *v, struct arena *a, str path, size_t first,
                           size_t limit, struct vault_text *out, struct err *err);

/* The same of a text that is at hand; content is a part of it. */
MUST_CHECK bool vault_cut(str path, str text, size_t first, size_t limit,
                          struct vault_text *out, struct err *err);
