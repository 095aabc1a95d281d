/*
 * Keys are in the store with their creation time. The newest key of the configured
 * algorithm signs; an older key still verifies until the last token it signed has
 * expired, then it is dropped.
 *
 * Tokens are signed within transactions, so a thread that holds the lock of the keys must
 * not wait for the store: a list is read first, then adopted as a whole.
 */
#include "base/clock.h"
#include "base/os/bytes.h"
#include "oauth/parts.h"
#include "oauth/proof/jwt.h"
#include "oauth/sql.h"
#include "state/store.h"

enum { KEY_AGE_S = 90 * 24 * 3600 };

struct key_list {
    struct arena arena;
    struct jwt_key *all;
    size_t n;
};

static enum jwt_alg wanted(const struct oauth *o)
{
    return o->config.token_format == OAUTH_JWT_HS256 ? JWT_HS256 : JWT_ES256;
}

static bool read_keys(struct oauth *o, struct key_list *out, struct err *err)
{
    struct store_value *rows;
    arena_release(&out->arena);
    if (!store_list(o->store, &out->arena, SQL_JWT_KEY_LIST, STORE_NO_ARGS, &rows, 5,
                    &out->n, err))
        return false;
    out->all = ARENA_ARRAY(&out->arena, struct jwt_key, out->n);
    for (size_t i = 0; i < out->n; i++, rows += 5)
        out->all[i] = (struct jwt_key){.kid = rows[0].s,
                                       .alg = (enum jwt_alg)rows[1].n,
                                       .private_key = rows[2].s,
                                       .public_key = rows[3].s,
                                       .created = rows[4].n};
    return true;
}

static void adopt(struct oauth *o, struct key_list *list)
{
    struct jwt_keys *k = &o->keys;
    lock_take(&k->lock);
    arena_release(&k->arena);
    k->arena = list->arena;
    k->all = list->all;
    k->n = list->n;
    lock_drop(&k->lock);
    *list = (struct key_list){0};
}

static const struct jwt_key *newest(const struct oauth *o, const struct jwt_key *all,
                                    size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].alg == wanted(o))
            return &all[i];
    return NULL;
}

static bool add_key(struct oauth *o, int64_t now, struct err *err)
{
    struct arena a = {0};
    struct jwt_key key;
    jwt_key_make(&a, wanted(o), now, &key);
    bool ok =
        store_run(o->store, SQL_JWT_KEY_ADD,
                  STORE_ARGS(STORE_S(key.kid), STORE_N(key.alg),
                             STORE_B(key.private_key.p, key.private_key.n),
                             STORE_B(key.public_key.p, key.public_key.n), STORE_N(now)),
                  NULL, err);
    bytes_wipe((char *)key.private_key.p, key.private_key.n);
    arena_release(&a);
    return ok;
}

static bool drop_old(struct oauth *o, const struct key_list *list, int64_t now,
                     struct err *err)
{
    for (size_t i = 1; i < list->n; i++)
        if (list->all[i - 1].created + o->config.access_ttl < now &&
            !store_run(o->store, SQL_JWT_KEY_DROP, STORE_ARGS(STORE_S(list->all[i].kid)),
                       NULL, err))
            return false;
    return true;
}

/* Make sure the signing key is young enough, and drop keys that are no longer needed. */
static bool make_current(struct oauth *o, struct key_list *list, struct err *err)
{
    int64_t now = oauth_date(o); /* keys must not age by a clock that jumps */
    if (!read_keys(o, list, err))
        return false;
    if (o->config.token_format == OAUTH_OPAQUE)
        return true;
    const struct jwt_key *key = newest(o, list->all, list->n);
    if ((key == NULL || now - key->created >= KEY_AGE_S) &&
        !(add_key(o, now, err) && read_keys(o, list, err)))
        return false;
    return drop_old(o, list, now, err) && read_keys(o, list, err);
}

bool jwt_keys_rotate(struct oauth *o, struct err *err)
{
    struct key_list list = {0};
    bool ok = make_current(o, &list, err);
    if (ok)
        adopt(o, &list);
    arena_release(&list.arena);
    return ok;
}

bool jwt_keys_open(struct oauth *o, struct err *err)
{
    lock_init(&o->keys.lock, LOCK_LEAF);
    return jwt_keys_rotate(o, err);
}

void jwt_keys_close(struct jwt_keys *keys)
{
    arena_release(&keys->arena);
    lock_release(&keys->lock);
}

bool jwt_keys_sign(struct oauth *o, struct arena *a, str claims, str *out,
                   struct err *err)
{
    lock_take(&o->keys.lock);
    const struct jwt_key *key = newest(o, o->keys.all, o->keys.n);
    bool ok = key != NULL && jwt_sign(a, key, claims, out);
    lock_drop(&o->keys.lock);
    return ok || err_set(err, ERR_INTERNAL, "the signing key is damaged");
}

static bool verify(struct oauth *o, struct arena *a, str token, struct err *err)
{
    struct jwt_expected expected = {o->config.url, o->resource, clock_now()};
    struct jwt_claims claims;
    lock_take(&o->keys.lock);
    bool ok = jwt_verify(a, o->keys.all, o->keys.n, token, &expected, &claims, err);
    lock_drop(&o->keys.lock);
    return ok;
}

bool jwt_keys_verify(struct oauth *o, struct arena *a, str token)
{
    struct err err = {0};
    struct key_list list = {0};
    if (verify(o, a, token, &err))
        return true;
    if (err.code != ERR_NOT_FOUND || !read_keys(o, &list, &err)) {
        arena_release(&list.arena);
        return false;
    }
    adopt(o, &list); /* another process may have made a newer key */
    return verify(o, a, token, &err);
}

str jwt_keys_print(struct oauth *o, struct arena *a)
{
    lock_take(&o->keys.lock);
    str text = jwt_print_keys(a, o->keys.all, o->keys.n);
    lock_drop(&o->keys.lock);
    return text;
}
