/* Things that are opened when they are used, by many threads, and closed. */
#include "app/setup/open_vaults.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/os/thread.h"
#include "check.h"
#include "until.h"

enum { THINGS = 24, OPEN_MAX = 5, THREADS = 16, ROUNDS = 300 };

struct thing {
    struct open_item item; /* first */
    atomic_int open;       /* how often it is open: 0 or 1 */
    atomic_int users, opened;
    atomic_bool broken, slow;
    atomic_bool away, lost; /* it must be fetched, which fails */
    atomic_bool held;       /* its fetch waits for this */
    atomic_bool stuck;      /* closing it waits for go */
};

struct world {
    struct thing things[THINGS];
    struct open_vaults *vaults;
    atomic_int open, wrong, ticks, asked, fetching, most_fetching, closing;
    atomic_bool wanted, hesitates, go;
};

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static bool is_away(void *arg, struct open_item *item)
{
    return ((struct thing *)item)->away;
}

static bool world_fetch(void *arg, struct open_item *item, struct err *err)
{
    struct world *w = arg;
    struct thing *t = (struct thing *)item;
    int now = ++w->fetching;
    if (now > w->most_fetching)
        w->most_fetching = now;
    while ((t->slow || t->held) && !w->go)
        nap(1);
    w->wrong += t->open != 0;
    w->fetching--;
    if (t->lost)
        return err_set(err, ERR_DENIED, "it is lost");
    t->away = false;
    return true;
}

static bool world_open(void *arg, struct open_item *item, struct err *err)
{
    struct world *w = arg;
    struct thing *t = (struct thing *)item;
    t->opened++;
    w->wrong += t->away;
    if (t->broken)
        return err_set(err, ERR_DENIED, "it is broken");
    while (t->slow && !w->go)
        nap(1);
    nap(1);
    w->open++;
    w->wrong += t->open++ != 0;
    return true;
}

static void world_close(void *arg, struct open_item *item)
{
    struct world *w = arg;
    struct thing *t = (struct thing *)item;
    w->wrong += t->users != 0;
    w->closing++;
    while (t->stuck && !w->go)
        nap(1);
    w->closing--;
    w->wrong += --t->open != 0;
    w->open--;
}

static bool is_wanted(void *arg, struct open_item *item)
{
    struct world *w = arg;
    struct thing *t = (struct thing *)item;
    t->users++;
    w->asked++;
    if (w->hesitates)
        nap(50);
    t->users--;
    return w->wanted;
}

static void world_tick(void *arg)
{
    ((struct world *)arg)->ticks++;
}

static struct world *world_with_turns(size_t open_max, uint64_t idle_ms, uint64_t turn_ms)
{
    struct world *w = mem_zero(sizeof(*w));
    w->vaults = open_vaults_create(&(struct open_vaults_config){.open_max = open_max,
                                                                .idle_ms = idle_ms,
                                                                .turn_ms = turn_ms,
                                                                .is_away = is_away,
                                                                .fetch = world_fetch,
                                                                .open = world_open,
                                                                .close = world_close,
                                                                .wanted = is_wanted,
                                                                .tick = world_tick,
                                                                .arg = w});
    return w;
}

/* Turns never end by time. */
static struct world *world_create(size_t open_max, uint64_t idle_ms)
{
    return world_with_turns(open_max, idle_ms, UINT64_MAX);
}

static void world_free(struct world *w)
{
    open_vaults_free(w->vaults);
    CHECK("all are closed", w->open == 0);
    CHECK("nothing went wrong", w->wrong == 0);
    free(w);
}

/* --- many threads --- */

struct user {
    struct world *world;
    unsigned seed;
    int used;
    struct thread thread;
};

static void use_once(struct user *u, struct thing *t)
{
    struct err err = {0};
    if (!open_vaults_use(u->world->vaults, &t->item, UNTIL_MS, &err))
        return;
    t->users++;
    u->world->wrong += t->open != 1;
    u->world->wrong += open_vaults_count(u->world->vaults) > OPEN_MAX;
    u->used++;
    t->users--;
    open_vaults_release(u->world->vaults, &t->item);
}

static void *use_many(void *arg)
{
    struct user *u = arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct thing *t = &u->world->things[(unsigned)rand_r(&u->seed) % THINGS];
        use_once(u, t);
        if (i % 50 == 0)
            open_vaults_drop(u->world->vaults, &t->item, i % 100 == 0);
    }
    return NULL;
}

static void test_many_threads(void **state)
{
    struct world *w = world_create(OPEN_MAX, 1);
    struct user users[THREADS];
    int used = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        users[i] = (struct user){.world = w, .seed = i};
        assert_true(thread_start(&users[i].thread, "user", use_many, &users[i]));
    }
    for (size_t i = 0; i < THREADS; i++) {
        thread_join(&users[i].thread);
        used += users[i].used;
    }
    CHECK("some were used", used > THREADS);
    world_free(w); /* there were never too many */
}

/* --- one thread --- */

static void wait_until_closed(struct world *w, struct thing *t)
{
    UNTIL(t->open == 0);
}

static void test_idle(void **state)
{
    struct world *w = world_create(2, 50);
    struct thing *t = &w->things[0];
    struct err err = {0};
    assert_true(open_vaults_use(w->vaults, &t->item, UNTIL_MS, &err));
    nap(3 * OPEN_VAULTS_TICK_MS);
    CHECK("not closed while it is used", t->open == 1);
    open_vaults_release(w->vaults, &t->item);
    wait_until_closed(w, t);
    CHECK("not open", !open_vaults_look(w->vaults, &t->item));
    assert_true(open_vaults_use(w->vaults, &t->item, UNTIL_MS, &err));
    CHECK("opened again", t->opened == 2);
    w->wanted = true;
    open_vaults_release(w->vaults, &t->item);
    nap(3 * OPEN_VAULTS_TICK_MS);
    CHECK("not closed while it is wanted", open_vaults_look(w->vaults, &t->item));
    open_vaults_look_away(w->vaults, &t->item);
    open_vaults_drop(w->vaults, &t->item, true);
    wait_until_closed(w, t);
    CHECK("gone",
          !open_vaults_use(w->vaults, &t->item, 10, &err) && err.code == ERR_NOT_FOUND);
    world_free(w);
}

static void test_room(void **state)
{
    struct world *w = world_create(2, 100000);
    struct err err = {0};
    assert_true(open_vaults_use(w->vaults, &w->things[0].item, UNTIL_MS, &err));
    assert_true(open_vaults_use(w->vaults, &w->things[1].item, UNTIL_MS, &err));
    CHECK("no room", !open_vaults_use(w->vaults, &w->things[2].item, 20, &err));
    CHECK("says so", err.code == ERR_BUSY);
    open_vaults_release(w->vaults, &w->things[1].item);
    nap(5);
    open_vaults_release(w->vaults, &w->things[0].item);
    assert_true(open_vaults_use(w->vaults, &w->things[2].item, UNTIL_MS, &err));
    wait_until_closed(w, &w->things[1]);
    CHECK("the older one went", w->things[0].open == 1);
    CHECK("two", open_vaults_count(w->vaults) == 2);
    open_vaults_release(w->vaults, &w->things[2].item);
    world_free(w);
}

/* A caller that comes back for an item finds it open, although others want its place;
 * false if the machine let it come back too late. */
static bool comes_back(void)
{
    struct world *w = world_create(1, 100000);
    struct thing *t = &w->things[0];
    struct err err = {0};
    uint64_t began = clock_ms();
    assert_int_equal(open_vaults_try(w->vaults, &t->item, &err), OPEN_STATE_OPENING);
    UNTIL(t->open > 0);
    for (int i = 0; i < 20; i++) {
        enum open_state other = open_vaults_try(w->vaults, &w->things[1].item, &err);
        assert_int_equal(other, OPEN_STATE_OPENING);
        nap(1);
    }
    bool open = open_vaults_try(w->vaults, &t->item, &err) == OPEN_STATE_OPEN;
    bool late = clock_ms() - began >= OPEN_VAULTS_FRESH_MS;
    CHECK("still open", open || late);
    if (open)
        open_vaults_release(w->vaults, &t->item);
    CHECK("then the other",
          open_vaults_use(w->vaults, &w->things[1].item, UNTIL_MS, &err));
    open_vaults_release(w->vaults, &w->things[1].item);
    world_free(w);
    return !late;
}

static void test_comes_back(void **state)
{
    UNTIL(comes_back());
}

static void test_failure(void **state)
{
    struct world *w = world_create(2, 100000);
    struct thing *t = &w->things[0];
    struct err err = {0};
    uint64_t began = clock_ms();
    t->broken = true;
    CHECK("fails", !open_vaults_use(w->vaults, &t->item, UNTIL_MS, &err));
    CHECK("says why", err.code == ERR_DENIED);
    CHECK("fails again", !open_vaults_use(w->vaults, &t->item, UNTIL_MS, &err));
    CHECK("was not tried again soon",
          t->opened == 1 || clock_ms() - began >= OPEN_VAULTS_RETRY_MS);
    open_vaults_stop(w->vaults);
    CHECK("stopped", !open_vaults_use(w->vaults, &w->things[1].item, UNTIL_MS, &err));
    CHECK("busy", err.code == ERR_BUSY);
    world_free(w);
}

/* Who may use what is read by the tick, so clones that hang must not stop it. */
static void test_tick_goes_on(void **state)
{
    struct world *w = world_create(THINGS, 100000);
    struct err err = {0};
    for (size_t i = 0; i < THINGS; i++) {
        w->things[i].slow = true;
        assert_int_equal(open_vaults_try(w->vaults, &w->things[i].item, &err),
                         OPEN_STATE_OPENING);
    }
    nap(2L * OPEN_VAULTS_TICK_MS);
    int before = w->ticks;
    UNTIL(w->ticks > before);
    w->go = true;
    world_free(w);
}

static bool waits_for(struct world *w, const struct thing *t, const char *what)
{
    struct err err = {0};
    CHECK("not yet",
          !open_vaults_not_yet(w->vaults, &t->item, &err) && err.code == ERR_BUSY);
    return strstr(err.msg, what) != NULL;
}

static void use_soon(struct world *w, struct thing *t)
{
    struct err err = {0};
    enum open_state state = OPEN_STATE_OPENING;
    UNTIL((state = open_vaults_try(w->vaults, &t->item, &err)) == OPEN_STATE_OPEN ||
          state == OPEN_STATE_CLOSED);
    assert_int_equal(state, OPEN_STATE_OPEN);
    open_vaults_release(w->vaults, &t->item);
}

/* Fetches that hang neither take the place of what is here nor keep it from being opened,
 * and callers that wait for one fail at once. */
static void test_fetches_hang(void **state)
{
    struct world *w = world_create(1, 100000);
    struct thing *last = &w->things[THINGS - 2], *here = &w->things[THINGS - 1];
    struct err err = {0};
    for (size_t i = 0; i < THINGS - 1; i++) {
        w->things[i].away = true;
        w->things[i].slow = true;
        CHECK("does not wait",
              !open_vaults_use(w->vaults, &w->things[i].item, 60000, &err));
        assert_int_equal(open_vaults_try(w->vaults, &w->things[i].item, &err),
                         OPEN_STATE_FETCHING);
    }
    assert_true(open_vaults_use(w->vaults, &here->item, UNTIL_MS, &err));
    CHECK("only this one is open", open_vaults_count(w->vaults) == 1);
    open_vaults_release(w->vaults, &here->item);
    UNTIL(w->fetching == OPEN_VAULTS_FETCHES);
    CHECK("the first is fetched", waits_for(w, &w->things[0], "is being cloned"));
    CHECK("the last waits", waits_for(w, last, "waits to be cloned"));
    w->go = true;
    use_soon(w, last);
    CHECK("never too many", w->most_fetching == OPEN_VAULTS_FETCHES);
    world_free(w);
}

/* A fetch that takes longer than its turn keeps no other one waiting. */
static void test_slow_fetches_give_way(void **state)
{
    struct world *w = world_with_turns(THINGS, 100000, 1);
    struct thing *last = &w->things[THINGS - 1];
    struct err err = {0};
    for (size_t i = 0; i < THINGS; i++) {
        w->things[i].away = true;
        w->things[i].slow = &w->things[i] != last;
        CHECK("does not wait",
              !open_vaults_use(w->vaults, &w->things[i].item, 60000, &err));
    }
    use_soon(w, last); /* though all others hang */
    UNTIL(w->fetching ==
          (THINGS - 1 < OPEN_VAULTS_FETCHES_MAX ? THINGS - 1 : OPEN_VAULTS_FETCHES_MAX));
    w->go = true;
    world_free(w);
}

/* Of those that wait, one of an origin with fewer running is next. */
static void test_origins_share_turns(void **state)
{
    struct world *w = world_create(THINGS, 100000);
    struct thing *last = &w->things[THINGS - 1];
    struct err err = {0};
    for (size_t i = 0; i < THINGS; i++) {
        w->things[i].away = true;
        w->things[i].slow = &w->things[i] != last && i > 0;
        w->things[i].item.origin = &w->things[i] == last;
    }
    w->things[0].held = true;
    for (size_t i = 0; i < THINGS; i++)
        CHECK("does not wait",
              !open_vaults_use(w->vaults, &w->things[i].item, 60000, &err));
    UNTIL(waits_for(w, last, "waits to be cloned"));
    w->things[0].held = false; /* its turn goes to the other origin, which came last */
    use_soon(w, last);
    CHECK("others of the first origin wait",
          waits_for(w, &w->things[THINGS - 2], "waits to be cloned"));
    w->go = true;
    world_free(w);
}

/* --- closing --- */

static bool is_open_now(struct world *w, struct thing *t)
{
    struct err err = {0};
    bool open = open_vaults_try(w->vaults, &t->item, &err) == OPEN_STATE_OPEN;
    if (open)
        open_vaults_release(w->vaults, &t->item);
    return open;
}

/* As many things of origin 1 as may be closed at a time, each in the place of the one
 * before, which cannot be closed; one more is open. */
static void use_stuck(struct world *w)
{
    for (size_t i = 0; i <= OPEN_VAULTS_CLOSINGS_ORIGIN; i++) {
        w->things[i].stuck = true;
        w->things[i].item.origin = 1;
        use_soon(w, &w->things[i]);
    }
    UNTIL(w->closing == OPEN_VAULTS_CLOSINGS_ORIGIN);
}

/* Last pushes that hang take neither a place nor a thread from others, and only what is
 * being closed waits for its own. */
static void test_closings_hang(void **state)
{
    struct world *w = world_create(1, 100000);
    struct thing *other = &w->things[THINGS - 1];
    other->item.origin = 2;
    use_stuck(w);
    use_soon(w, other); /* though all others hang */
    CHECK("only this one is open", open_vaults_count(w->vaults) == 1);
    CHECK("not opened twice", !is_open_now(w, &w->things[0]));
    CHECK("still open", is_open_now(w, other));
    w->go = true;
    use_soon(w, &w->things[0]);
    CHECK("opened again", w->things[0].opened == 2);
    world_free(w);
}

/* An origin whose closings hang waits for them before it pushes out others. */
static void test_closings_have_a_share(void **state)
{
    struct world *w = world_create(1, 100000);
    struct thing *more = &w->things[THINGS - 2], *other = &w->things[THINGS - 1];
    more->item.origin = 1;
    other->item.origin = 2;
    use_stuck(w);
    CHECK("its share is used up", !is_open_now(w, more));
    use_soon(w, other);
    CHECK("still", !is_open_now(w, more) && more->opened == 0);
    CHECK("the other stays", is_open_now(w, other));
    w->go = true;
    use_soon(w, more);
    world_free(w);
}

/* However many origins hang, no more than that are closed at a time, neither for others
 * nor because they are idle. */
static void test_closings_are_bounded(void **state)
{
    struct world *w = world_create(1, 1);
    struct thing *last = &w->things[OPEN_VAULTS_CLOSINGS_MAX], *other = last + 1;
    for (size_t i = 0; i < OPEN_VAULTS_CLOSINGS_MAX; i++) {
        w->things[i].stuck = true;
        w->things[i].item.origin = i;
        use_soon(w, &w->things[i]);
    }
    UNTIL(w->closing == OPEN_VAULTS_CLOSINGS_MAX);
    use_soon(w, last);
    int before = w->ticks;
    UNTIL(w->ticks > before + 2);
    CHECK("it stays open", last->open == 1);
    CHECK("the other waits", !is_open_now(w, other) && other->opened == 0);
    w->go = true;
    use_soon(w, other);
    world_free(w);
}

static void test_fetch_fails(void **state)
{
    struct world *w = world_create(1, 100000);
    struct thing *t = &w->things[0];
    struct err err = {0};
    t->away = true;
    t->lost = true;
    enum open_state end = open_vaults_try(w->vaults, &t->item, &err);
    UNTIL(end == OPEN_STATE_CLOSED ||
          (end = open_vaults_try(w->vaults, &t->item, &err)) == OPEN_STATE_CLOSED);
    CHECK("says why", end == OPEN_STATE_CLOSED && err.code == ERR_DENIED);
    CHECK("it was not opened", t->opened == 0 && open_vaults_count(w->vaults) == 0);
    world_free(w);
}

/* What waits to be fetched when the program stops is not fetched any more. */
static void test_free_while_fetching(void **state)
{
    struct world *w = world_create(1, 100000);
    struct err err = {0};
    for (size_t i = 0; i < THINGS; i++) {
        w->things[i].away = true;
        w->things[i].slow = true;
        CHECK("does not wait",
              !open_vaults_use(w->vaults, &w->things[i].item, 60000, &err));
    }
    open_vaults_stop(w->vaults);
    w->go = true;
    size_t fetched = 0;
    open_vaults_free(w->vaults);
    for (size_t i = 0; i < THINGS; i++)
        fetched += !w->things[i].away;
    CHECK("those under way", fetched <= OPEN_VAULTS_FETCHES);
    CHECK("nothing went wrong", w->wrong == 0 && w->open == 0);
    free(w);
}

/* An item is not closed, nor twice, while the tick asks whether it is wanted. */
static void test_free_while_asked(void **state)
{
    struct world *w = world_create(1, 1);
    struct thing *t = &w->things[0];
    struct err err = {0};
    w->hesitates = true;
    assert_true(open_vaults_use(w->vaults, &t->item, UNTIL_MS, &err));
    open_vaults_release(w->vaults, &t->item);
    UNTIL(w->asked > 0); /* the tick asks */
    world_free(w);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_tick_goes_on),
        cmocka_unit_test(test_fetches_hang),
        cmocka_unit_test(test_closings_hang),
        cmocka_unit_test(test_closings_have_a_share),
        cmocka_unit_test(test_closings_are_bounded),
        cmocka_unit_test(test_fetch_fails),
        cmocka_unit_test(test_slow_fetches_give_way),
        cmocka_unit_test(test_origins_share_turns),
        cmocka_unit_test(test_free_while_fetching),
        cmocka_unit_test(test_free_while_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
