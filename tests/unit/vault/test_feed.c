/* The log of changes: its file, several writers, its bounds. */
#include "vault/feed.h"

#include <stdio.h>

#include "base/sbuf.h"
#include "check.h"
#include "fast_folder.h"

struct logs {
    struct arena arena;
    char folder[64], path[96];
    struct feed one, two; /* of two processes */
};

static int setup(void **state)
{
    struct logs *l = mem_zero(sizeof(*l));
    snprintf(l->folder, sizeof(l->folder), "%s/vaultd-test-feed-XXXXXX", fast_folder());
    assert_non_null(mkdtemp(l->folder));
    snprintf(l->path, sizeof(l->path), "%s/feed.jsonl", l->folder);
    feed_init(&l->one, l->path);
    feed_init(&l->two, l->path);
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    struct logs *l = *state;
    char lock[128];
    feed_release(&l->one);
    feed_release(&l->two);
    snprintf(lock, sizeof(lock), "%s.lock", l->path);
    remove(l->path);
    remove(lock);
    remove(l->folder);
    arena_release(&l->arena);
    free(l);
    return 0;
}

static struct feed_entry entry(enum feed_kind kind, const char *path, const char *left)
{
    return (struct feed_entry){.kind = kind,
                               .path = str_c(path),
                               .left = left != NULL ? hash_content(str_c(left))
                                                    : (struct hash_content){0}};
}

static void add(struct feed *f, struct feed_entry e)
{
    struct err err = {0};
    if (!feed_add(f, &e, 1, false, NULL, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
}

static void look(struct feed *f)
{
    struct err err = {0};
    if (!feed_add(f, NULL, 0, false, NULL, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
}

/* "created A, changed B"; the times must ascend. */
static str listed(struct logs *l, struct feed *f)
{
    struct feed_copy c;
    struct sbuf b = SBUF_ON(&l->arena);
    feed_read(f, &l->arena, &c);
    for (size_t i = 0; i < c.n; i++) {
        const struct feed_entry *e = &c.items[i];
        CHECK("ascends", e->at > (i > 0 ? c.items[i - 1].at : c.since));
        sbuf_printf(&b, "%s%s ", i > 0 ? ", " : "", feed_kind_names[e->kind]);
        if (e->from.n > 0)
            sbuf_printf(&b, STR_FMT " to ", STR_ARG(e->from));
        sbuf_printf(&b, STR_FMT STR_FMT, STR_ARG(e->path), STR_ARG(e->who));
    }
    CHECK("seen", c.n == 0 || c.seen >= c.items[c.n - 1].at);
    return sbuf_str(&b);
}

/* Two processes notice the same changes, one after the other, and know the same. */
static void test_two_writers(void **state)
{
    struct logs *l = *state;
    struct feed_entry moved = entry(FEED_MOVED, "B", "1");
    moved.from = STR("A");
    add(&l->one, entry(FEED_CREATED, "A", "1"));
    add(&l->two, entry(FEED_CREATED, "A", "1"));
    add(&l->two, moved);
    add(&l->one, moved);
    add(&l->one, entry(FEED_DELETED, "B", NULL));
    add(&l->two, entry(FEED_DELETED, "B", NULL));
    add(&l->two, entry(FEED_CREATED, "B", "1"));
    look(&l->one);
    CHECK_STR("one", listed(l, &l->one), "created A, moved A to B, deleted B, created B");
    CHECK_STR("two", listed(l, &l->two), "created A, moved A to B, deleted B, created B");
    CHECK_INT("tag", l->one.log.tag, l->two.log.tag);
}

/* What is concealed is never taken for known because another one did not know that. */
static void test_concealed_again(void **state)
{
    struct logs *l = *state;
    struct feed_entry e = entry(FEED_DELETED, "A", NULL);
    struct feed_copy c;
    add(&l->one, e);
    e.concealed = true;
    add(&l->two, e);
    add(&l->one, e);
    feed_read(&l->one, &l->arena, &c);
    CHECK_INT("entries", c.n, 2);
    CHECK("concealed", c.items[1].concealed);
}

/* A note that is typed has one entry, but each hand has its own. */
static void test_merged(void **state)
{
    struct logs *l = *state;
    struct feed_entry other = entry(FEED_CHANGED, "A", "5");
    other.who = STR(" by anna");
    add(&l->one, entry(FEED_CREATED, "A", "1"));
    add(&l->one, entry(FEED_CHANGED, "A", "2"));
    add(&l->one, entry(FEED_CHANGED, "A", "3"));
    add(&l->one, entry(FEED_CHANGED, "B", "3"));
    add(&l->one, entry(FEED_CHANGED, "A", "4"));
    add(&l->one, other);
    add(&l->one, entry(FEED_CHANGED, "A", "6"));
    const char *all = "created A, changed B, changed A, changed A by anna, changed A";
    CHECK_STR("written", listed(l, &l->one), all);
    look(&l->two);
    CHECK_STR("read", listed(l, &l->two), all);
}

static void write_file(struct logs *l, const char *how, const char *text)
{
    FILE *file = fopen(l->path, how);
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A line that a crash has cut off, or that is none, costs itself alone. */
static void test_damaged(void **state)
{
    struct logs *l = *state;
    add(&l->one, entry(FEED_CREATED, "A", "1"));
    write_file(l, "a",
               "{\"at\":1,\"kind\":\"created\",\"path\":\"Old\"}\n[]\n\n{\"at\":99");
    add(&l->one, entry(FEED_CREATED, "B", "1"));
    look(&l->two);
    CHECK_STR("one", listed(l, &l->one), "created A, created B");
    CHECK_STR("two", listed(l, &l->two), "created A, created B");

    unsigned tag = l->one.log.tag;
    write_file(l, "w", "no log\n");
    add(&l->one, entry(FEED_CREATED, "C", "1"));
    CHECK_STR("anew", listed(l, &l->one), "created C");
    CHECK("its time", l->one.log.since > 0 && tag != 0);
}

static void test_gap(void **state)
{
    struct logs *l = *state;
    struct err err = {0};
    struct feed_entry e = entry(FEED_CREATED, "B", "1");
    add(&l->one, entry(FEED_CREATED, "A", "1"));
    int64_t before = l->one.log.items[0].at;
    assert_true(feed_add(&l->one, &e, 1, true, NULL, &err));
    look(&l->two);
    for (int i = 0; i < 2; i++) {
        struct feed_log *log = i == 0 ? &l->one.log : &l->two.log;
        CHECK("since", log->since >= before && log->since < log->items[1].at);
        CHECK_INT("kept", log->n, 2);
    }
}

/* Above the bound the oldest go, and the log says so; also without a file. */
static void check_bound(struct logs *l, struct feed *f)
{
    enum { MANY = 1000 };
    struct err err = {0};
    size_t most = 0;
    int64_t since = 0;
    for (int round = 0; round < 3 * FEED_MAX / MANY; round++) {
        struct feed_entry fresh[MANY];
        for (int i = 0; i < MANY; i++)
            fresh[i] =
                entry(FEED_CREATED, arena_printf(&l->arena, "%d/%d.md", round, i).p, "1");
        assert_true(feed_add(f, fresh, MANY, false, NULL, &err));
        most = f->log.n > most ? f->log.n : most;
        CHECK("ascends", f->log.since >= since);
        since = f->log.since;
    }
    CHECK("bounded", most <= 2 * FEED_MAX + MANY);
    CHECK("kept", f->log.n >= FEED_MAX);
    CHECK("complete from the first on", f->log.items[0].at > since);
    const struct feed_entry *last = &f->log.items[f->log.n - 1];
    CHECK_STR("the latest", last->path, "29/999.md");
}

static void test_bounded(void **state)
{
    struct logs *l = *state;
    struct feed memory;
    check_bound(l, &l->one);
    look(&l->two);
    CHECK_INT("the same", l->two.log.n, l->one.log.n);
    feed_init(&memory, NULL);
    check_bound(l, &memory);
    feed_release(&memory);
}

static void test_cursor(void **state)
{
    (void)state;
    int64_t at, time = 4000000000000; /* the year 2096 */
    unsigned tag;
    int64_t cursor = feed_cursor(time, 2047);
    CHECK("exact as a double", cursor < (1LL << 53));
    feed_cursor_parts(cursor, &at, &tag);
    CHECK_INT("time", at, time);
    CHECK_INT("tag", tag, 2047);
}

#define FEED_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FEED_TEST(test_two_writers), FEED_TEST(test_concealed_again),
        FEED_TEST(test_merged),      FEED_TEST(test_damaged),
        FEED_TEST(test_gap),         FEED_TEST(test_bounded),
        FEED_TEST(test_cursor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
