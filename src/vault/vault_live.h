/*
 * vault_live - what all views of a vault share: the index, which is kept up to date, and
 * the indexes of restricted callers. Private to vault*.c.
 */
#pragma once

#include <stdatomic.h>

#include "base/lock.h"
#include "base/os/thread.h"
#include "base/timed_lock.h"
#include "vault/load.h"
#include "vault/policies.h"
#include "vault/vault.h"
#include "vault/watch.h"
#include "vault/worker.h"

enum live_state { LIVE_OFF, LIVE_LOADING, LIVE_READY, LIVE_FAILED };

/* The index for callers who may not see everything. */
struct view {
    char *key; /* access_key() */
    struct arena arena;
    struct access access;
    struct policies *policies; /* that it obeys, too; NULL: none */
    struct index *index;
    atomic_uint_fast64_t used; /* the value of live->holds when it was last held */
};

/* A caller's view of a vault. */
struct vault {
    struct live *live;
    struct access access; /* all restrictions, including the operator's settings */
    struct fs_root root;  /* that of live; no symlinks unless everything may be read */
    str view;             /* access_key(); empty: the index of live */
    bool ruled;           /* policies apply (vault_for_clients()) */
    struct vault_trace *trace; /* or NULL */
};

/*
 * To change the index, a thread needs the mutex `writer` and also `lock` for writing. So
 * a thread that has `writer` may read without `lock`. Readers have `lock` for reading.
 */
struct live {
    struct vault own;   /* with the operator's restrictions; returned by vault_open() */
    struct vault whole; /* vault_whole() */
    struct arena arena;
    struct fs_root root;
    char *name, *folder; /* folder: its absolute path without symlinks, or NULL */
    char *state_key;     /* names its files in the state folder; NULL: a hash of folder */
    char *given;         /* the absolute path by which it was opened, or NULL */
    struct lock placing;
    atomic_int place;   /* enum vault_place, when it was last looked for */
    atomic_uint opened; /* how often it was opened again (vault_place.c) */

    struct timed_lock writer;
    atomic_bool behind; /* an update was not made: the next one looks at everything */
    struct lock_shared lock;
    struct index *index;
    uint64_t version;                    /* vault_version() */
    struct view *views[VAULT_VIEWS_MAX]; /* or NULL; changed like the index */
    atomic_uint_fast64_t holds;          /* how often a view was held so far */
    struct obsidian *obsidian;
    struct policies
        *policies;        /* of the files of the index, and changed with it; NULL before
                                  the vault is started */
    struct snapshot *old; /* memory that the index uses in part */
    struct load load;
    int64_t looked_ns;  /* when the last look at everything began; wall clock */
    int64_t started_ns; /* vault_start(); wall clock */
    atomic_size_t done, expected;
    atomic_bool closing;

    struct lock state_lock;
    struct cond state_changed;
    enum live_state state;
    struct err why;             /* of LIVE_FAILED */
    const struct walk *scanned; /* by a first scan, while it runs */
    atomic_bool early_indexing; /* someone uses that meanwhile */

    struct vault_options options;
    struct thread loader;
    _Atomic(struct watch *) watch;
    char *snapshot_path;     /* or NULL */
    struct changes *changes; /* NULL: why_none says why */
    struct err why_none;
    struct timed_lock changing; /* transact.h */
    size_t unsaved;             /* files changed since the snapshot */

    struct vault_feed *feed; /* vault_feed.h; NULL before the vault is started */

    struct worker pager; /* vault_paged.c */

    struct worker filler;        /* vault_meaning.c */
    struct meaning *meaning;     /* or NULL */
    bool placed;                 /* the filler has looked at all notes once */
    atomic_uint holders;         /* callers that hold the index now */
    atomic_uint_fast64_t let_go; /* clock_ms() of the last release */
};

void live_init(struct live *v);
void live_release(struct live *v);
void live_stop(struct live *v);

/*
 * Whether the folder at the vault's path is the one that is open; if another one has
 * taken its place, that one is opened. Else fails with VAULT_UNAVAILABLE, or BUSY if
 * other changes keep it from being opened. Takes the locks from LOCK_WRITER on.
 */
MUST_CHECK bool live_is_in_place(struct live *v, struct err *err);

/* Whether it is still the one that is open, for a change that was just made in it and
 * does not count yet (arg: struct live); whatever locks are held. */
MUST_CHECK bool live_is_still_in_place(void *arg, struct err *err);

/* The same without opening anything, whatever locks are held. */
MUST_CHECK bool live_may_change(struct live *v, struct err *err);

/* Whether what is known of the vault is still about the folder at its path: if another
 * one has taken its place and cannot be opened, nothing is answered from the old one. */
MUST_CHECK bool live_may_read(struct live *v, struct err *err);

/* The same for the watcher: true if it was opened again since *opened, which is
 * updated. */
bool live_look_for_place(void *arg, unsigned *opened);

/* A first scan begins, or ends (arg: struct live; load.h). */
void live_scans(void *arg, const struct walk *w);

/* The same for a thread of the vault's own, which waits for it; false if there is
 * none. */
MUST_CHECK bool live_wait_for_index(struct live *v);
bool live_is_loading(struct live *v);

/* Waits until the state changes, at most VAULT_POLL_MS; with state_lock. */
void live_wait_a_little(struct live *v);

/* Whether the first index is complete. */
bool live_is_ready(struct live *v);

/* The path of a file in the state folder; its name contains the vault's key. To be
 * freed. */
char *live_state_path(const struct live *v, const char *state_dir, const char *kind,
                      const char *ending);

/* To be called before the index is freed. */
void views_release(struct live *v);

/* The same for those that policies apply to: what they show is decided anew. With the writer's
 * lock and `lock` for writing. */
void views_forget_ruled(struct live *v);

/* The writer's lock, for a thread of the vault's own, which may wait; and `lock` for
 * writing, to change the index. */
void live_take_writer(struct live *v);
void live_begin_writing(struct live *v);

/* Write the snapshot, if much has changed. Call it with the writer's lock. */
void live_save_much(struct live *v);

/* The texts of PDF files (vault_paged.c): start the thread that makes them, if that is an
 * option; say that there may be files without text. */
void live_start_paging(struct live *v);
void live_look_for_pages(struct live *v);

/* Forget all of them. With the writer's lock, before the index is used. */
void live_forget_pages(struct live *v);

/* The embeddings of notes (vault_meaning.c): start the thread that makes them, if that is
 * an option; say that notes have changed. */
void live_start_filling(struct live *v);
void live_look_for_meaning(struct live *v);

/* The message for callers who may not change anything. */
#define VAULT_READ_ONLY "this vault is read-only: nothing in it can be changed here"
