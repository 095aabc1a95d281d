/*
 * Dynamic registration (RFC 7591). The answer contains exactly what is enforced: absent
 * members are left out (SEC-20), grant types we do not support are dropped (SEC-23), and
 * an id or secret sent by the client is ignored.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/json_write.h"
#include "http/address.h"
#include "oauth/clients.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/sql.h"
#include "oauth/uri.h"
#include "replica/limiter.h"
#include "replica/shared_counter.h"
#include "state/store.h"

enum { REGISTER_DEPTH = 16 };

static const struct {
    str name;
    enum oauth_client_auth auth;
} methods[] = {
    {{"none", 4}, CLIENT_PUBLIC},
    {{"client_secret_post", 18}, CLIENT_SECRET_POST},
    {{"client_secret_basic", 19}, CLIENT_SECRET_BASIC},
};

static const struct {
    str name;
    enum oauth_grant_type type;
} offered[] = {
    {{"authorization_code", 18}, GRANT_CODE},
    {{"refresh_token", 13}, GRANT_REFRESH},
};

static bool register_refuse(str *code, struct err *err, const char *why)
{
    *code = STR("invalid_client_metadata");
    return err_set(err, ERR_INVALID, "%s", why);
}

static bool is_too_deep(const struct json *j, unsigned depth)
{
    if (depth > REGISTER_DEPTH)
        return true;
    for (const struct json *c = j->child; c != NULL; c = c->next)
        if (is_too_deep(c, depth + 1))
            return true;
    return false;
}

static bool register_read_redirects(struct arena *a, const struct json *list,
                                    struct oauth_client *c, str *code, struct err *err)
{
    *code = STR("invalid_redirect_uri");
    if (!json_is(list, JSON_ARRAY) || list->n == 0 || list->n > CLIENT_REDIRECTS_MAX)
        return err_set(err, ERR_INVALID, "redirect_uris must be a list of 1 to %d URIs",
                       CLIENT_REDIRECTS_MAX);
    str *uris = ARENA_ARRAY(a, str, list->n);
    for (const struct json *j = list->child; j != NULL; j = j->next) {
        str uri;
        if (!json_str(j, &uri))
            return err_set(err, ERR_INVALID, "a redirect URI must be a string");
        if (!uri_check_redirect(uri, err))
            return false;
        uris[c->n_redirect_uris++] = uri;
    }
    c->redirect_uris = uris;
    return true;
}

static bool read_method(const struct json *j, struct oauth_client *c, str *code,
                        struct err *err)
{
    str name;
    if (j == NULL)
        return true; /* a public client, the usual case */
    for (size_t i = 0; json_str(j, &name) && i < COUNT_OF(methods); i++) {
        if (str_eq(name, methods[i].name)) {
            c->auth = methods[i].auth;
            return true;
        }
    }
    return register_refuse(
        code, err,
        "token_endpoint_auth_method must be none, client_secret_post or "
        "client_secret_basic");
}

static bool read_grant_types(const struct json *list, struct oauth_client *c, str *code,
                             struct err *err)
{
    c->grants = GRANT_CODE | GRANT_REFRESH;
    if (list == NULL)
        return true;
    if (!json_is(list, JSON_ARRAY))
        return register_refuse(code, err, "grant_types must be a list");
    c->grants = 0;
    str name;
    for (const struct json *j = list->child; j != NULL; j = j->next)
        for (size_t i = 0; json_str(j, &name) && i < COUNT_OF(offered); i++)
            if (str_eq(name, offered[i].name))
                c->grants |= offered[i].type;
    return (c->grants & GRANT_CODE) != 0 ||
           register_refuse(code, err, "grant_types must name authorization_code");
}

static bool read_response_types(const struct json *list, str *code, struct err *err)
{
    if (list == NULL)
        return true;
    str name;
    for (const struct json *j = json_is(list, JSON_ARRAY) ? list->child : NULL; j != NULL;
         j = j->next)
        if (json_str(j, &name) && str_eq(name, STR("code")))
            return true;
    return register_refuse(code, err, "response_types must name code");
}

static bool read_metadata(struct arena *a, str body, struct oauth_client *c, str *code,
                          struct err *err)
{
    const struct json *j;
    struct err why;
    if (!json_parse(a, body, &j, &why) || !json_is(j, JSON_OBJECT) || is_too_deep(j, 1))
        return register_refuse(code, err,
                               "the body must be a JSON object without duplicate keys");
    *c = (struct oauth_client){.kind = CLIENT_REGISTERED};
    const struct json *name = json_get(j, STR("client_name"));
    if (name != NULL && !json_str(name, &c->name))
        return register_refuse(code, err, "client_name must be a string");
    c->name = clients_clean_name(a, c->name);
    return register_read_redirects(a, json_get(j, STR("redirect_uris")), c, code, err) &&
           read_method(json_get(j, STR("token_endpoint_auth_method")), c, code, err) &&
           read_grant_types(json_get(j, STR("grant_types")), c, code, err) &&
           read_response_types(json_get(j, STR("response_types")), code, err);
}

/* --- the answer --- */

static str print_answer(struct arena *a, const struct oauth_client *c, int64_t created,
                        str secret)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("client_id"), c->id);
    jsonw_put_int(&w, STR("client_id_issued_at"), created);
    if (secret.n > 0) {
        jsonw_put_str(&w, STR("client_secret"), secret);
        jsonw_put_int(&w, STR("client_secret_expires_at"), 0);
    }
    jsonw_put_text(&w, STR("client_name"), c->name);
    jsonw_put_strs(&w, STR("redirect_uris"), c->redirect_uris, c->n_redirect_uris);
    jsonw_put_array(&w, STR("grant_types"));
    for (size_t i = 0; i < COUNT_OF(offered); i++)
        if (c->grants & offered[i].type)
            jsonw_str(&w, offered[i].name);
    jsonw_end(&w);
    jsonw_put_array(&w, STR("response_types"));
    jsonw_str(&w, STR("code"));
    jsonw_end(&w);
    jsonw_put_str(&w, STR("token_endpoint_auth_method"), methods[c->auth].name);
    jsonw_end(&w);
    return sbuf_str(&out);
}

/* --- the store --- */

static bool register_make_room(struct oauth *o, struct arena *a, int64_t date,
                               struct err *err)
{
    struct store_value v[1];
    int evicted = 1;
    if (!store_run(o->store, SQL_CLIENT_EXPIRE,
                   STORE_ARGS(STORE_N(date - CLIENT_UNUSED_S)), NULL, err) ||
        !store_get(o->store, a, SQL_CLIENT_COUNT, STORE_NO_ARGS, v, 1, err))
        return false;
    if (v[0].n >= CLIENT_MAX &&
        !store_run(o->store, SQL_CLIENT_EVICT, STORE_NO_ARGS, &evicted, err))
        return false;
    return evicted > 0 ||
           err_set(err, ERR_LIMIT, "too many clients, and all of them are in use");
}

static bool add_client(struct oauth *o, struct arena *a, const struct oauth_client *c,
                       const uint8_t body[HASH_SIZE], int64_t now, struct err *err)
{
    struct sbuf uris = SBUF_ON(a);
    for (size_t i = 0; i < c->n_redirect_uris; i++) {
        if (i > 0)
            sbuf_char(&uris, '\n');
        sbuf_add(&uris, c->redirect_uris[i]);
    }
    struct store_value secret = c->auth == CLIENT_PUBLIC
                                    ? (struct store_value){STORE_NULL}
                                    : STORE_B(c->secret_hash, HASH_SIZE);
    int64_t date = oauth_date(o);
    return store_begin(o->store, STORE_LOCK_ACCESS, err) &&
           store_end(o->store,
                     register_make_room(o, a, date, err) &&
                         store_run(o->store, SQL_CLIENT_ADD,
                                   STORE_ARGS(STORE_S(c->id), STORE_S(c->name),
                                              STORE_N(c->auth), STORE_N(c->grants),
                                              secret, STORE_S(sbuf_str(&uris)),
                                              STORE_B(body, HASH_SIZE), STORE_N(now)),
                                   NULL, err),
                     err);
}

/* A client that registers repeatedly with the same data stays one client. */
static bool find_same(struct oauth *o, struct arena *a, const uint8_t body[HASH_SIZE],
                      int64_t now, struct oauth_client *c, int64_t *created)
{
    struct store_value v[2];
    struct err err;
    int changed = 0;
    if (c->auth != CLIENT_PUBLIC ||
        !store_get(o->store, a, SQL_CLIENT_BY_BODY, STORE_ARGS(STORE_B(body, HASH_SIZE)),
                   v, COUNT_OF(v), &err) ||
        !store_run(o->store, SQL_CLIENT_SEEN, STORE_ARGS(STORE_N(now), STORE_S(v[0].s)),
                   &changed, &err) ||
        changed == 0)
        return false;
    c->id = v[0].s;
    *created = v[1].n;
    return true;
}

/* A network has its own share, which others cannot use up; above it, one for all. */
static bool may_register_here(struct oauth *o, str network)
{
    uint64_t now = clock_ms();
    return limiter_take(o->registrations_of_network, network, now, NULL) ||
           limiter_take(o->registrations, STR(""), now, NULL);
}

/* The same for all servers of a database. While that does not answer, each counts for
 * itself; nothing can be registered then anyway. */
static bool may_register_together(struct oauth *o, str network)
{
    struct err err = {0};
    uint64_t wait_ms = 0;
    if (!store_begin(o->store, SHARED_COUNTER_LOCK, &err))
        return true;
    bool ok = shared_counter_take(o->store, &oauth_registrations_of_network, network,
                                  &wait_ms, &err) &&
              (wait_ms == 0 || shared_counter_take(o->store, &oauth_registrations,
                                                   STR(""), &wait_ms, &err));
    (void)!store_end(o->store, ok && wait_ms == 0, &err);
    return wait_ms == 0;
}

static bool may_register(struct oauth *o, str peer)
{
    char room[NET_TEXT_SIZE];
    str network = http_address_network(peer, room);
    return may_register_here(o, network) &&
           (!store_is_shared(o->store) || may_register_together(o, network));
}

bool clients_register(struct oauth *o, struct arena *a, str peer, str body, str *answer,
                      str *code, struct err *err)
{
    struct oauth_client c;
    uint8_t hash[HASH_SIZE];
    int64_t now = clock_now(), created = now;
    str secret = STR("");
    if (!read_metadata(a, body, &c, code, err))
        return false;
    hash_sha256(body, hash);
    if (!find_same(o, a, hash, now, &c, &created)) {
        *code = STR("temporarily_unavailable");
        if (!may_register(o, peer))
            return err_set(err, ERR_LIMIT,
                           "too many clients are registering at the moment");
        c.id = secret_uuid(a);
        if (c.auth != CLIENT_PUBLIC) {
            secret = secret_new(a, STR("vx_"));
            hash_sha256(secret, c.secret_hash);
        }
        if (!add_client(o, a, &c, hash, now, err))
            return false;
        audit(LOG_INFO, "oauth.register", c.id, STR(""), STR(""), NULL);
    }
    *answer = print_answer(a, &c, created, secret);
    return true;
}
