#include "app/web/operator.h"

#include "app/setup/audit.h"
#include "app/setup/callers.h"
#include "app/setup/confine.h"
#include "app/setup/metrics.h"
#include "app/setup/operator_request.h"
#include "app/setup/proposals.h"
#include "app/setup/proposed_request.h"
#include "app/setup/reach.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults.h"
#include "app/web/health.h"
#include "app/web/proposals_operator.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/pool.h"
#include "http/request.h"
#include "http/server.h"
#include "oauth/oauth.h"
#include "oauth/proof/secret.h"
#include "sync/sync.h"
#include "vault/index/index.h"
#include "vault/vault.h"

enum { OPS_CONNECTIONS = 64, OPS_DRAIN_MS = 500, OPS_BODY_MAX = 1 << 20 };

struct ops {
    struct app *app;
    const struct http_server *main;
    struct oauth *oauth;      /* NULL: no client signs in */
    struct http_server *http; /* its own */
    str key; /* who has it is the operator; in a file next to the socket */
    struct arena arena;
    struct thread thread;
};

/* As vaultd sync status shows it. */
static void put_sync(const struct ops *o, struct arena *a, struct jsonw *w)
{
    const struct app *app = o->app;
    struct sync_state state;
    if (app->hosted != NULL || !syncing_is_on(&app->vaults[0].sync))
        return;
    sync_state(app->vaults[0].sync.sync, a, &state);
    jsonw_put_object(w, STR("sync"));
    syncing_put(w, &state, app->vaults[0].sync.whole);
    jsonw_end(w);
}

/* With the actual port, if any free one was requested. */
static str listening(const struct ops *o, struct arena *a)
{
    str address = o->app->settings.listen_addr;
    unsigned port = http_server_port(o->main);
    if (port == 0)
        return address;
    return arena_printf(a, STR_FMT ":%u",
                        STR_ARG(str_slice(address, 0, str_find_last(address, ':'))),
                        port);
}

static void handle_health(struct http_exchange *x, void *context)
{
    const struct ops *o = context;
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    struct jsonw w = JSONW_ON(&out);
    health_describe(o->app, o->oauth, &w);
    jsonw_put_bool(&w, STR("sign_in"), o->oauth != NULL);
    if (o->oauth != NULL && !oauth_has_people(o->oauth))
        jsonw_put_str(&w, STR("sign_in_problem"), STR(REACH_NO_PEOPLE));
    jsonw_put_int(&w, STR("pid"), self_pid());
    jsonw_put_str(&w, STR("listening"), listening(o, &a));
    if (proposals_waiting(o->app) > 0)
        jsonw_put_int(&w, STR("proposals_waiting"), (int64_t)proposals_waiting(o->app));
    jsonw_put_int(&w, STR("connections"), (int64_t)http_server_connections(o->main));
    if (machine_memory() > 0)
        jsonw_put_int(&w, STR("memory_bytes"), (int64_t)machine_memory());
    put_sync(o, &a, &w);
    confine_put(&w, &o->app->sandbox);
    jsonw_end(&w);
    health_reply(x, health_of(o->app, o->oauth), sbuf_str(&out));
    arena_release(&a);
}

/* --- metrics --- */

struct totals {
    double notes, attachments, bytes, memory, ready;
};

static void count_one(struct vault *v, struct totals *t)
{
    struct index_counts counts;
    if (!vault_progress(v).ready)
        return;
    const struct index *x = vault_lock(v);
    index_count(x, &counts);
    t->memory += (double)index_memory(x);
    vault_unlock(v);
    t->notes += (double)counts.notes;
    t->attachments += (double)counts.attachments;
    t->bytes += (double)counts.bytes;
    t->ready++;
}

static struct totals operator_count_all(const struct app *app)
{
    struct totals t = {0};
    struct arena a = {0};
    struct app_vault **vaults;
    size_t n = vaults_seen(app, &a, &(struct mcp_caller){0}, &vaults);
    for (size_t i = 0; i < n; i++)
        if (vaults_look(vaults[i])) {
            count_one(vaults[i]->vault, &t);
            vaults_look_away(vaults[i]);
        }
    arena_release(&a);
    return t;
}

static void print_gauges(const struct ops *o, struct sbuf *out)
{
    const struct app *app = o->app;
    struct totals t = operator_count_all(app);
    struct vaults_counts counts = vaults_count(app);
    metrics_gauge(out, "vaultd_vaults", "Vaults served.", (double)counts.all);
    metrics_gauge(out, "vaultd_vaults_open", "Vaults that are open.",
                  (double)counts.open);
    metrics_gauge(out, "vaultd_vaults_ready", "Vaults whose index is ready.", t.ready);
    metrics_gauge(out, "vaultd_notes", "Notes.", t.notes);
    metrics_gauge(out, "vaultd_attachments", "Other files.", t.attachments);
    metrics_gauge(out, "vaultd_vault_bytes", "Bytes of all files.", t.bytes);
    metrics_gauge(out, "vaultd_index_bytes", "Approximate memory used by the indexes.",
                  t.memory);
    metrics_gauge(out, "vaultd_proposals_waiting",
                  "Proposed changes that wait for a review.",
                  (double)proposals_waiting(app));
    metrics_gauge(out, "vaultd_http_connections", "Open connections.",
                  (double)http_server_connections(o->main));
    metrics_gauge(out, "vaultd_uptime_seconds", "Time since the start.",
                  (double)(clock_ms() - app->started) / 1000);
}

static void print_audit(const struct app *app, struct sbuf *out)
{
    struct audit_state s;
    if (app->audit == NULL)
        return;
    audit_state(app->audit, &s);
    metrics_counter(out, "vaultd_audit_lines_total", "Audit lines written.",
                    (double)s.lines);
    metrics_counter(out, "vaultd_audit_lost_total", "Audit lines lost.", (double)s.lost);
    metrics_gauge(out, "vaultd_audit_failing", "1: audit lines cannot be written.",
                  s.failing_ms > 0);
}

/* Unknown values are left out. */
static void print_sync(const struct app *app, struct arena *a, struct sbuf *out)
{
    struct sync_state s;
    if (app->hosted != NULL || !syncing_is_on(&app->vaults[0].sync))
        return;
    sync_state(app->vaults[0].sync.sync, a, &s);
    if (s.ahead >= 0)
        metrics_gauge(out, "vaultd_sync_ahead", "Commits that are not on the remote.",
                      (double)s.ahead);
    if (s.behind >= 0)
        metrics_gauge(out, "vaultd_sync_behind", "Commits that only the remote has.",
                      (double)s.behind);
    metrics_gauge(out, "vaultd_sync_waiting", "Changes that are not synced yet.",
                  (double)s.waiting);
    metrics_gauge(out, "vaultd_sync_conflicts", "Unresolved conflicts.",
                  (double)s.n_conflicts);
    if (s.last_success > 0)
        metrics_gauge(out, "vaultd_sync_success_age_seconds",
                      "Time since sync last succeeded.",
                      (double)(clock_now() - s.last_success));
    metrics_counter(out, "vaultd_sync_failures_total", "Failed attempts to sync.",
                    (double)s.failures);
}

static void handle_metrics(struct http_exchange *x, void *context)
{
    const struct ops *o = context;
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    metrics_print(&o->app->metrics, &out);
    print_gauges(o, &out);
    print_audit(o->app, &out);
    print_sync(o->app, &a, &out);
    metrics_process(&out);
    http_reply(x, &(struct http_response){
                      .status = 200,
                      .content_type = STR("text/plain; version=0.0.4; charset=utf-8"),
                      .body = sbuf_str(&out)});
    arena_release(&a);
}

/* --- proposals --- */

/* A request that a worker answers. */
struct operator_job {
    const struct ops *ops;
    struct http_exchange *x;
};

static void run_proposals(void *arg)
{
    struct operator_job *job = arg;
    struct arena a = {0};
    struct http_response r = {0};
    proposals_operate(job->ops->app, &a, http_request_of(job->x)->body,
                      listening(job->ops, &a), &r);
    http_reply(job->x, &r);
    arena_release(&a);
    free(job);
}

/* The address may be public on this machine (--ops-addr), the key is not. */
static void handle_proposals(struct http_exchange *x, void *context)
{
    const struct ops *o = context;
    str key = http_header(http_request_of(x), STR(OPS_KEY_HEADER));
    if (o->key.n == 0 || !hash_equal(key, o->key)) {
        http_reply(x, &(struct http_response){.status = 403});
        return;
    }
    struct operator_job *job = mem_alloc(sizeof(*job));
    *job = (struct operator_job){o, x};
    if (pool_try(o->app->pool, run_proposals, job))
        return;
    free(job);
    http_reply(x, &(struct http_response){.status = 503});
}

/* --- start and stop --- */

static const struct http_route routes[] = {
    {PROPOSED_PATH, HTTP_POST, OPS_BODY_MAX, HTTP_CORS_NONE, handle_proposals, NULL},
    {"/health", HTTP_GET, 0, HTTP_CORS_NONE, handle_health, NULL},
    {"/metrics", HTTP_GET, 0, HTTP_CORS_NONE, handle_metrics, NULL},
    {0},
};

static void *operator_run(void *arg)
{
    struct ops *o = arg;
    http_server_run(o->http);
    return NULL;
}

static str key_of_socket(struct arena *a, str name)
{
    return arena_printf(a, STR_FMT OPS_KEY_SUFFIX,
                        STR_ARG(str_slice(name, 0, name.n - strlen(OPS_SUFFIX))));
}

/* Removes the sockets of crashed servers, and their keys. */
static void remove_deserted(struct arena *a, const char *folder)
{
    struct folder_names names = folder_names(FILE_CWD, folder);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        str address = arena_printf(a, "unix:%s/%s", folder, name);
        if (!str_ends(address, STR(OPS_SUFFIX)) || !ops_is_deserted(address))
            continue;
        file_remove(names.fd, name);
        file_remove(names.fd, key_of_socket(a, str_c(name)).p);
    }
    folder_end(&names);
}

/* Where vaultd status finds us; everything else works without it. */
static void listen_in_state(struct ops *o)
{
    struct arena a = {0};
    struct err err = {0};
    const char *folder = arena_printf(&a, "%s/" OPS_FOLDER, o->app->state_dir).p;
    str address = arena_printf(&a, "unix:%s/%d" OPS_SUFFIX, folder, self_pid());
    remove_deserted(&a, folder);
    str path = str_skip(address, strlen("unix:"));
    str key = secret_new(&o->arena, STR(""));
    if (fs_make_folder(folder, &err) && http_server_listen(o->http, address, &err) &&
        fs_replace_file(key_of_socket(&a, path).p, key, &err))
        o->key = key;
    else
        log_event(LOG_WARN, "no_status", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
    arena_release(&a);
}

/* The settings have only a local address. */
static bool listen_as_told(struct ops *o, struct err *err)
{
    str address = o->app->settings.ops_addr;
    if (address.n == 0)
        return true;
    if (!http_server_listen(o->http, address, err))
        return false;
    log_event(LOG_INFO, "ops", LOG_STR("address", address),
              LOG_INT("port", http_server_port(o->http)));
    return true;
}

static bool operator_begin(struct ops *o, struct err *err)
{
    struct http_config config = {
        .routes = routes, .context = o, .limits = HTTP_LIMITS_DEFAULT, .may_wait = true};
    config.limits.connections = OPS_CONNECTIONS;
    config.limits.drain_ms = OPS_DRAIN_MS;
    o->http = http_server_create(&config);
    if (!listen_as_told(o, err))
        return false;
    listen_in_state(o);
    return thread_start(&o->thread, "operator", operator_run, o) ||
           err_set(err, ERR_INTERNAL,
                   "cannot start a thread for the operators' listener");
}

bool ops_start(struct app *app, const struct http_server *main, struct oauth *oauth,
               struct ops **out, struct err *err)
{
    *out = NULL;
    struct ops *o = mem_zero(sizeof(*o));
    *o = (struct ops){.app = app, .main = main, .oauth = oauth};
    if (operator_begin(o, err)) {
        *out = o;
        return true;
    }
    http_server_free(o->http);
    arena_release(&o->arena);
    free(o);
    return false;
}

void ops_stop(struct ops *o)
{
    if (o == NULL)
        return;
    http_server_stop(o->http);
    thread_join(&o->thread);
}

void ops_free(struct ops *o)
{
    if (o == NULL)
        return;
    http_server_free(o->http);
    arena_release(&o->arena);
    free(o);
}
