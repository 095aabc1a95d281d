/*
 * syncing - the sync of the vault that is served, or synced by the command line: from the
 * settings to a running struct sync, told of changes, and what is told about it.
 *
 * Every outcome is logged and kept in a file of the state folder, so that "vaultd sync
 * status" knows it whoever syncs. Safe for any number of threads once it is started.
 */
#pragma once

#include <pthread.h>

#include "app/setup/sync_settings.h"
#include "base/json_write.h"

struct syncing {
    atomic_bool *stop; /* of syncing_prepare(): ends it soon when true; may be NULL */
    struct sync_config config; /* texts in the arena of the caller */
    struct sync_found found;   /* likewise */
    pthread_mutex_t lock;      /* of sync; zeros are a free one */
    struct sync *sync;         /* NULL: nothing is synced */
    struct vault *whole;       /* what it syncs */
};

/* Before the vault in folder is opened: it may be cloned. {0} is what it begins with. */
MUST_CHECK bool syncing_prepare(struct syncing *s, struct arena *a,
                                const struct settings_sync *settings, const char *folder,
                                const char *state_dir, struct err *err);

/* After vault_start(). */
MUST_CHECK bool syncing_start(struct syncing *s, struct vault *v, struct err *err);
void syncing_stop(struct syncing *s);

static inline bool syncing_is_on(const struct syncing *s)
{
    return s->config.kind != SYNC_NONE;
}

static inline bool syncing_has_history(const struct syncing *s)
{
    return s->config.kind == SYNC_GIT;
}

/* For vault_options.made: what sync itself brought in is not told to it again. */
void syncing_changed(struct syncing *s, const struct change *change);

/* For vault_options.changed. */
void syncing_seen(struct syncing *s);

/* Members of an open object. Of what v may not read nothing is said. */
void syncing_put(struct jsonw *w, const struct sync_state *state, const struct vault *v);

/* What was last written so by whoever synced the vault in folder: JSON. Fails with
 * ERR_NOT_FOUND when nobody ever did. */
MUST_CHECK bool syncing_saved(struct arena *a, const char *folder, const char *state_dir,
                              str *json, struct err *err);
