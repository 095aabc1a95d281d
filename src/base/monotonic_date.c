#include "base/monotonic_date.h"

#include <stdio.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The seconds since the last look; what is less than a second counts the next time. */
static int64_t monotonic_date_passed(struct monotonic_date *w, uint64_t boot_ms)
{
    if (w->passed_ms == 0 || boot_ms < w->passed_ms) {
        w->passed_ms = boot_ms;
        return 0;
    }
    int64_t seconds = (int64_t)((boot_ms - w->passed_ms) / 1000);
    w->passed_ms += (uint64_t)seconds * 1000;
    return seconds;
}

/* A clock in doubt that goes on normally gains at most a day for each look, so that a
 * clock that keeps jumping does not settle by jumping. */
static void monotonic_date_doubt(struct monotonic_date *w, int64_t now, int64_t passed)
{
    int64_t step = now - w->doubted;
    bool normal = w->doubted > 0 && step >= 0 && step <= CLOCK_AHEAD_S + passed;
    w->settled = normal ? w->settled + least(step, CLOCK_DAY_S + passed) : 0;
    w->doubted = now;
    w->believed += passed;
    if (w->settled < CLOCK_SETTLED_S)
        return;
    w->believed = now;
    w->doubted = 0;
}

int64_t clock_believe(struct monotonic_date *w, int64_t now, uint64_t boot_ms,
                      int64_t newest)
{
    int64_t passed = monotonic_date_passed(w, boot_ms);
    if (w->believed <= 0)
        w->believed = newest > 0 && newest < now ? newest : now;
    if (now - w->believed > CLOCK_AHEAD_S + passed) {
        monotonic_date_doubt(w, now, passed);
        return w->believed;
    }
    w->doubted = w->settled = 0;
    if (w->believed < now)
        w->believed = now;
    return w->believed;
}

bool monotonic_date_is_news(const struct monotonic_date *w)
{
    return w->printed.doubt != (w->doubted > 0) ||
           w->believed - w->printed.believed >= CLOCK_DAY_S ||
           w->settled - w->printed.settled >= CLOCK_DAY_S;
}

static void monotonic_date_mark(struct monotonic_date *w)
{
    w->printed.believed = w->believed;
    w->printed.settled = w->settled;
    w->printed.doubt = w->doubted > 0;
}

str monotonic_date_print(struct monotonic_date *w, char out[MONOTONIC_DATE_SIZE])
{
    int n = snprintf(out, MONOTONIC_DATE_SIZE, "%lld %lld %lld\n", (long long)w->believed,
                     (long long)w->doubted, (long long)w->settled);
    monotonic_date_mark(w);
    return (str){out, (size_t)n};
}

void monotonic_date_parse(struct monotonic_date *w, str text)
{
    int64_t n[3];
    str word;
    text = str_trim_line(text);
    for (int i = 0; i < 3; i++)
        if (!str_next(&text, ' ', &word) || !str_to_int(word, &n[i]) || n[i] < 0)
            return;
    if (n[0] == 0 || text.n > 0)
        return;
    *w = (struct monotonic_date){.believed = n[0], .doubted = n[1], .settled = n[2]};
    monotonic_date_mark(w);
}
