#include "app/ops.h"

#include <pthread.h>

#include "app/health.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/address.h"

enum { OPS_CONNECTIONS = 64, OPS_DRAIN_MS = 500 };

struct ops {
    const struct app *app;
    const struct http_server *main;
    bool sign_in;
    struct http_server *http; /* its own */
    pthread_t thread;
};

static void handle_health(struct http_exchange *x, void *context)
{
    const struct ops *o = context;
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    struct jsonw w = JSONW_ON(&out);
    health_describe(o->app, &w);
    jsonw_put_bool(&w, STR("sign_in"), o->sign_in);
    jsonw_end(&w);
    health_reply(x, health_of(o->app), sbuf_str(&out));
    arena_release(&a);
}

/* --- metrics --- */

struct totals {
    double notes, attachments, bytes, memory, ready;
};

static struct totals count_all(const struct app *app)
{
    struct totals t = {0};
    for (size_t i = 0; i < app->n_vaults; i++) {
        struct vault *v = app->vaults[i].vault;
        struct index_counts counts;
        if (!vault_progress(v).ready)
            continue;
        const struct index *x = vault_hold(v);
        index_count(x, &counts);
        t.memory += (double)index_memory(x);
        vault_let_go(v);
        t.notes += (double)counts.notes;
        t.attachments += (double)counts.attachments;
        t.bytes += (double)counts.bytes;
        t.ready++;
    }
    return t;
}

static void print_gauges(const struct ops *o, struct sbuf *out)
{
    const struct app *app = o->app;
    struct totals t = count_all(app);
    metrics_gauge(out, "vaultd_vaults", "Vaults served.", (double)app->n_vaults);
    metrics_gauge(out, "vaultd_vaults_ready", "Vaults whose index is there.", t.ready);
    metrics_gauge(out, "vaultd_notes", "Notes.", t.notes);
    metrics_gauge(out, "vaultd_attachments", "Other files.", t.attachments);
    metrics_gauge(out, "vaultd_vault_bytes", "Bytes of all files.", t.bytes);
    metrics_gauge(out, "vaultd_index_bytes", "Memory that the indexes take, about.",
                  t.memory);
    metrics_gauge(out, "vaultd_http_connections", "Open connections.",
                  (double)http_server_connections(o->main));
    metrics_gauge(out, "vaultd_uptime_seconds", "Time since the start.",
                  (double)(clock_ms() - app->started) / 1000);
}

/* What is not known is left out. */
static void print_sync(const struct app *app, struct arena *a, struct sbuf *out)
{
    struct sync_state s;
    if (!syncing_is_on(&app->sync))
        return;
    sync_state(app->sync.sync, a, &s);
    if (s.ahead >= 0)
        metrics_gauge(out, "vaultd_sync_ahead", "Commits that the remote has not.",
                      (double)s.ahead);
    if (s.behind >= 0)
        metrics_gauge(out, "vaultd_sync_behind", "Commits that only the remote has.",
                      (double)s.behind);
    metrics_gauge(out, "vaultd_sync_waiting", "Changes that are not synced yet.",
                  (double)s.waiting);
    metrics_gauge(out, "vaultd_sync_conflicts", "Notes kept twice.",
                  (double)s.n_conflicts);
    if (s.last_success > 0)
        metrics_gauge(out, "vaultd_sync_success_age_seconds",
                      "Time since sync last succeeded.",
                      (double)(clock_now() - s.last_success));
    metrics_counter(out, "vaultd_sync_failures_total", "Attempts to sync that failed.",
                    (double)s.failures);
}

static void handle_metrics(struct http_exchange *x, void *context)
{
    const struct ops *o = context;
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    metrics_print(&o->app->metrics, &out);
    print_gauges(o, &out);
    print_sync(o->app, &a, &out);
    metrics_process(&out);
    http_reply(x, &(struct http_response){
                      .status = 200,
                      .content_type = STR("text/plain; version=0.0.4; charset=utf-8"),
                      .body = sbuf_str(&out)});
    arena_release(&a);
}

/* --- its life --- */

static const struct http_route routes[] = {
    {"/health", HTTP_GET, 0, HTTP_CORS_NONE, handle_health, NULL},
    {"/metrics", HTTP_GET, 0, HTTP_CORS_NONE, handle_metrics, NULL},
    {0},
};

static void *run(void *arg)
{
    struct ops *o = arg;
    http_server_run(o->http);
    return NULL;
}

static void announce(const struct ops *o, bool local)
{
    log_event(local ? LOG_INFO : LOG_WARN, "ops",
              LOG_STR("address", o->app->settings.ops_addr),
              LOG_INT("port", http_server_port(o->http)),
              LOG_STR("reachable", local ? STR("from this machine")
                                         : STR("from others, without sign-in")));
}

static bool begin(struct ops *o, struct err *err)
{
    struct http_address address;
    if (!http_address_parse(o->app->settings.ops_addr, &address, err))
        return false;
    struct http_config config = {.routes = routes,
                                 .context = o,
                                 .guard.any_host = !address.local,
                                 .limits = HTTP_LIMITS_DEFAULT};
    config.limits.connections = OPS_CONNECTIONS;
    config.limits.drain_ms = OPS_DRAIN_MS;
    o->http = http_server_create(&config);
    if (!http_server_listen(o->http, o->app->settings.ops_addr, err))
        return false;
    if (pthread_create(&o->thread, NULL, run, o) != 0)
        return err_set(err, ERR_INTERNAL, "no thread for the operators' listener");
    announce(o, address.local);
    return true;
}

bool ops_start(const struct app *app, const struct http_server *main, bool sign_in,
               struct ops **out, struct err *err)
{
    *out = NULL;
    if (app->settings.ops_addr.n == 0)
        return true;
    struct ops *o = mem_zero(sizeof(*o));
    *o = (struct ops){.app = app, .main = main, .sign_in = sign_in};
    if (begin(o, err)) {
        *out = o;
        return true;
    }
    http_server_free(o->http);
    free(o);
    return false;
}

void ops_stop(struct ops *o)
{
    if (o == NULL)
        return;
    http_server_stop(o->http);
    pthread_join(o->thread, NULL);
    http_server_free(o->http);
    free(o);
}
