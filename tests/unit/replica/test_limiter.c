/* Counting by key, within a window, in a table that strangers cannot grow. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>

#include "base/hash.h"
#include "replica/limiter.h"

enum { S = 1000 };

static const uint64_t start = 1000000 * S; /* a multiple of the windows below */

static const struct limiter_rule plain = {.limit = 3, .window_ms = 100 * S};
static const struct limiter_rule strict = {
    .limit = 3, .window_ms = 100 * S, .penalty_ms = 10 * S, .penalty_max_ms = 60 * S};

/* S4-46: by key, over a window that slides. */
static void test_counts(void **state)
{
    static const struct {
        const char *name;
        unsigned at; /* seconds after the start */
        bool ok;
    } rows[] = {
        {"first", 0, true},
        {"second", 1, true},
        {"third", 2, true},
        {"fourth", 3, false},
        {"refused ones do not count", 50, false},
        {"a moment into the next window", 101, false},
        {"a third has slid out", 135, true},
        {"full again", 136, false},
        {"long after", 400, true},
    };
    struct limiter *t = limiter_create(&plain);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_INT(rows[i].name, limiter_take(t, STR("key"), start + rows[i].at * S, NULL),
                  rows[i].ok);
    limiter_free(t);
}

static void test_wait_is_true(void **state)
{
    struct limiter *t = limiter_create(&plain);
    for (unsigned i = 0; i < 3; i++)
        assert_true(limiter_take(t, STR("key"), start + 5 * S * i, NULL));
    uint64_t wait = 0, now = start + 20 * S;
    assert_false(limiter_take(t, STR("key"), now, &wait));
    assert_true(wait > 0 && wait <= 200 * S);
    assert_false(limiter_take(t, STR("key"), now + wait - S, NULL));
    assert_true(limiter_take(t, STR("key"), now + wait, NULL));
    limiter_free(t);
}

/* Three at once, then one every 20 seconds. */
static const struct limiter_rule steady = {
    .limit = 3, .window_ms = 60 * S, .steady = true};

static void test_steady(void **state)
{
    static const struct {
        const char *name;
        unsigned at, most; /* seconds after the start */
        bool ok;
        unsigned wait; /* seconds */
    } rows[] = {
        {"first", 0, 0, true, 0},
        {"second", 0, 0, true, 0},
        {"third", 0, 0, true, 0},
        {"fourth, at once", 0, 0, false, 20},
        {"fourth, a second too impatient", 0, 19, false, 20},
        {"fourth, booked", 0, 20, true, 20},
        {"fifth, booked", 5, 60, true, 35},
        {"sixth", 30, 0, false, 30},
        {"sixth, in time", 60, 0, true, 0},
        {"all is free again", 200, 0, true, 0},
        {"all is free again", 200, 0, true, 0},
        {"all is free again", 200, 0, true, 0},
        {"and used up", 200, 0, false, 20},
    };
    struct limiter *t = limiter_create(&steady);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t wait = 99 * S;
        bool ok =
            limiter_book(t, STR("key"), start + rows[i].at * S, rows[i].most * S, &wait);
        CHECK_INT(rows[i].name, ok, rows[i].ok);
        CHECK_INT(rows[i].name, wait, rows[i].wait * S);
    }
    limiter_give_back(t, STR("key"), start + 200 * S);
    assert_true(limiter_take(t, STR("key"), start + 200 * S, NULL));
    assert_false(limiter_take(t, STR("key"), start + 200 * S, NULL));
    assert_true(limiter_take(t, STR("another key"), start + 200 * S, NULL));
    limiter_free(t);
}

static void test_keys_are_apart(void **state)
{
    struct limiter *t = limiter_create(&plain);
    for (unsigned i = 0; i < 3; i++)
        assert_true(limiter_take(t, STR("a"), start, NULL));
    assert_false(limiter_take(t, STR("a"), start, NULL));
    assert_true(limiter_take(t, STR("A"), start, NULL));
    assert_true(limiter_take(t, STR(""), start, NULL));
    assert_true(limiter_take(t, STR("a\0b"), start, NULL));
    limiter_give_back(t, STR("a"), start);
    assert_true(limiter_take(t, STR("a"), start, NULL));
    assert_false(limiter_take(t, STR("a"), start, NULL));
    limiter_clear(t, STR("a"));
    assert_true(limiter_take(t, STR("a"), start, NULL));
    limiter_clear(t, STR("never seen"));
    limiter_give_back(t, STR("never seen"), start);
    limiter_free(t);
}

static void test_penalty_doubles(void **state)
{
    static const uint64_t waits[] = {10, 20, 40, 60, 60};
    struct limiter *t = limiter_create(&strict);
    uint64_t now = start, wait = 0;
    for (unsigned i = 0; i < 3; i++)
        assert_true(limiter_take(t, STR("key"), now, NULL));
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        assert_false(limiter_take(t, STR("key"), now, &wait));
        assert_int_equal(wait, waits[i] * S);
        assert_false(limiter_take(t, STR("key"), now + wait - 1, NULL));
        now += wait;
        assert_true(limiter_take(t, STR("key"), now, NULL));
    }
    /* a quiet window after the penalty resets it */
    now += 60 * S + 200 * S;
    for (unsigned i = 0; i < 3; i++)
        assert_true(limiter_take(t, STR("key"), now, NULL));
    assert_false(limiter_take(t, STR("key"), now, &wait));
    assert_int_equal(wait, 10 * S);
    limiter_free(t);
}

static void test_penalty_is_given_back(void **state)
{
    struct limiter *t = limiter_create(&strict);
    for (unsigned i = 0; i < 3; i++)
        assert_true(limiter_take(t, STR("key"), start, NULL));
    limiter_give_back(t, STR("key"), start);
    assert_true(limiter_take(t, STR("key"), start, NULL));
    assert_false(limiter_take(t, STR("key"), start, NULL));
    limiter_free(t);
}

/* A key in use is not pushed out by any number of other keys. */
static void test_strangers(void **state)
{
    struct limiter *t = limiter_create(&strict);
    char key[32];
    for (unsigned i = 0; i < 3; i++)
        limiter_take(t, STR("victim"), start, NULL);
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "stranger %u", i);
        limiter_take(t, str_c(key), start + 1, NULL);
    }
    assert_false(limiter_take(t, STR("victim"), start + 2, NULL));
    for (unsigned i = 0; i < 10 * LIMITER_SLOTS; i++) {
        snprintf(key, sizeof(key), "more %u", i);
        assert_true(limiter_take(t, str_c(key), start + 3 + i, NULL));
    }
    limiter_free(t);
}

static void *take_many(void *arg)
{
    unsigned *taken = mem_zero(sizeof(*taken));
    for (unsigned i = 0; i < 1000; i++)
        *taken += limiter_take(arg, STR("key"), start, NULL);
    return taken;
}

static void test_threads(void **state)
{
    struct limiter *t =
        limiter_create(&(struct limiter_rule){.limit = 500, .window_ms = 100 * S});
    pthread_t threads[4];
    unsigned all = 0;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_create(&threads[i], NULL, take_many, t);
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        void *taken;
        pthread_join(threads[i], &taken);
        all += *(unsigned *)taken;
        free(taken);
    }
    assert_int_equal(all, 500);
    limiter_free(t);
}

/* --- two processes --- */

struct shared_pair {
    struct limiter *one, *two;
};

static struct shared_pair make_pair(const struct limiter_rule *rule)
{
    struct hash_key key = hash_new_key();
    struct shared_pair p = {limiter_create(rule), limiter_create(rule)};
    limiter_share(p.one, &key);
    limiter_share(p.two, &key);
    return p;
}

static void free_pair(struct shared_pair *p)
{
    limiter_free(p->one);
    limiter_free(p->two);
}

/* All news, in portions. Returns how many. */
static size_t pass_on(struct limiter *from, struct limiter *to, uint64_t now)
{
    struct limiter_news news[7];
    size_t n, all = 0;
    while ((n = limiter_news(from, news, COUNT_OF(news))) > 0) {
        for (size_t i = 0; i < n; i++)
            limiter_heard(to, &news[i], now);
        all += n;
    }
    return all;
}

static void test_together(void **state)
{
    struct shared_pair p = make_pair(&plain);
    assert_true(limiter_take(p.one, STR("key"), start, NULL));
    assert_true(limiter_take(p.two, STR("key"), start, NULL));
    assert_int_equal(pass_on(p.one, p.two, start), 1);
    assert_int_equal(pass_on(p.two, p.one, start), 1);
    assert_true(limiter_take(p.one, STR("key"), start, NULL));
    assert_false(limiter_take(p.one, STR("key"), start, NULL));
    assert_int_equal(pass_on(p.one, p.two, start), 1);
    assert_false(limiter_take(p.two, STR("key"), start, NULL));
    assert_true(limiter_take(p.two, STR("other"), start, NULL));
    limiter_give_back(p.one, STR("key"), start);
    pass_on(p.one, p.two, start);
    assert_true(limiter_take(p.two, STR("key"), start, NULL));
    assert_true(limiter_take(p.two, STR("key"), start + 300 * S, NULL)); /* later */
    free_pair(&p);
}

/* What is heard is not said again; what was taken back at once is not said at all. */
static void test_said_once(void **state)
{
    struct shared_pair p = make_pair(&plain);
    char name[16];
    for (unsigned i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), "key %u", i);
        assert_true(limiter_take(p.one, str_c(name), start, NULL));
    }
    assert_true(limiter_take(p.one, STR("key"), start, NULL));
    limiter_give_back(p.one, STR("key"), start);
    assert_int_equal(pass_on(p.one, p.two, start), 50);
    assert_int_equal(pass_on(p.one, p.two, start), 0);
    assert_int_equal(pass_on(p.two, p.one, start), 0);
    free_pair(&p);
}

/* What two let through at the same time is waited for afterwards. */
static void test_steady_together(void **state)
{
    struct shared_pair p = make_pair(&steady);
    uint64_t wait = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(limiter_take(p.one, STR("key"), start, NULL));
        assert_true(limiter_take(p.two, STR("key"), start, NULL));
    }
    pass_on(p.one, p.two, start);
    pass_on(p.two, p.one, start);
    assert_false(limiter_take(p.one, STR("key"), start + 60 * S, &wait));
    assert_in_range(wait, 19 * S, 21 * S);
    assert_true(limiter_take(p.two, STR("key"), start + 81 * S, NULL));
    free_pair(&p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_wait_is_true),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_keys_are_apart),
        cmocka_unit_test(test_penalty_doubles),
        cmocka_unit_test(test_penalty_is_given_back),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_said_once),
        cmocka_unit_test(test_steady_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
