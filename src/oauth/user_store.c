/*
 * What is stored about users: consent, signed-in browsers, ids at providers.
 */
#include "base/chars.h"
#include "base/clock.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/rights.h"
#include "oauth/sql.h"
#include "oauth/uri.h"
#include "state/store.h"

bool grants_consented(struct oauth *o, struct arena *a, const struct oauth_code *asked,
                      struct oauth_rights *out)
{
    struct store_value v[2];
    struct err err;
    str stamp;
    if (!uri_is_owned(asked->redirect_uri) || !oauth_stamp(o, a, asked->user, &stamp) ||
        !store_get(o->store, a, SQL_CONSENT_GET,
                   STORE_ARGS(STORE_S(asked->user), STORE_S(asked->client_id),
                              STORE_S(uri_place(a, asked->redirect_uri)), STORE_S(stamp)),
                   v, COUNT_OF(v), &err))
        return false;
    struct oauth_rights rights = rights_read(a, v[0].n, v[1].s);
    if ((asked->rights.scopes & ~rights.scopes) != 0)
        return false;
    *out = rights_both(a, &rights, &asked->rights, o->config.names_vaults);
    return true;
}

bool grants_remember_consent(struct oauth *o, const struct oauth_code *c, struct err *err)
{
    struct arena a = {0};
    str stamp;
    bool ok = oauth_stamp(o, &a, c->user, &stamp)
                  ? store_run(o->store, SQL_CONSENT_PUT,
                              STORE_ARGS(STORE_S(c->user), STORE_S(c->client_id),
                                         STORE_S(uri_place(&a, c->redirect_uri)),
                                         STORE_N(c->rights.scopes),
                                         STORE_S(rights_print(&a, &c->rights)),
                                         STORE_N(clock_now()), STORE_S(stamp)),
                              NULL, err)
                  : err_set(err, ERR_DENIED, "the user does not exist");
    arena_release(&a);
    return ok;
}

bool sign_in_create(struct oauth *o, struct arena *a, str user, str *cookie,
                    struct err *err)
{
    str text = secret_new(a, STR("vs_")), stamp;
    uint8_t hash[HASH_SIZE];
    hash_sha256(text, hash);
    if (!oauth_stamp(o, a, user, &stamp))
        return err_set(err, ERR_DENIED, "the user does not exist");
    if (!store_run(o->store, SQL_SIGN_IN_ADD,
                   STORE_ARGS(STORE_B(hash, HASH_SIZE), STORE_S(user),
                              STORE_N(clock_now() + SIGN_IN_TTL_S), STORE_S(stamp)),
                   NULL, err))
        return false;
    *cookie = text;
    return true;
}

bool sign_in_user(struct oauth *o, struct arena *a, str cookie, str *user)
{
    struct store_value v[2];
    struct err err;
    uint8_t hash[HASH_SIZE];
    if (!secret_is(cookie, STR("vs_")))
        return false;
    hash_sha256(cookie, hash);
    if (!store_peek(o->store, a, SQL_SIGN_IN_GET,
                    STORE_ARGS(STORE_B(hash, HASH_SIZE), STORE_N(clock_now())), v,
                    COUNT_OF(v), &err) ||
        !oauth_knows_user(o, v[0].s, v[1].s))
        return false;
    *user = v[0].s;
    return true;
}

void sign_in_end(struct oauth *o, str cookie)
{
    uint8_t hash[HASH_SIZE];
    struct err err;
    hash_sha256(cookie, hash);
    if (!store_run(o->store, SQL_SIGN_IN_DROP, STORE_ARGS(STORE_B(hash, HASH_SIZE)), NULL,
                   &err))
        log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

/* A provider's names are the same in capitals. */
static str pin_key(struct arena *a, str name)
{
    char *key = arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++)
        key[i] = to_lower(name.p[i]);
    return (str){key, name.n};
}

/* Within a transaction. A name of another account is not added: it would lock out the
 * first one. */
static bool pin(struct oauth *o, struct arena *a, str provider, str *name, str id,
                struct err *err)
{
    const struct store_value key[] = {STORE_S(provider), STORE_S(pin_key(a, *name)),
                                      STORE_S(id)};
    struct store_value v[1];
    struct err other = {0};
    if (store_get(o->store, a, SQL_PIN_OTHER, key, 3, v, 1, &other))
        return err_set(err, ERR_DENIED,
                       "this name belonged to another account when it first signed in");
    bool known = other.code == ERR_NOT_FOUND &&
                 store_get(o->store, a, SQL_PIN_GET, key, 3, v, 1, &other);
    if (known)
        *name = v[0].s;
    else if (other.code != ERR_NOT_FOUND)
        *err = other;
    return known || (other.code == ERR_NOT_FOUND &&
                     store_run(o->store, SQL_PIN_ADD,
                               STORE_ARGS(STORE_S(provider), STORE_S(*name), STORE_S(id)),
                               NULL, err));
}

bool sign_in_pin(struct oauth *o, struct arena *a, str provider, str *name, str id,
                 struct err *err)
{
    return store_begin(o->store, STORE_LOCK_ACCESS, err) &&
           store_end(o->store, pin(o, a, provider, name, id, err), err);
}
