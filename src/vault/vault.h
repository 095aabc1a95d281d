/*
 * vault - a folder of notes and its index, which is kept up to date.
 *
 * Opening is instant; vault_start() reads the notes into memory in the background (or
 * uses the snapshot of the last run) and then watches the folder. All access to the disk
 * is confined to the folder (base/fs.h). Knows nothing about JSON-RPC, HTTP or users.
 * Paths passed in may be anything that a client sent; paths returned are clean, relative
 * to the vault's root, without a leading '/'. Safe for any number of threads.
 *
 * A struct vault is a caller's view of a vault (access.h). For every function here, and
 * for everything built on them, files that the caller may not read do not exist.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/stop.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/change/proposal.h"
#include "vault/index/index.h"
#include "vault/meaning/meaning.h"
#include "vault/policies.h"
#include "vault/walk.h"

struct vault;

enum {
    VAULT_READ_MAX = 8 << 20, /* bytes of a note that can be read */
    VAULT_POLL_MS = 50,
    VAULT_WAIT_MS = 60000,                              /* for the first index */
    VAULT_WRITER_MS = 10000,                            /* for an update of the index */
    VAULT_TURN_MS = 10000 * (1 + 3 * VAULTD_SANITIZED), /* for other changes */
    VAULT_VIEWS_MAX = 16, /* indexes for restricted callers, evicted in LRU order; each
                             write updates all of them */
    VAULT_PAGED_MAX = 128 << 20, /* bytes of text of all PDF files; of further ones only
                                    the names are known */
};
static const int64_t VAULT_MEMORY_MAX = 4LL << 30;

#define VAULT_CONFIG ".obsidian"
/* A file in it has the access of its original path. Callers who may not read everything
 * see only those files whose original path the journal knows. */
#define VAULT_TRASH ".trash"

/* folder is a path on this machine. */
MUST_CHECK bool vault_open(const char *folder, struct vault **out, struct err *err);
void vault_close(struct vault *v);

/* Its name for people: the name of its folder. */
str vault_name(const struct vault *v);

/* Its absolute path; empty if that is not known. */
const char *vault_folder(const struct vault *v);

/* Whether the folder at the vault's path is still there, and still the same. */
enum vault_place {
    VAULT_HERE,
    VAULT_GONE,     /* nothing can be changed until it is back */
    VAULT_REPLACED, /* by another one, which cannot be opened, such as in the sandbox */
};
enum vault_place vault_place(struct vault *v);

/* --- views --- */

/*
 * A more restricted view of the same vault. It lives in the arena, like the contents of
 * access, and must not outlive v. If it shows fewer files than v, its first use waits
 * until an index of these is made.
 */
struct vault *vault_as(struct vault *v, struct arena *a, const struct access *access);

/*
 * The same as clients see it: what the vault's owner says in it about them
 * (note/policy.h) applies as well as access. Views of it are restricted in this way, too.
 */
struct vault *vault_for_clients(struct vault *v, struct arena *a,
                                const struct access *access);

/* Whether this hides something that could be read otherwise. */
bool vault_conceals(const struct vault *v);

/* How many notes and folders say what about clients; all zeros before the index is
 * complete. */
void vault_count_policies(struct vault *v, struct policies_counts *out);

/*
 * What was read and changed through a view, for an audit. In its arena, for one thread at a
 * time. Lists have no path twice.
 */
enum { VAULT_TRACE_MAX = 4096 }; /* paths of each list; further ones are counted */

struct vault_trace_list {
    str *items;
    size_t n, more;
    struct map known;
};

struct vault_trace {
    struct arena *arena;
    struct vault_trace_list read, changed;
};

/* The same view, which notes in t whose contents are read, and what is changed. It lives as
 * long as t, and no longer than v. */
struct vault *vault_traced(struct vault *v, struct vault_trace *t);

/* Add a path; NULL is fine. */
void vault_trace_add(struct vault_trace *t, struct vault_trace_list *list, str path);

/*
 * The same vault without the restrictions of the settings: for the program's own work,
 * such as sync, which must see and write every file. It has the index of v and lives as
 * long as v.
 */
struct vault *vault_whole(struct vault *v);

/*
 * Whether another file has the name of path and counts, also one that v does not show: for
 * what would replace the other's result outside of the vault. It is the only answer that
 * depends on such files, so say nothing about them but that the name is taken.
 */
bool vault_name_is_taken(struct vault *v, str path, bool (*counts)(const struct file *f));

bool vault_is_read_only(const struct vault *v);

/* Whether a path may be written without a review. */
bool vault_writes(const struct vault *v, str path);

/* Whether something is changed only after a review. */
bool vault_has_review(const struct vault *v);

/* Fails with ERR_DENIED (READ_ONLY, FORBIDDEN) if nothing can be changed: because of the
 * settings, or because the disk does not allow it. Waits for the index. */
MUST_CHECK bool vault_can_change(struct vault *v, struct err *err);

/* Whether a file at that path, which need not exist, would be visible. */
bool vault_may_read(const struct vault *v, str path);

/* The same for an old version of it, with these bytes: what it said then counts, too. */
bool vault_may_read_version(const struct vault *v, str path, str bytes);

/*
 * The same for a path that the vault's own settings name, not the caller, such as the
 * folder of daily notes: else PATH_NOT_ALLOWED, without naming it.
 */
MUST_CHECK bool vault_may_use_set(const struct vault *v, str path, struct err *err);

/* Whether every file is visible. */
bool vault_may_read_all(const struct vault *v);

/* The folders that may be written, for people; empty if that is all or nothing. */
str vault_writable(const struct vault *v, struct arena *a);

/* --- the index --- */

struct vault_options {
    struct pool *pool;           /* shares reading and searching; may be NULL */
    const char *state_dir;       /* for the snapshot and the journal; NULL: neither */
    const struct access *access; /* for all callers, copied; NULL: everything */
    str policy_property; /* that says in notes what clients may do (note/policy.h); empty:
                            none does */
    bool journal;        /* even if access is read-only: for the program's own changes */
    bool watch;          /* keep the index up to date */
    bool poll;           /* by polling, even where the system would report changes */
    unsigned turn_ms;    /* how long to wait for other changes; 0: VAULT_TURN_MS */
    int64_t memory_max;  /* bytes of notes kept in memory; 0: VAULT_MEMORY_MAX */
    int64_t history_max; /* bytes of the journal; 0: JOURNAL_KEPT_BYTES */
    uint64_t first_change; /* its number, if there was none before; 0: 1 */
    bool no_pages;         /* forget the texts of PDF files that the snapshot has */

    /*
     * Called when these files have changed in the index, for any reason; names: some are
     * new or were removed. Runs on the thread that updated the index, without locks, so
     * calls may overlap. The paths are valid during the call. Of the first index, these
     * are the files that differ from the stored one, if there is one. May be NULL.
     */
    void (*changed)(void *arg, const str *paths, size_t n, bool names);

    /*
     * Called once, when the first index is complete and changes are noticed, without
     * locks. compared: it was compared with a stored one; else nothing is known about what
     * changed before. See vault_find_changed(). May be NULL.
     */
    void (*loaded)(void *arg, bool compared);

    /*
     * Called when a change was made through vault_change() or vault_undo() and is on
     * disk. Runs on the thread that made it; must not block. May be NULL.
     */
    void (*made)(void *arg, const struct change *change,
                 const struct change_result *made);
    void *changed_arg;

    /* Keeps what callers may only propose (access.h); all zeros: they cannot. */
    struct proposal_keeper proposals;

    /* Whether the folder that is now at the vault's path may be used instead of the one
     * that was opened; also with changed_arg. NULL: yes. */
    bool (*may_reopen)(void *arg);

    /*
     * Makes the text of a PDF file (file.h) from its bytes, of which there are at most
     * paged_max. Called on a separate thread, for one file after the other, the newest
     * first, when everything else is indexed. Gives up soon when *stop is true. If it
     * fails, the message becomes the file's problem; with NOT_SET_UP it is not called
     * again. NULL: no texts are made.
     */
    bool (*paged)(void *arg, struct arena *a, str bytes, atomic_bool *stop, str *text,
                  struct err *err);
    size_t paged_max;
    void *paged_arg;

    /* Embeds notes (meaning.h), on its own thread, when everything else is
     * indexed; former is another one whose vectors may still be there. Both may be NULL,
     * and must outlive the vault. */
    const struct embedder *embedder, *former;
    bool recall; /* embed no notes: only embeddings of earlier runs are used */
};

/* Keep its state under this key, of letters, digits, '-' and '_', instead of a hash of
 * its path. Before vault_start(). */
void vault_set_state_key(struct vault *v, str key);

/* Begin to index; call it once. Returns immediately. */
void vault_start(struct vault *v, const struct vault_options *options);

/* Stop updating the index and using the pool. vault_close() does this, too. */
void vault_stop(struct vault *v);

/* Whether the stored index of the last run is usable. Fails with ERR_NOT_FOUND if there
 * is none, and like snapshot_open(). For a vault that was not started. */
MUST_CHECK bool vault_check_stored(const struct vault *v, const char *state_dir,
                                   struct err *err);

struct vault_progress {
    bool ready;
    size_t done, expected; /* files read, and files to be read */
};
struct vault_progress vault_progress(struct vault *v);

/*
 * Wait for the first index, at most VAULT_WAIT_MS, without occupying a worker of a pool
 * (pool_leave()). stop, if given, is called every VAULT_POLL_MS; true: give up (BUSY, as
 * when it takes too long, or too many wait already). Also fails if the vault's folder
 * cannot be read.
 */
MUST_CHECK bool vault_wait(struct vault *v, bool (*stop)(void *arg), void *arg,
                           struct err *err);

/* The same without a limit, until the vault is stopped: for threads that do nothing
 * else. */
MUST_CHECK bool vault_wait_long(struct vault *v, struct err *err);

/*
 * Before the first index is complete: an index of only those files that may have text,
 * ignoring case, in their path, a tag or a line, read from the disk now
 * (load_early_index). To be freed by the caller. NULL if the first index is complete or
 * soon will be, or if stop says so. Shares the work with pool, which may be NULL.
 */
struct index *vault_early_index(struct vault *v, str text, struct pool *pool,
                                const struct stop *stop);

/*
 * The index, which does not change until vault_unlock(); nothing in it may be used after
 * that. Hold it once per thread, briefly, and never while waiting for anything: pass it
 * on to functions that need it. Holding it again, or changing anything meanwhile, is a
 * BUG() (base/lock.h). Only after vault_wait().
 */
const struct index *vault_lock(struct vault *v);

/* Before it: make the caller's view, if there is none, which waits for an update of
 * the index; fails with BUSY after VAULT_WRITER_MS. vault_lock() does it without a
 * limit. */
MUST_CHECK bool vault_prepare(struct vault *v, struct err *err);
void vault_unlock(struct vault *v);

/* A number that differs after every change of the index; while it is held. */
uint64_t vault_version(const struct vault *v);

/* The vault's Obsidian settings; like the index, only while it is held. Before vault_wait() they
 * are those of a vault that has none. */
const struct obsidian *vault_obsidian(const struct vault *v);

/*
 * Update the index from these paths on disk, files or folders, now; n = 0: from all of
 * the disk. For vaultd's own changes, and for callers that cannot wait for the watcher.
 * If another update takes longer than VAULT_WRITER_MS, the next one does this, too.
 */
void vault_refresh(struct vault *v, const str *paths, size_t n);

/* The number of PDF files in x, the index of v, whose text is not extracted yet; 0 if PDF
 * files are not read. */
size_t vault_unpaged(struct vault *v, const struct index *x);

/* Wait until the text of all PDF files is extracted, for at most ms. */
void vault_wait_paged(struct vault *v, unsigned ms);

/*
 * Find what may have changed since vault_start(): the file, or those in a folder; until the
 * first index is complete, files are read from the disk, and their changes are not noticed.
 * A path that does not exist counts as changed, and any if the file system does not say. What
 * v does not see is not found. A file that is gone from a folder is not known.
 */
typedef void vault_found(void *arg, str path);
void vault_find_changed(struct vault *v, str path, vault_found *found, void *arg);

/* Whether its file system ignores case in names. */
bool vault_ignores_case(const struct vault *v);

/* How changes on disk are noticed: watcher_name(), "polling" or "off". */
const char *vault_watching(const struct vault *v);

/* --- meaning --- */

/* The embeddings of notes, for meaning_near() and the like while the index is held; the
 * same for all views. NULL if embeddings are off. */
struct meaning *vault_meaning(struct vault *v);

/* Wait until the notes are known to be embedded or not, which they are soon after the
 * index is complete; false at the deadline (clock_ns()). Not while the index is held. */
bool vault_wait_placed(struct vault *v, uint64_t deadline_ns);

/* A question as a vector, not while the index is held. Always fills out; waits until
 * deadline_ns (clock_ns()) at most. */
void vault_embed_query(struct vault *v, struct arena *a, str question,
                       uint64_t deadline_ns, struct meaning_query *out);

/* Whether nothing is left to embed, or nothing can be; waits for it for at most ms. */
bool vault_wait_embedded(struct vault *v, unsigned ms);

/* Delete the embeddings of a vault that was not started. Fails with ERR_BUSY if another
 * process uses them. *found: whether there were any. */
MUST_CHECK bool vault_forget_meaning(struct vault *v, const char *state_dir, bool *found,
                                     struct err *err);

/* --- changes --- */

/*
 * Make a change (change.h) and update the index. Fails like changes_make(), also with
 * VAULT_UNAVAILABLE if the vault's folder is not at its place, and with ERR_DENIED if
 * there is no state folder for the journal, or if one of the paths may not be written.
 * Waits for the index.
 */
MUST_CHECK bool vault_change(struct vault *v, struct arena *a,
                             const struct change *change, struct change_result *out,
                             struct err *err);

/*
 * Whether a change is to be proposed instead of made: the caller may write some of its paths
 * only after a review, and may not write none of them. vault_propose() does that: nothing is
 * changed on disk. Fails with ERR_DENIED like vault_change(), with NOT_SET_UP if proposals
 * are not kept, and as the keeper does.
 */
bool vault_needs_review(struct vault *v, const struct change *change);
MUST_CHECK bool vault_propose(struct vault *v, struct arena *a, const struct proposal *p,
                              const struct idempotency *once, struct proposal_kept *out,
                              struct err *err);

/*
 * Whether path may be written, perhaps only after a review; else ERR_DENIED (PATH_NOT_ALLOWED, READ_ONLY), with the
 * same message whether the path exists or not. vault_may_take: whether a folder may be
 * moved or deleted with everything that could be in it. vault_may_write_held: by the path
 * alone, for callers that hold the index; where a symlink leads is looked up later.
 */
MUST_CHECK bool vault_may_write_held(const struct vault *v, str path, struct err *err);
MUST_CHECK bool vault_may_write(struct vault *v, str path, struct err *err);
MUST_CHECK bool vault_may_take(struct vault *v, str folder, struct err *err);

/* Whether a path in the trash is taken, also by a file that the caller may not see. */
bool vault_trash_has(const struct vault *v, str path);

/*
 * Changes of one process wait for each other only here (transact.h). Fails with BUSY if
 * they take longer than VAULT_TURN_MS, or if stop says so.
 */
MUST_CHECK bool vault_take_turn(struct vault *v, const struct stop *stop,
                                struct err *err);
void vault_end_turn(struct vault *v);

/*
 * Check whether the same call was made or proposed before (change.h): then out->repeated is
 * set, with the stored answer. Fails with KEY_REUSED if the key was used for another change,
 * or for one that the caller can no longer see. A call without a key is always new.
 */
MUST_CHECK bool vault_made_before(struct vault *v, struct arena *a,
                                  const struct idempotency *once,
                                  struct change_result *out, struct err *err);

/* Undo a change (changes_undo()). A change of files that the caller cannot see does not
 * exist. */
MUST_CHECK bool vault_undo(struct vault *v, struct arena *a, uint64_t number,
                           struct change *undo, struct change_result *out,
                           struct err *err);

/* What vault_undo() would do, in out->undoing; nothing is changed. */
MUST_CHECK bool vault_plan_undo(struct vault *v, struct arena *a, uint64_t number,
                                struct change_result *out, struct err *err);

/* The latest visible change that can be undone. Fails with CHANGE_NOT_FOUND. */
MUST_CHECK bool vault_undoable(struct vault *v, uint64_t *out, struct err *err);

/* The files that a change touched. Fails with CHANGE_NOT_FOUND. */
MUST_CHECK bool vault_changed_files(struct vault *v, struct arena *a, uint64_t number,
                                    size_t *files, struct err *err);

/* Whether the clock is in doubt (change.h). */
bool vault_doubts_clock(struct vault *v);

/* All changes, by any caller, or NULL with the reason. Check with vault_sees_change()
 * whether the caller may see one. */
struct changes *vault_changes(struct vault *v, struct err *err);
bool vault_sees_change(const struct vault *v, const struct journal_change *change);

/* The program that keeps changes from being made (changes_blocked()), or NULL. */
const char *vault_blocked(struct vault *v, uint64_t *ms);

/* --- the disk --- */

/* The folder with everything in it: only for the program's own work. */
const struct fs_root *vault_root(const struct vault *v);

/* Like fs_stat(), fs_read(), fs_list() and walk_below(); path is clean. Not while the
 * index is held. */
MUST_CHECK bool vault_stat(struct vault *v, str path, struct fs_info *info,
                           struct err *err);
MUST_CHECK bool vault_bytes(struct vault *v, struct arena *a, str path, size_t max,
                            str *out, struct err *err);
MUST_CHECK bool vault_entries(struct vault *v, struct arena *a, str folder,
                              struct fs_list *out, struct err *err);
MUST_CHECK bool vault_walk(struct vault *v, str folder, struct walk *out,
                           struct err *err);

/* vault_stat() of a path that a caller names: another spelling of it, which a file
 * system that ignores case finds as well, is FILE_NOT_FOUND. */
MUST_CHECK bool vault_stat_spelled(struct vault *v, struct arena *a, str path,
                                   struct fs_info *info, struct err *err);

/* Files and folders in one folder, by name. */
struct vault_entry {
    str name;
    struct fs_info info;
    size_t children; /* entries in a folder */
};

struct vault_listing {
    str path;
    struct vault_entry *entries;
    size_t n;
};

MUST_CHECK bool vault_list(struct vault *v, struct arena *a, str path,
                           struct vault_listing *out, struct err *err);

/* Some lines of a file, as they are indexed (encoding_read()). Lines count from 1; an
 * empty file has none. */
struct vault_text {
    str path;
    str content;
    enum encoding encoding; /* of the file */
    size_t total_lines;
    size_t first, last; /* both 0 if there is no content */
};

/*
 * Read up to limit lines from line first on; limit 0 reads all. From memory if the file
 * has not changed since it was indexed, else from disk. Fails with INVALID_RANGE if first
 * is 0 or after the last line (an empty file allows 1), with NOT_TEXT if the file is not
 * text, and with ERR_LIMIT if it is larger than VAULT_READ_MAX.
 */
MUST_CHECK bool vault_read(struct vault *v, struct arena *a, str path, size_t first,
                           size_t limit, struct vault_text *out, struct err *err);

/* The same for a given text; content is a part of it. */
MUST_CHECK bool vault_cut(str path, str text, size_t first, size_t limit,
                          struct vault_text *out, struct err *err);
