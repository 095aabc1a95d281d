/*
 * Several processes change the same database at the same time, in SQLite and in PostgreSQL:
 * what must happen once happens once, and what is limited stays within its limit.
 */
#include <sys/wait.h>

#include "oauth/parts.h"
#include "oauth_place.h"
#include "replica/shared_counter.h"
#include "replica/sql.h"

enum { WRITERS = 3, ROUNDS = 8, TAKES = 30, LIMIT = 50 };

struct outcome {
    unsigned done; /* a bit for each round; or how many */
    char text[240];
};

struct race {
    struct oauth_place *place;
    str texts[ROUNDS];
    void (*run)(struct race *r, struct outcome *out);
};

/* A process of its own, which waits until the others are ready, too. */
static void write_alone(struct race *r, int ready, int go, int result)
{
    struct outcome out = {0};
    char byte = 'r';
    place_open(r->place);
    bool ok = write(ready, &byte, 1) == 1 && read(go, &byte, 1) == 0;
    if (ok)
        r->run(r, &out);
    ok = ok && write(result, &out, sizeof(out)) == sizeof(out);
    oauth_free(r->place->oauth);
    _exit(ok ? 0 : 1);
}

static void write_at_once(struct race *r, struct outcome out[WRITERS])
{
    int ready[2], go[2], result[2], status;
    char byte;
    oauth_free(r->place->oauth); /* no thread of this process may be copied */
    r->place->oauth = NULL;
    assert_int_equal(pipe(ready) | pipe(go) | pipe(result), 0);
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) {
            close(go[1]);
            write_alone(r, ready[1], go[0], result[1]);
        }
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(read(ready[0], &byte, 1), 1);
    close(go[1]);
    for (int i = 0; i < WRITERS; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
        assert_int_equal(read(result[0], &out[i], sizeof(out[i])), sizeof(out[i]));
    }
    const int done[] = {ready[0], ready[1], go[0], result[0], result[1]};
    for (size_t i = 0; i < COUNT_OF(done); i++)
        close(done[i]);
    place_open(r->place);
}

/* Each round was done by one of them. */
static void check_once(const struct outcome out[WRITERS])
{
    unsigned all = 0;
    for (int i = 0; i < WRITERS; i++) {
        CHECK_INT("done twice", all & out[i].done, 0);
        all |= out[i].done;
    }
    CHECK_INT("done", all, (1U << ROUNDS) - 1);
}

static void redeem(struct race *r, struct outcome *out)
{
    struct oauth_answer answer;
    for (unsigned i = 0; i < ROUNDS; i++)
        if (place_redeem(r->place, "app", r->texts[i], &answer) == NULL)
            out->done |= 1U << i;
}

static void test_SEC_13_code_is_redeemed_once(void **state)
{
    struct race r = {.place = *state, .run = redeem};
    struct outcome out[WRITERS];
    for (size_t i = 0; i < ROUNDS; i++)
        r.texts[i] = place_code(r.place);
    write_at_once(&r, out);
    check_once(out);
}

static void refresh(struct race *r, struct outcome *out)
{
    struct oauth_answer answer = {.refresh_token = r->texts[0]};
    for (int i = 0; i < ROUNDS; i++)
        out->done +=
            place_refresh(r->place, "app", answer.refresh_token, 0, &answer) == NULL;
    snprintf(out->text, sizeof(out->text), STR_FMT, STR_ARG(answer.refresh_token));
}

/* All of them get the same successor, each time. */
static void test_SEC_18_one_successor(void **state)
{
    struct race r = {.place = *state, .run = refresh};
    struct outcome out[WRITERS];
    r.texts[0] = place_grant(r.place).refresh_token;
    write_at_once(&r, out);
    for (int i = 0; i < WRITERS; i++) {
        CHECK_INT("refreshed", out[i].done, ROUNDS);
        CHECK_STR("successor", str_c(out[i].text), out[0].text);
    }
}

static void count(struct race *r, struct outcome *out)
{
    static const struct shared_counter tally = {
        "race", {.limit = LIMIT, .window_ms = 3600ULL * 1000 * 1000}};
    struct store *s = r->place->oauth->store;
    struct err err = {0};
    for (int i = 0; i < TAKES; i++) {
        uint64_t wait_ms = 0;
        bool ok = store_begin(s, SHARED_COUNTER_LOCK, &err) &&
                  store_end(s, shared_counter_take(s, &tally, STR("key"), &wait_ms, &err),
                            &err);
        if (!ok)
            fail_msg("%s (%s)", err.msg, err.detail);
        out->done += wait_ms == 0;
    }
}

static void test_SEC_52_counters_are_exact(void **state)
{
    struct race r = {.place = *state, .run = count};
    struct outcome out[WRITERS];
    unsigned all = 0;
    write_at_once(&r, out);
    for (int i = 0; i < WRITERS; i++)
        all += out[i].done;
    CHECK_INT("counted", all, LIMIT);
}

static void mark_once(struct race *r, struct outcome *out)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct err err = {0};
        int added = 0;
        char name[32];
        snprintf(name, sizeof(name), "spent/%u", i);
        if (!store_run(r->place->oauth->store, SQL_MEMO_ADD,
                       STORE_ARGS(STORE_S(str_c(name)), STORE_S(STR("")),
                                  STORE_S(STR("")), STORE_N(clock_now() + 100)),
                       &added, &err))
            fail_msg("%s (%s)", err.msg, err.detail);
        out->done |= added > 0 ? 1U << i : 0;
    }
}

static void test_marked_once(void **state)
{
    struct race r = {.place = *state, .run = mark_once};
    struct outcome out[WRITERS];
    write_at_once(&r, out);
    check_once(out);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_SEC_13_code_is_redeemed_once),
        PLACE_TEST(test_SEC_18_one_successor),
        PLACE_TEST(test_SEC_52_counters_are_exact),
        PLACE_TEST(test_marked_once),
    };
    return place_run(argc, tests, COUNT_OF(tests), 0);
}
