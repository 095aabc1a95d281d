#include "oauth/grants.h"
#include "oauth/sql.h"

#include "base/clock.h"
#include "base/encode.h"
#include "oauth/documents.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/rights.h"
#include "oauth/uri.h"
#include "replica/leader.h"
#include "replica/sql.h"
#include "state/store.h"

enum { VERIFIER_MIN = 43, VERIFIER_MAX = 128 };

#define CODE_PREFIX STR("vc_")

/* --- codes --- */

bool grants_issue_code(struct oauth *o, struct arena *a, const struct oauth_code *c,
                       str *code, struct err *err)
{
    grants_sweep(o);
    str text = secret_new(a, CODE_PREFIX), stamp;
    uint8_t hash[HASH_SIZE];
    if (!oauth_stamp(o, a, c->user, &stamp))
        return err_set(err, ERR_DENIED, "the user does not exist");
    hash_sha256(text, hash);
    if (!store_run(o->store, SQL_CODE_ADD,
                   STORE_ARGS(STORE_B(hash, HASH_SIZE), STORE_S(c->client_id),
                              STORE_S(c->client_name), STORE_S(c->redirect_uri),
                              STORE_S(c->challenge), STORE_S(c->user),
                              STORE_N(c->rights.scopes),
                              STORE_S(rights_print(a, &c->rights)),
                              STORE_N(clock_now() + CODE_TTL_S), STORE_S(stamp)),
                   NULL, err))
        return false;
    audit(LOG_INFO, "oauth.code", c->client_id, c->user, text, NULL);
    *code = text;
    return true;
}

/* RFC 7636 §4.6 */
static bool proves(struct arena *a, str verifier, str challenge)
{
    if (verifier.n < VERIFIER_MIN || verifier.n > VERIFIER_MAX)
        return false;
    for (size_t i = 0; i < verifier.n; i++)
        if (!encode_is_unreserved(verifier.p[i]))
            return false;
    uint8_t hash[HASH_SIZE];
    hash_sha256(verifier, hash);
    return hash_equal(encode_base64url(a, (str){(const char *)hash, HASH_SIZE}),
                      challenge);
}

static bool refuse_code(struct oauth_fault *fault)
{
    return fault_set(fault, 400, "invalid_grant",
                     "The code is unknown, expired or used, or was issued for another "
                     "client, redirect URI or verifier");
}

bool grant_drop(struct oauth *o, int64_t id, struct err *err)
{
    return store_run(o->store, SQL_TOKEN_DROP_OF_GRANT, STORE_ARGS(STORE_N(id)), NULL,
                     err) &&
           store_run(o->store, SQL_GRANT_DROP, STORE_ARGS(STORE_N(id)), NULL, err);
}

/* The code does not exist (any more): if the same client used it before, the grant made
 * from it is revoked (SEC-13). Ends the transaction. */
static bool end_replayed(struct oauth *o, struct arena *a, str client, str code,
                         const uint8_t hash[HASH_SIZE], struct oauth_fault *fault)
{
    struct store_value v[3];
    struct err err = {0};
    bool found = store_get(o->store, a, SQL_GRANT_BY_CODE,
                           STORE_ARGS(STORE_B(hash, HASH_SIZE)), v, COUNT_OF(v), &err);
    bool replayed = found && str_eq(v[1].s, client);
    if (store_end(o->store, replayed && grant_drop(o, v[0].n, &err), &err)) {
        store_revoked(o->store);
        audit(LOG_WARN, "oauth.reuse", client, v[2].s, code,
              "a code was used twice; the grant was revoked");
        return refuse_code(fault);
    }
    return !replayed && (found || err.code == ERR_NOT_FOUND)
               ? refuse_code(fault)
               : fault_of_store(fault, &err);
}

struct code_row {
    struct oauth_code code;
    int64_t expires;
    str stamp;
};

static bool read_code(struct oauth *o, struct arena *a, const uint8_t hash[HASH_SIZE],
                      struct code_row *out, struct err *err)
{
    struct store_value v[9];
    if (!store_get(o->store, a, SQL_CODE_GET, STORE_ARGS(STORE_B(hash, HASH_SIZE)), v,
                   COUNT_OF(v), err))
        return false;
    *out = (struct code_row){.code = {.client_id = v[0].s,
                                      .client_name = v[1].s,
                                      .redirect_uri = v[2].s,
                                      .challenge = v[3].s,
                                      .user = v[4].s,
                                      .rights = rights_read(a, v[5].n, v[6].s)},
                             .expires = v[7].n,
                             .stamp = v[8].s};
    return true;
}

static bool add_grant(struct oauth *o, struct arena *a, const struct oauth_code *c,
                      str stamp, const uint8_t *code_hash, int64_t latest,
                      int64_t expires, int64_t *id, struct err *err)
{
    static const int64_t rotations[REFRESH_ROTATIONS];
    struct store_value code =
        code_hash != NULL ? STORE_B(code_hash, HASH_SIZE) : (struct store_value){0};
    struct store_value v[1];
    if (!store_get(
            o->store, a, SQL_GRANT_ADD,
            STORE_ARGS(STORE_S(c->user), STORE_S(c->client_id), STORE_S(c->client_name),
                       STORE_S(uri_place(a, c->redirect_uri)), STORE_N(c->rights.scopes),
                       STORE_S(rights_print(a, &c->rights)), STORE_N(clock_now()), code,
                       STORE_B(rotations, sizeof(rotations)), STORE_N(latest),
                       STORE_N(expires), STORE_S(stamp)),
            v, 1, err))
        return false;
    *id = v[0].n;
    return true;
}

/* Turn the code into a grant with its first tokens. Within a transaction. */
static bool spend(struct oauth *o, struct arena *a, const struct oauth_client *client,
                  const uint8_t hash[HASH_SIZE], const struct code_row *row,
                  struct oauth_answer *out, struct err *err)
{
    const struct oauth_code *c = &row->code;
    int64_t now = clock_now(), latest = now + o->config.refresh_ttl;
    bool refreshes = (client->grants & GRANT_REFRESH) != 0;
    if (!refreshes && latest > now + o->config.access_ttl)
        latest = now + o->config.access_ttl;
    struct access_order order = {.latest = latest,
                                 .scopes = c->rights.scopes,
                                 .user = c->user,
                                 .client_id = c->client_id};
    if (!store_run(o->store, SQL_CODE_DROP, STORE_ARGS(STORE_B(hash, HASH_SIZE)), NULL,
                   err) ||
        !add_grant(o, a, c, row->stamp, hash, latest,
                   refreshes ? refresh_until(o, latest, now) : latest, &order.grant,
                   err) ||
        !store_run(o->store, SQL_CLIENT_USED,
                   STORE_ARGS(STORE_N(now), STORE_S(c->client_id)), NULL, err) ||
        !access_remember(o, err) || !access_issue(o, a, &order, out, err))
        return false;
    out->refresh_token = refreshes ? refresh_print(o, a, order.grant, 0) : STR("");
    return true;
}

/* Whether the client may have what the code is for. */
static bool code_fits(struct oauth *o, struct arena *a, const struct code_row *row,
                      const struct oauth_client *client, str verifier, str redirect_uri)
{
    const struct oauth_code *c = &row->code;
    return str_eq(c->client_id, client->id) && row->expires > clock_now() &&
           (redirect_uri.p == NULL || str_eq(c->redirect_uri, redirect_uri)) &&
           oauth_knows_user(o, c->user, row->stamp) && proves(a, verifier, c->challenge);
}

bool grants_redeem_code(struct oauth *o, struct arena *a,
                        const struct oauth_client *client, str code, str verifier,
                        str redirect_uri, struct oauth_answer *out,
                        struct oauth_fault *fault)
{
    uint8_t hash[HASH_SIZE];
    struct code_row row;
    struct err err = {0};
    if (!secret_is(code, CODE_PREFIX))
        return refuse_code(fault);
    hash_sha256(code, hash);
    if (!store_begin(o->store, STORE_LOCK_ACCESS, &err))
        return fault_of_store(fault, &err);
    bool found = read_code(o, a, hash, &row, &err);
    if (!found && err.code == ERR_NOT_FOUND)
        return end_replayed(o, a, client->id, code, hash, fault);
    bool fits = found && code_fits(o, a, &row, client, verifier, redirect_uri);
    if (!store_end(o->store, fits && spend(o, a, client, hash, &row, out, &err), &err))
        return found && !fits ? refuse_code(fault) : fault_of_store(fault, &err);
    const struct oauth_code *c = &row.code;
    if (client->kind == CLIENT_DOCUMENT)
        documents_keep(o->documents, client->id);
    audit(LOG_INFO, "oauth.token", c->client_id, c->user, out->access_token, NULL);
    return true;
}

/* --- client credentials --- */

/* One grant per client, with the rights that are configured now. */
static bool own_grant(struct oauth *o, struct arena *a, const struct oauth_client *client,
                      int64_t latest, int64_t *id, struct err *err)
{
    struct store_value v[1];
    struct oauth_code c = {.client_id = client->id,
                           .client_name = client->name,
                           .user = client->id,
                           .rights = client->rights};
    if (store_get(o->store, a, SQL_GRANT_OF_CLIENT, STORE_ARGS(STORE_S(client->id)), v, 1,
                  err)) {
        *id = v[0].n;
        return store_run(o->store, SQL_GRANT_RIGHTS,
                         STORE_ARGS(STORE_N(c.rights.scopes),
                                    STORE_S(rights_print(a, &c.rights)), STORE_N(latest),
                                    STORE_N(*id)),
                         NULL, err);
    }
    return err->code == ERR_NOT_FOUND &&
           add_grant(o, a, &c, STR(""), NULL, latest, latest, id, err);
}

bool grants_for_client(struct oauth *o, struct arena *a,
                       const struct oauth_client *client, unsigned scopes,
                       struct oauth_answer *out, struct oauth_fault *fault)
{
    struct err err = {0};
    struct access_order order = {.latest = clock_now() + o->config.access_ttl,
                                 .scopes = scopes != 0 ? scopes : client->rights.scopes,
                                 .user = client->id,
                                 .client_id = client->id};
    if ((scopes & ~client->rights.scopes) != 0)
        return fault_set(fault, 400, "invalid_scope",
                         "The client may not use this scope");
    grants_sweep(o);
    if (!store_begin(o->store, STORE_LOCK_ACCESS, &err) ||
        !store_end(o->store,
                   own_grant(o, a, client, order.latest, &order.grant, &err) &&
                       access_issue(o, a, &order, out, &err),
                   &err))
        return fault_of_store(fault, &err);
    out->refresh_token = STR("");
    audit(LOG_INFO, "oauth.token", client->id, client->id, out->access_token, NULL);
    return true;
}

/* --- revoking --- */

/* Delete an access token, or the grant of a refresh token. *dropped is false if the token
 * is unknown or belongs to another client. Within a transaction. */
static bool drop_token(struct oauth *o, struct arena *a, str client_id, str token,
                       bool *dropped, struct err *err)
{
    struct store_value v[14], g[9];
    int64_t id, counter;
    uint8_t hash[HASH_SIZE];
    *dropped = false;
    if (refresh_read(o, token, &id, &counter)) {
        if (!store_get(o->store, a, SQL_GRANT_GET, STORE_ARGS(STORE_N(id)), g,
                       COUNT_OF(g), err))
            return err->code == ERR_NOT_FOUND;
        *dropped = str_eq(g[1].s, client_id);
        return !*dropped || grant_drop(o, id, err);
    }
    hash_sha256(token, hash);
    if (!store_get(o->store, a, SQL_TOKEN_GET, STORE_ARGS(STORE_B(hash, HASH_SIZE)), v,
                   COUNT_OF(v), err))
        return err->code == ERR_NOT_FOUND;
    *dropped = str_eq(v[4].s, client_id);
    return !*dropped || store_run(o->store, SQL_TOKEN_DROP,
                                  STORE_ARGS(STORE_B(hash, HASH_SIZE)), NULL, err);
}

bool grants_revoke_token(struct oauth *o, str client_id, str token, struct err *err)
{
    struct arena a = {0};
    bool dropped = false;
    if (!store_begin(o->store, STORE_LOCK_ACCESS, err))
        return false;
    bool ok = drop_token(o, &a, client_id, token, &dropped, err);
    arena_release(&a);
    if (!store_end(o->store, ok && dropped, err))
        return ok && !dropped;
    store_revoked(o->store);
    audit(LOG_INFO, "oauth.revoke", client_id, STR(""), token, NULL);
    return true;
}

bool grants_revoke(struct oauth *o, str user, int64_t id, struct err *err)
{
    struct arena a = {0};
    struct store_value v[9];
    if (!store_begin(o->store, STORE_LOCK_ACCESS, err))
        return false;
    bool ok =
        store_get(o->store, &a, SQL_GRANT_GET, STORE_ARGS(STORE_N(id)), v, 9, err) &&
        (str_eq(v[0].s, user) || err_set(err, ERR_NOT_FOUND, "no such grant")) &&
        store_run(o->store, SQL_CONSENT_DROP, STORE_ARGS(STORE_N(id), STORE_S(user)),
                  NULL, err) &&
        store_run(o->store, SQL_CODE_DROP_OF_GRANT, STORE_ARGS(STORE_N(id)), NULL, err) &&
        grant_drop(o, id, err);
    arena_release(&a);
    if (!store_end(o->store, ok, err))
        return false;
    store_revoked(o->store);
    audit(LOG_INFO, "oauth.revoke", STR(""), user, STR(""), "the user revoked a grant");
    return true;
}

/* Within a transaction. */
static bool grant_lower(struct oauth *o, struct arena *a, str user, int64_t id,
                        const struct oauth_rights *to, struct err *err)
{
    struct store_value v[9];
    if (!store_get(o->store, a, SQL_GRANT_GET, STORE_ARGS(STORE_N(id)), v, 9, err))
        return false;
    struct oauth_rights now = rights_read(a, v[2].n, v[3].s),
                        less = rights_both(a, &now, to, o->config.names_vaults);
    less.scopes = rights_scopes_for(rights_highest(&less));
    if (!str_eq(v[0].s, user))
        return err_set(err, ERR_NOT_FOUND, "no such grant");
    if (less.scopes == 0 || !rights_valid(&less))
        return err_set(err, ERR_INVALID, "nothing would be left: disconnect the app");
    return store_run(o->store, SQL_CONSENT_DROP, STORE_ARGS(STORE_N(id), STORE_S(user)),
                     NULL, err) &&
           store_run(o->store, SQL_CODE_DROP_OF_GRANT, STORE_ARGS(STORE_N(id)), NULL,
                     err) &&
           store_run(o->store, SQL_TOKEN_DROP_OF_GRANT, STORE_ARGS(STORE_N(id)), NULL,
                     err) &&
           store_run(o->store, SQL_GRANT_LOWER,
                     STORE_ARGS(STORE_N(less.scopes), STORE_S(rights_print(a, &less)),
                                STORE_N(id)),
                     NULL, err);
}

bool grants_lower(struct oauth *o, str user, int64_t id, const struct oauth_rights *to,
                  struct err *err)
{
    struct arena a = {0};
    if (!store_begin(o->store, STORE_LOCK_ACCESS, err))
        return false;
    bool ok = grant_lower(o, &a, user, id, to, err);
    arena_release(&a);
    if (!store_end(o->store, ok, err))
        return false;
    store_revoked(o->store);
    audit(LOG_INFO, "oauth.lower", STR(""), user, STR(""), "the user limited a grant");
    return true;
}

size_t grants_of_user(struct oauth *o, struct arena *a, str user,
                      struct oauth_grant **out)
{
    struct store_value *v;
    size_t n;
    struct err err;
    str stamp;
    *out = NULL;
    if (!oauth_stamp(o, a, user, &stamp) ||
        !store_list(o->store, a, SQL_GRANT_LIST,
                    STORE_ARGS(STORE_S(user), STORE_N(clock_now()), STORE_S(stamp)), &v,
                    9, &n, &err))
        return 0;
    *out = ARENA_ARRAY(a, struct oauth_grant, n);
    for (size_t i = 0; i < n; i++, v += 9) {
        (*out)[i] = (struct oauth_grant){.id = v[0].n,
                                         .user = user,
                                         .client_id = v[1].s,
                                         .client_name = v[2].s,
                                         .redirect_host = v[3].s,
                                         .rights = rights_read(a, v[4].n, v[5].s),
                                         .created = v[6].n,
                                         .used = v[7].n,
                                         .expires = v[8].n};
    }
    return n;
}

/* One server at a time; another one that leads does the same. */
static bool sweep_store(struct oauth *o, int64_t date, struct err *err)
{
    static const char *const statements[] = {
        SQL_CODE_EXPIRE,    SQL_TOKEN_EXPIRE,   SQL_GRANT_EXPIRE, SQL_SIGN_IN_EXPIRE,
        SQL_DOCUMENT_SWEEP, SQL_LOCKOUT_EXPIRE, SQL_TALLY_EXPIRE, SQL_VISIT_SWEEP};
    const str work = STR("sign-ins");
    uint64_t fence;
    bool ok = true;
    if (!leader_take(o->store, work, &fence))
        return true;
    for (size_t i = 0; ok && i < COUNT_OF(statements); i++)
        ok = !leader_holds(o->store, work, fence) ||
             (store_begin(o->store, STORE_LOCK_ACCESS, err) &&
              store_end(o->store,
                        store_run(o->store, statements[i], STORE_ARGS(STORE_N(date)),
                                  NULL, err),
                        err));
    leader_leave(o->store, work);
    return ok;
}

void grants_sweep(struct oauth *o)
{
    int64_t now = (int64_t)(clock_boot_ms() / 1000), before = atomic_load(&o->swept);
    struct err err = {0};
    if ((before > 0 && now - before < SWEEP_EVERY_S) ||
        !atomic_compare_exchange_strong(&o->swept, &before, now))
        return;
    int64_t date = oauth_date(o);
    if (!jwt_keys_rotate(o, &err) || !sweep_store(o, date, &err))
        log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}
