/*
 * vault_live - the part of a vault that keeps the index current. Private to vault*.c.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "vault/load.h"
#include "vault/vault.h"
#include "vault/watch.h"

enum live_state { LIVE_OFF, LIVE_LOADING, LIVE_READY, LIVE_FAILED };

/*
 * The index is changed by whoever has writer, and only while it has lock for writing,
 * too; so who has writer may read without lock. Readers have lock for reading.
 */
struct vault {
    struct fs_root root;
    char *name, *folder; /* folder: its absolute path, or NULL */

    pthread_mutex_t writer;
    pthread_rwlock_t lock;
    struct index *index;
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

void live_init(struct vault *v);
void live_release(struct vault *v);

/* The text of a file as it is on disk, from memory; false when it must be read. */
bool live_text(struct vault *v, struct arena *a, str path, str *out);
