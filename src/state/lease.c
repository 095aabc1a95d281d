#include "state/lease.h"

#include "base/clock.h"
#include "state/keeper.h"
#include "state/postgres.h"

#define LEASE_NOW "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"

bool lease_begin(struct postgres *p, struct err *err)
{
    enum { KEPT_MS = 3600 * 1000 };
    int64_t ignored;
    return pg_number(p->links[LINK_LISTEN].pg,
                     "WITH old AS (DELETE FROM leases WHERE seen < " LEASE_NOW
                     " - $1 RETURNING 1) SELECT count(*) FROM old",
                     &STORE_N(KEPT_MS), 1, STORE_BUSY_MS, &ignored, err) &&
           lease_beat(p, err);
}

/* It need not be on a disk, nor on another machine that may not answer. */
bool lease_beat(struct postgres *p, struct err *err)
{
    int64_t ignored;
    if (clock_ms() < p->next_beat)
        return true;
    bool ok = pg_number(p->links[LINK_LISTEN].pg,
                        "INSERT INTO leases SELECT $1, " LEASE_NOW
                        " FROM set_config('synchronous_commit', 'off', true) "
                        "ON CONFLICT(process) DO UPDATE SET seen = excluded.seen "
                        "RETURNING seen",
                        &STORE_S(str_c(p->id)), 1, POSTGRES_ANSWER_MS, &ignored, err);
    if (ok)
        p->next_beat = clock_ms() + LEASE_BEAT_MS;
    return ok;
}

str lease_own(struct store *s)
{
    struct postgres *p = postgres_of(s);
    return p != NULL ? str_c(p->id) : STR("");
}

/* Whether the others have had the time to say that they are alive. */
static bool lease_may_judge(struct postgres *p)
{
    uint64_t since = atomic_load(&p->steady);
    return since != 0 && clock_ms() - since >= LEASE_MS;
}

bool lease_is_gone(struct store *s, str process)
{
    struct postgres *p = postgres_of(s);
    struct store_value args[] = {STORE_S(process), STORE_N(LEASE_MS)};
    struct err err;
    int64_t alive = 1;
    if (p == NULL || !lease_may_judge(p) ||
        !postgres_take(p, LINK_READ, STORE_BUSY_MS, &err))
        return false;
    bool ok = pg_number(p->links[LINK_READ].pg,
                        "SELECT count(*) FROM leases WHERE process = $1 AND "
                        "seen > " LEASE_NOW " - $2",
                        args, COUNT_OF(args), STORE_BUSY_MS, &alive, &err);
    postgres_give(p, LINK_READ);
    return ok && alive == 0;
}
