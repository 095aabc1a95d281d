/*
 * vault_live - what all that have the same vault share: the index, kept current, and its
 * views. Private to vault*.c.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "vault/load.h"
#include "vault/vault.h"
#include "vault/watch.h"

enum live_state { LIVE_OFF, LIVE_LOADING, LIVE_READY, LIVE_FAILED };

/* The index of somebody who may not see everything. */
struct view {
    char *key; /* access_key() */
    struct arena arena;
    struct access access;
    struct index *index;
    atomic_uint_fast64_t used; /* when it was held last, by live->holds */
};

/* A vault as somebody may use it. */
struct vault {
    struct live *live;
    struct access access; /* all that restricts them, the operator's settings included */
    struct fs_root root;  /* that of live; without symlinks unless all may be read */
    str view;             /* access_key(); empty when it is the one of live */
};

/*
 * The index is changed by whoever has writer, and only while it has lock for writing,
 * too; so who has writer may read without lock. Readers have lock for reading.
 */
struct live {
    struct vault own;   /* as the operator lets it be used, and who opened it */
    struct vault whole; /* vault_whole() */
    struct arena arena;
    struct fs_root root;
    char *name, *folder; /* folder: its absolute path, or NULL */

    pthread_mutex_t writer;
    pthread_rwlock_t lock;
    struct index *index;
    struct view *views[VAULT_VIEWS_MAX]; /* or NULL; changed as the index is */
    atomic_uint_fast64_t holds;          /* of views, so far */
    struct obsidian *obsidian;
    struct snapshot *old; /* what index lives on in part */
    struct load load;
    atomic_size_t done, expected;
    atomic_bool closing;

    pthread_mutex_t state_lock;
    pthread_cond_t state_changed;
    enum live_state state;
    struct err why; /* of LIVE_FAILED */

    struct vault_options options;
    pthread_t loader;
    _Atomic(struct watch *) watch;
    char *snapshot_path;     /* or NULL */
    struct changes *changes; /* or NULL, and why_none says why */
    struct err why_none;
    pthread_mutex_t changing; /* vault_lock_changes() */
    size_t unsaved;           /* files that changed since the snapshot */
};

void live_init(struct live *v);
void live_release(struct live *v);
void live_stop(struct live *v);

/* Whether the first index is there. */
bool live_is_ready(struct live *v);

/* Where what is in the trash was; else path itself. */
str live_place(str path);

/* Before the index goes. */
void views_release(struct live *v);

/* The sentence for who may not change anything. */
#define VAULT_READ_ONLY "this vault is read-only: nothing in it can be changed here"
