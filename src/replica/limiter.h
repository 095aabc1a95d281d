/*
 * limiter - how often something happened recently, by key: an address, a user, a client.
 *
 * A table of fixed size: memory does not grow, whatever keys clients invent. A key is
 * stored as a hash keyed with a secret; where the table is full, the
 * least recently used of a few neighbouring keys is dropped. Counts use a sliding window.
 *
 * With a penalty, a key that has used up its limit is locked out for that time, doubled
 * after each further attempt up to the maximum; a window without attempts resets it.
 *
 * A steady rule has no window: after a burst of limit, events become possible one by one,
 * so that callers can wait for their turn (limiter_book).
 *
 * Time is passed in, in milliseconds of clock_ms(). Safe from any thread.
 */
#pragma once

#include "base/str.h"

struct limiter_rule {
    unsigned limit; /* at least 1 */
    uint64_t window_ms;
    uint64_t penalty_ms, penalty_max_ms; /* 0: none, just wait for the window to slide */
    bool steady; /* no window: limit at once, then evenly limit per window_ms */
};

/*
 * How often something happened within a sliding window: all of the current bucket, which
 * is as long as the window, plus the share of the previous one that the window still
 * covers. For a rule without a penalty that is not steady.
 */
struct limiter_window {
    uint64_t bucket;         /* number of the current one */
    unsigned count, earlier; /* in it, and in the previous one */
};

/* As limiter_take() and limiter_give_back(), for callers that keep the window
 * elsewhere. */
bool limiter_window_take(const struct limiter_rule *r, struct limiter_window *w,
                         uint64_t now_ms, uint64_t *wait_ms);
void limiter_window_give_back(const struct limiter_rule *r, struct limiter_window *w,
                              uint64_t now_ms);

enum { LIMITER_SLOTS = 16384 }; /* maximum number of keys; a power of two */

struct limiter;

struct limiter *limiter_create(const struct limiter_rule *rule);
void limiter_free(struct limiter *t); /* NULL is allowed */

/*
 * Count one for key. False if the limit is reached: nothing is counted, and *wait_ms
 * (wait_ms may be NULL) says how long to wait.
 */
bool limiter_take(struct limiter *t, str key, uint64_t now_ms, uint64_t *wait_ms);

/*
 * With a steady rule: count one for key, now or in at most most_ms. True: it is counted,
 * and may happen in *wait_ms. False: nothing is counted, and its turn would be in
 * *wait_ms.
 */
bool limiter_book(struct limiter *t, str key, uint64_t now_ms, uint64_t most_ms,
                  uint64_t *wait_ms);

/* Count n more for key, whatever the limit: what was allowed turned out to cost more. */
void limiter_charge(struct limiter *t, str key, uint64_t now_ms, unsigned n);

/* Undo one count. */
void limiter_give_back(struct limiter *t, str key, uint64_t now_ms);

/* Reset the key. */
void limiter_clear(struct limiter *t, str key);

/*
 * Share the counts with other processes, for a rule without a penalty: each broadcasts
 * from time to time what it has counted, and the others add that to theirs. In between, a
 * process does not know of the others; so all together may exceed the limit, but not by
 * more than a limit for each of them, and with a steady rule they wait for it afterwards.
 *
 * key: the same in all of them; before the first event.
 */
struct hash_key;
void limiter_share(struct limiter *t, const struct hash_key *key);

/* What one process has counted for a key since its last broadcast. */
struct limiter_news {
    uint64_t key; /* as a hash */
    int n;        /* below 0: more counts were undone than made */
};

/* Take out what others do not know yet: at most this many of them. */
size_t limiter_news(struct limiter *t, struct limiter_news *out, size_t most);

/* Add what another process has counted. */
void limiter_heard(struct limiter *t, const struct limiter_news *news, uint64_t now_ms);
