/*
 * A refresh token is the grant's id, a counter and an HMAC over both, so that the store
 * needs one row per grant however often tokens rotate: it holds the counter of the newest
 * token.
 *
 * Using the newest token rotates it: the counter goes up. Older tokens are accepted during
 * the reuse window after their own rotation. They get the same successor again, so that lost
 * answers and processes that share a token do no harm (SEC-18). Any other use means that the
 * token was stolen, and the grant is revoked (SEC-17). Without the window for the previous
 * token, a thief and its owner could refresh in turn and never be noticed.
 */
#include "base/clock.h"
#include "base/encode.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/rights.h"
#include "oauth/sql.h"
#include "state/store.h"

enum { REFRESH_HEAD = 16, REFRESH_SIZE = REFRESH_HEAD + HASH_SIZE };

#define REFRESH_PREFIX STR("vr_")

static void seal(const struct oauth *o, uint8_t token[REFRESH_SIZE])
{
    hash_hmac((str){(const char *)o->refresh_key, HASH_SIZE},
              (str){(const char *)token, REFRESH_HEAD}, token + REFRESH_HEAD);
}

str refresh_print(struct oauth *o, struct arena *a, int64_t grant, int64_t counter)
{
    uint8_t token[REFRESH_SIZE];
    encode_number(token, 8, (uint64_t)grant);
    encode_number(token + 8, 8, (uint64_t)counter);
    seal(o, token);
    str text = encode_base64url(a, (str){(const char *)token, sizeof(token)});
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(REFRESH_PREFIX), STR_ARG(text));
}

bool refresh_read(struct oauth *o, str token, int64_t *grant, int64_t *counter)
{
    struct arena a = {0};
    uint8_t want[REFRESH_SIZE];
    str bytes;
    bool ok = token.n <= 2 * REFRESH_SIZE && str_starts(token, REFRESH_PREFIX) &&
              decode_base64url(&a, str_skip(token, REFRESH_PREFIX.n), &bytes) &&
              bytes.n == REFRESH_SIZE;
    if (ok) {
        memcpy(want, bytes.p, REFRESH_HEAD);
        seal(o, want);
        ok = hash_equal(bytes, (str){(const char *)want, sizeof(want)});
    }
    if (ok) {
        *grant = (int64_t)decode_number(want, 8);
        *counter = (int64_t)decode_number(want + 8, 8);
    }
    arena_release(&a);
    return ok;
}

int64_t refresh_until(const struct oauth *o, int64_t latest, int64_t now)
{
    int64_t idle = now + o->config.refresh_idle;
    return idle < latest ? idle : latest;
}

struct row {
    str user, client, stamp;
    unsigned scopes;
    int64_t id, counter, latest, expires;
    int64_t rotations
        [REFRESH_ROTATIONS]; /* time of rotation, by counter % REFRESH_ROTATIONS */
};

static bool read_grant(struct oauth *o, struct arena *a, int64_t id, struct row *out,
                       struct err *err)
{
    struct store_value v[9];
    if (!store_get(o->store, a, SQL_GRANT_GET, STORE_ARGS(STORE_N(id)), v, COUNT_OF(v),
                   err))
        return false;
    *out = (struct row){.id = id,
                        .user = v[0].s,
                        .client = v[1].s,
                        .scopes = rights_stored_scopes(v[2].n),
                        .counter = v[4].n,
                        .latest = v[6].n,
                        .expires = v[7].n,
                        .stamp = v[8].s};
    if (v[5].s.n == sizeof(out->rotations))
        memcpy(out->rotations, v[5].s.p, sizeof(out->rotations));
    return true;
}

static bool is_honoured(const struct oauth *o, const struct row *g, int64_t counter,
                        int64_t now)
{
    return g->counter - counter <= REFRESH_ROTATIONS &&
           now - g->rotations[counter % REFRESH_ROTATIONS] < o->config.reuse_window;
}

static bool rotate(struct oauth *o, struct row *g, int64_t now, struct err *err)
{
    g->rotations[g->counter % REFRESH_ROTATIONS] = now;
    g->counter++;
    return store_run(o->store, SQL_GRANT_ROTATE,
                     STORE_ARGS(STORE_N(g->counter),
                                STORE_B(g->rotations, sizeof(g->rotations)),
                                STORE_N(refresh_until(o, g->latest, now)), STORE_N(now),
                                STORE_N(g->id)),
                     NULL, err);
}

static bool refresh_refuse(struct oauth_fault *fault)
{
    return fault_set(fault, 400, "invalid_grant",
                     "The refresh token is unknown, expired or revoked");
}

/* Whether a request with this token is allowed. False with a fault; *reused: the grant
 * must be revoked. */
static bool judge(struct oauth *o, const struct row *g, const struct oauth_client *client,
                  int64_t counter, unsigned scopes, int64_t now, bool *reused,
                  struct oauth_fault *fault)
{
    *reused = false;
    if (!str_eq(g->client, client->id) || g->expires <= now || counter < 0 ||
        counter > g->counter || !oauth_knows_user(o, g->user, g->stamp))
        return refresh_refuse(fault);
    if (counter < g->counter && !is_honoured(o, g, counter, now)) {
        *reused = true;
        return refresh_refuse(fault);
    }
    if ((scopes & ~g->scopes) != 0)
        return fault_set(fault, 400, "invalid_scope",
                         "The scope exceeds what was granted");
    return true;
}

static bool end_reused(struct oauth *o, const struct row *g, str token,
                       struct oauth_fault *fault)
{
    struct err err;
    if (!store_end(o->store, grant_drop(o, g->id, &err), &err))
        return fault_of_store(fault, &err);
    store_revoked(o->store);
    audit(LOG_WARN, "oauth.reuse", g->client, g->user, token,
          "a refresh token was reused; the grant was revoked");
    return refresh_refuse(fault);
}

static bool issue(struct oauth *o, struct arena *a, struct row *g, int64_t counter,
                  unsigned scopes, int64_t now, struct oauth_answer *out, struct err *err)
{
    struct access_order order = {.grant = g->id,
                                 .latest = g->latest,
                                 .scopes = scopes != 0 ? scopes : g->scopes,
                                 .user = g->user,
                                 .client_id = g->client};
    if (counter == g->counter && !rotate(o, g, now, err))
        return false;
    if (!access_issue(o, a, &order, out, err))
        return false;
    out->refresh_token = refresh_print(o, a, g->id, counter + 1);
    return true;
}

bool grants_refresh(struct oauth *o, struct arena *a, const struct oauth_client *client,
                    str token, unsigned scopes, struct oauth_answer *out,
                    struct oauth_fault *fault)
{
    int64_t id, counter, now = clock_now();
    struct row g;
    struct err err = {0};
    bool reused;
    if (!refresh_read(o, token, &id, &counter))
        return refresh_refuse(fault);
    grants_sweep(o);
    if (!store_begin(o->store, STORE_LOCK_ACCESS, &err))
        return fault_of_store(fault, &err);
    if (!read_grant(o, a, id, &g, &err)) {
        store_rollback(o->store);
        return err.code == ERR_NOT_FOUND ? refresh_refuse(fault)
                                         : fault_of_store(fault, &err);
    }
    if (!judge(o, &g, client, counter, scopes, now, &reused, fault)) {
        if (reused)
            return end_reused(o, &g, token, fault);
        store_rollback(o->store);
        return false;
    }
    if (!store_end(o->store, issue(o, a, &g, counter, scopes, now, out, &err), &err))
        return fault_of_store(fault, &err);
    audit(LOG_INFO, "oauth.refresh", g.client, g.user, out->access_token, NULL);
    return true;
}
