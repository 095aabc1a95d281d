#include "oauth/browser.h"

#include "base/hash.h"
#include "base/os/thread.h"
#include "http/address.h"
#include "http/request.h"
#include "http/response.h"
#include "http/route.h"
#include "http/server.h"
#include "oauth/auth_flow.h"
#include "oauth/browser_request.h"
#include "oauth/parts.h"
#include "oauth/uri.h"
#include "state/store.h"

static const struct browser_row own_rows[] = {
    {"/oauth/authorize", HTTP_GET, authorize_get},
    {"/authorize", HTTP_GET, authorize_get},
    {"/oauth/login", HTTP_GET, login_get},
    {"/oauth/login", HTTP_POST, login_post, .is_login = true},
    {"/oauth/consent", HTTP_GET, consent_get},
    {"/oauth/consent", HTTP_POST, consent_post},
    {"/oauth/upstream", HTTP_POST, upstream_post},
    {"/oauth/github/callback", HTTP_GET, upstream_callback},
    {"/oauth/oidc/callback", HTTP_GET, upstream_callback},
    {"/account", HTTP_GET, account_get},
    {"/account/password", HTTP_POST, account_password, .is_login = true},
    {"/account/revoke", HTTP_POST, account_revoke},
    {"/account/lower", HTTP_POST, account_lower},
    {"/account/sign-out", HTTP_GET, account_signed_out},
    {"/account/sign-out", HTTP_POST, account_sign_out},
};

/* One visit, queued for a worker. */
struct browser_job {
    struct oauth *oauth;
    struct http_exchange *exchange;
    const struct browser_row *row;
};

/* Our own rows, then the app's. */
static void list_rows(struct oauth *o, struct browser *b)
{
    const struct oauth_config *c = &o->config;
    size_t n_pages = 0, n = COUNT_OF(own_rows);
    while (c->pages != NULL && c->pages[n_pages].path != NULL)
        n_pages++;
    struct browser_row *rows =
        ARENA_ARRAY(&o->arena, struct browser_row, n + 2 * n_pages + 1);
    memcpy(rows, own_rows, sizeof(own_rows));
    if (c->section != NULL)
        rows[n++] = (struct browser_row){c->section->path, HTTP_POST, account_act};
    for (size_t i = 0; i < n_pages; i++) {
        const struct oauth_page *p = &c->pages[i];
        rows[n++] = (struct browser_row){p->path, HTTP_GET, account_page, .page = p};
        if (p->takes_form)
            rows[n++] = (struct browser_row){p->path, HTTP_POST, account_page, .page = p};
    }
    b->rows = rows;
    b->n_rows = n;
}

bool browser_create(struct oauth *o, struct browser **out, struct err *err)
{
    const struct oauth_config *config = &o->config;
    struct uri uri;
    if (!uri_parse(config->url, &uri))
        return err_set(err, ERR_INVALID,
                       "the server URL is not one that browsers accept");
    struct browser *b = mem_zero(sizeof(*b));
    b->https = str_eq(uri.scheme, STR("https"));
    b->origin = str_slice(config->url, 0, config->url.n - uri.rest.n);
    b->site = (struct page_site){.base = uri.rest,
                                 .vault = config->vault_name,
                                 .pages = config->pages,
                                 .has_accounts = true};
    b->flows = auth_flows_create(store_is_shared(o->store) ? o->store : NULL);
    b->logins = pool_create(USERS_CHECKS, USERS_QUEUE);
    b->pages = pool_create(PAGES_WORKERS, PAGES_QUEUE);
    list_rows(o, b);
    *out = b;
    return true;
}

void browser_stop(struct browser *b)
{
    if (b == NULL)
        return;
    pool_free(b->logins);
    pool_free(b->pages);
    b->logins = b->pages = NULL;
}

void browser_free(struct browser *b)
{
    if (b == NULL)
        return;
    browser_stop(b);
    auth_flows_free(b->flows);
    free(b);
}

static struct browser_request browser_request_of(struct oauth *o, struct http_exchange *x,
                                                 struct arena *a)
{
    return (struct browser_request){
        .browser = o->browser,
        .oauth = o,
        .users = o->users,
        .config = &o->config,
        .exchange = x,
        .request = http_request_of(x),
        .arena = a,
    };
}

static void browser_run(void *arg)
{
    struct browser_job *job = arg;
    struct arena a = {0};
    struct browser_request v = browser_request_of(job->oauth, job->exchange, &a);
    v.page = job->row->page;
    job->row->run(&v);
    http_reply(v.exchange, &v.answer);
    arena_release(&a);
    free(job);
}

/* Hashing a password is slow, and MCP calls go first. These threads do nothing else. */
static void run_login(void *arg)
{
    thread_be_last();
    browser_run(arg);
}

/* Answer on the loop, without a worker. */
static void browser_refuse(struct oauth *o, struct http_exchange *x, int status,
                           const char *title, const char *text, const char *allow)
{
    struct arena a = {0};
    struct browser_request v = browser_request_of(o, x, &a);
    browser_request_error(&v, status, title, text);
    if (allow != NULL)
        http_add_header(&v.answer, STR("Allow"), str_c(allow));
    http_reply(x, &v.answer);
    arena_release(&a);
}

/* HEAD is GET for pages of the app; a step of a sign-in is made by GET alone. */
static bool takes(const struct browser_row *row, enum http_method method)
{
    return row->method == method ||
           (method == HTTP_HEAD && row->method == HTTP_GET && row->page != NULL);
}

/* The methods of a path, as bits of enum http_method; 0: no such path. */
static unsigned methods_of(const struct browser *b, str path)
{
    unsigned methods = 0;
    for (size_t i = 0; i < b->n_rows; i++)
        if (http_route_fits(b->rows[i].path, path))
            methods |= b->rows[i].method;
    return methods;
}

static const struct browser_row *find_row(const struct browser *b,
                                          const struct http_request *r)
{
    for (size_t i = 0; i < b->n_rows; i++)
        if (takes(&b->rows[i], r->method) && http_route_fits(b->rows[i].path, r->path))
            return &b->rows[i];
    return NULL;
}

/* HEAD is not allowed: the pages have side effects. */
static void refuse_method(struct oauth *o, struct http_exchange *x, unsigned methods)
{
    const char *allow = methods == HTTP_GET    ? "GET, OPTIONS"
                        : methods == HTTP_POST ? "POST, OPTIONS"
                                               : "GET, POST, OPTIONS";
    if (methods == 0)
        browser_refuse(o, x, 404, "Page not found", "Check the address.", NULL);
    else
        browser_refuse(o, x, 405, "Method not allowed",
                       "This page does not accept such requests.", allow);
}

/* Passwords and pages of the app take long, so the sites that ask share them. */
static bool browser_submit(struct oauth *o, struct browser_job *job)
{
    char room[NET_TEXT_SIZE];
    const struct browser_row *row = job->row;
    str site = http_address_site(http_request_of(job->exchange)->peer, room);
    if (!row->is_login && row->page == NULL)
        return pool_try(o->work, browser_run, job);
    return pool_try_for(row->is_login ? o->browser->logins : o->browser->pages,
                        hash_table(site) | 1, row->is_login ? run_login : browser_run,
                        job);
}

void browser_handle(struct oauth *o, struct http_exchange *x)
{
    const struct http_request *r = http_request_of(x);
    const struct browser_row *row = find_row(o->browser, r);
    if (row == NULL) {
        refuse_method(o, x, methods_of(o->browser, r->path));
        return;
    }
    struct browser_job *job = mem_alloc(sizeof(*job));
    *job = (struct browser_job){.oauth = o, .exchange = x, .row = row};
    if (!browser_submit(o, job)) {
        free(job);
        browser_refuse(o, x, 503, "Server busy",
                       "Too many requests at the same time. Try again soon.", NULL);
    }
}
