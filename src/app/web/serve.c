#include "app/web/serve.h"

#include <stdlib.h>

#include "app/catalog/assembly.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/metrics.h"
#include "app/setup/reach.h"
#include "app/web/announce.h"
#include "app/web/auth.h"
#include "app/web/health.h"
#include "app/web/operator.h"
#include "app/web/pages.h"
#include "app/web/rates.h"
#include "app/web/review_keys.h"
#include "app/web/signals.h"
#include "app/web/stream_check.h"
#include "app/web/systemd.h"
#include "app/web/webhook.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/path.h"
#include "base/uri.h"
#include "fetch/fetch.h"
#include "http/address.h"
#include "http/forwarded.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"
#include "mcp/endpoint.h"
#include "mcp/server.h"
#include "mcp/stdio.h"
#include "oauth/browser.h"
#include "oauth/gate.h"
#include "oauth/oauth.h"
#include "oauth/pages.h"
#include "oauth/rights.h"

/* Together, and with the last push, below the default of --stop-timeout. */
enum {
    DRAIN_MS = 2500,           /* for running exchanges */
    DRAIN_CALLS_MS = 250,      /* then for calls, once before and once after cancelling */
    LEFT_AFTER_PUSH_MS = 1500, /* of a busy machine, to close the vaults */
    HEALTH_QUEUE = 32,
    STRANGER_BODY_MAX = 16 << 10, /* bytes that are read before a token is known */
};

struct web {
    struct app *app;
    struct mcp_endpoint *endpoint;
    struct oauth *oauth; /* NULL: no sign-in is required */
    struct pages *pages; /* for that case */
    struct rates *rates;
    struct pool *health; /* one worker for what anyone may ask: never the pool of calls */
    struct webhook *webhook; /* NULL: not configured */
    struct stream_check streams;
    struct systemd_watchdog watchdog;
    struct announce_reading reading;
};

/* A session belongs to a user and a client, however often they sign in (SEC-33). */
static str owner_of(struct arena *a, const struct oauth_grant *g)
{
    return arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(g->user), STR_ARG(g->client_id));
}

/* One for all clients of a user. */
static uint64_t share_of(const struct oauth_grant *g)
{
    str id = {(const char *)&g->id, sizeof(g->id)};
    return hash_table(g->user.n > 0 ? g->user : id) | 1;
}

_Static_assert((int)RIGHTS_NONE == (int)ACCESS_HIDDEN &&
                   (int)RIGHTS_READ == (int)ACCESS_READ &&
                   (int)RIGHTS_PROPOSE == (int)ACCESS_PROPOSE &&
                   (int)RIGHTS_WRITE == (int)ACCESS_WRITE,
               "a level of a grant is one of a vault");

static enum access_level level_of(enum rights_level level)
{
    return (enum access_level)level;
}

static str grant_of(const struct web *web, struct arena *a, const struct oauth_grant *g)
{
    const struct oauth_rights *r = &g->rights;
    struct access_place *places = ARENA_ARRAY(a, struct access_place, r->n_places);
    for (size_t i = 0; i < r->n_places; i++)
        places[i] =
            (struct access_place){r->places[i].folder, level_of(r->places[i].level)};
    const struct app_grant grant = {
        .most = level_of(rights_level_of(r->scopes)),
        .places = {level_of(r->elsewhere), places, r->n_places},
        .only_tools = r->only_tools,
        .tools = r->tools,
        .n_tools = r->n_tools};
    return app_grant_of(web->app, a, g->user, &grant);
}

static str grant_now(void *context, struct arena *a, const struct oauth_grant *g)
{
    return grant_of(context, a, g);
}

static void admit_request(struct http_exchange *x, void *context,
                          enum gate_verdict verdict, const struct oauth_grant *g)
{
    const struct web *web = context;
    struct arena a = {0};
    if (verdict != GATE_OPEN) {
        gate_answer(web->oauth, x, verdict);
    } else if (rates_flood(web->rates, x, g->id)) {
        rates_known(web->rates, x);
        http_name_caller(x, share_of(g));
        mcp_endpoint_handle(web->endpoint, x,
                            &(struct mcp_caller){.user = g->user,
                                                 .client = g->client_name,
                                                 .client_id = g->client_id,
                                                 .grant = grant_of(web, &a, g),
                                                 .owner = owner_of(&a, g),
                                                 .id = g->id,
                                                 .proof = g->proof,
                                                 .expires = g->expires,
                                                 .share = share_of(g)});
    }
    arena_release(&a);
}

/* Every request must pass the gate first. */
static void handle_known(struct web *web, struct http_exchange *x)
{
    if (web->oauth != NULL)
        gate_ask(web->oauth, x, admit_request, web);
    else if (reach_admit(&web->app->settings, x))
        mcp_endpoint_handle(web->endpoint, x, &(struct mcp_caller){0});
}

static bool take_rate_turn(void *context, const struct mcp_caller *caller, bool changes,
                           uint64_t most_ms, uint64_t *wait_ms, struct err *err)
{
    const struct web *web = context;
    return rates_turn(web->rates, caller->id, changes, most_ms, wait_ms, err);
}

static void charge(void *context, const struct mcp_caller *caller, unsigned n)
{
    const struct web *web = context;
    rates_charge(web->rates, caller->id, n);
}

static void on_tick(void *context)
{
    struct web *web = context;
    stream_check(&web->streams);
    rates_tell(web->rates);
    systemd_watchdog_tick(&web->watchdog);
    announce_tick(&web->reading, web->app);
}

/* Called when a tool would change something but the grant is read-only. */
static void refuse_scope(void *context, struct http_exchange *x)
{
    struct web *web = context;
    gate_refuse(web->oauth, x);
}

static void reply_not_found(struct http_exchange *x)
{
    http_reply(x, &(struct http_response){.status = 404,
                                          .content_type = STR("application/json"),
                                          .body = STR("{\"error\":\"not found\"}")});
}

/* /mcp and /mcp/ are the same: clients and proxies add and strip the slash. */
static bool is_endpoint(struct http_exchange *x)
{
    str path = http_request_of(x)->path;
    bool is =
        str_eq(path, STR("/mcp")) || str_eq(path, STR("/mcp/")) || str_eq(path, STR("/"));
    if (!is)
        reply_not_found(x);
    return is;
}

static void handle_mcp(struct http_exchange *x, void *context)
{
    struct web *web = context;
    bool counted = http_was_judged(x);
    if ((counted || rates_address(web->rates, x)) && is_endpoint(x))
        handle_known(web, x);
}

/* A small body without a valid token is read, so that the connection can be kept. */
static void admit_body(struct http_exchange *x, void *context, enum gate_verdict verdict,
                       const struct oauth_grant *g)
{
    const struct web *web = context;
    if (verdict == GATE_OPEN)
        http_admit(x, MCP_BODY_MAX, share_of(g));
    else if (http_body_size(x) <= STRANGER_BODY_MAX)
        http_admit(x, STRANGER_BODY_MAX, 0);
    else
        gate_answer(web->oauth, x, verdict);
}

/* Before the body is read; judged again afterwards, perhaps half a minute later. */
static void judge_mcp(struct http_exchange *x, void *context)
{
    struct web *web = context;
    if (!rates_address(web->rates, x) || !is_endpoint(x))
        return;
    if (web->oauth != NULL)
        gate_ask(web->oauth, x, admit_body, web);
    else if (reach_admit(&web->app->settings, x))
        http_admit(x, MCP_BODY_MAX, 0);
}

/* A person with a browser. */
static void handle_person(struct http_exchange *x, const struct web *web)
{
    if (!rates_address(web->rates, x))
        return;
    if (web->oauth != NULL)
        browser_handle(web->oauth, x);
    else
        pages_handle(x, web->pages);
}

/* People open the address of the endpoint, too, since it is what they give their app. */
static void handle_endpoint(struct http_exchange *x, void *context)
{
    if (http_wants_html(http_request_of(x)))
        handle_person(x, context);
    else
        handle_mcp(x, context);
}

/* The bare address is the endpoint, too: that is what some people give their client. A
 * GET that does not name event streams is not from a client. */
static void handle_root(struct http_exchange *x, void *context)
{
    const struct http_request *r = http_request_of(x);
    bool looks = r->method == HTTP_GET || r->method == HTTP_HEAD;
    str accept = http_header(r, STR("accept"));
    if (!looks || str_find(accept, STR("text/event-stream")) != STR_NONE)
        handle_mcp(x, context);
    else if (http_wants_html(r))
        handle_person(x, context);
    else
        reply_not_found(x);
}

/* A path that does not exist, in a browser. */
static void handle_nowhere(struct http_exchange *x, void *context)
{
    handle_person(x, context);
}

static const struct http_route nowhere = {"", HTTP_GET, 0, HTTP_CORS_NONE,
                                          handle_nowhere};

/* Browsers ask for it whatever page they show. */
static void handle_icon(struct http_exchange *x, void *context)
{
    struct web *web = context;
    struct http_response icon = {
        .status = 200, .content_type = STR("image/svg+xml"), .body = page_icon};
    if (!rates_address(web->rates, x))
        return;
    http_add_header(&icon, STR("Cache-Control"), STR("public, max-age=86400"));
    http_add_header(&icon, STR("Content-Security-Policy"), STR("default-src 'none'"));
    http_reply(x, &icon);
}

static void handle_health(struct http_exchange *x, void *context)
{
    const struct web *web = context;
    if (rates_address(web->rates, x))
        health_handle(x, web->app, web->oauth, web->health);
}

static const struct http_route own_routes[] = {
    {"/health", HTTP_GET, 0, HTTP_CORS_NONE, handle_health, NULL, NULL},
    {"/mcp", HTTP_POST | HTTP_GET | HTTP_DELETE, MCP_BODY_MAX, HTTP_CORS_WELCOME,
     handle_endpoint, NULL, judge_mcp},
    {"/favicon.svg", HTTP_GET, 0, HTTP_CORS_NONE, handle_icon},
    {"/favicon.ico", HTTP_GET, 0, HTTP_CORS_NONE, handle_icon},
    {"/", HTTP_POST | HTTP_GET | HTTP_DELETE, MCP_BODY_MAX, HTTP_CORS_WELCOME,
     handle_root, NULL, judge_mcp},
    {"/mcp/", HTTP_POST | HTTP_GET | HTTP_DELETE, MCP_BODY_MAX, HTTP_CORS_WELCOME,
     handle_endpoint, NULL, judge_mcp},
    {0},
};

static size_t count_routes(const struct http_route *routes)
{
    size_t n = 0;
    while (routes[n].path != NULL)
        n++;
    return n;
}

/* A route for browsers, subject to the limit for addresses. */
struct limited {
    struct rates *rates;
    struct http_route route;
};

static void handle_limited(struct http_exchange *x, void *context)
{
    const struct limited *l = context;
    if (rates_address(l->rates, x))
        l->route.handle(x, l->route.context);
}

/* The hash of a body takes a while, and anyone may send one: not on the loop, and not in
 * the pool of calls. */
struct hook_job {
    struct http_exchange *x;
    struct webhook *webhook;
};

static void run_webhook(void *arg)
{
    struct hook_job *job = arg;
    webhook_handle(job->x, job->webhook);
    free(job);
}

static void handle_webhook(struct http_exchange *x, void *context)
{
    struct web *web = context;
    if (!rates_address(web->rates, x))
        return;
    struct hook_job *job = mem_alloc(sizeof(*job));
    *job = (struct hook_job){x, web->webhook};
    if (pool_try(web->health, run_webhook, job))
        return;
    free(job);
    http_reply(x, &(struct http_response){.status = 503,
                                          .content_type = STR("application/json"),
                                          .body = STR("{\"error\":\"busy\"}")});
}

static const struct http_route *all_routes(struct arena *a, struct web *web)
{
    const struct http_route *theirs =
        web->oauth != NULL ? oauth_routes(web->oauth) : pages_routes(web->pages);
    size_t n = count_routes(own_routes), m = count_routes(theirs);
    struct http_route *all = ARENA_ARRAY(a, struct http_route, n + m + 2);
    struct limited *limited = ARENA_ARRAY(a, struct limited, m);
    memcpy(all, own_routes, n * sizeof(*all));
    for (size_t i = 0; i < m; i++) {
        limited[i] = (struct limited){web->rates, theirs[i]};
        all[n + i] = theirs[i];
        all[n + i].handle = handle_limited;
        all[n + i].context = &limited[i];
    }
    if (web->webhook != NULL)
        all[n + m] = (struct http_route){WEBHOOK_PATH,   HTTP_POST,      WEBHOOK_BODY_MAX,
                                         HTTP_CORS_NONE, handle_webhook, web};
    return all;
}

static bool open_webhook(struct web *web, struct err *err)
{
    str file = web->app->settings.sync.webhook_secret_file;
    return file.n == 0 || webhook_create(file, web->app, &web->webhook, err);
}

static void on_stop(void *context)
{
    const struct web *web = context;
    web->app->stopping = true;
    fetch_stop(); /* sign-ins that wait for other servers */
    mcp_endpoint_end_streams(web->endpoint);
}

static void on_access(void *context, const struct http_access *a)
{
    struct web *web = context;
    metrics_request(&web->app->metrics, a->status, a->micros);
    log_event(LOG_INFO, "request", LOG_INT("id", a->id), LOG_STR("peer", a->peer),
              LOG_STR("method", a->method), LOG_STR("path", a->path),
              LOG_INT("status", a->status), LOG_INT("bytes", a->bytes),
              LOG_INT("us", a->micros));
}

/* --- signals; both on separate threads --- */

struct serving {
    struct app *app;
    struct signals *signals;
    struct lock lock;         /* protects http; never held for long */
    struct http_server *http; /* NULL: not serving HTTP (yet) */
    struct lock reloading;    /* protects web, while files are read */
    struct web *web;          /* likewise */
    struct bell stop;         /* stdio ends when it rings */
};

static void set_http(struct serving *r, struct http_server *http, struct web *web)
{
    lock_take(&r->reloading);
    r->web = web;
    lock_drop(&r->reloading);
    lock_take(&r->lock);
    r->http = http;
    if (http != NULL && r->app->leaving) { /* a signal came before: wait for nothing */
        http_server_stop(http);
        http_server_stop(http);
    }
    lock_drop(&r->lock);
}

static void on_stop_signal(void *arg)
{
    struct serving *r = arg;
    lock_take(&r->lock);
    r->app->leaving = true;
    if (r->http != NULL) {
        http_server_stop(r->http); /* and on_stop() does the rest */
    } else {
        r->app->stopping = true;
        fetch_stop();
        bell_ring(&r->stop);
    }
    lock_drop(&r->lock);
}

/* What could not be read again stays as it was; the rest is read in any case. */
static bool serve_report(const char *what, bool ok, const struct err *err)
{
    if (ok)
        log_event(LOG_INFO, "reloaded", LOG_STR("what", str_c(what)));
    else
        log_event(LOG_ERROR, "not_reloaded", LOG_STR("what", str_c(what)),
                  LOG_STR("error", str_c(err->msg)));
    return ok;
}

static bool reload_sign_in(const struct settings *s, struct oauth *o)
{
    struct err err = {0};
    bool users = serve_report("users", oauth_reload_users(o, &err), &err);
    bool clients = s->oauth_clients_file.n == 0 ||
                   serve_report("clients", auth_reload_clients(s, o, &err), &err);
    return users && clients;
}

static void on_reload(void *arg)
{
    struct serving *r = arg;
    struct err err = {0};
    bool ok = log_file()[0] == '\0' ||
              serve_report(
                  "log", log_reopen() || err_sys(&err, "the log cannot be opened"), &err);
    lock_take(&r->reloading);
    if (r->web != NULL && r->web->oauth != NULL)
        ok = reload_sign_in(&r->app->settings, r->web->oauth) && ok;
    if (r->web != NULL && r->web->webhook != NULL)
        ok = serve_report("webhook", webhook_reload(r->web->webhook, &err), &err) && ok;
    lock_drop(&r->reloading);
    if (ok)
        serve_report("all", true, &err);
    else
        log_event(LOG_WARN, "reloaded_in_part",
                  LOG_STR("rest", STR("stays as it was before: see not_reloaded")));
}

/* --- allowed hosts and origins, from the settings --- */

static struct uri_parts parts_of(str url)
{
    struct uri_parts parts;
    (void)uri_split(url, &parts);
    return parts;
}

static str *with_own(struct arena *a, const struct option_list *list, str own, size_t *n)
{
    str *all = ARENA_ARRAY(a, str, list->n + 1);
    *n = 0;
    for (size_t i = 0; i < list->n; i++)
        all[(*n)++] = list->items[i];
    if (own.n > 0)
        all[(*n)++] = own;
    return all;
}

static struct http_guard make_guard(struct arena *a, const struct settings *s)
{
    struct http_guard g = {0};
    g.hosts = with_own(a, &s->allowed_hosts, parts_of(s->server_url).host, &g.n_hosts);
    g.origins =
        with_own(a, &s->allowed_origins, parts_of(s->server_url).origin, &g.n_origins);
    struct net_address address;
    struct err err;
    bool local =
        http_address_parse(s->listen_addr, &address, &err) && net_is_local(&address);
    g.any_host = !local && g.n_hosts == 0;
    return g;
}

/* --- the two transports --- */

static bool listen_all(struct http_server *http, const struct settings *s,
                       struct err *err)
{
    int fds = systemd_listen_fds();
    for (int i = 0; i < fds; i++)
        if (!http_server_listen_fd(http, SYSTEMD_FIRST_FD + i, err))
            return false;
    return fds > 0 || http_server_listen(http, s->listen_addr, err);
}

static bool configure(struct arena *a, struct web *web, struct http_config *out,
                      struct err *err)
{
    const struct settings *s = &web->app->settings;
    const struct option_list *proxies = &s->trusted_proxies;
    *out = (struct http_config){
        .routes = all_routes(a, web),
        .nowhere = &nowhere,
        .context = web,
        .guard = make_guard(a, s),
        .limits = HTTP_LIMITS_DEFAULT,
        .https = str_starts(s->server_url, STR("https://")),
        .on_access = on_access,
        .on_tick = on_tick,
        .on_stop = on_stop,
    };
    out->limits.connections = (size_t)s->max_connections;
    out->limits.stop_ms = (unsigned)s->stop_delay * 1000;
    out->limits.drain_ms = DRAIN_MS;
    return http_proxies_parse(a, proxies->items, proxies->n, &out->proxies, err);
}

static void run_until_stopped(struct serving *r, struct http_server *http,
                              struct oauth *oauth, struct ops *ops)
{
    struct app *app = r->app;
    struct arena a = {0};
    announce_http(app, http, oauth == NULL || oauth_has_people(oauth));
    http_server_run(http);
    systemd_notify(STR("STOPPING=1"));
    signals_phase(r->signals, "finishing calls", false);
    mcp_server_drain(app->mcp, DRAIN_CALLS_MS);
    ops_stop(ops);
    signals_phase(r->signals, "stopping the vaults", false);
    assembly_stop_vaults(app);
    signals_phase(r->signals, "waiting for workers", false);
    pool_free(app->pool); /* no more answers after this */
    app->pool = NULL;
    ops_free(ops);
    log_event(LOG_INFO, "stopped", LOG_STR("vault", app_names(app, &a)));
    arena_release(&a);
}

static bool serve_http(struct serving *r, struct err *err)
{
    struct app *app = r->app;
    struct arena a = {0};
    struct web web = {.app = app,
                      .pages = pages_create(app),
                      .rates = rates_create(&app->settings),
                      .health = pool_create(1, HEALTH_QUEUE),
                      .watchdog = systemd_watchdog_open()};
    struct http_config config;
    struct http_server *http = NULL;
    struct ops *ops;
    app->review_keys = review_keys_create();
    bool ok = open_webhook(&web, err) && auth_open(app, &web.oauth, err) &&
              configure(&a, &web, &config, err);
    if (ok) {
        web.endpoint =
            mcp_endpoint_create(app->mcp, web.oauth != NULL ? refuse_scope : NULL, &web);
        web.streams = (struct stream_check){.oauth = web.oauth,
                                            .endpoint = web.endpoint,
                                            .grant = grant_now,
                                            .context = &web};
        if (web.oauth != NULL)
            mcp_endpoint_take_turns(web.endpoint, take_rate_turn, charge);
        rates_join(web.rates, &app->replica);
        http = http_server_create(&config);
        set_http(r, http, &web);
        ok = listen_all(http, &app->settings, err) &&
             reach_check_bound(&app->settings, !http_server_is_local(http),
                               web.oauth != NULL, err) &&
             ops_start(app, http, web.oauth, &ops, err);
    }
    if (ok)
        run_until_stopped(r, http, web.oauth, ops);
    signals_phase(r->signals, "waiting for sign-ins", false);
    oauth_stop(web.oauth);
    pool_free(web.health);
    set_http(r, NULL, NULL);
    http_server_free(http);
    mcp_endpoint_free(web.endpoint);
    webhook_free(web.webhook);
    oauth_free(web.oauth); /* after its pool, or if nothing was served */
    rates_free(web.rates);
    pages_free(web.pages);
    review_keys_free(app->review_keys);
    app->review_keys = NULL;
    arena_release(&a);
    return ok;
}

static void serve_stdio(struct serving *r)
{
    announce_stdio(r->app);
    mcp_stdio_run(r->app->mcp, FILE_STDIN, FILE_STDOUT, r->stop.fd);
}

static unsigned push_ms(const struct serving *r)
{
    unsigned left = signals_left(r->signals);
    left = left > LEFT_AFTER_PUSH_MS ? left - LEFT_AFTER_PUSH_MS : 0;
    return left < SYNC_STOP_PUSH_MS ? left : SYNC_STOP_PUSH_MS;
}

static bool run(struct serving *r, struct err *err)
{
    bool ok = true;
    if (!bell_open(&r->stop))
        return err_sys(err, "cannot wait for signals");
    log_start();
    r->signals = signals_start(&(struct signals_config){
        .stop = on_stop_signal,
        .reload = on_reload,
        .arg = r,
        .grace_ms =
            (unsigned)r->app->settings.stop_timeout * 1000 * (1 + 3 * VAULTD_SANITIZED),
        .delay_ms = (unsigned)r->app->settings.stop_delay * 1000});
    if (r->app->settings.stdio)
        serve_stdio(r);
    else
        ok = serve_http(r, err);
    signals_phase(r->signals, "stopping the sync", false);
    return ok;
}

/* What only HTTP needs. */
static bool check_http(struct arena *a, const struct settings *s, struct err *err)
{
    const struct option_list *proxies = &s->trusted_proxies;
    struct http_proxies parsed;
    struct webhook *hook = NULL;
    str secret = s->sync.webhook_secret_file;
    bool ok = auth_check(a, s, err) &&
              http_proxies_parse(a, proxies->items, proxies->n, &parsed, err) &&
              (secret.n == 0 || webhook_create(secret, NULL, &hook, err));
    webhook_free(hook);
    return ok;
}

bool serve_check(struct arena *a, struct settings *s, struct err *err)
{
    struct reach_content content;
    return reach_settle(s, &content, err) && assembly_check(a, s, err) &&
           (s->stdio || check_http(a, s, err));
}

bool serve_run(const struct settings *settings, struct err *err)
{
    struct app app;
    struct settings settled = *settings;
    struct arena a = {0};
    struct serving r = {.app = &app,
                        .lock = LOCK_INIT(LOCK_SERVER),
                        .reloading = LOCK_INIT(LOCK_RELOAD),
                        .stop = BELL_NONE};
    bool clear = serve_check(&a, &settled, err);
    arena_release(&a);
    if (!clear)
        return false;
    self_hide_memory(); /* SEC-74 */
    signals_expect();
    bool ok = assembly_open(&app, &settled, err) && run(&r, err);
    assembly_close(&app, r.signals != NULL ? push_ms(&r) : SYNC_STOP_PUSH_MS);
    signals_end(r.signals);
    log_stop();
    bell_close(&r.stop);
    return ok;
}
