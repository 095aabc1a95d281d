#include "app/setup/open_vaults.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/os/thread.h"
#include "base/pool.h"

enum { QUEUE_MAX = 4096 };

struct item_list {
    struct open_item **items; /* the first come first */
    size_t n;
};

struct open_vaults {
    struct open_vaults_config config;
    struct pool *pool; /* to open */
    struct pool *fetching;
    struct pool *closing;
    struct pool *ticking;  /* one thread, which no item that takes long can occupy */
    struct lock lock;      /* of everything here and of all items */
    struct cond moved;     /* an item was opened, closed or released */
    struct item_list out;  /* those that are open or being opened */
    struct item_list away; /* those that are fetched, or wait for that */
    struct item_list shut; /* those that are being closed */
    bool stopping;
};

/* --- the lists of items that are not closed: one list has each; the lock is held --- */

static void list_item(struct item_list *list, struct open_item *item)
{
    *ARRAY_ADD(NULL, list->items, list->n) = item;
}

static void unlist_item(struct item_list *list, const struct open_item *item)
{
    size_t i = 0;
    while (list->items[i] != item)
        i++;
    list->n--;
    memmove(&list->items[i], &list->items[i + 1],
            (list->n - i) * sizeof(struct open_item *));
}

static size_t count_origin(const struct item_list *list, uint64_t origin)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += !list->items[i]->queued && list->items[i]->origin == origin;
    return n;
}

/* It leaves its list for none. */
static void set_closed(struct open_vaults *s, struct item_list *list,
                       struct open_item *item)
{
    unlist_item(list, item);
    item->state = OPEN_STATE_CLOSED;
    item->owner = NULL;
    cond_wake_all(&s->moved);
}

/* --- fetching, opening and closing, on threads of open_vaults --- */

static bool may_use(const struct open_vaults *s, const struct open_item *item,
                    struct err *err)
{
    if (item->dropped)
        return err_set(err, ERR_NOT_FOUND, "no such vault");
    return !s->stopping || err_set(err, ERR_BUSY, "the server is stopping");
}

/* How fetching or opening has ended; the lock is held. */
static void note_end(struct open_item *item, bool ok, const struct err *err)
{
    item->used_ms = clock_ms();
    item->failed_ms = ok ? 0 : item->used_ms;
    item->why = *err;
}

/* The next one, if there is a turn for it; the lock is held. */
static struct open_item *next_fetch(const struct open_vaults *s)
{
    struct open_item *next = NULL;
    size_t running = 0, turns = 0, least = SIZE_MAX;
    uint64_t now = clock_ms();
    for (size_t i = 0; i < s->away.n; i++) {
        struct open_item *item = s->away.items[i];
        size_t same = item->queued ? count_origin(&s->away, item->origin) : SIZE_MAX;
        running += !item->queued;
        turns += !item->queued && now - item->fetched_ms < s->config.turn_ms;
        next = same < least ? item : next;
        least = same < least ? same : least;
    }
    return turns < OPEN_VAULTS_FETCHES && running < OPEN_VAULTS_FETCHES_MAX ? next : NULL;
}

static void fetch_job(void *arg);

/* The lock is held. */
static void start_fetches(struct open_vaults *s)
{
    for (struct open_item *item; !s->stopping && (item = next_fetch(s)) != NULL;) {
        item->queued = false;
        item->fetched_ms = clock_ms();
        pool_later(s->fetching, 0, fetch_job, item);
    }
}

/* Its turn has come, and it is still wanted. */
static bool begin_fetch(struct open_vaults *s, struct open_item *item, struct err *err)
{
    lock_take(&s->lock);
    bool wanted = may_use(s, item, err);
    lock_drop(&s->lock);
    return wanted;
}

/* Afterwards it is closed, and can be opened. */
static void fetch_job(void *arg)
{
    struct open_item *item = arg;
    struct open_vaults *s = item->owner;
    struct err err = {0};
    bool ok = begin_fetch(s, item, &err) && s->config.fetch(s->config.arg, item, &err);
    lock_take(&s->lock);
    note_end(item, ok, &err);
    set_closed(s, &s->away, item);
    start_fetches(s);
    lock_drop(&s->lock);
}

/* The lock is held; the item is closed. */
static void queue_fetch(struct open_vaults *s, struct open_item *item)
{
    if (s->stopping)
        return;
    item->state = OPEN_STATE_FETCHING;
    item->queued = true;
    item->owner = s;
    list_item(&s->away, item);
    start_fetches(s);
}

static void open_job(void *arg)
{
    struct open_item *item = arg;
    struct open_vaults *s = item->owner;
    struct err err = {0};
    bool away = s->config.is_away != NULL && s->config.is_away(s->config.arg, item);
    bool ok = away || s->config.open(s->config.arg, item, &err);
    lock_take(&s->lock);
    note_end(item, ok, &err);
    if (ok && !away) {
        item->state = OPEN_STATE_OPEN;
        item->fresh = true;
    } else {
        set_closed(s, &s->out, item);
    }
    if (away)
        queue_fetch(s, item);
    cond_wake_all(&s->moved);
    lock_drop(&s->lock);
}

static void close_job(void *arg)
{
    struct open_item *item = arg;
    struct open_vaults *s = item->owner;
    s->config.close(s->config.arg, item);
    lock_take(&s->lock);
    set_closed(s, &s->shut, item);
    lock_drop(&s->lock);
}

/* Its place is free from now on. The lock is held. */
static void begin_closing(struct open_vaults *s, struct open_item *item)
{
    item->state = OPEN_STATE_CLOSING;
    unlist_item(&s->out, item);
    list_item(&s->shut, item);
    pool_later(s->closing, 0, close_job, item);
}

/* --- what to close --- */

static bool is_unused(const struct open_item *item, uint64_t now)
{
    return item->state == OPEN_STATE_OPEN && item->users == 0 &&
           (!item->fresh || now - item->used_ms >= OPEN_VAULTS_FRESH_MS);
}

static bool may_close(const struct open_vaults *s)
{
    return s->shut.n < OPEN_VAULTS_CLOSINGS_MAX;
}

/* Close the least recently used one for another; the lock is held. */
static bool make_room(struct open_vaults *s, const struct open_item *for_item)
{
    struct open_item *oldest = NULL;
    uint64_t now = clock_ms();
    if (!may_close(s) ||
        count_origin(&s->shut, for_item->origin) >= OPEN_VAULTS_CLOSINGS_ORIGIN)
        return false;
    for (size_t i = 0; i < s->out.n; i++) {
        struct open_item *item = s->out.items[i];
        if (is_unused(item, now) && (oldest == NULL || item->used_ms < oldest->used_ms))
            oldest = item;
    }
    if (oldest != NULL)
        begin_closing(s, oldest);
    return oldest != NULL;
}

/* An item that could be closed now, which the caller then uses; NULL: none. *must: it is
 * closed even if it is wanted. */
static struct open_item *take_idle(struct open_vaults *s, size_t *at, bool *must)
{
    struct open_item *found = NULL;
    uint64_t now = clock_ms();
    lock_take(&s->lock);
    for (; found == NULL && may_close(s) && *at < s->out.n; ++*at) {
        struct open_item *item = s->out.items[*at];
        bool idle = item->dropped || now - item->used_ms >= s->config.idle_ms;
        if (is_unused(item, now) && idle)
            found = item;
    }
    if (found != NULL) {
        found->users++;
        *must = found->dropped;
    }
    lock_drop(&s->lock);
    return found;
}

static void close_idle(struct open_vaults *s)
{
    struct open_item *item;
    bool must;
    for (size_t at = 0; (item = take_idle(s, &at, &must)) != NULL;) {
        bool keep =
            !must && s->config.wanted != NULL && s->config.wanted(s->config.arg, item);
        lock_take(&s->lock);
        item->users--;
        if (!keep && item->users == 0) {
            begin_closing(s, item);
            at--; /* the next one is in its place */
        }
        cond_wake_all(&s->moved);
        lock_drop(&s->lock);
    }
}

static bool is_stopping(struct open_vaults *s)
{
    lock_take(&s->lock);
    bool stopping = s->stopping;
    lock_drop(&s->lock);
    return stopping;
}

static void tick_again(void *arg)
{
    struct open_vaults *s = arg;
    if (is_stopping(s))
        return;
    if (s->config.tick != NULL)
        s->config.tick(s->config.arg);
    lock_take(&s->lock);
    start_fetches(s); /* the turns of some may have ended */
    lock_drop(&s->lock);
    close_idle(s);
    pool_later(s->ticking, OPEN_VAULTS_TICK_MS, tick_again, s);
}

/* --- using --- */

/* The lock is held. */
static void begin_opening(struct open_vaults *s, struct open_item *item)
{
    if (s->out.n == s->config.open_max && !make_room(s, item))
        return;
    item->state = OPEN_STATE_OPENING;
    item->owner = s;
    list_item(&s->out, item);
    pool_later(s->pool, 0, open_job, item);
}

static enum open_state try_locked(struct open_vaults *s, struct open_item *item,
                                  struct err *err)
{
    if (!may_use(s, item, err))
        return OPEN_STATE_CLOSED;
    if (item->state == OPEN_STATE_OPEN) {
        item->users++;
        item->fresh = false;
        return OPEN_STATE_OPEN;
    }
    if (item->state == OPEN_STATE_CLOSED && item->failed_ms > 0 &&
        clock_ms() - item->failed_ms < OPEN_VAULTS_RETRY_MS) {
        *err = item->why;
        return OPEN_STATE_CLOSED;
    }
    if (item->state == OPEN_STATE_CLOSED)
        begin_opening(s, item);
    return item->state == OPEN_STATE_FETCHING ? OPEN_STATE_FETCHING : OPEN_STATE_OPENING;
}

enum open_state open_vaults_try(struct open_vaults *s, struct open_item *item,
                                struct err *err)
{
    lock_take(&s->lock);
    enum open_state state = try_locked(s, item, err);
    lock_drop(&s->lock);
    return state;
}

/* Wait until the item is open or failed. Not every change of open_vaults wakes us (time also
 * makes items ready to be closed), so look again after a tick. */
static enum open_state wait_for(struct open_vaults *s, struct open_item *item,
                                unsigned ms, struct err *err)
{
    uint64_t end = clock_ns() + ms * 1000000ULL;
    lock_take(&s->lock);
    enum open_state state = try_locked(s, item, err);
    while (state == OPEN_STATE_OPENING && clock_ns() < end) {
        uint64_t tick = clock_ns() + OPEN_VAULTS_TICK_MS * 1000000ULL;
        (void)lock_wait_until(&s->lock, &s->moved, tick < end ? tick : end);
        state = try_locked(s, item, err);
    }
    lock_drop(&s->lock);
    return state;
}

bool open_vaults_use(struct open_vaults *s, struct open_item *item, unsigned ms,
                     struct err *err)
{
    enum open_state state = open_vaults_try(s, item, err);
    if (state == OPEN_STATE_OPENING && pool_leave()) {
        state = wait_for(s, item, ms, err);
        pool_return();
    }
    if (state == OPEN_STATE_OPENING || state == OPEN_STATE_FETCHING)
        return open_vaults_not_yet(s, item, err);
    return state == OPEN_STATE_OPEN;
}

bool open_vaults_is_fetching(struct open_vaults *s, const struct open_item *item)
{
    lock_take(&s->lock);
    bool is = item->state == OPEN_STATE_FETCHING;
    lock_drop(&s->lock);
    return is;
}

bool open_vaults_not_yet(struct open_vaults *s, const struct open_item *item,
                         struct err *err)
{
    lock_take(&s->lock);
    bool fetching = item->state == OPEN_STATE_FETCHING, queued = item->queued;
    lock_drop(&s->lock);
    if (!fetching)
        return err_set(err, ERR_BUSY,
                       "the vault is still being opened: try again in a moment");
    return err_set(err, ERR_BUSY, "the vault %s: try again in a minute",
                   queued ? "waits to be cloned, because others are being cloned now"
                          : "is being cloned from its remote, for its first use");
}

bool open_vaults_look(struct open_vaults *s, struct open_item *item)
{
    lock_take(&s->lock);
    bool open = item->state == OPEN_STATE_OPEN && !s->stopping;
    item->users += open;
    lock_drop(&s->lock);
    return open;
}

/* The lock is held. */
static void open_vaults_give_up(struct open_vaults *s, struct open_item *item)
{
    item->users--;
    if (item->users == 0)
        cond_wake_all(&s->moved);
}

void open_vaults_look_away(struct open_vaults *s, struct open_item *item)
{
    lock_take(&s->lock);
    open_vaults_give_up(s, item);
    lock_drop(&s->lock);
}

void open_vaults_release(struct open_vaults *s, struct open_item *item)
{
    lock_take(&s->lock);
    item->used_ms = clock_ms();
    open_vaults_give_up(s, item);
    lock_drop(&s->lock);
}

void open_vaults_drop(struct open_vaults *s, struct open_item *item, bool dropped)
{
    lock_take(&s->lock);
    item->dropped = dropped;
    lock_drop(&s->lock);
}

size_t open_vaults_count(struct open_vaults *s)
{
    lock_take(&s->lock);
    size_t n = s->out.n;
    lock_drop(&s->lock);
    return n;
}

/* --- create and free --- */

struct open_vaults *open_vaults_create(const struct open_vaults_config *config)
{
    struct open_vaults *s = mem_zero(sizeof(*s));
    s->config = *config;
    if (config->turn_ms == 0)
        s->config.turn_ms = OPEN_VAULTS_TURN_MS;
    s->pool = pool_create(OPEN_VAULTS_THREADS, QUEUE_MAX);
    s->fetching = pool_create(OPEN_VAULTS_FETCHES_MAX, QUEUE_MAX);
    s->closing = pool_create(OPEN_VAULTS_CLOSINGS_MAX, QUEUE_MAX);
    s->ticking = pool_create(1, QUEUE_MAX);
    lock_init(&s->lock, LOCK_OPEN_VAULTS);
    cond_init(&s->moved);
    pool_later(s->ticking, OPEN_VAULTS_TICK_MS, tick_again, s);
    return s;
}

void open_vaults_stop(struct open_vaults *s)
{
    lock_take(&s->lock);
    s->stopping = true;
    cond_wake_all(&s->moved);
    lock_drop(&s->lock);
}

static bool is_opening(const struct open_vaults *s)
{
    for (size_t i = 0; i < s->out.n; i++)
        if (s->out.items[i]->state == OPEN_STATE_OPENING)
            return true;
    return false;
}

void open_vaults_free(struct open_vaults *s)
{
    if (s == NULL)
        return;
    open_vaults_stop(s);
    pool_free(s->ticking); /* it looks at items without the lock */
    lock_take(&s->lock);
    while (is_opening(s))
        lock_wait(&s->lock, &s->moved);
    lock_drop(&s->lock);
    pool_free(s->fetching); /* those that wait are not fetched any more */
    lock_take(&s->lock);
    while (s->out.n > 0)
        begin_closing(s, s->out.items[0]);
    while (s->shut.n > 0)
        lock_wait(&s->lock, &s->moved);
    lock_drop(&s->lock);
    pool_free(s->pool);
    pool_free(s->closing);
    cond_destroy(&s->moved);
    lock_release(&s->lock);
    free(s->out.items);
    free(s->away.items);
    free(s->shut.items);
    free(s);
}
