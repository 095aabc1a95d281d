#include "app/setup/turns.h"

#include "app/setup/app.h"
#include "app/setup/fresh.h"
#include "app/setup/shared.h"
#include "base/clock.h"
#include "base/os/ready.h"
#include "state/duty.h"
#include "state/store.h"

static bool may_wait(const struct app_vault *v, uint64_t until)
{
    return store_away_ms(v->app->shared.store) == 0 && clock_ms() < until &&
           !v->app->stopping;
}

void turns_take(struct app_vault *v, bool begin)
{
    struct shared *s = &v->app->shared;
    struct arena a = {0};
    uint64_t fence, until = clock_ms() + TURNS_MS;
    if (!shared_is_on(s))
        return;
    str name = arena_printf(&a, "push " STR_FMT, STR_ARG(fresh_name(v)));
    if (!begin)
        duty_leave(s->store, name);
    while (begin && !duty_take(s->store, name, &fence) && may_wait(v, until))
        ready_pause(TURNS_POLL_MS);
    arena_release(&a);
}
