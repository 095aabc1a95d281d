#include "oauth/oauth.h"
#include "oauth/sql.h"

#include "base/os/bytes.h"
#include "base/os/rand.h"
#include "oauth/browser.h"
#include "oauth/cache.h"
#include "oauth/documents.h"
#include "oauth/endpoint.h"
#include "oauth/parts.h"
#include "oauth/upstream.h"
#include "oauth/uri.h"
#include "oauth/users.h"
#include "replica/limiter.h"
#include "state/store.h"

const struct shared_counter oauth_registrations = {
    "registrations", {.limit = REGISTRATIONS_SHARED, .window_ms = 60000}};
const struct shared_counter oauth_registrations_of_network = {
    "registrations of a network", {.limit = REGISTRATIONS_RESERVED, .window_ms = 60000}};

enum {
    FORM_BODY_MAX = 16 << 10,    /* for the pages' forms, */
    CONSENT_BODY_MAX = 64 << 10, /* and with a level for each folder */
};

/* --- our own copy of the configuration --- */

static void copy_providers(struct arena *a, struct oauth_config *c)
{
    str *texts[] = {&c->github.client_id,   &c->github.client_secret,
                    &c->github.oauth_url,   &c->github.api_url,
                    &c->oidc.issuer,        &c->oidc.client_id,
                    &c->oidc.client_secret, &c->oidc.name,
                    &c->oidc.claim};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = arena_str(a, *texts[i]);
    c->github.allowed = copy_texts(a, c->github.allowed, c->github.n_allowed);
    c->oidc.allowed = copy_texts(a, c->oidc.allowed, c->oidc.n_allowed);
}

static void copy_tools(struct arena *a, struct oauth_config *c)
{
    struct oauth_tool *tools = ARENA_ARRAY(a, struct oauth_tool, c->n_tools);
    for (size_t i = 0; i < c->n_tools; i++)
        tools[i] =
            (struct oauth_tool){arena_str(a, c->tools[i].name),
                                arena_str(a, c->tools[i].title), c->tools[i].reads};
    c->tools = tools;
}

static void oauth_copy_config(struct oauth *o, const struct oauth_config *config)
{
    struct arena *a = &o->arena;
    struct oauth_config *c = &o->config;
    *c = *config;
    str *texts[] = {&c->url, &c->mcp_path, &c->vault_name, &c->users, &c->users_file};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        *texts[i] = arena_str(a, *texts[i]);
    c->vault_folders = (str *)copy_texts(a, c->vault_folders, c->n_vault_folders);
    c->database = c->database != NULL ? arena_str(a, str_c(c->database)).p : c->database;
    lock_shared_init(&o->configured.lock, LOCK_LEAF);
    configured_set(o, c->clients, c->n_clients);
    c->clients = NULL;
    copy_providers(a, c);
    copy_tools(a, c);
}

/* --- creating --- */

static bool check_issuer_url(const struct oauth_config *c, struct err *err)
{
    struct uri u;
    if (!uri_parse(c->url, &u) || str_ends(c->url, STR("/")) ||
        str_find_char(c->url, '?') != STR_NONE)
        return err_set(err, ERR_INVALID,
                       "server-url must be https://host[:port][/path] in ASCII");
    if (!str_eq(u.scheme, STR("https")) &&
        !(str_eq(u.scheme, STR("http")) && uri_is_loopback(&u)))
        return err_set(err, ERR_INVALID,
                       "server-url must begin with https:// when people sign in "
                       "(http only for localhost)");
    return true;
}

static bool check_clients(const struct oauth_client *clients, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct oauth_client *client = &clients[i];
        for (size_t j = 0; j < client->n_redirect_uris; j++)
            if (!uri_check_redirect(client->redirect_uris[j], err))
                return false;
        if (client->id.n == 0 ||
            (client->auth == CLIENT_PUBLIC && (client->grants & GRANT_CREDENTIALS) != 0))
            return err_set(err, ERR_INVALID,
                           "a configured client needs an id, and a secret if it may use "
                           "client_credentials");
    }
    return true;
}

/* The key is the same in every process: the first process to start sets it. */
static bool read_refresh_key(struct oauth *o, struct err *err)
{
    struct arena a = {0};
    struct store_value v[1];
    uint8_t fresh[HASH_SIZE];
    rand_bytes(fresh, sizeof(fresh));
    bool ok = store_run(o->store, SQL_SECRET_ADD,
                        STORE_ARGS(STORE_S(STR("refresh")), STORE_B(fresh, HASH_SIZE)),
                        NULL, err) &&
              store_get(o->store, &a, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR("refresh"))),
                        v, 1, err);
    if (ok && v[0].s.n == HASH_SIZE)
        memcpy(o->refresh_key, v[0].s.p, HASH_SIZE);
    else if (ok)
        ok = err_set(err, ERR_INVALID, "the sign-in database is damaged");
    arena_release(&a);
    return ok;
}

static void name_urls(struct oauth *o)
{
    const struct oauth_config *c = &o->config;
    o->resource =
        arena_printf(&o->arena, STR_FMT STR_FMT, STR_ARG(c->url), STR_ARG(c->mcp_path));
    o->root_metadata_url = arena_printf(
        &o->arena, STR_FMT "/.well-known/oauth-protected-resource", STR_ARG(c->url));
    o->metadata_url = c->root_challenge ? o->root_metadata_url
                                        : arena_printf(&o->arena, STR_FMT STR_FMT,
                                                       STR_ARG(o->root_metadata_url),
                                                       STR_ARG(c->mcp_path));
}

static bool open_store(struct oauth *o, struct err *err)
{
    o->store = o->config.store;
    if ((o->store == NULL && !store_open(o->config.database, &o->store, err)) ||
        !store_keep(o->store, err))
        return false;
    if (store_is_shared(o->store))
        users_share(o->users, o->store);
    return true;
}

bool oauth_check(const struct oauth_config *config, struct err *err)
{
    return check_issuer_url(config, err) && upstream_check(config, err) &&
           check_clients(config->clients, config->n_clients, err);
}

bool oauth_create(const struct oauth_config *config, struct oauth **out, struct err *err)
{
    if (!oauth_check(config, err))
        return false;
    struct oauth *o = mem_zero(sizeof(*o));
    oauth_copy_config(o, config);
    name_urls(o);
    cache_init(&o->cache);
    o->work = pool_create(OAUTH_WORKERS, OAUTH_QUEUE);
    o->lookups = pool_create(GATE_WORKERS, GATE_QUEUE);
    o->documents = documents_create(o->config.development);
    o->registrations = limiter_create(&oauth_registrations.rule);
    o->registrations_of_network = limiter_create(&oauth_registrations_of_network.rule);
    if (users_create(o->config.users, o->config.users_file, &o->users, err) &&
        users_watch(o->users, err) && open_store(o, err) &&
        documents_use(o->documents, o->store) && dates_open(o, err) &&
        read_refresh_key(o, err) && jwt_keys_open(o, err) &&
        browser_create(o, &o->browser, err)) {
        *out = o;
        return true;
    }
    oauth_free(o);
    return false;
}

uint64_t oauth_away_ms(const struct oauth *o)
{
    return store_away_ms(o->store);
}

static bool has_keys(struct oauth *o)
{
    struct arena a = {0};
    struct store_value v[2];
    struct err err;
    bool none =
        store_peek(o->store, &a, SQL_ACCESS_GIVEN, STORE_NO_ARGS, v, COUNT_OF(v), &err) &&
        v[0].n == 0;
    arena_release(&a);
    return !none;
}

static bool configured_any(struct oauth *o)
{
    lock_shared_read(&o->configured.lock);
    bool any = o->configured.n > 0;
    lock_shared_drop(&o->configured.lock);
    return any;
}

bool oauth_has_people(struct oauth *o)
{
    return users_any(o->users) || o->config.github.client_id.n > 0 ||
           o->config.oidc.issuer.n > 0 || configured_any(o) || has_keys(o);
}

bool oauth_reload_users(struct oauth *o, struct err *err)
{
    return users_reload(o->users, err);
}

bool oauth_set_clients(struct oauth *o, const struct oauth_client *clients, size_t n,
                       struct err *err)
{
    if (!check_clients(clients, n, err))
        return false;
    configured_set(o, clients, n);
    store_revoked(o->store); /* a client may be gone, or may do less */
    return oauth_forget_removed(o, err);
}

static bool forget_client(struct oauth *o, str client, struct err *err)
{
    static const char *const parts[] = {
        SQL_CODE_DROP_OF_CLIENT, SQL_CONSENT_DROP_OF_CLIENT, SQL_TOKEN_DROP_OF_CLIENT,
        SQL_GRANT_DROP_OF_CLIENT};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!store_run(o->store, parts[i], STORE_ARGS(STORE_S(client)), NULL, err))
            return false;
    audit(LOG_INFO, "oauth.revoke", client, STR(""), STR(""),
          "the client was removed from the configuration");
    return true;
}

bool oauth_forget_removed(struct oauth *o, struct err *err)
{
    struct arena a = {0};
    struct store_value *clients;
    size_t n, gone = 0;
    if (!store_begin(o->store, STORE_LOCK_ACCESS, err))
        return false;
    bool ok = store_list(o->store, &a, SQL_GRANT_STRANGERS, STORE_NO_ARGS, &clients, 1,
                         &n, err);
    for (size_t i = 0; ok && i < n; i++)
        if (clients_is_gone(o, clients[i].s, false)) {
            ok = forget_client(o, clients[i].s, err);
            gone++;
        }
    arena_release(&a);
    if (!store_end(o->store, ok, err))
        return false;
    if (gone > 0)
        store_revoked(o->store);
    return true;
}

unsigned oauth_scopes(const struct oauth_config *c)
{
    return c->read_only       ? OAUTH_MAY_READ
           : c->only_proposes ? OAUTH_MAY_PROPOSE
                              : OAUTH_MAY_WRITE;
}

size_t oauth_folders_of(const struct oauth *o, struct arena *a, str user, const str **out)
{
    const struct oauth_config *c = &o->config;
    str *theirs = NULL;
    size_t n = c->vaults_of != NULL ? c->vaults_of(c->app, a, user, &theirs)
                                    : c->n_vault_folders;
    *out = c->vaults_of != NULL ? theirs : c->vault_folders;
    return n;
}

bool oauth_stamp(const struct oauth *o, struct arena *a, str user, str *out)
{
    if (str_find_char(user, ':') == STR_NONE)
        return users_stamp(o->users, a, user, out);
    *out = STR("");
    return upstream_is_user(&o->config, user);
}

bool oauth_knows_user(const struct oauth *o, str user, str stamp)
{
    struct arena a = {0};
    str now;
    bool known = oauth_stamp(o, &a, user, &now) && hash_equal(now, stamp);
    arena_release(&a);
    return known;
}

bool oauth_look(struct oauth *o, void (*job)(void *arg), void *arg)
{
    return pool_try(o->lookups, job, arg);
}

void oauth_stop(struct oauth *o)
{
    if (o == NULL)
        return;
    browser_stop(o->browser);
    pool_free(o->lookups); /* before the pool that it uses */
    o->lookups = NULL;
    pool_free(o->work);
    o->work = NULL;
}

void oauth_free(struct oauth *o)
{
    if (o == NULL)
        return;
    oauth_stop(o); /* first, because workers use all the rest */
    browser_free(o->browser);
    jwt_keys_close(&o->keys);
    dates_close(&o->dates);
    if (o->config.store == NULL)
        store_close(o->store);
    users_free(o->users);
    documents_free(o->documents);
    limiter_free(o->registrations);
    limiter_free(o->registrations_of_network);
    cache_release(&o->cache);
    bytes_wipe(o->refresh_key, sizeof(o->refresh_key));
    arena_release(&o->configured.arena);
    lock_shared_release(&o->configured.lock);
    arena_release(&o->arena);
    free(o);
}

/* --- routes --- */

static void handle_browser(struct http_exchange *x, void *oauth)
{
    browser_handle(oauth, x);
}

#define WELL_KNOWN(path, handle)                                                         \
    {                                                                                    \
        "/.well-known/" path, HTTP_GET, 0, HTTP_CORS_ANY, handle, NULL                   \
    }
#define SERVICE(path, handle)                                                            \
    {                                                                                    \
        path, HTTP_POST, ENDPOINT_BODY_MAX, HTTP_CORS_ANY, handle, NULL                  \
    }
#define PAGE(path, most)                                                                 \
    {                                                                                    \
        path, HTTP_GET | HTTP_POST, most, HTTP_CORS_NONE, handle_browser, NULL           \
    }

static const struct http_route rows[] = {
    WELL_KNOWN("oauth-protected-resource", metadata_resource),
    WELL_KNOWN("oauth-protected-resource/", metadata_resource),
    WELL_KNOWN("oauth-authorization-server", metadata_server),
    WELL_KNOWN("oauth-authorization-server/", metadata_server),
    WELL_KNOWN("openid-configuration", metadata_server),
    WELL_KNOWN("openid-configuration/", metadata_server),
    WELL_KNOWN("jwks.json", metadata_keys),
    SERVICE("/oauth/token", token_handle),
    SERVICE("/token", token_handle),
    SERVICE("/oauth/register", register_handle),
    SERVICE("/register", register_handle),
    SERVICE("/oauth/revoke", revoke_handle),
    SERVICE("/revoke", revoke_handle),
    {"/oauth/introspect", HTTP_POST, ENDPOINT_BODY_MAX, HTTP_CORS_NONE, introspect_handle,
     NULL},
    PAGE("/authorize", FORM_BODY_MAX),
    PAGE("/oauth/consent", CONSENT_BODY_MAX),
    PAGE("/oauth/", FORM_BODY_MAX),
    PAGE("/account", FORM_BODY_MAX),
    PAGE("/account/", FORM_BODY_MAX),
};

const struct http_route *oauth_routes(struct oauth *o)
{
    size_t n_pages = 0, n = COUNT_OF(rows);
    const struct oauth_page *pages = o->config.pages;
    while (pages != NULL && pages[n_pages].path != NULL)
        n_pages++;
    struct http_route *routes =
        ARENA_ARRAY(&o->arena, struct http_route, n + n_pages + 1);
    memcpy(routes, rows, sizeof(rows));
    for (size_t i = 0; i < n_pages; i++)
        routes[n + i] = (struct http_route)PAGE(pages[i].path, FORM_BODY_MAX);
    for (size_t i = 0; i < n + n_pages; i++)
        routes[i].context = o;
    return routes;
}
