/*
 * recur - the rules by which tasks recur, as the Tasks plugin reads them.
 *
 *     every day            every 3 weeks on Monday, Friday     every weekday when done
 *     every month on the 31st       every month on the 2nd Wednesday      every January
 *
 * Case is ignored, names of days and months may be cut (mon, tues, jan), and what follows
 * a rule without being part of it is ignored. Days are counted from 1970-01-01. Pure, and
 * bounded: a rule without a next date is found out within RECUR_TRIES_MAX periods.
 */
#pragma once

#include "base/str.h"

enum {
    RECUR_EVERY_MAX = 100000, /* "every n": greater ones are not rules */
    RECUR_NTH_MAX = 16,       /* "the 2nd Wednesday": how many in one rule */
    RECUR_TRIES_MAX = 20871,  /* weeks in 400 years, after which the calendar repeats */
};

enum recur_unit { RECUR_DAY, RECUR_WEEK, RECUR_MONTH, RECUR_YEAR };

struct recur {
    enum recur_unit unit;
    int every;
    bool when_done;   /* counted from the day on which the task was completed */
    bool limited;     /* it has hours, week numbers, "for 3 times" or "until": the plugin
                       cannot be relied upon for these, so there is no next date */
    uint8_t weekdays; /* bit 0: Monday */
    uint16_t months;  /* bit 1: January */
    uint32_t days;    /* bit 1: the first day of the month */
    uint32_t last;    /* bit 1: its last day */
    bool names_day;   /* days or last were named, if only days that do not exist */
    struct {
        int n;       /* from the end if negative */
        int weekday; /* 0: Monday */
    } nth[RECUR_NTH_MAX];
    size_t n_nth;
};

/* False if the text is not a rule. */
bool recur_parse(str text, struct recur *out);

/*
 * The first day after `from` that fits, counted from that day. Monthly and yearly rules
 * that do not name a day use the last day before it that exists: a month after January 31
 * is February 28. False if there is none up to the year 9999, or the rule is limited.
 */
bool recur_next(const struct recur *r, int64_t from, int64_t *out);
