/* The date of changes: that of a witness, which is kept in the journal's folder. */
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "vault/change/change_parts.h"
#include "vault/change/journal.h"

static str change_date_file(struct arena *a, const struct changes *c)
{
    return arena_printf(a, "%s/clock", c->folder);
}

static void change_date_load(struct changes *c)
{
    struct arena a = {0};
    struct err ignored;
    str text;
    if (fs_read_file(&a, change_date_file(&a, c), MONOTONIC_DATE_SIZE, &text, &ignored))
        monotonic_date_parse(&c->witness, text);
    arena_release(&a);
}

/* If it cannot be stored, the next process takes the date of the newest record. */
static void change_date_save(struct changes *c)
{
    struct arena a = {0};
    struct err ignored;
    char text[MONOTONIC_DATE_SIZE];
    str printed = monotonic_date_print(&c->witness, text);
    (void)!fs_replace_file(change_date_file(&a, c).p, printed, &ignored);
    arena_release(&a);
}

int64_t change_date(struct changes *c, int64_t now)
{
    if (c->witness.believed == 0)
        change_date_load(c);
    int64_t date =
        clock_believe(&c->witness, now, clock_boot_ms(), journal_newest(c->journal));
    bool doubt = c->witness.doubted > 0;
    if (atomic_exchange(&c->doubt, doubt) != doubt)
        log_event(doubt ? LOG_WARN : LOG_INFO,
                  doubt ? "clock_in_doubt" : "clock_believed", LOG_INT("clock", now),
                  LOG_INT("believed", date),
                  LOG_STR("effect", doubt ? STR("no change is pruned from the history")
                                          : STR("old changes are pruned again")));
    if (monotonic_date_is_news(&c->witness))
        change_date_save(c);
    return date;
}

bool changes_doubt_clock(const struct changes *c)
{
    return atomic_load(&c->doubt);
}
