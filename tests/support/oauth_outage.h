/*
 * oauth_outage - a PostgreSQL that goes away while an authorization server uses it.
 */
#pragma once

#include "base/clock.h"
#include "oauth/parts.h"
#include "oauth_place.h"
#include "state/pg_thread.h"

enum { OUTAGE_SOON_MS = UNTIL_MS };

/* Wait until the store has noticed that its database answers, or does not. */
static inline void outage_wait(struct store *s, bool answers)
{
    for (uint64_t end = clock_ms() + OUTAGE_SOON_MS;
         (store_away_ms(s) == 0) != answers && clock_ms() < end;)
        usleep(10000);
    assert_int_equal(store_away_ms(s) == 0, answers);
}

/* As if the outage had begun that much earlier. */
static inline void outage_put_back(struct oauth_place *p, uint64_t ms)
{
    atomic_fetch_sub(&postgres_of(p->oauth->store)->away, ms);
}
