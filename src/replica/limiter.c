#include "replica/limiter.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/lock.h"

enum { NEIGHBOURS = 8, STRIKES_MAX = 32 };

struct slot {
    uint64_t key; /* 0: free */
    struct limiter_window window;
    unsigned strikes;
    uint64_t shut_until, last;
    uint64_t due_us; /* steady: when all that is counted will have been used up */
    int news;        /* counted, and not known to others */
    bool has_news;   /* it is in the list */
};

struct limiter {
    struct lock lock;
    struct limiter_rule rule;
    struct hash_key hash;
    unsigned *changed; /* slots that have news; NULL: no other process counts */
    size_t n_changed;
    struct slot slots[LIMITER_SLOTS];
};

struct limiter *limiter_create(const struct limiter_rule *rule)
{
    struct limiter *t = mem_zero(sizeof(*t));
    lock_init(&t->lock, LOCK_LEAF);
    t->rule = *rule;
    t->hash = hash_new_key();
    return t;
}

void limiter_free(struct limiter *t)
{
    if (t == NULL)
        return;
    lock_release(&t->lock);
    free(t->changed);
    free(t);
}

static uint64_t limiter_key_of(const struct limiter *t, str key)
{
    uint64_t h = hash_keyed(&t->hash, key);
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
    *oldest = (struct slot){.key = key, .has_news = oldest->has_news};
    return oldest;
}

/* --- windows --- */

/* Advance the buckets to now. */
static void window_slide(const struct limiter_rule *r, struct limiter_window *w,
                         uint64_t now)
{
    uint64_t bucket = now / r->window_ms;
    if (bucket <= w->bucket)
        return;
    w->earlier = bucket == w->bucket + 1 ? w->count : 0;
    w->count = 0;
    w->bucket = bucket;
}

/* The estimate, rounded up so that a very recent event counts in full. */
static uint64_t window_seen(const struct limiter_rule *r, const struct limiter_window *w,
                            uint64_t now)
{
    uint64_t left = r->window_ms - now % r->window_ms;
    return w->count + (w->earlier * left + r->window_ms - 1) / r->window_ms;
}

/* How long until the estimate falls below the limit. */
static uint64_t window_until_free(const struct limiter_rule *r,
                                  const struct limiter_window *w, uint64_t now)
{
    uint64_t into = now % r->window_ms, next = r->window_ms - into;
    if (w->count >= r->limit) { /* this bucket must become the previous one first */
        uint64_t share = (uint64_t)(r->limit - 1) * r->window_ms / w->count;
        return next + (r->window_ms - share);
    }
    uint64_t share = (uint64_t)(r->limit - 1 - w->count) * r->window_ms / w->earlier;
    return next > share ? next - share : 1;
}

bool limiter_window_take(const struct limiter_rule *r, struct limiter_window *w,
                         uint64_t now, uint64_t *wait)
{
    window_slide(r, w, now);
    if (window_seen(r, w, now) >= r->limit) {
        *wait = window_until_free(r, w, now);
        return false;
    }
    w->count++;
    return true;
}

void limiter_window_give_back(const struct limiter_rule *r, struct limiter_window *w,
                              uint64_t now)
{
    window_slide(r, w, now);
    if (w->count > 0)
        w->count--;
    else if (w->earlier > 0)
        w->earlier--;
}

/* --- slots --- */

/* Reset strikes after a quiet window. */
static void limiter_forgive(const struct limiter_rule *r, struct slot *s, uint64_t now)
{
    uint64_t quiet_since = s->last > s->shut_until ? s->last : s->shut_until;
    if (now > quiet_since && now - quiet_since >= r->window_ms)
        s->strikes = 0;
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

/* With a penalty: the last one that is allowed, and each one after it, shuts. */
static bool limiter_strike(const struct limiter_rule *r, struct slot *s, uint64_t now,
                           uint64_t *wait)
{
    window_slide(r, &s->window, now);
    limiter_forgive(r, s, now);
    if (now < s->shut_until) {
        *wait = s->shut_until - now;
        return false;
    }
    if (window_seen(r, &s->window, now) + 1 >= r->limit || s->strikes > 0) {
        if (s->strikes < STRIKES_MAX)
            s->strikes++;
        s->shut_until = now + penalty(r, s);
    }
    s->window.count++;
    return true;
}

/* Count one; false with the time to wait if the limit is reached. */
static bool limiter_take_one(const struct limiter_rule *r, struct slot *s, uint64_t now,
                             uint64_t *wait)
{
    if (r->steady)
        return book(r, s, now, 0, wait);
    bool ok = r->penalty_ms > 0 ? limiter_strike(r, s, now, wait)
                                : limiter_window_take(r, &s->window, now, wait);
    if (ok)
        s->last = now;
    return ok;
}

/* Others are to know of it. */
static void limiter_note(struct limiter *t, struct slot *s, int n)
{
    if (t->changed == NULL)
        return;
    s->news += n;
    if (!s->has_news)
        t->changed[t->n_changed++] = (unsigned)(s - t->slots);
    s->has_news = true;
}

bool limiter_take(struct limiter *t, str key, uint64_t now_ms, uint64_t *wait_ms)
{
    uint64_t wait = 0;
    lock_take(&t->lock);
    struct slot *s = find_or_make(t, limiter_key_of(t, key));
    bool ok = limiter_take_one(&t->rule, s, now_ms, &wait);
    if (ok)
        limiter_note(t, s, 1);
    lock_drop(&t->lock);
    if (!ok && wait_ms != NULL)
        *wait_ms = wait;
    return ok;
}

bool limiter_book(struct limiter *t, str key, uint64_t now_ms, uint64_t most_ms,
                  uint64_t *wait_ms)
{
    lock_take(&t->lock);
    struct slot *s = find_or_make(t, limiter_key_of(t, key));
    bool ok = book(&t->rule, s, now_ms, most_ms, wait_ms);
    if (ok)
        limiter_note(t, s, 1);
    lock_drop(&t->lock);
    return ok;
}

static void give_back(const struct limiter_rule *r, struct slot *s, uint64_t now)
{
    if (r->steady) {
        s->due_us -= s->due_us > step_us(r) ? step_us(r) : s->due_us;
        return;
    }
    limiter_window_give_back(r, &s->window, now);
    limiter_forgive(r, s, now);
    if (s->strikes > 0 && s->shut_until > s->last) {
        s->strikes--;
        s->shut_until = 0;
    }
}

void limiter_give_back(struct limiter *t, str key, uint64_t now_ms)
{
    lock_take(&t->lock);
    struct slot *s = limiter_find(t, limiter_key_of(t, key));
    if (s != NULL) {
        give_back(&t->rule, s, now_ms);
        limiter_note(t, s, -1);
    }
    lock_drop(&t->lock);
}

void limiter_clear(struct limiter *t, str key)
{
    lock_take(&t->lock);
    struct slot *s = limiter_find(t, limiter_key_of(t, key));
    if (s != NULL)
        *s = (struct slot){.has_news = s->has_news};
    lock_drop(&t->lock);
}

/* --- together with others --- */

void limiter_share(struct limiter *t, const struct hash_key *key)
{
    t->hash = *key;
    t->changed = mem_zero(LIMITER_SLOTS * sizeof(*t->changed));
}

size_t limiter_news(struct limiter *t, struct limiter_news *out, size_t most)
{
    size_t n = 0;
    lock_take(&t->lock);
    while (t->n_changed > 0 && n < most) {
        struct slot *s = &t->slots[t->changed[--t->n_changed]];
        if (s->news != 0)
            out[n++] = (struct limiter_news){s->key, s->news};
        s->news = 0;
        s->has_news = false;
    }
    lock_drop(&t->lock);
    return n;
}

/* Others may have been as fast as we were: a steady rule is paid back later. */
static void limiter_add(const struct limiter_rule *r, struct slot *s, unsigned n,
                        uint64_t now)
{
    uint64_t now_us = now * 1000, most = now_us + 2 * r->window_ms * 1000;
    s->last = now;
    if (!r->steady) {
        window_slide(r, &s->window, now);
        s->window.count += n;
        return;
    }
    uint64_t due = (s->due_us > now_us ? s->due_us : now_us) + n * step_us(r);
    s->due_us = due < most ? due : most;
}

void limiter_heard(struct limiter *t, const struct limiter_news *news, uint64_t now_ms)
{
    unsigned most = 2 * t->rule.limit;
    unsigned n = news->n < 0 ? 0U - (unsigned)news->n : (unsigned)news->n;
    n = n < most ? n : most;
    lock_take(&t->lock);
    struct slot *s =
        news->n > 0 ? find_or_make(t, news->key) : limiter_find(t, news->key);
    if (s != NULL && news->n > 0)
        limiter_add(&t->rule, s, n, now_ms);
    for (unsigned i = 0; s != NULL && news->n < 0 && i < n; i++)
        give_back(&t->rule, s, now_ms);
    lock_drop(&t->lock);
}

void limiter_charge(struct limiter *t, str key, uint64_t now_ms, unsigned n)
{
    lock_take(&t->lock);
    struct slot *s = find_or_make(t, limiter_key_of(t, key));
    limiter_add(&t->rule, s, n, now_ms);
    limiter_note(t, s, (int)n);
    lock_drop(&t->lock);
}
