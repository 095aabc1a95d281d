#include "app/web/health.h"

#include "app/setup/audit.h"
#include "app/setup/callers.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/oauth.h"
#include "state/postgres.h"
#include "state/store.h"
#include "sync/sync.h"
#include "vault/index/index.h"
#include "vault/vault.h"

static const char *const words[] = {[HEALTH_OK] = "ok",
                                    [HEALTH_DEGRADED] = "degraded",
                                    [HEALTH_STARTING] = "starting",
                                    [HEALTH_STOPPING] = "stopping",
                                    [HEALTH_FAILING] = "failing"};

static enum health vault_health(struct vault *v)
{
    const char *folder = vault_folder(v);
    if (folder[0] != '\0' && !file_allows(FILE_CWD, folder, FILE_MAY_READ | FILE_MAY_RUN))
        return HEALTH_FAILING;
    if (vault_place(v) != VAULT_HERE)
        return HEALTH_FAILING;
    return vault_progress(v).ready ? HEALTH_OK : HEALTH_STARTING;
}

static enum health database_health(const struct oauth *oauth)
{
    uint64_t away = oauth != NULL ? oauth_away_ms(oauth) : 0;
    return away == 0                   ? HEALTH_OK
           : away <= STORE_AWAY_MAX_MS ? HEALTH_DEGRADED
                                       : HEALTH_FAILING;
}

static enum health audit_health(const struct app *app)
{
    struct audit_state s = {.lost = 0};
    if (app->audit != NULL)
        audit_state(app->audit, &s);
    return s.failing_ms == 0           ? HEALTH_OK
           : audit_refuses(app->audit) ? HEALTH_FAILING
                                       : HEALTH_DEGRADED;
}

enum health health_of(const struct app *app, const struct oauth *oauth)
{
    enum health worst = database_health(oauth), audit = audit_health(app);
    worst = audit > worst ? audit : worst;
    if (app->leaving && worst < HEALTH_STOPPING)
        worst = HEALTH_STOPPING;
    for (size_t i = 0; i < app->n_vaults;
         i++) { /* hosted ones: each is a user's concern */
        enum health one = vault_health(app->vaults[i].vault);
        worst = one > worst ? one : worst;
    }
    return worst;
}

static void put_counts(struct vault *v, struct jsonw *w)
{
    struct index_counts counts;
    index_count(vault_lock(v), &counts);
    vault_unlock(v);
    jsonw_put_int(w, STR("notes"), (int64_t)counts.notes);
    jsonw_put_int(w, STR("attachments"), (int64_t)counts.attachments);
    jsonw_put_int(w, STR("bytes"), (int64_t)counts.bytes);
}

static void health_put_place(enum vault_place place, struct jsonw *w)
{
    if (place != VAULT_HERE)
        jsonw_put_str(
            w, STR("problem"),
            place == VAULT_GONE
                ? STR("the folder is missing: restore it")
                : STR("the folder was replaced by another one: restart vaultd"));
}

static void describe_sync(const struct syncing *s, struct jsonw *w)
{
    struct arena a = {0};
    struct sync_state state;
    sync_state(s->sync, &a, &state);
    jsonw_put_object(w, STR("sync"));
    syncing_put(w, &state, s->whole);
    jsonw_end(w);
    arena_release(&a);
}

static void describe_vault(const struct app_vault *served, struct jsonw *w)
{
    struct vault_progress p = vault_progress(served->vault);
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), served->name);
    jsonw_put_str(w, STR("folder"), str_c(vault_folder(served->vault)));
    jsonw_put_str(w, STR("status"), str_c(words[vault_health(served->vault)]));
    health_put_place(vault_place(served->vault), w);
    jsonw_put_object(w, STR("index"));
    jsonw_put_bool(w, STR("ready"), p.ready);
    jsonw_put_int(w, STR("done"), (int64_t)p.done);
    jsonw_put_int(w, STR("expected"), (int64_t)p.expected);
    jsonw_end(w);
    if (p.ready)
        put_counts(served->vault, w);
    jsonw_put_str(w, STR("watching"), str_c(vault_watching(served->vault)));
    uint64_t ms;
    const char *blocker = vault_blocked(served->vault, &ms);
    if (blocker != NULL) {
        jsonw_put_str(w, STR("blocked_by"), str_c(blocker));
        jsonw_put_int(w, STR("blocked_seconds"), (int64_t)(ms / 1000));
    }
    if (served != served->app->vaults && syncing_is_on(&served->sync))
        describe_sync(&served->sync, w); /* that of the first is beside the list */
    jsonw_end(w);
}

/* Of hosted vaults those that are open. */
static void describe_vaults(const struct app *app, struct jsonw *w)
{
    struct arena a = {0};
    struct app_vault **vaults;
    size_t n = vaults_seen(app, &a, &(struct mcp_caller){0}, &vaults);
    for (size_t i = 0; i < n; i++)
        if (vaults_look(vaults[i])) {
            describe_vault(vaults[i], w);
            vaults_look_away(vaults[i]);
        }
    arena_release(&a);
}

static bool doubts_clock(const struct app *app)
{
    bool doubt = false;
    for (size_t i = 0; i < app->n_vaults; i++)
        doubt = doubt || vault_doubts_clock(app->vaults[i].vault);
    return doubt;
}

/* Without the password. */
static void describe_database(const struct app *app, const struct oauth *oauth,
                              struct jsonw *w)
{
    struct arena a = {0};
    struct err ignored;
    str where = STR("");
    uint64_t away = oauth_away_ms(oauth);
    (void)!pg_describe(&a, app->settings.state_db.p, &where, &ignored);
    jsonw_put_object(w, STR("state_db"));
    jsonw_put_str(w, STR("database"), where);
    jsonw_put_str(w, STR("status"), away == 0 ? STR("ok") : STR("away"));
    if (away > 0)
        jsonw_put_int(w, STR("away_seconds"), (int64_t)(away / 1000));
    jsonw_end(w);
    arena_release(&a);
}

static void describe_audit(const struct app *app, struct jsonw *w)
{
    struct audit_state s;
    audit_state(app->audit, &s);
    jsonw_put_object(w, STR("audit"));
    jsonw_put_str(w, STR("to"), s.to);
    jsonw_put_int(w, STR("lines"), (int64_t)s.lines);
    jsonw_put_int(w, STR("lost"), (int64_t)s.lost);
    if (s.failing_ms > 0) {
        jsonw_put_int(w, STR("failing_seconds"), (int64_t)(s.failing_ms / 1000));
        jsonw_put_str(w, STR("problem"), str_c(s.why));
    }
    jsonw_end(w);
}

void health_describe(const struct app *app, const struct oauth *oauth, struct jsonw *w)
{
    bool doubt = oauth != NULL && oauth_doubts_clock(oauth);
    jsonw_object(w);
    jsonw_put_str(w, STR("status"), str_c(words[health_of(app, oauth)]));
    jsonw_put_str(w, STR("version"), STR(VAULTD_VERSION));
    jsonw_put_int(w, STR("uptime_seconds"), (int64_t)(clock_ms() - app->started) / 1000);
    jsonw_put_true(w, STR("clock_in_doubt"), doubt || doubts_clock(app));
    if (oauth != NULL && app->settings.state_db.n > 0)
        describe_database(app, oauth, w);
    if (app->audit != NULL)
        describe_audit(app, w);
    jsonw_put_array(w, STR("vaults"));
    describe_vaults(app, w);
    jsonw_end(w);
    if (app->hosted != NULL)
        jsonw_put_int(w, STR("hosted_vaults"), (int64_t)vaults_count(app).all);
    else if (syncing_is_on(&app->vaults[0].sync))
        describe_sync(&app->vaults[0].sync, w);
}

void health_reply(struct http_exchange *x, enum health health, str json)
{
    struct http_response r = {.status = health <= HEALTH_DEGRADED ? 200 : 503,
                              .content_type = STR("application/json"),
                              .body = json};
    http_add_header(&r, STR("Cache-Control"), STR("no-store"));
    http_reply(x, &r);
}

static void reply_word(struct http_exchange *x, enum health health)
{
    struct arena a = {0};
    health_reply(x, health, arena_printf(&a, "{\"status\":\"%s\"}", words[health]));
    arena_release(&a);
}

struct look {
    struct http_exchange *x;
    const struct app *app;
    const struct oauth *oauth;
};

static void health_look(void *arg)
{
    struct look *job = arg;
    reply_word(job->x, health_of(job->app, job->oauth));
    free(job);
}

void health_handle(struct http_exchange *x, const struct app *app,
                   const struct oauth *oauth, struct pool *pool)
{
    struct look *job = mem_alloc(sizeof(*job));
    *job = (struct look){x, app, oauth};
    if (pool_try(pool, health_look, job))
        return;
    free(job);
    reply_word(x, HEALTH_FAILING);
}
