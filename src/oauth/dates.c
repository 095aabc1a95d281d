/* The witness of the clock is a row of the store, so all processes have the same. */
#include "base/clock.h"
#include "oauth/oauth.h"
#include "oauth/parts.h"
#include "oauth/sql.h"
#include "state/store.h"

#define DATES_FACT STR("clock")

bool dates_open(struct oauth *o, struct err *err)
{
    struct arena a = {0};
    struct store_value v[1];
    lock_init(&o->dates.lock, LOCK_LEAF);
    bool known =
        store_get(o->store, &a, SQL_FACT_GET, STORE_ARGS(STORE_S(DATES_FACT)), v, 1, err);
    bool ok = known || err->code == ERR_NOT_FOUND;
    if (known)
        monotonic_date_parse(&o->dates.witness, v[0].s);
    else if (ok) /* the first start: the newest row is the only witness */
        ok = store_get(o->store, &a, SQL_NEWEST, STORE_NO_ARGS, v, 1, err);
    if (ok && !known)
        (void)clock_believe(&o->dates.witness, clock_now(), clock_boot_ms(), v[0].n);
    arena_release(&a);
    return ok;
}

void dates_close(struct dates *d)
{
    lock_release(&d->lock);
}

static void dates_save(struct oauth *o, str text)
{
    struct err err;
    if (!store_run(o->store, SQL_FACT_PUT, STORE_ARGS(STORE_S(DATES_FACT), STORE_S(text)),
                   NULL, &err))
        log_event(LOG_WARN, "oauth.store", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

static void dates_report(bool doubt, int64_t now, int64_t date)
{
    log_event(doubt ? LOG_WARN : LOG_INFO, doubt ? "clock_in_doubt" : "clock_believed",
              LOG_INT("clock", now), LOG_INT("believed", date),
              LOG_STR("effect", doubt ? STR("no grant, client or sign-in is deleted")
                                      : STR("old grants and clients are deleted again")));
}

int64_t oauth_date(struct oauth *o)
{
    struct dates *d = &o->dates;
    char text[MONOTONIC_DATE_SIZE];
    str news = {0};
    int64_t now = clock_now();
    lock_take(&d->lock);
    int64_t date = clock_believe(&d->witness, now, clock_boot_ms(), 0);
    bool doubt = d->witness.doubted > 0;
    if (monotonic_date_is_news(&d->witness))
        news = monotonic_date_print(&d->witness, text);
    lock_drop(&d->lock);
    if (atomic_exchange(&d->doubt, doubt) != doubt)
        dates_report(doubt, now, date);
    if (news.n > 0)
        dates_save(o, news);
    return date;
}

bool oauth_doubts_clock(const struct oauth *o)
{
    return atomic_load(&o->dates.doubt);
}
