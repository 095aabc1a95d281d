#include "oauth/throttle.h"

#include "base/clock.h"

void throttle_init(struct throttle *t, unsigned per_minute)
{
    *t =
        (struct throttle){.per_minute = per_minute, .left = per_minute, .at = clock_ms()};
    pthread_mutex_init(&t->lock, NULL);
}

void throttle_release(struct throttle *t)
{
    pthread_mutex_destroy(&t->lock);
}

bool throttle_take(struct throttle *t, unsigned *retry_after)
{
    pthread_mutex_lock(&t->lock);
    uint64_t now = clock_ms();
    double per_ms = t->per_minute / 60000.0;
    t->left += (double)(now - t->at) * per_ms;
    if (t->left > t->per_minute)
        t->left = t->per_minute;
    t->at = now;
    bool ok = t->left >= 1;
    if (ok)
        t->left -= 1;
    else
        *retry_after = (unsigned)((1 - t->left) / per_ms / 1000) + 1;
    pthread_mutex_unlock(&t->lock);
    return ok;
}
