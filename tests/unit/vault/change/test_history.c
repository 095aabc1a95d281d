/* What the history keeps: by size, by age, and with a clock that is wrong. */
#include "base/clock.h"
#include "base/log.h"
#include "tree.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"

enum { DAY = 24 * 60 * 60, MIB = 1 << 20 };

static struct changes *open_history(struct tree *t, size_t bytes)
{
    struct changes *c;
    struct err err;
    if (!changes_open(&t->root, t->state, &c, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    changes_limit(c, bytes);
    return c;
}

/* Replace big.bin, which has n bytes, by others: a small call with a large record. */
static bool replace_big(struct tree *t, struct changes *c, str grant, size_t n,
                        struct change_result *out, struct err *err)
{
    static char fill = 'a';
    char *text = mem_alloc(n);
    memset(text, fill++, n);
    struct change_op op = {
        .kind = JOURNAL_WRITE, .path = STR("big.bin"), .text = {text, n}};
    struct change change = {
        .ops = &op, .n = 1, .by.tool = STR("test"), .by.grant = grant};
    bool ok = changes_make(c, &t->arena, &change, out, err);
    free(text);
    return ok;
}

static uint64_t first_change(struct changes *c)
{
    struct journal *j;
    struct err err;
    const struct journal_entry *e;
    assert_true(changes_lock_all(c, &j, &err));
    uint64_t number = journal_entries(j, &e) > 0 ? e[0].number : 0;
    changes_unlock(c);
    return number;
}

/* SEC-123: changes that are younger than 30 days are never dropped to make room: the next
 * change is refused, and undoing still has room. */
static void test_SEC_123_full(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_history(t, 64 * MIB);
    struct change_result r;
    struct err err;
    struct change_op op = {
        .kind = JOURNAL_WRITE, .path = STR("note.md"), .text = STR("precious")};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
    put(t->fd, "note.md", "the old text");
    assert_true(changes_make(c, &t->arena, &change, &r, &err));
    int made = 0;
    uint64_t last = 0;
    for (; made < 30 && replace_big(t, c, STR(""), 5 * MIB, &r, &err); made++)
        last = r.number;
    assert_int_equal(made, 12); /* 11 * 5 MiB fit in 7/8 of 64 MiB; the first was new */
    assert_int_equal(err.name, E_HISTORY_FULL);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.msg, "--history-size"));
    assert_int_equal(first_change(c), 1);
    /* nothing was changed by the refused one, and all can be undone */
    struct change_result undone;
    struct change as = {.by.tool = STR("undo")};
    assert_true(changes_undo(c, &t->arena, last, &as, &undone, &err));
    assert_true(changes_undo(c, &t->arena, 1, &as, &undone, &err));
    CHECK_STR("undone", content(&t->arena, t->fd, "note.md"), "the old text");
    changes_close(c);
}

/* One grant cannot fill the history for the others. */
static void test_part_of_a_grant(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_history(t, 64 * MIB);
    struct change_result r;
    struct err err;
    int made = 0;
    while (made < 30 && replace_big(t, c, STR("one\nclient"), 5 * MIB, &r, &err))
        made++;
    assert_int_equal(made, 4); /* 3 * 5 MiB fit in a quarter; the first was new */
    assert_int_equal(err.name, E_HISTORY_FULL);
    assert_non_null(strstr(err.msg, "this connection"));
    assert_true(replace_big(t, c, STR("other\nclient"), 5 * MIB, &r, &err));
    assert_true(replace_big(t, c, STR(""), 5 * MIB, &r, &err));
    /* also after a restart */
    changes_close(c);
    c = open_history(t, 64 * MIB);
    assert_false(replace_big(t, c, STR("one\nclient"), 5 * MIB, &r, &err));
    assert_true(replace_big(t, c, STR("other\nclient"), 5 * MIB, &r, &err));
    changes_close(c);
}

/* --- age --- */

static void append_at(struct journal *j, int64_t time, size_t n)
{
    char *old = mem_zero(n);
    struct journal_op op = {.kind = JOURNAL_DELETE,
                            .path = STR("x"),
                            .existed = true,
                            .before = hash_content((str){old, n}),
                            .old = {old, n}};
    struct journal_change c = {.time = time, .ops = &op, .n = 1};
    struct err err;
    assert_true(journal_append(j, &c, &err));
    journal_end(j, c.number, JOURNAL_DONE);
    free(old);
}

/* Segments of 100, 80, 40, 20 and 0 days. */
static void old_history(struct tree *t)
{
    static const int days[] = {100, 80, 40, 20, 0};
    struct journal *j;
    struct err err;
    assert_true(journal_open(t->state, &j, &err));
    for (size_t i = 0; i < COUNT_OF(days); i++)
        append_at(j, clock_now() - (int64_t)days[i] * DAY, JOURNAL_SEGMENT_MAX);
    journal_close(j);
}

static void make_small(struct tree *t, struct changes *c)
{
    struct change_op op = {.kind = JOURNAL_WRITE, .path = STR("s.md"), .text = STR("s")};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
    struct change_result r;
    struct err err;
    op.text = arena_printf(&t->arena, "%llu", (unsigned long long)clock_ns());
    if (!changes_make(c, &t->arena, &change, &r, &err))
        fail_msg("%s", err.msg);
}

static void test_age(void **state)
{
    struct tree *t = *state;
    old_history(t);
    struct changes *c = open_history(t, JOURNAL_KEPT_BYTES);
    make_small(t, c);
    assert_int_equal(first_change(c), 2); /* only the oldest is beyond 90 days */
    changes_limit(c, 64 * MIB);
    make_small(t, c);
    assert_int_equal(first_change(c), 3); /* without need, nothing else goes */
    changes_limit(c, 48 * MIB);
    make_small(t, c);
    assert_int_equal(first_change(c), 4);
    changes_limit(c, 32 * MIB); /* the rest is too young */
    struct change_op op = {.kind = JOURNAL_WRITE, .path = STR("s.md"), .text = STR("s")};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
    struct change_result r;
    struct err err;
    assert_false(changes_make(c, &t->arena, &change, &r, &err));
    assert_int_equal(err.name, E_HISTORY_FULL);
    assert_int_equal(first_change(c), 4);
    changes_close(c);
}

/* A history that is smaller than a segment: what is old makes room all the same. */
static void test_small(void **state)
{
    struct tree *t = *state;
    struct journal *j;
    struct err err;
    assert_true(journal_open(t->state, &j, &err));
    append_at(j, clock_now() - 40 * DAY, 3 * MIB);
    append_at(j, clock_now() - 35 * DAY, 3 * MIB);
    journal_close(j);
    put(t->top_fd, "state/clock",
        arena_printf(&t->arena, "%lld 0 0\n", (long long)clock_now()).p);
    struct changes *c = open_history(t, 4 * MIB);
    make_small(t, c);
    assert_int_equal(first_change(c), 1); /* it goes when the next segment has begun */
    make_small(t, c);
    assert_int_equal(first_change(c), 3);
    changes_close(c);
}

/* Segments of a small history end earlier, so not all of it has to be old. */
static void test_small_segments(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_history(t, 4 * MIB);
    struct change_result r;
    struct err err;
    str name;
    for (int i = 0; i < 4; i++)
        assert_true(replace_big(t, c, STR(""), MIB / 2, &r, &err));
    for (int first = 1; first <= 4; first++) {
        name = arena_printf(&t->arena, "state/journal-%012d", first);
        CHECK("a segment each", there(t->top_fd, name.p) == (first != 2));
    }
    changes_close(c);
}

/* --- a clock that is wrong --- */

/* As if the clock had been days behind until now: it jumped ahead. */
static void jump(struct tree *t, int days)
{
    put(t->top_fd, "state/clock",
        arena_printf(&t->arena, "%lld 0 0\n",
                     (long long)clock_now() - (long long)days * DAY)
            .p);
}

static void test_jump_ahead(void **state)
{
    struct tree *t = *state;
    struct change_result r;
    struct err err;
    old_history(t);
    jump(t, 75); /* the record of "0 days" is from the future then, as after a jump */
    struct changes *c = open_history(t, JOURNAL_KEPT_BYTES);
    assert_true(changes_doubt_clock(c));
    make_small(t, c);
    assert_int_equal(first_change(c), 1);
    changes_limit(c, 32 * MIB); /* no need for room makes them old */
    put(t->fd, "big.bin", "x");
    assert_false(replace_big(t, c, STR(""), MIB, &r, &err));
    assert_int_equal(err.name, E_HISTORY_FULL);
    assert_int_equal(first_change(c), 1);
    /* still in doubt after a restart, although there is a record with the new time */
    changes_close(c);
    c = open_history(t, JOURNAL_KEPT_BYTES);
    make_small(t, c);
    assert_true(changes_doubt_clock(c));
    assert_int_equal(first_change(c), 1);
    changes_close(c);
}

/* Without a witness, the records are one. */
static void test_jump_before_the_first_start(void **state)
{
    struct tree *t = *state;
    struct journal *j;
    struct err err;
    assert_true(journal_open(t->state, &j, &err));
    append_at(j, clock_now() - 400 * DAY, JOURNAL_SEGMENT_MAX);
    append_at(j, clock_now() - 399 * DAY, JOURNAL_SEGMENT_MAX);
    journal_close(j);
    struct changes *c = open_history(t, JOURNAL_KEPT_BYTES);
    make_small(t, c);
    assert_true(changes_doubt_clock(c));
    assert_int_equal(first_change(c), 1);
    changes_close(c);
}

/* SEC-114: a repeated call is recognised even if the clock jumped in between. */
static void test_SEC_114_key_after_jump(void **state)
{
    struct tree *t = *state;
    struct change_op op = {.kind = JOURNAL_WRITE, .path = STR("k.md"), .text = STR("1")};
    struct change change = {.ops = &op,
                            .n = 1,
                            .by.tool = STR("test"),
                            .once.key = STR("key"),
                            .once.request = STR("r"),
                            .once.answer = STR("a")};
    struct change_result r;
    struct err err;
    folder(t->top_fd, "state");
    jump(t, 10);
    struct changes *c = open_history(t, JOURNAL_KEPT_BYTES);
    assert_true(changes_make(c, &t->arena, &change, &r, &err));
    changes_close(c);
    jump(t, 10); /* the record is dated 10 days ago, when it was believed to be made */
    c = open_history(t, JOURNAL_KEPT_BYTES);
    assert_true(changes_make(c, &t->arena, &change, &r, &err));
    assert_true(r.repeated);
    changes_close(c);
}

static void append_by(struct journal *j, const char *path, int64_t time, int64_t dated)
{
    struct journal_op op = {.kind = JOURNAL_WRITE, .path = str_c(path)};
    struct journal_change c = {
        .time = time, .dated = dated, .grant = STR("g"), .ops = &op, .n = 1};
    struct err err;
    assert_true(journal_append(j, &c, &err));
    journal_end(j, c.number, JOURNAL_DONE);
}

/* SEC-123: the last ten minutes are neither longer after the clock was set back, nor
 * shorter after it jumped ahead; and a file that changes twice in them is one. */
static void test_SEC_123_recent_files(void **state)
{
    static const struct {
        const char *name;
        int jump;                   /* days */
        int64_t time[3], date_days; /* of three changes, before now; of all of them */
        size_t recent;
    } rows[] = {
        {"right", 0, {7200, 3600, 0}, 0, 3},
        {"set back", -5, {7200, 3600, 0}, -5, 1},
        {"set back a moment ago", -5, {-5 * DAY, -5 * DAY, 0}, -5, 3},
        {"ahead", 30, {30 * DAY, 30 * DAY, 0}, 30, 3},
    };
    struct tree *t = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct journal *j;
        struct err err;
        size_t n;
        int64_t now = clock_now();
        str folder =
            arena_printf(&t->arena, "%s%zu", t->state, i); /* a journal for each */
        assert_true(journal_open(folder.p, &j, &err));
        static const char *const paths[] = {"x", "y", "z"};
        for (size_t k = 0; k < 3; k++)
            append_by(j, paths[k], now - rows[i].time[k], now - rows[i].date_days * DAY);
        append_by(j, "z", now - rows[i].time[2], now - rows[i].date_days * DAY);
        journal_close(j);
        put(t->top_fd, arena_printf(&t->arena, "state%zu/clock", i).p,
            arena_printf(&t->arena, "%lld 0 0\n",
                         (long long)now - (long long)rows[i].jump * DAY)
                .p);
        struct changes *c;
        assert_true(changes_open(&t->root, folder.p, &c, &err));
        assert_true(changes_files_by(c, STR("g"), 600, &n, &err));
        CHECK_INT(rows[i].name, n, rows[i].recent);
        changes_close(c);
    }
}

TEST_MAIN(argc, argv)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_SEC_123_full),
        TREE_TEST(test_part_of_a_grant),
        TREE_TEST(test_age),
        TREE_TEST(test_small),
        TREE_TEST(test_small_segments),
        TREE_TEST(test_jump_ahead),
        TREE_TEST(test_jump_before_the_first_start),
        TREE_TEST(test_SEC_114_key_after_jump),
        TREE_TEST(test_SEC_123_recent_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
