/*
 * Access tokens: 64 hex characters, or a JWT. Either way the store has a row with its
 * hash, so a single token can be revoked, and a token that was never issued is refused
 * whatever it claims.
 */
#include "base/clock.h"
#include "base/json_write.h"
#include "oauth/cache.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/rights.h"
#include "oauth/sql.h"
#include "oauth/users.h"
#include "state/store.h"

static str make_claims(struct oauth *o, struct arena *a, const struct access_order *order,
                       int64_t now, int64_t expires)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    str id = secret_uuid(a), scope = rights_print_scopes(a, order->scopes);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("iss"), o->config.url);
    jsonw_put_str(&w, STR("aud"), o->resource);
    jsonw_put_str(&w, STR("sub"), order->user);
    jsonw_put_str(&w, STR("client_id"), order->client_id);
    jsonw_put_str(&w, STR("scope"), scope);
    jsonw_put_int(&w, STR("iat"), now);
    jsonw_put_int(&w, STR("exp"), expires);
    jsonw_put_str(&w, STR("jti"), id);
    jsonw_end(&w);
    return sbuf_str(&text);
}

bool access_issue(struct oauth *o, struct arena *a, const struct access_order *order,
                  struct oauth_answer *out, struct err *err)
{
    int64_t now = clock_now(), expires = now + o->config.access_ttl;
    if (expires > order->latest)
        expires = order->latest;
    str token;
    if (o->config.token_format == OAUTH_OPAQUE)
        token = secret_new(a, STR(""));
    else if (!jwt_keys_sign(o, a, make_claims(o, a, order, now, expires), &token, err))
        return false;
    uint8_t hash[HASH_SIZE];
    hash_sha256(token, hash);
    int trimmed = 0;
    if (!store_run(o->store, SQL_TOKEN_ADD,
                   STORE_ARGS(STORE_B(hash, HASH_SIZE), STORE_N(order->grant),
                              STORE_N(order->scopes), STORE_N(now), STORE_N(expires)),
                   NULL, err) ||
        !store_run(o->store, SQL_TOKEN_TRIM,
                   STORE_ARGS(STORE_N(order->grant), STORE_N(TOKENS_PER_GRANT)), &trimmed,
                   err))
        return false;
    if (trimmed > 0)
        store_revoked(o->store);
    out->access_token = token;
    out->expires_in = expires - now;
    out->scopes = order->scopes;
    return true;
}

bool access_remember(struct oauth *o, struct err *err)
{
    return store_run(o->store, SQL_FACT_PUT,
                     STORE_ARGS(STORE_S(STR("access")), STORE_S(STR("given"))), NULL,
                     err);
}

/* --- looking up --- */

struct touch {
    struct oauth *oauth;
    int64_t id;
};

static void touch(void *arg)
{
    struct touch *t = arg;
    struct err err;
    bool key = t->id < 0;
    if (!store_run(t->oauth->store, key ? SQL_KEY_USED : SQL_GRANT_USED,
                   STORE_ARGS(STORE_N(clock_now()), STORE_N(key ? -t->id : t->id)), NULL,
                   &err))
        log_event(LOG_DEBUG, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
    free(t);
}

static void note_use(struct oauth *o, int64_t id)
{
    struct touch *t = mem_alloc(sizeof(*t));
    *t = (struct touch){o, id};
    if (!pool_try(o->work, touch, t))
        free(t);
}

/* A program never has more than its client is configured for now; false: nothing at all. */
static bool limit_program(struct oauth *o, struct arena *a, str client,
                          struct oauth_rights *rights)
{
    struct oauth_client c;
    if (!configured_find(o, a, client, &c) || (c.grants & GRANT_CREDENTIALS) == 0)
        return false;
    unsigned scopes = rights->scopes & c.rights.scopes;
    *rights = c.rights;
    rights->scopes = scopes;
    return true;
}

static bool look_up_token(struct oauth *o, struct arena *a, str token,
                          const uint8_t hash[HASH_SIZE], bool verified,
                          struct oauth_grant *out, bool *unsure)
{
    struct store_value v[14];
    struct err err;
    if (!store_peek(o->store, a, SQL_TOKEN_GET, STORE_ARGS(STORE_B(hash, HASH_SIZE)), v,
                    COUNT_OF(v), &err)) {
        *unsure = err.code == ERR_BUSY;
        return false;
    }
    if (v[2].n <= clock_now() || clients_is_gone(o, v[4].s, v[12].n > 0))
        return false;
    if (!verified && !secret_is(token, STR("")) && !jwt_keys_verify(o, a, token))
        return false;
    *out = (struct oauth_grant){
        .id = v[0].n,
        .rights = rights_read(a, v[13].n, v[7].s),
        .expires = v[2].n,
        .user = v[3].s,
        .client_id = v[4].s,
        .client_name = v[5].s,
        .redirect_host = v[6].s,
        .stamp = v[11].s,
        .program = v[10].n != 0,
        .created = v[8].n,
        .used = v[9].n,
    };
    out->rights.scopes &= rights_stored_scopes(v[1].n);
    return !out->program || limit_program(o, a, out->client_id, &out->rights);
}

static bool look_up_key(struct oauth *o, struct arena *a, const uint8_t hash[HASH_SIZE],
                        struct oauth_grant *out, bool *unsure)
{
    struct store_value v[6];
    struct err err;
    if (!store_peek(o->store, a, SQL_KEY_GET, STORE_ARGS(STORE_B(hash, HASH_SIZE)), v,
                    COUNT_OF(v), &err)) {
        *unsure = err.code == ERR_BUSY;
        return false;
    }
    *out = (struct oauth_grant){
        .id = -v[0].n,
        .user = v[1].s,
        .client_id = STR("key"),
        .client_name = v[1].s,
        .program = true,
        .rights = rights_read(a, v[2].n, v[3].s),
        .created = v[4].n,
        .used = v[5].n,
    };
    return true;
}

struct lookup {
    uint8_t hash[HASH_SIZE];
    str token; /* empty: only the hash is known, of a token that was verified before */
    bool key;
    uint64_t generation;
    struct cache_seen seen;
};

static bool is_plausible(str token)
{
    return secret_is(token, STR("vk_")) || secret_is(token, STR("")) ||
           (token.n <= JWT_MAX && str_find_char(token, '.') != STR_NONE);
}

/* From the cache. *unsure: after so long without the store, it may have been revoked. */
static bool recall(struct oauth *o, struct arena *a, struct lookup *l,
                   struct oauth_grant *out, bool *unsure)
{
    /* Read first: a revocation during the lookup must invalidate the new entry. */
    l->generation = store_generation(o->store);
    *unsure = store_away_ms(o->store) > STORE_AWAY_MAX_MS;
    return !*unsure &&
           cache_find(&o->cache, a, l->hash, l->generation, clock_now(), out, &l->seen);
}

static bool access_look_up(struct oauth *o, struct arena *a, struct lookup *l,
                           struct oauth_grant *out, bool *unsure)
{
    int64_t now = clock_now();
    bool verified = l->seen.before || l->token.n == 0;
    if (!(l->key ? look_up_key(o, a, l->hash, out, unsure)
                 : look_up_token(o, a, l->token, l->hash, verified, out, unsure)))
        return false;
    cache_put(&o->cache, l->hash, l->generation, now, out);
    l->seen.touch = now - out->used >= CACHE_TOUCH_S;
    return true;
}

/* The user still exists; then *out has its proof, too. */
static bool accept_grant(struct oauth *o, struct arena *a, const struct lookup *l,
                         struct oauth_grant *out)
{
    if (!out->program && !oauth_knows_user(o, out->user, out->stamp))
        return false;
    out->proof = arena_str(a, (str){(const char *)l->hash, HASH_SIZE});
    if (l->seen.touch)
        note_use(o, out->id);
    return true;
}

static bool begin_lookup(str token, struct lookup *l)
{
    *l = (struct lookup){.token = token, .key = secret_is(token, STR("vk_"))};
    if (!is_plausible(token))
        return false;
    hash_sha256(token, l->hash);
    return true;
}

bool grant_of_seen_token(struct oauth *o, struct arena *a, str token,
                         struct oauth_grant *out, bool *unsure, bool *unseen)
{
    struct lookup l;
    *unsure = *unseen = false;
    if (!begin_lookup(token, &l))
        return false;
    bool found = recall(o, a, &l, out, unsure);
    *unseen = !found && !*unsure;
    return found && accept_grant(o, a, &l, out);
}

bool grant_of_token(struct oauth *o, struct arena *a, str token, struct oauth_grant *out,
                    bool *unsure)
{
    struct lookup l;
    *unsure = false;
    return begin_lookup(token, &l) &&
           (recall(o, a, &l, out, unsure) ||
            (!*unsure && access_look_up(o, a, &l, out, unsure))) &&
           accept_grant(o, a, &l, out);
}

uint64_t grants_generation(struct oauth *o)
{
    return store_generation(o->store) + users_generation(o->users);
}

bool grant_is_alive(struct oauth *o, struct arena *a, int64_t id, str proof,
                    struct oauth_grant *now, bool *unsure)
{
    struct lookup l = {.key = id < 0};
    bool busy;
    if (proof.n != HASH_SIZE)
        return false;
    memcpy(l.hash, proof.p, HASH_SIZE);
    if (recall(o, a, &l, now, &busy) || (!busy && access_look_up(o, a, &l, now, &busy)))
        return accept_grant(o, a, &l, now);
    *unsure |= busy;
    return busy;
}
