/*
 * Access tokens: 64 hex characters, or a JWT. Either way the store has a row with its
 * hash, so a single token can be revoked, and a token that was never issued is refused
 * whatever it claims.
 */
#include "base/clock.h"
#include "base/json_write.h"
#include "oauth/cache.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/rights.h"
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
    rights->scopes &= c.rights.scopes;
    rights->folders = c.rights.folders;
    rights->n_folders = c.rights.n_folders;
    return true;
}

static bool look_up_token(struct oauth *o, struct arena *a, str token,
                          const uint8_t hash[HASH_SIZE], bool verified,
                          struct oauth_grant *out, bool *unsure)
{
    struct store_value v[13];
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
        .rights.scopes = (unsigned)v[1].n,
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
    rights_read_folders(a, v[7].s, &out->rights);
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
        .rights.scopes = (unsigned)v[2].n,
        .created = v[4].n,
        .used = v[5].n,
    };
    rights_read_folders(a, v[3].s, &out->rights);
    return true;
}

bool grant_of_token(struct oauth *o, struct arena *a, str token, struct oauth_grant *out,
                    bool *unsure)
{
    *unsure = false;
    bool key = secret_is(token, STR("vk_"));
    bool plausible = key || secret_is(token, STR("")) ||
                     (token.n <= JWT_MAX && str_find_char(token, '.') != STR_NONE);
    if (!plausible)
        return false;
    uint8_t hash[HASH_SIZE];
    hash_sha256(token, hash);
    /* Read first: a revocation during the lookup must invalidate the new entry. */
    uint64_t generation = store_generation(o->store);
    int64_t now = clock_now();
    struct cache_seen seen;
    *unsure = store_away_ms(o->store) > STORE_AWAY_MAX_MS;
    if (*unsure)
        return false; /* it may have been revoked long ago */
    if (!cache_find(&o->cache, a, hash, generation, now, out, &seen)) {
        if (!(key ? look_up_key(o, a, hash, out, unsure)
                  : look_up_token(o, a, token, hash, seen.before, out, unsure)))
            return false;
        cache_put(&o->cache, hash, generation, now, out);
        seen.touch = now - out->used >= CACHE_TOUCH_S;
    }
    if (!out->program && !oauth_knows_user(o, out->user, out->stamp))
        return false;
    if (seen.touch)
        note_use(o, out->id);
    return true;
}

uint64_t grants_generation(struct oauth *o)
{
    return store_generation(o->store) + users_generation(o->users);
}

bool grant_is_alive(struct oauth *o, int64_t id, bool *unsure)
{
    struct arena a = {0};
    struct store_value v[5];
    struct oauth_rights ignored = {0};
    struct err err = {0};
    bool alive;
    if (!store_peek(o->store, &a, SQL_GRANT_ALIVE, STORE_ARGS(STORE_N(id)), v,
                    COUNT_OF(v), &err)) {
        alive = err.code != ERR_NOT_FOUND; /* a busy store ends no stream */
        *unsure |= alive;
    } else if (v[2].n != 0)
        alive = id < 0 || limit_program(o, &a, v[3].s, &ignored);
    else
        alive = oauth_knows_user(o, v[0].s, v[1].s) &&
                !clients_is_gone(o, v[3].s, v[4].n > 0);
    arena_release(&a);
    return alive;
}
