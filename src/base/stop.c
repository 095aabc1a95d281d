#include "base/stop.h"

#include "base/clock.h"

bool stop_is_large(const struct stop *s)
{
    return s->arena != NULL && arena_size(s->arena) > s->max;
}

bool stop_fail(const struct stop *s, const char *what, const char *hint, struct err *err)
{
    return stop_is_large(s)
               ? err_set(err, ERR_LIMIT, "%s needs more than %zu MiB: %s", what,
                         s->max >> 20, hint)
               : err_named(err, E_TIMEOUT, "%s takes too long: %s", what, hint);
}

bool stop_now(const struct stop *s)
{
    return s != NULL && (stop_is_large(s) || (s->until > 0 && clock_ms() >= s->until) ||
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
