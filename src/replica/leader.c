/*
 * A leader has an advisory lock of the connection that listens, by a number made from the
 * name of its work, and a row with the fence.
 */
#include "replica/leader.h"

#include "base/array.h"
#include "base/hash.h"
#include "state/pg_thread.h"
#include "state/postgres.h"

enum { LEADER_ALONE = 1 }; /* the fence without other processes; others are larger */

#define LEADER_UNLOCK "SELECT CASE WHEN pg_advisory_unlock($1) THEN 1 ELSE 0 END"

static int64_t leader_key(str name)
{
    uint8_t hash[HASH_SIZE];
    int64_t key;
    hash_sha256(name, hash);
    memcpy(&key, hash, sizeof(key));
    return key;
}

/* A number that the listening connection answers. False: it is lost or busy. */
static bool leader_ask(struct postgres *p, const char *sql,
                       const struct store_value *args, size_t n, int64_t *out)
{
    struct err err;
    return pg_number(p->links[LINK_LISTEN].pg, sql, args, n, STORE_BUSY_MS, out, &err);
}

/* --- with LINK_LISTEN --- */

static struct pg_held *leader_find(struct postgres *p, int64_t key)
{
    for (size_t i = 0; i < p->n_held; i++)
        if (p->held[i].key == key)
            return &p->held[i];
    return NULL;
}

static bool leader_is_current(const struct postgres *p, const struct pg_held *d)
{
    return d != NULL && d->connection == p->links[LINK_LISTEN].number;
}

static bool leader_lock(struct postgres *p, str name, uint64_t *fence)
{
    int64_t key = leader_key(name), got = 0, number;
    struct pg_held *d = leader_find(p, key);
    if (leader_is_current(p, d)) {
        *fence = d->fence;
        return true;
    }
    if (!leader_ask(p, "SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END",
                    &STORE_N(key), 1, &got) ||
        got == 0)
        return false;
    if (!leader_ask(p,
                    "INSERT INTO duties VALUES($1, 2) ON CONFLICT(name) "
                    "DO UPDATE SET fence = duties.fence + 1 RETURNING fence",
                    &STORE_S(name), 1, &number)) {
        (void)leader_ask(p, LEADER_UNLOCK, &STORE_N(key), 1, &got);
        return false;
    }
    *fence = (uint64_t)number;
    if (d == NULL)
        d = ARRAY_ADD(NULL, p->held, p->n_held);
    *d = (struct pg_held){key, *fence, p->links[LINK_LISTEN].number};
    return true;
}

static bool leader_confirm(struct postgres *p, str name, uint64_t fence)
{
    const struct pg_held *d = leader_find(p, leader_key(name));
    int64_t number;
    return leader_is_current(p, d) && d->fence == fence &&
           leader_ask(p, "SELECT fence FROM duties WHERE name = $1", &STORE_S(name), 1,
                      &number) &&
           (uint64_t)number == fence;
}

static void leader_unlock(struct postgres *p, str name)
{
    struct pg_held *d = leader_find(p, leader_key(name));
    int64_t ignored;
    if (leader_is_current(p, d))
        (void)leader_ask(p, LEADER_UNLOCK, &STORE_N(d->key), 1, &ignored);
    if (d != NULL)
        d->connection = 0;
}

/* --- */

/* A query of ours may have read a notification that the thread waits for. */
static void leader_give(struct postgres *p)
{
    postgres_give(p, LINK_LISTEN);
    pg_thread_wake(p);
}

bool leader_take(struct store *s, str name, uint64_t *fence)
{
    struct postgres *p = postgres_of(s);
    struct err err;
    if (name.n > LEADER_NAME_MAX)
        BUG("work with a name of %zu bytes", name.n);
    if (p == NULL) {
        *fence = LEADER_ALONE;
        return true;
    }
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return false;
    bool ok = leader_lock(p, name, fence);
    leader_give(p);
    return ok;
}

bool leader_holds(struct store *s, str name, uint64_t fence)
{
    struct postgres *p = postgres_of(s);
    struct err err;
    if (p == NULL)
        return fence == LEADER_ALONE;
    if (!postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return false;
    bool ok = leader_confirm(p, name, fence);
    leader_give(p);
    return ok;
}

void leader_leave(struct store *s, str name)
{
    struct postgres *p = postgres_of(s);
    struct err err;
    if (p == NULL || !postgres_take(p, LINK_LISTEN, STORE_BUSY_MS, &err))
        return;
    leader_unlock(p, name);
    leader_give(p);
}
