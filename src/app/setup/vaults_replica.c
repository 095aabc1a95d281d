#include "app/setup/vaults_replica.h"

#include "app/setup/app.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults.h"
#include "replica/pubsub.h"
#include "replica/read_your_writes.h"
#include "replica/replica.h"
#include "replica/replica_vault.h"
#include "sync/sync.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

str vaults_replica_name(const struct app_vault *v)
{
    return v->row != NULL ? v->identity : v == v->app->vaults ? STR("") : v->name;
}

/* --- its remote --- */

static str remote_name(void *arg)
{
    return vaults_replica_name(arg);
}

static bool remote_exists(void *arg)
{
    const struct app_vault *v = arg;
    return syncing_has_history(&v->sync) && v->sync.found.remote.n > 0;
}

static bool remote_is_stopping(void *arg)
{
    return ((const struct app_vault *)arg)->app->stopping;
}

static uint64_t remote_pulled_at(void *arg)
{
    return sync_pulled_at(((const struct app_vault *)arg)->sync.sync);
}

static bool remote_pull(void *arg, uint64_t *ticket)
{
    struct err ignored; /* the caller says that its answer may be out of date */
    return sync_ask(((const struct app_vault *)arg)->sync.sync, ticket, &ignored);
}

static enum replica_pull remote_answer(void *arg, uint64_t ticket)
{
    static const enum replica_pull answers[] = {[SYNC_GOING_ON] = REPLICA_PULL_GOES_ON,
                                                [SYNC_SUCCEEDED] = REPLICA_PULL_SUCCEEDED,
                                                [SYNC_REFUSED] = REPLICA_PULL_FAILED};
    struct err ignored;
    return answers[sync_answer(((const struct app_vault *)arg)->sync.sync, ticket,
                               &ignored)];
}

void vaults_replica_set(struct app_vault *v)
{
    static const struct replica_remote remote = {
        .name = remote_name,
        .exists = remote_exists,
        .is_stopping = remote_is_stopping,
        .pulled_at = remote_pulled_at,
        .pull = remote_pull,
        .answer = remote_answer,
    };
    v->replica.replica = &v->app->replica;
    v->replica.remote = &remote;
    v->replica.arg = v;
    v->replica.overdue = 0;
}

void vaults_replica_opened(struct app_vault *v)
{
    const struct journal_entry *list;
    struct journal *j;
    struct err ignored; /* the next change reports it */
    bool kept = replica_is_shared(&v->app->replica) && remote_exists(v);
    struct changes *c = kept ? vault_changes(v->vault, &ignored) : NULL;
    if (c == NULL || !changes_lock_all(c, &j, &ignored))
        return;
    size_t n = journal_entries(j, &list);
    if (n > 0)
        replica_vault_made(&v->replica, list[n - 1].number);
    changes_unlock(c);
}

/* --- messages --- */

static void pull_if_open(struct app_vault *v)
{
    if (!vaults_look(v))
        return;
    if (syncing_is_on(&v->sync))
        syncing_heard(&v->sync);
    vaults_look_away(v);
}

/* The reverse of vaults_replica_name(); NULL: there is none. */
static struct app_vault *find_vault(struct app *app, str name)
{
    if (app->hosted != NULL)
        return vaults_with_identity(app, name);
    if (name.n > 0)
        return vaults_named(app, name);
    return app->n_vaults > 0 ? app->vaults : NULL;
}

/* "COMMIT NAME" */
static void on_replica_changed(void *arg, str text)
{
    str name = text, commit;
    struct app_vault *v = str_next(&name, ' ', &commit) ? find_vault(arg, name) : NULL;
    if (v != NULL && !replica_vault_has(&v->replica, commit))
        pull_if_open(v);
}

static void on_missed(void *arg, str text)
{
    struct app *app = arg;
    ryw_missed(&app->replica);
    vaults_pull(app);
}

void vaults_replica_subscribe(struct app *app)
{
    replica_subscribe(&app->replica, RYW_TOPIC, on_replica_changed, app);
    replica_subscribe(&app->replica, PUBSUB_MISSED, on_missed, app);
}
