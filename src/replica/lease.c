#include "replica/lease.h"

#include "base/clock.h"
#include "state/pg_thread.h"
#include "state/postgres.h"

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
                        "seen > " PG_NOW " - $2",
                        args, COUNT_OF(args), STORE_BUSY_MS, &alive, &err);
    postgres_give(p, LINK_READ);
    return ok && alive == 0;
}
