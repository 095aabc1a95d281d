#include "replica/shared_counter.h"
#include "replica/sql.h"

#include "base/clock.h"
#include "base/hash.h"
#include "replica/limiter.h"
#include "state/store.h"

static uint64_t shared_counter_now(void)
{
    return (uint64_t)(clock_wall_ns() / 1000000);
}

/* A row of the table. */
struct shared_counter_row {
    uint8_t name[HASH_SIZE];
    struct limiter_window window;
};

static bool shared_counter_read(struct store *s, const struct shared_counter *t, str key,
                                struct shared_counter_row *out, struct err *err)
{
    enum { BUCKET, COUNT, EARLIER, COLUMNS };
    struct arena a = {0};
    struct store_value v[COLUMNS];
    *out = (struct shared_counter_row){0};
    hash_sha256(arena_printf(&a, "%s\n" STR_FMT, t->what, STR_ARG(key)), out->name);
    bool found = store_get(s, &a, SQL_TALLY_GET,
                           STORE_ARGS(STORE_B(out->name, HASH_SIZE)), v, COLUMNS, err);
    uint64_t latest =
        (shared_counter_now() + SHARED_COUNTER_AHEAD_MS) / t->rule.window_ms;
    if (found && (uint64_t)v[BUCKET].n <= latest)
        out->window = (struct limiter_window){(uint64_t)v[BUCKET].n, (unsigned)v[COUNT].n,
                                              (unsigned)v[EARLIER].n};
    arena_release(&a);
    return found || err->code == ERR_NOT_FOUND;
}

static bool shared_counter_write(struct store *s, const struct shared_counter *t,
                                 const struct shared_counter_row *row, struct err *err)
{
    const struct limiter_window *w = &row->window;
    uint64_t until_ms =
        (w->bucket + 2) * t->rule.window_ms; /* then it counts for nothing */
    return store_run(s, SQL_TALLY_PUT,
                     STORE_ARGS(STORE_B(row->name, HASH_SIZE), STORE_N(w->bucket),
                                STORE_N(w->count), STORE_N(w->earlier),
                                STORE_N(until_ms / 1000)),
                     NULL, err);
}

bool shared_counter_look(struct store *s, const struct shared_counter *t, str key,
                         uint64_t *wait_ms, struct err *err)
{
    struct shared_counter_row row;
    *wait_ms = 0;
    if (!shared_counter_read(s, t, key, &row, err))
        return false;
    (void)limiter_window_take(&t->rule, &row.window, shared_counter_now(), wait_ms);
    return true;
}

bool shared_counter_take(struct store *s, const struct shared_counter *t, str key,
                         uint64_t *wait_ms, struct err *err)
{
    struct shared_counter_row row;
    *wait_ms = 0;
    if (!shared_counter_read(s, t, key, &row, err))
        return false;
    return !limiter_window_take(&t->rule, &row.window, shared_counter_now(), wait_ms) ||
           shared_counter_write(s, t, &row, err);
}

bool shared_counter_give_back(struct store *s, const struct shared_counter *t, str key,
                              struct err *err)
{
    struct shared_counter_row row;
    if (!shared_counter_read(s, t, key, &row, err))
        return false;
    limiter_window_give_back(&t->rule, &row.window, shared_counter_now());
    return shared_counter_write(s, t, &row, err);
}
