/*
 * The sliding window is the usual estimate from two buckets as long as the window: all of
 * the current bucket, plus the share of the previous one that the window still covers.
 */
#include "oauth/limiter.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/os/thread.h"

enum { NEIGHBOURS = 8, STRIKES_MAX = 32 };

struct slot {
    uint64_t key;            /* 0: free */
    uint64_t bucket;         /* number of the current bucket */
    unsigned count, earlier; /* in the current bucket and the previous one */
    unsigned strikes;
    uint64_t shut_until, last;
    uint64_t due_us; /* steady: when all that is counted will have been used up */
};

struct limiter {
    struct mutex lock;
    struct limiter_rule rule;
    struct slot slots[LIMITER_SLOTS];
};

struct limiter *limiter_create(const struct limiter_rule *rule)
{
    struct limiter *t = mem_zero(sizeof(*t));
    mutex_init(&t->lock);
    t->rule = *rule;
    return t;
}

void limiter_free(struct limiter *t)
{
    if (t == NULL)
        return;
    mutex_destroy(&t->lock);
    free(t);
}

static uint64_t limiter_key_of(str key)
{
    uint64_t h = hash_table(key);
    return h != 0 ? h : 1;
}

static struct slot *neighbours(struct limiter *t, uint64_t key)
{
    return &t->slots[key % (LIMITER_SLOTS / NEIGHBOURS) * NEIGHBOURS];
}

static struct slot *limiter_find(struct limiter *t, uint64_t key)
{
    struct slot *s = neighbours(t, key);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        if (s[i].key == key)
            return &s[i];
    return NULL;
}

static struct slot *find_or_make(struct limiter *t, uint64_t key)
{
    struct slot *found = limiter_find(t, key), *s = neighbours(t, key);
    if (found != NULL)
        return found;
    struct slot *oldest = s;
    for (size_t i = 0; i < NEIGHBOURS && oldest->key != 0; i++)
        if (s[i].key == 0 || s[i].last < oldest->last)
            oldest = &s[i];
    *oldest = (struct slot){.key = key};
    return oldest;
}

/* Advance the buckets to now, and reset strikes after a quiet window. */
static void slide(const struct limiter_rule *r, struct slot *s, uint64_t now)
{
    uint64_t bucket = now / r->window_ms;
    if (bucket > s->bucket) {
        s->earlier = bucket == s->bucket + 1 ? s->count : 0;
        s->count = 0;
        s->bucket = bucket;
    }
    uint64_t quiet_since = s->last > s->shut_until ? s->last : s->shut_until;
    if (now > quiet_since && now - quiet_since >= r->window_ms)
        s->strikes = 0;
}

/* The estimate, rounded up so that a very recent event counts in full. */
static uint64_t seen(const struct limiter_rule *r, const struct slot *s, uint64_t now)
{
    uint64_t left = r->window_ms - now % r->window_ms;
    return s->count + (s->earlier * left + r->window_ms - 1) / r->window_ms;
}

/* How long until the estimate falls below the limit. */
static uint64_t until_free(const struct limiter_rule *r, const struct slot *s,
                           uint64_t now)
{
    uint64_t into = now % r->window_ms, next = r->window_ms - into;
    if (s->count >= r->limit) { /* this bucket must become the previous one first */
        uint64_t share = (uint64_t)(r->limit - 1) * r->window_ms / s->count;
        return next + (r->window_ms - share);
    }
    uint64_t share = (uint64_t)(r->limit - 1 - s->count) * r->window_ms / s->earlier;
    return next > share ? next - share : 1;
}

static uint64_t penalty(const struct limiter_rule *r, const struct slot *s)
{
    uint64_t ms = r->penalty_ms;
    for (unsigned i = 1; i < s->strikes && ms < r->penalty_max_ms; i++)
        ms *= 2;
    return ms < r->penalty_max_ms ? ms : r->penalty_max_ms;
}

static uint64_t step_us(const struct limiter_rule *r)
{
    return r->window_ms * 1000 / r->limit;
}

/* Every event moves the due time on by a step; it may be a window ahead, and if the
 * caller waits, by as much more. */
static bool book(const struct limiter_rule *r, struct slot *s, uint64_t now,
                 uint64_t most_ms, uint64_t *wait)
{
    uint64_t now_us = now * 1000, ahead = now_us + r->window_ms * 1000;
    uint64_t due = (s->due_us > now_us ? s->due_us : now_us) + step_us(r);
    *wait = due > ahead ? (due - ahead + 999) / 1000 : 0;
    if (*wait > most_ms)
        return false;
    s->due_us = due;
    s->last = now;
    return true;
}

/* Count one; false with the time to wait if the limit is reached. */
static bool limiter_take_one(const struct limiter_rule *r, struct slot *s, uint64_t now,
                             uint64_t *wait)
{
    if (r->steady)
        return book(r, s, now, 0, wait);
    slide(r, s, now);
    if (now < s->shut_until) {
        *wait = s->shut_until - now;
        return false;
    }
    bool used_up = seen(r, s, now) + 1 >= r->limit;
    if (r->penalty_ms > 0 && (used_up || s->strikes > 0)) {
        if (s->strikes < STRIKES_MAX)
            s->strikes++;
        s->shut_until = now + penalty(r, s);
    } else if (r->penalty_ms == 0 && seen(r, s, now) >= r->limit) {
        *wait = until_free(r, s, now);
        return false;
    }
    s->count++;
    s->last = now;
    return true;
}

bool limiter_take(struct limiter *t, str key, uint64_t now_ms, uint64_t *wait_ms)
{
    uint64_t wait = 0;
    mutex_lock(&t->lock);
    bool ok =
        limiter_take_one(&t->rule, find_or_make(t, limiter_key_of(key)), now_ms, &wait);
    mutex_unlock(&t->lock);
    if (!ok && wait_ms != NULL)
        *wait_ms = wait;
    return ok;
}

bool limiter_book(struct limiter *t, str key, uint64_t now_ms, uint64_t most_ms,
                  uint64_t *wait_ms)
{
    mutex_lock(&t->lock);
    bool ok =
        book(&t->rule, find_or_make(t, limiter_key_of(key)), now_ms, most_ms, wait_ms);
    mutex_unlock(&t->lock);
    return ok;
}

static void give_back(const struct limiter_rule *r, struct slot *s, uint64_t now)
{
    if (r->steady) {
        s->due_us -= s->due_us > step_us(r) ? step_us(r) : s->due_us;
        return;
    }
    slide(r, s, now);
    if (s->count > 0)
        s->count--;
    else if (s->earlier > 0)
        s->earlier--;
    if (s->strikes > 0 && s->shut_until > s->last) {
        s->strikes--;
        s->shut_until = 0;
    }
}

void limiter_give_back(struct limiter *t, str key, uint64_t now_ms)
{
    mutex_lock(&t->lock);
    struct slot *s = limiter_find(t, limiter_key_of(key));
    if (s != NULL)
        give_back(&t->rule, s, now_ms);
    mutex_unlock(&t->lock);
}

void limiter_clear(struct limiter *t, str key)
{
    mutex_lock(&t->lock);
    struct slot *s = limiter_find(t, limiter_key_of(key));
    if (s != NULL)
        *s = (struct slot){0};
    mutex_unlock(&t->lock);
}
