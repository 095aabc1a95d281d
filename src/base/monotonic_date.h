/*
 * monotonic_date - the date that may be used to delete things because they are old.
 *
 * A wall clock can jump ahead by years: a dead battery, a wrong time server, a typing
 * error. Expiry by such a clock would delete everything. So nothing is deleted by
 * clock_now(); it is deleted by the date that a date believes. That date follows the
 * wall clock, but never more than CLOCK_AHEAD_S beyond what was known and the time that
 * has really passed (CLOCK_BOOTTIME). A clock further ahead is in doubt, and the believed
 * date advances only with the time that passes. If the clock then continues normally for
 * CLOCK_SETTLED_S, it was right (the server was off for long) and is believed. A clock
 * that goes back changes nothing.
 *
 * The owner of the records keeps the date with them, as text, and gives a new one the
 * newest time that its records and files show. For one thread at a time.
 */
#pragma once

#include "base/str.h"

enum {
    CLOCK_DAY_S = 24 * 60 * 60,
    CLOCK_AHEAD_S = 7 * CLOCK_DAY_S,   /* of everything known, before it is in doubt */
    CLOCK_SETTLED_S = 7 * CLOCK_DAY_S, /* of normal progress, before it is believed */
    MONOTONIC_DATE_SIZE = 80,          /* of its text */
};

struct monotonic_date {
    int64_t believed;   /* seconds since 1970; 0: nothing is known yet */
    int64_t doubted;    /* the date that the clock in doubt showed last; 0: no doubt */
    int64_t settled;    /* seconds of normal progress of a clock in doubt; else 0 */
    uint64_t passed_ms; /* clock_boot_ms() of the last look; 0: not yet */
    struct {
        int64_t believed, settled;
        bool doubt;
    } printed; /* what was last printed or parsed */
};

/*
 * The date to delete by. now is clock_now(), boot_ms clock_boot_ms(). newest is used only
 * if nothing is known yet: the newest time that records or files show; 0: there are none.
 */
int64_t clock_believe(struct monotonic_date *w, int64_t now, uint64_t boot_ms,
                      int64_t newest);

/* Whether it should be stored again: once a day, and if a doubt has begun or ended. */
bool monotonic_date_is_news(const struct monotonic_date *w);

/* Its text, for monotonic_date_parse() after a restart. Text that is not a date is
 * ignored: nothing is known then. */
str monotonic_date_print(struct monotonic_date *w, char out[MONOTONIC_DATE_SIZE]);
void monotonic_date_parse(struct monotonic_date *w, str text);
