#include "oauth/auth_flow_store.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/json_write.h"
#include "base/log.h"
#include "oauth/proof/seal.h"
#include "oauth/rights.h"
#include "oauth/sql.h"
#include "oauth/upstream.h"
#include "state/store.h"

struct hashed {
    uint8_t bytes[HASH_SIZE];
};

static struct hashed hashed_of(str secret)
{
    struct hashed h;
    hash_sha256(secret, h.bytes);
    return h;
}

#define STORE_HASH(h) STORE_B((h).bytes, HASH_SIZE)

static bool stored(bool ok, const struct err *err)
{
    if (!ok && err->code != ERR_NOT_FOUND)
        log_event(LOG_WARN, "oauth.auth_flow", LOG_STR("error", str_c(err->msg)),
                  LOG_STR("detail", str_c(err->detail)));
    return ok;
}

/* --- as JSON --- */

static void put_optional(struct jsonw *w, const char *key, str text)
{
    if (text.p != NULL)
        jsonw_put_str(w, str_c(key), text);
}

static str auth_flow_print(struct arena *a, const struct auth_flow *x)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("handle"), x->handle);
    jsonw_put_str(&w, STR("ticket"), x->ticket);
    if (x->place != NULL)
        jsonw_put_str(&w, STR("place"), str_c(x->place));
    put_optional(&w, "client_id", x->client_id);
    put_optional(&w, "client_name", x->client_name);
    put_optional(&w, "redirect_uri", x->redirect_uri);
    put_optional(&w, "state", x->state);
    put_optional(&w, "challenge", x->challenge);
    jsonw_put_int(&w, STR("scopes"), x->scopes);
    put_optional(&w, "user", x->user);
    jsonw_put_int(&w, STR("rights"), x->rights.scopes);
    jsonw_put_str(&w, STR("folders"), rights_print(a, &x->rights));
    if (x->upstream != NULL)
        jsonw_put_str(&w, STR("upstream"), x->upstream->id);
    put_optional(&w, "trip_state", x->sign_in.state);
    put_optional(&w, "trip_verifier", x->sign_in.verifier);
    put_optional(&w, "trip_nonce", x->sign_in.nonce);
    jsonw_end(&w);
    return sbuf_str(&out);
}

static const struct upstream *upstream_of(str id)
{
    for (const struct upstream *u = upstreams; u->id.n > 0; u++)
        if (str_eq(u->id, id))
            return u;
    return NULL;
}

static str text_of(const struct json *j, const char *key)
{
    const struct json *member = json_get(j, str_c(key));
    return member != NULL ? member->text : (str){0};
}

static unsigned bits_of(const struct json *j, const char *key)
{
    int64_t n = 0;
    return json_int(json_get(j, str_c(key)), &n) ? (unsigned)n : 0;
}

/* The text is in the arena of x, and so is all that points into it. */
static void auth_flow_read_json(struct auth_flow *x, const struct json *j)
{
    str place = text_of(j, "place");
    x->handle = text_of(j, "handle");
    x->ticket = text_of(j, "ticket");
    x->place = place.p != NULL ? arena_str(&x->arena, place).p : NULL;
    x->client_id = text_of(j, "client_id");
    x->client_name = text_of(j, "client_name");
    x->redirect_uri = text_of(j, "redirect_uri");
    x->state = text_of(j, "state");
    x->challenge = text_of(j, "challenge");
    x->scopes = rights_stored_scopes(bits_of(j, "scopes"));
    x->user = text_of(j, "user");
    x->rights = rights_read(&x->arena, bits_of(j, "rights"), text_of(j, "folders"));
    x->upstream = upstream_of(text_of(j, "upstream"));
    x->sign_in = (struct provider_sign_in){.state = text_of(j, "trip_state"),
                                           .verifier = text_of(j, "trip_verifier"),
                                           .nonce = text_of(j, "trip_nonce")};
}

/* --- sealed --- */

static str print_sealed(struct arena *a, const struct auth_flow *x)
{
    return encode_base64url(a, seal_close(a, x->seal, auth_flow_print(a, x)));
}

static bool read_sealed(struct arena *a, const uint8_t key[SEAL_KEY], str body, str *out)
{
    str sealed;
    return decode_base64url(a, body, &sealed) && seal_open(a, key, sealed, out);
}

/* --- the table --- */

static bool count(struct store *s, const char *sql, int64_t arg, int64_t *n)
{
    struct arena a = {0};
    struct store_value v[1];
    struct err err = {0};
    bool ok = stored(store_get(s, &a, sql, STORE_ARGS(STORE_N(arg)), v, 1, &err), &err);
    *n = ok ? v[0].n : 0;
    arena_release(&a);
    return ok;
}

/* As auth_flow_make_room(), for all replicas together. */
static void auth_flow_store_make_room(struct store *s, const struct auth_flow *x)
{
    struct err err = {0};
    int64_t n, own = 0;
    int64_t peer = (int64_t)x->peer;
    if (!count(s, SQL_VISIT_COUNT, x->created - AUTH_FLOW_TTL_S, &n) ||
        n < AUTH_FLOWS_MAX || !count(s, SQL_VISIT_COUNT_OF, peer, &own))
        return;
    (void)!store_run(s, SQL_VISIT_EXPIRE,
                     STORE_ARGS(STORE_N(x->created - AUTH_FLOW_TTL_S)), NULL, &err);
    if (own > AUTH_FLOWS_PER_PEER)
        (void)!store_run(s, SQL_VISIT_EVICT_OF, STORE_ARGS(STORE_N(peer)), NULL, &err);
    else
        (void)!store_run(s, SQL_VISIT_EVICT, STORE_NO_ARGS, NULL, &err);
}

void auth_flow_store_put(struct store *s, struct auth_flow *x)
{
    struct arena a = {0};
    struct err err = {0};
    struct hashed ticket = hashed_of(x->ticket), handle = hashed_of(x->handle),
                  state = hashed_of(x->sign_in.state);
    auth_flow_store_make_room(s, x);
    (void)stored(
        store_run(s, SQL_VISIT_ADD,
                  STORE_ARGS(STORE_HASH(handle), STORE_HASH(ticket), STORE_HASH(state),
                             STORE_B(x->browser, sizeof(x->browser)), STORE_N(x->peer),
                             STORE_N(x->created), STORE_N(x->stage),
                             STORE_S(print_sealed(&a, x))),
                  NULL, &err),
        &err);
    arena_release(&a);
    auth_flow_free(x);
}

static bool auth_flow_take_row(struct store *s, struct auth_flow *x,
                               enum auth_flow_key kind, str key,
                               enum auth_flow_stage stage, int64_t now, struct err *err)
{
    static const char *const takes[] = {[BY_TICKET] = SQL_VISIT_TAKE_TICKET,
                                        [BY_HANDLE] = SQL_VISIT_TAKE_HANDLE,
                                        [BY_STATE] = SQL_VISIT_TAKE_STATE};
    enum { PEER, CREATED, BODY, COLUMNS };
    struct store_value v[COLUMNS];
    struct hashed hash = hashed_of(key);
    const struct json *j;
    str text;
    if (!store_get(s, &x->arena, takes[kind],
                   STORE_ARGS(STORE_HASH(hash), STORE_B(x->browser, sizeof(x->browser)),
                              STORE_N(stage), STORE_N(now - AUTH_FLOW_TTL_S)),
                   v, COLUMNS, err))
        return false;
    if (!read_sealed(&x->arena, x->seal, v[BODY].s, &text) ||
        !json_parse(&x->arena, text, &j, err))
        return err_set(err, ERR_NOT_FOUND, "it is of another vaultd");
    x->peer = (uint64_t)v[PEER].n;
    x->created = v[CREATED].n;
    x->stage = stage;
    auth_flow_read_json(x, j);
    return true;
}

struct auth_flow *auth_flow_store_take(struct store *s, enum auth_flow_key kind, str key,
                                       str browser_cookie, enum auth_flow_stage stage,
                                       int64_t now)
{
    struct auth_flow *x = mem_zero(sizeof(*x));
    struct err err = {0};
    auth_flow_bind(x, browser_cookie);
    if (stored(store_begin(s, NULL, &err), &err) &&
        stored(store_end(s, auth_flow_take_row(s, x, kind, key, stage, now, &err), &err),
               &err))
        return x;
    auth_flow_free(x);
    return NULL;
}

bool auth_flow_store_knows(struct store *s, str browser_cookie, int64_t now)
{
    struct arena a = {0};
    struct store_value v[1];
    struct err err = {0};
    struct hashed browser = hashed_of(browser_cookie);
    bool known =
        stored(store_get(s, &a, SQL_VISIT_KNOWN,
                         STORE_ARGS(STORE_HASH(browser), STORE_N(now - AUTH_FLOW_TTL_S)),
                         v, 1, &err),
               &err);
    arena_release(&a);
    return known;
}

/* Seal them again for the other cookie. Within a transaction. */
static bool move_rows(struct store *s, struct arena *a, str from_cookie, str to_cookie,
                      struct err *err)
{
    enum { HANDLE, BODY, COLUMNS };
    struct auth_flow from = {0}, to = {0};
    struct store_value *v;
    size_t n;
    str text;
    auth_flow_bind(&from, from_cookie);
    auth_flow_bind(&to, to_cookie);
    if (!store_list(s, a, SQL_VISIT_OF,
                    STORE_ARGS(STORE_B(from.browser, sizeof(from.browser))), &v, COLUMNS,
                    &n, err))
        return false;
    for (size_t i = 0; i < n; i++, v += COLUMNS) {
        if (!read_sealed(a, from.seal, v[BODY].s, &text))
            continue; /* of an older vaultd */
        str body = encode_base64url(a, seal_close(a, to.seal, text));
        if (!store_run(s, SQL_VISIT_MOVE,
                       STORE_ARGS(STORE_B(to.browser, sizeof(to.browser)), STORE_S(body),
                                  v[HANDLE]),
                       NULL, err))
            return false;
    }
    return true;
}

void auth_flow_store_move(struct store *s, str from_cookie, str to_cookie)
{
    struct arena a = {0};
    struct err err = {0};
    (void)stored(store_begin(s, "auth flow", &err) &&
                     store_end(s, move_rows(s, &a, from_cookie, to_cookie, &err), &err),
                 &err);
    arena_release(&a);
}

size_t auth_flow_store_count(struct store *s)
{
    int64_t n;
    return count(s, SQL_VISIT_COUNT, 0, &n) ? (size_t)n : 0;
}
