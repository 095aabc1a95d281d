#include "app/catalog/opening.h"

#include "app/catalog/prompts.h"
#include "app/setup/app.h"
#include "app/setup/confine.h"
#include "app/setup/embedding.h"
#include "app/setup/pdf_pages.h"
#include "app/setup/proposals.h"
#include "app/setup/settings.h"
#include "app/setup/sync_settings.h"
#include "app/setup/syncing.h"
#include "app/setup/vault_state.h"
#include "app/setup/vaults.h"
#include "app/setup/vaults_replica.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/os/interrupt.h"
#include "base/path.h"
#include "mcp/server.h"
#include "replica/read_your_writes.h"
#include "replica/replica.h"
#include "replica/replica_vault.h"
#include "sync/sync.h"
#include "vault/vault.h"

/* --- changes --- */

/* Notify the subscribers of a file, or of the list of files. */
static void opening_on_changed(void *arg, const str *paths, size_t n, bool names)
{
    struct app_vault *v = arg;
    struct mcp_server *mcp = v->app->mcp;
    struct arena a = {0};
    str *uris = ARENA_ARRAY(&a, str, n);
    for (size_t i = 0; i < n; i++)
        uris[i] = app_uri(&a, v, paths[i]);
    if (names)
        mcp_server_changed_by(mcp, MCP_RESOURCES_CHANGED, uris, n);
    if (prompts_changed(v))
        mcp_server_changed_by(mcp, MCP_PROMPTS_CHANGED, uris, n);
    for (size_t i = 0; i < n; i++)
        mcp_server_updated(mcp, uris[i]);
    syncing_seen(&v->sync);
    arena_release(&a);
}

/* Of a folder, its files: whether a caller sees them is asked for each. */
static void opening_report(void *arg, str path)
{
    struct app_vault *v = arg;
    struct arena a = {0};
    mcp_server_updated(v->app->mcp, app_uri(&a, v, path));
    arena_release(&a);
}

static void opening_find_changed(struct app_vault *v, str uri)
{
    struct arena a = {0};
    struct err ignored; /* such as a path with "..": there is no such file */
    str name, encoded, path, clean;
    if (app_uri_parts(uri, &name, &encoded) && decode_percent(&a, encoded, &path) &&
        path_clean(&a, path, &clean, &ignored))
        vault_find_changed(v->vault, clean, opening_report, v);
    arena_release(&a);
}

/*
 * The first index is complete. What was subscribed to before is not lost: its files were read
 * from the disk by then, and no change of them was noticed.
 */
static void opening_on_loaded(void *arg, bool compared)
{
    struct app_vault *v = arg;
    struct arena a = {0};
    str *uris, start = app_uri(&a, v, STR(""));
    if (!compared)
        mcp_server_missed(v->app->mcp, start);
    size_t n = mcp_server_subscribed(v->app->mcp, &a, start, &uris);
    for (size_t i = 0; i < n; i++)
        opening_find_changed(v, uris[i]);
    arena_release(&a);
}

static void on_made(void *arg, const struct change *change,
                    const struct change_result *made)
{
    struct app_vault *v = arg;
    replica_vault_made(&v->replica, made->number);
    syncing_changed(&v->sync, change);
}

/* A path is judged by where it ends, also when it leads elsewhere later. */
static bool may_reopen(void *arg)
{
    return vaults_is_apart(arg);
}

static void on_pulled(void *arg, str commit)
{
    struct app_vault *v = arg;
    replica_vault_learn(&v->replica, commit);
}

static bool on_level(void *arg, str commit, uint64_t number)
{
    return ryw_level(&((struct app_vault *)arg)->replica, commit, number);
}

static void on_turn(void *arg, bool begin)
{
    replica_push_lock(&((struct app_vault *)arg)->replica, begin);
}

/* --- opening --- */

static void expect_level(struct app_vault *v)
{
    vaults_replica_set(v);
    v->sync.on_pulled = on_pulled;
    v->sync.on_level = on_level;
    v->sync.on_turn = on_turn;
    v->sync.arg = v;
}

/* A clone may take long, and nothing else handles signals yet. */
bool opening_prepare(struct app_vault *v, const char *folder, struct err *err)
{
    struct app *app = v->app;
    v->sync.stop = interrupt_begin();
    expect_level(v);
    bool ok = syncing_prepare(&v->sync, &app->arena, &app->settings.sync, folder,
                              app->state_dir, err);
    interrupt_end();
    return ok;
}

bool opening_start(struct app_vault *v, struct err *err)
{
    struct app *app = v->app;
    const struct settings *s = &app->settings;
    struct vault_options options = {.pool = app->indexing,
                                    .state_dir = app->state_dir,
                                    .access = &app->access,
                                    .policy_property = settings_policy(&s->access),
                                    .watch = true,
                                    .poll = s->poll,
                                    .history_max = s->history_size << 20,
                                    .first_change = replica_first_change(&app->replica),
                                    .no_pages = !pdf_pages_is_wanted(app),
                                    .journal = syncing_is_on(&v->sync),
                                    .changed = opening_on_changed,
                                    .loaded = opening_on_loaded,
                                    .made = on_made,
                                    .may_reopen = may_reopen,
                                    .changed_arg = v};
    struct arena a = {0};
    str folder = str_c(vault_folder(v->vault));
    vault_set_state_key(v->vault,
                        vault_state_key(&a, app->state_dir, folder, v->identity));
    arena_release(&a);
    if (app->pdf != NULL)
        pdf_pages_set(&options, app->pdf);
    embedding_set(&app->embedding, &options);
    proposals_set(v, &options);
    vault_start(v->vault, &options);
    v->for_clients = vault_for_clients(
        v->vault, app->hosted != NULL ? &v->arena : &app->arena, &app->review);
    vaults_replica_opened(v);
    return syncing_start(&v->sync, v->vault, err);
}

bool opening_may_sync(const struct app *app)
{
    return app->hosted != NULL || syncing_is_on(&app->vaults[0].sync);
}

bool opening_has_history(const struct app *app)
{
    return app->hosted != NULL || syncing_has_history(&app->vaults[0].sync);
}

/* --- hosted vaults --- */

static struct settings_sync hosted_settings(const struct app_vault *v)
{
    return sync_settings_hosted(&v->app->settings.sync, vaults_remote(v));
}

static const char *hosted_key(struct arena *a, const struct app_vault *v)
{
    return vault_state_key(a, v->app->state_dir, vaults_folder(v), v->identity).p;
}

static bool hosted_prepare(struct app_vault *v, struct err *err)
{
    struct app *app = v->app;
    struct settings_sync s = hosted_settings(v);
    const char *folder = vaults_folder(v).p;
    v->sync.stop = &app->stopping;
    expect_level(v);
    if (!fs_make_folder(folder, err) || !confine_check_owner(folder, err))
        return false;
    v->sync.state_key = hosted_key(&v->arena, v);
    return syncing_prepare(&v->sync, &v->arena, &s, folder,
                           vaults_git_state(&v->arena, app), err);
}

/* When the program ends, the vaults have that time together. */
static uint64_t hosted_push_by(const struct app *app)
{
    return app->push_by > 0 ? app->push_by : clock_ms() + SYNC_STOP_PUSH_MS;
}

static void hosted_close(struct app_vault *v)
{
    if (v->vault != NULL)
        vault_stop(v->vault);
    syncing_stop(&v->sync, hosted_push_by(v->app));
    vault_close(v->vault);
    v->vault = v->for_clients = NULL;
    arena_release(&v->arena);
}

static bool hosted_is_away(struct app_vault *v)
{
    struct arena a = {0};
    struct settings_sync s = hosted_settings(v);
    struct sync_config config;
    struct err ignored; /* hosted_open() reports it */
    const char *folder = vaults_folder(v).p;
    bool away = sync_settings_read(&s, &a, folder, vaults_git_state(&a, v->app), &config,
                                   &ignored);
    config.state_key = hosted_key(&a, v);
    away = away && sync_is_away(&config);
    arena_release(&a);
    return away;
}

static bool hosted_fetch(struct app_vault *v, struct err *err)
{
    bool ok = hosted_prepare(v, err);
    hosted_close(v);
    return ok;
}

/* Its changes were not watched while it was closed. */
static bool hosted_open(struct app_vault *v, struct err *err)
{
    if (!hosted_prepare(v, err) || !vault_open(vaults_folder(v).p, &v->vault, err) ||
        !opening_start(v, err)) {
        hosted_close(v);
        return false;
    }
    mcp_server_updated_all(v->app->mcp, app_uri(&v->arena, v, STR("")));
    return true;
}

static bool hosted_unsent(struct app_vault *v)
{
    struct arena a = {0};
    struct sync_state state = {0};
    if (syncing_is_on(&v->sync))
        sync_state(v->sync.sync, &a, &state);
    bool unsent = state.waiting > 0 || state.ahead > 0 || state.running_since > 0;
    arena_release(&a);
    return unsent;
}

static size_t hosted_watched(struct app *app, struct arena *a, str **names)
{
    size_t all = mcp_server_watched(app->mcp, a, names), n = 0;
    str path;
    for (size_t i = 0; i < all; i++)
        n += app_uri_parts((*names)[i], &(*names)[n], &path);
    return n;
}

/* Who sees which vaults is other than before. */
static void hosted_changed(struct app *app)
{
    mcp_server_changed(app->mcp, MCP_RESOURCES_CHANGED);
    mcp_server_changed(app->mcp, MCP_PROMPTS_CHANGED);
}

const struct vaults_hooks opening_hooks = {.is_away = hosted_is_away,
                                           .fetch = hosted_fetch,
                                           .open = hosted_open,
                                           .close = hosted_close,
                                           .unsent = hosted_unsent,
                                           .watched = hosted_watched,
                                           .changed = hosted_changed};
