/*
 * A duty is an advisory lock of the connection that listens, by a number made from its
 * name, and a row with the fence.
 */
#include "state/duty.h"

#include "base/array.h"
#include "base/hash.h"
#include "state/keeper.h"
#include "state/postgres.h"

enum { DUTY_ALONE = 1 }; /* the fence where nobody else is; others are larger */

#define DUTY_UNLOCK "SELECT CASE WHEN pg_advisory_unlock($1) THEN 1 ELSE 0 END"

static int64_t duty_key(str name)
{
    uint8_t hash[HASH_SIZE];
    int64_t key;
    hash_sha256(name, hash);
    memcpy(&key, hash, sizeof(key));
    return key;
}

/* A number that the listening connection answers. False: it is lost or busy. */
static bool duty_ask(struct postgres *p, const char *sql, const struct store_value *args,
                     size_t n, int64_t *out)
{
    struct err err;
    return pg_number(p->links[LINK_LISTEN].pg, sql, args, n, STORE_BUSY_MS, out, &err);
}

/* --- with LINK_LISTEN --- */

static struct duty *duty_find(struct postgres *p, int64_t key)
{
    for (size_t i = 0; i < p->n_duties; i++)
        if (p->duties[i].key == key)
            return &p->duties[i];
    return NULL;
}

static bool duty_is_current(const struct postgres *p, const struct duty *d)
{
    return d != NULL && d->connection == p->links[LINK_LISTEN].number;
}

static bool duty_lock(struct postgres *p, str name, uint64_t *fence)
{
    int64_t key = duty_key(name), got = 0, number;
    struct duty *d = duty_find(p, key);
    if (duty_is_current(p, d)) {
        *fence = d->fence;
        return true;
    }
    if (!duty_ask(p, "SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END",
                  &STORE_N(key), 1, &got) ||
        got == 0)
        return false;
    if (!duty_ask(p,
                  "INSERT INTO duties VALUES($1, 2) ON CONFLICT(name) "
                  "DO UPDATE SET fence = duties.fence + 1 RETURNING fence",
                  &STORE_S(name), 1, &number)) {
        (void)duty_ask(p, DUTY_UNLOCK, &STORE_N(key), 1, &got);
        return false;
    }
    *fence = (uint64_t)number;
    if (d == NULL)
        d = ARRAY_ADD(NULL, p->duties, p->n_duties);
    *d = (struct duty){key, *fence, p->links[LINK_LISTEN].number};
    return true;
}

static bool duty_confirm(struct postgres *p, str name, uint64_t fence)
{
    const struct duty *d = duty_find(p, duty_key(name));
    int64_t number;
    return duty_is_current(p, d) && d->fence == fence &&
           duty_ask(p, "SELECT fence FROM duties WHERE name = $1", &STORE_S(name), 1,
                    &number) &&
           (uint64_t)number == fence;
}

static void duty_unlock(struct postgres *p, str name)
{
    struct duty *d = duty_find(p, duty_key(name));
    int64_t ignored;
    if (duty_is_current(p, d))
        (void)duty_ask(p, DUTY_UNLOCK, &STORE_N(d->key), 1, &ignored);
    if (d != NULL)
        d->connection = 0;
}

/* --- */

/* A query of ours may have read a notification that the keeper waits for. */
static void duty_give(struct postgres *p)
{
    postgres_give(p, LINK_LISTEN);
    keeper_wake(p);
}

bool duty_take(struct store *s, str name, uint64_t *fence)
{
    struct postgres *p = postgres_of(s);
    struct err err;
    if (name.n > DUTY_NAME_MAX)
        BUG("a duty with a name of %zu bytes", name.n);
    if (p == NULL) {
        *fence = DUTY_ALONE;
        return true;
    }
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return false;
    bool ok = duty_lock(p, name, fence);
    duty_give(p);
    return ok;
}

bool duty_holds(struct store *s, str name, uint64_t fence)
{
    struct postgres *p = postgres_of(s);
    struct err err;
    if (p == NULL)
        return fence == DUTY_ALONE;
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return false;
    bool ok = duty_confirm(p, name, fence);
    duty_give(p);
    return ok;
}

void duty_leave(struct store *s, str name)
{
    struct postgres *p = postgres_of(s);
    struct err err;
    if (p == NULL || !postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return;
    duty_unlock(p, name);
    duty_give(p);
}
