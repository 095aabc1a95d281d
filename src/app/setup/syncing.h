/*
 * syncing - the sync of the vault that is served, or synced from the command line: starts
 * a struct sync from the settings, notifies it of changes, and reports its status.
 *
 * Every outcome is logged and kept in a file of the state folder, so that "vaultd sync
 * status" shows it whichever process syncs. Thread-safe once it is started.
 */
#pragma once

#include "app/setup/sync_settings.h"
#include "base/json_write.h"
#include "base/lock.h"

struct syncing {
    const char *state_key; /* of a hosted vault, for syncing_prepare(): vault_state.h */
    atomic_bool *stop;     /* for syncing_prepare(): stops it when true; may be NULL */
    struct sync_config config; /* strings in the caller's arena */
    struct sync_found found;   /* also in the caller's arena */
    int ack;                   /* enum settings_sync_ack */
    uint64_t wait_ms;          /* how long a call waits for the remote */
    /* As in struct sync_config; set before syncing_prepare(). */
    void (*on_pulled)(void *arg, str commit);
    bool (*on_level)(void *arg, str commit, uint64_t number);
    void (*on_turn)(void *arg, bool begin);
    void *arg;           /* of all three */
    struct lock lock;    /* of sync */
    struct sync *sync;   /* NULL: nothing is synced */
    struct vault *whole; /* the vault without restrictions */
};

/* Call it before the vault in folder is opened: this may clone it. s must be {0}. */
MUST_CHECK bool syncing_prepare(struct syncing *s, struct arena *a,
                                const struct settings_sync *settings, const char *folder,
                                const char *state_dir, struct err *err);

/* Call it after vault_start(). */
MUST_CHECK bool syncing_start(struct syncing *s, struct vault *v, struct err *err);
/* As in sync.h. */
void syncing_begin_stop(struct syncing *s, uint64_t push_by);
void syncing_stop(struct syncing *s, uint64_t push_by);

static inline bool syncing_is_on(const struct syncing *s)
{
    return s->config.kind != SYNC_NONE;
}

static inline bool syncing_has_history(const struct syncing *s)
{
    return s->config.kind == SYNC_GIT;
}

/* For vault_options.made. Changes that sync itself made are ignored. */
void syncing_changed(struct syncing *s, const struct change *change);

/* Another replica has pushed. Does not wait. */
void syncing_heard(struct syncing *s);

/* For vault_options.changed. */
void syncing_seen(struct syncing *s);

/* What a caller who may not read everything gets instead of an error of sync, which may
 * name any file. */
#define SYNCING_FAILED "the last sync failed; the operator can see why with vaultd status"

/* Writes the members of an open object, leaving out what v may not read. */
void syncing_put(struct jsonw *w, const struct sync_state *state, const struct vault *v);

/* The status as last saved by any process that synced the vault with that key, as JSON. Fails
 * with ERR_NOT_FOUND if it has never been synced. */
MUST_CHECK bool syncing_saved(struct arena *a, str key, const char *state_dir, str *json,
                              struct err *err);
