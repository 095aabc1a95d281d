#include "base/stop.h"

#include "base/clock.h"

bool stop_now(const struct stop *s)
{
    return s != NULL && ((s->until > 0 && clock_ms() >= s->until) ||
                         (s->asked != NULL && s->asked(s->arg)));
}

struct stop stop_within(const struct stop *s, unsigned ms)
{
    struct stop sooner = s != NULL ? *s : (struct stop){0};
    uint64_t until = clock_ms() + ms;
    if (sooner.until == 0 || until < sooner.until)
        sooner.until = until;
    return sooner;
}
