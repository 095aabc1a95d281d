#include "oauth/documents.h"
#include "oauth/sql.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "fetch/fetch.h"
#include "oauth/uri.h"
#include "state/store.h"

struct documents_entry {
    char *url, *text; /* text NULL: fetching failed, see why */
    int64_t fetched;  /* seconds since 1970, of text */
    int64_t until;    /* it need not be fetched again before */
    struct err why;
};

struct documents {
    struct lock lock; /* protects everything below */
    bool development;
    struct store *store; /* or NULL */
    unsigned fetching;
    struct documents_entry entries[DOCUMENT_ENTRIES];
};

/* What Anthropic's clients are known to use (SEC-24); a fetched document takes
 * precedence. */
static const struct {
    const char *url, *text;
} pinned[] = {
    {"https://claude.ai/oauth/mcp-oauth-client-metadata",
     "{\"client_id\":\"https://claude.ai/oauth/mcp-oauth-client-metadata\","
     "\"client_name\":\"Claude\",\"redirect_uris\":["
     "\"https://claude.ai/api/mcp/auth_callback\","
     "\"https://claude.com/api/mcp/auth_callback\"],"
     "\"token_endpoint_auth_method\":\"none\"}"},
    {"https://claude.ai/oauth/claude-code-client-metadata",
     "{\"client_id\":\"https://claude.ai/oauth/claude-code-client-metadata\","
     "\"client_name\":\"Claude Code\",\"redirect_uris\":["
     "\"http://localhost/callback\",\"http://127.0.0.1/callback\"],"
     "\"token_endpoint_auth_method\":\"none\"}"},
};

struct documents *documents_create(bool development)
{
    struct documents *d = mem_zero(sizeof(*d));
    lock_init(&d->lock, LOCK_LEAF);
    d->development = development;
    return d;
}

static void documents_forget(struct documents_entry *e)
{
    free(e->url);
    free(e->text);
    *e = (struct documents_entry){0};
}

void documents_free(struct documents *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < DOCUMENT_ENTRIES; i++)
        documents_forget(&d->entries[i]);
    lock_release(&d->lock);
    free(d);
}

/* --- reading a document --- */

static bool bad(struct err *err, const char *what)
{
    return err_set(err, ERR_NOT_FOUND, "the client's document %s", what);
}

/* Whether the document allows the method "none", the only one possible here: such a
 * client never received a secret from us. */
static bool allows_public(const struct json *j)
{
    const struct json *methods =
        json_get(j, STR("token_endpoint_auth_methods_supported"));
    str method = json_get_str(j, STR("token_endpoint_auth_method"));
    if (method.n == 0 && methods == NULL)
        return true;
    if (str_eq(method, STR("none")))
        return true;
    if (json_is(methods, JSON_ARRAY))
        for (const struct json *m = methods->child; m != NULL; m = m->next)
            if (json_is(m, JSON_STRING) && str_eq(m->text, STR("none")))
                return true;
    return false;
}

static bool has_secrets(const struct json *j)
{
    if (json_get(j, STR("client_secret")) != NULL)
        return true;
    const struct json *keys = json_get(json_get(j, STR("jwks")), STR("keys"));
    if (json_is(keys, JSON_ARRAY))
        for (const struct json *k = keys->child; k != NULL; k = k->next)
            if (json_get(k, STR("d")) != NULL || json_get(k, STR("k")) != NULL)
                return true;
    return false;
}

static bool documents_read_redirects(struct arena *a, const struct json *j,
                                     struct oauth_client *out, struct err *err)
{
    const struct json *list = json_get(j, STR("redirect_uris"));
    if (!json_is(list, JSON_ARRAY) || list->n == 0 || list->n > CLIENT_REDIRECTS_MAX)
        return bad(err, "has no redirect URI, or too many");
    str *uris = ARENA_ARRAY(a, str, list->n);
    for (const struct json *u = list->child; u != NULL; u = u->next) {
        struct err why;
        if (!json_is(u, JSON_STRING) || !uri_check_redirect(u->text, &why))
            return bad(err, "has a redirect URI that is not allowed");
        uris[out->n_redirect_uris++] = arena_str(a, u->text);
    }
    out->redirect_uris = uris;
    return true;
}

bool document_read(struct arena *a, str url, str text, struct oauth_client *out,
                   struct err *err)
{
    const struct json *j;
    *out = (struct oauth_client){.kind = CLIENT_DOCUMENT,
                                 .auth = CLIENT_PUBLIC,
                                 .grants = GRANT_CODE | GRANT_REFRESH};
    if (!json_parse(a, text, &j, err) || j->type != JSON_OBJECT)
        return bad(err, "is not a JSON object");
    if (!str_eq(json_get_str(j, STR("client_id")), url))
        return bad(err, "has a client_id that differs from its URL");
    if (has_secrets(j))
        return bad(err, "contains a secret, which anyone could read there");
    if (!allows_public(j))
        return bad(err, "asks for an unsupported authentication method: it must list "
                        "none");
    out->id = arena_str(a, url);
    struct uri at = {0};
    str name = json_get_str(j, STR("client_name"));
    if (name.n == 0 && uri_parse(url, &at))
        name = at.host;
    out->name = arena_str(a, name);
    return documents_read_redirects(a, j, out, err);
}

/* --- caching --- */

struct copy {
    str text;
    int64_t fetched;
};

static struct documents_entry *known(struct documents *d, str url)
{
    for (size_t i = 0; i < DOCUMENT_ENTRIES; i++)
        if (d->entries[i].url != NULL && str_eq(str_c(d->entries[i].url), url))
            return &d->entries[i];
    return NULL;
}

/* A free entry, or else the one that expires first. */
static struct documents_entry *documents_place(struct documents *d)
{
    struct documents_entry *first = &d->entries[0];
    for (size_t i = 0; i < DOCUMENT_ENTRIES; i++) {
        struct documents_entry *e = &d->entries[i];
        if (e->url == NULL)
            return e;
        if (e->until < first->until)
            first = e;
    }
    documents_forget(first);
    return first;
}

static void documents_remember(struct documents *d, str url, const struct copy *copy,
                               int64_t seconds, const struct err *why)
{
    lock_take(&d->lock);
    struct documents_entry *e = known(d, url);
    if (e != NULL)
        documents_forget(e);
    else
        e = documents_place(d);
    e->url = mem_str(url);
    e->text = copy != NULL ? mem_str(copy->text) : NULL;
    e->fetched = copy != NULL ? copy->fetched : 0;
    e->until = clock_now() + seconds;
    if (why != NULL)
        e->why = *why;
    lock_drop(&d->lock);
}

enum recall { RECALL_NONE, RECALL_TEXT, RECALL_FAILED };

static enum recall recall(struct documents *d, struct arena *a, str url, str *text,
                          struct err *err)
{
    enum recall found = RECALL_NONE;
    lock_take(&d->lock);
    const struct documents_entry *e = known(d, url);
    if (e != NULL && e->until > clock_now()) {
        found = e->text != NULL ? RECALL_TEXT : RECALL_FAILED;
        if (e->text != NULL)
            *text = arena_str(a, str_c(e->text));
        else
            *err = e->why;
    }
    lock_drop(&d->lock);
    return found;
}

/* --- copies --- */

/* A copy that may be used while its server does not answer: from memory, else from the
 * store. */
static bool documents_stale(struct documents *d, struct arena *a, str url,
                            struct copy *out)
{
    struct store_value v[2];
    struct err err;
    *out = (struct copy){0};
    lock_take(&d->lock);
    const struct documents_entry *e = known(d, url);
    if (e != NULL && e->text != NULL)
        *out = (struct copy){arena_str(a, str_c(e->text)), e->fetched};
    lock_drop(&d->lock);
    if (out->fetched == 0 && d->store != NULL &&
        store_get(d->store, a, SQL_DOCUMENT_GET, STORE_ARGS(STORE_S(url)), v, COUNT_OF(v),
                  &err))
        *out = (struct copy){v[0].s, v[1].n};
    return out->fetched > 0 && clock_now() - out->fetched < DOCUMENT_STALE_S;
}

static void documents_log(const struct err *err)
{
    log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err->msg)),
              LOG_STR("detail", str_c(err->detail)));
}

static void documents_put(struct documents *d, str url, const struct copy *copy)
{
    struct err err;
    if (!store_run(d->store, SQL_DOCUMENT_PUT,
                   STORE_ARGS(STORE_S(url), STORE_S(copy->text), STORE_N(copy->fetched)),
                   NULL, &err))
        documents_log(&err);
}

/* Only if it is stored already: then the client has, or had, a grant. */
static void documents_update(struct documents *d, struct arena *a, str url,
                             const struct copy *copy)
{
    struct store_value v[2];
    struct err err;
    if (d->store != NULL &&
        store_get(d->store, a, SQL_DOCUMENT_GET, STORE_ARGS(STORE_S(url)), v, COUNT_OF(v),
                  &err) &&
        (!str_eq(v[0].s, copy->text) || copy->fetched - v[1].n >= DOCUMENT_STORED_S))
        documents_put(d, url, copy);
}

static void documents_drop(struct documents *d, str url)
{
    struct err err;
    int dropped;
    if (d->store != NULL &&
        !store_run(d->store, SQL_DOCUMENT_DROP, STORE_ARGS(STORE_S(url)), &dropped, &err))
        documents_log(&err);
}

bool documents_use(struct documents *d, struct store *store)
{
    d->store = store;
    return true;
}

void documents_keep(struct documents *d, str url)
{
    struct arena a = {0};
    struct copy copy;
    if (d->store != NULL && documents_stale(d, &a, url, &copy))
        documents_put(d, url, &copy);
    arena_release(&a);
}

/* --- fetching --- */

static bool documents_take_turn(struct documents *d)
{
    lock_take(&d->lock);
    bool free_turn = d->fetching < DOCUMENT_AT_ONCE;
    d->fetching += free_turn;
    lock_drop(&d->lock);
    return free_turn;
}

static void end_turn(struct documents *d)
{
    lock_take(&d->lock);
    d->fetching--;
    lock_drop(&d->lock);
}

static bool is_json(str type)
{
    return str_eq_nocase(type, STR("application/json")) || str_ends(type, STR("+json"));
}

/* Whether the server says that the document is not there, rather than nothing about it. */
static bool is_answer(int status)
{
    return status == 200 || status == 404 || status == 410 ||
           (status >= 300 && status < 400);
}

/* *answered: its server said something, even if it is not a document. */
static bool fetch_document(const struct documents *d, struct arena *a, str url,
                           struct fetched *out, bool *answered, struct err *err)
{
    struct fetch f = {.url = url,
                      .max = DOCUMENT_SIZE,
                      .ms = DOCUMENT_MS,
                      .public_only = !d->development,
                      .loopback_http = d->development};
    if (!fetch_url(a, &f, out, err)) {
        *answered = err->code == ERR_LIMIT;
        return false;
    }
    *answered = is_answer(out->status);
    if (out->status != 200)
        return err_set(err, ERR_NOT_FOUND,
                       "the client's document could not be fetched: status %d",
                       out->status);
    return is_json(out->content_type) || bad(err, "is not of type application/json");
}

static int64_t kept_for(int64_t max_age)
{
    if (max_age < 0)
        return DOCUMENT_UNSAID_S;
    return max_age < DOCUMENT_KEPT_S ? max_age : DOCUMENT_KEPT_S;
}

static bool read_pinned(struct arena *a, str url, struct oauth_client *out)
{
    struct err err;
    for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++)
        if (str_eq(url, str_c(pinned[i].url)))
            return document_read(a, url, str_c(pinned[i].text), out, &err);
    return false;
}

static bool use_stale(struct documents *d, struct arena *a, str url,
                      struct oauth_client *out, struct err *err)
{
    struct copy copy;
    struct err why = *err;
    if (!documents_stale(d, a, url, &copy) || !document_read(a, url, copy.text, out, err))
        return false;
    documents_remember(d, url, &copy, DOCUMENT_FAILED_S, NULL);
    log_event(LOG_WARN, "oauth.document_stale", LOG_STR("client", url),
              LOG_INT("age", clock_now() - copy.fetched),
              LOG_STR("error", str_c(why.msg)));
    return true;
}

static bool fetch_and_read(struct documents *d, struct arena *a, str url,
                           struct oauth_client *out, struct err *err)
{
    struct fetched got;
    bool answered = false;
    bool ok = fetch_document(d, a, url, &got, &answered, err) &&
              document_read(a, url, got.body, out, err);
    if (ok) {
        struct copy copy = {got.body, clock_now()};
        documents_remember(d, url, &copy, kept_for(got.max_age), NULL);
        documents_update(d, a, url, &copy);
        return true;
    }
    if (!answered && use_stale(d, a, url, out, err))
        return true;
    if (err->code == ERR_BUSY)
        return false; /* no request was sent */
    if (answered)
        documents_drop(d, url);
    err->code = ERR_NOT_FOUND; /* whatever the cause, the id does not name a client */
    documents_remember(d, url, NULL, DOCUMENT_FAILED_S, err);
    return false;
}

/* https (in development also http on loopback) with a path; uri_parse() refuses user,
 * fragment and dot segments. */
static bool may_be_fetched(const struct documents *d, str url)
{
    struct uri u;
    if (url.n > DOCUMENT_URL_SIZE || !uri_parse(url, &u) || u.rest.n < 2 ||
        u.rest.p[0] != '/')
        return false;
    return str_eq(u.scheme, STR("https")) ||
           (d->development && str_eq(u.scheme, STR("http")) && uri_is_loopback(&u));
}

bool documents_find(struct documents *d, struct arena *a, str url,
                    struct oauth_client *out, struct err *err)
{
    if (!may_be_fetched(d, url))
        return err_set(err, ERR_NOT_FOUND,
                       "a client id that is a URL must be https with a path, without "
                       "user, fragment or dot segments");
    str text;
    switch (recall(d, a, url, &text, err)) {
    case RECALL_TEXT:
        return document_read(a, url, text, out, err);
    case RECALL_FAILED:
        return read_pinned(a, url, out);
    case RECALL_NONE:
        break;
    }
    if (!documents_take_turn(d)) {
        err_set(err, ERR_BUSY,
                "too many client documents are being fetched: try again soon");
        return use_stale(d, a, url, out, err) || read_pinned(a, url, out);
    }
    bool ok = fetch_and_read(d, a, url, out, err);
    end_turn(d);
    return ok || read_pinned(a, url, out);
}
