/* What changes in a vault, by vaultd and by others, and who learns of it. */
#include "vault/vault_feed.h"

#include "tree.h"
#include "vault/change/change.h"
#include "vault/ops.h"
#include "vault_place.h"

#define HIDDEN "---\nai: hidden\n---\n"

static void feed_open(struct place *p, const char *state)
{
    struct err err = {0};
    vault_close(p->vault);
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.state_dir = state,
                                                  .policy_property = STR("ai")});
}

static void feed_start(struct place *p, const char *state)
{
    struct err err = {0};
    feed_open(p, state);
    assert_true(vault_wait(p->vault, NULL, NULL, &err));
}

static struct vault_feed_answer ask(struct place *p, struct vault *v, int64_t after,
                                    size_t limit)
{
    struct vault_feed_question q = {.after = after, .limit = limit};
    struct vault_feed_answer out;
    struct err err = {0};
    if (!vault_feed_ask(v, &p->arena, &q, &out, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return out;
}

static str entries(struct place *p, const struct vault_feed_answer *f)
{
    struct sbuf b = SBUF_ON(&p->arena);
    for (size_t i = 0; i < f->n; i++) {
        const struct feed_entry *e = &f->items[i];
        sbuf_printf(&b, "%s%s ", i > 0 ? ", " : "", feed_kind_names[e->kind]);
        if (e->from.n > 0)
            sbuf_printf(&b, STR_FMT " to ", STR_ARG(e->from));
        sbuf_add(&b, e->path);
        if (e->client.n > 0)
            sbuf_printf(&b, " with " STR_FMT, STR_ARG(e->client));
        if (e->change > 0)
            sbuf_printf(&b, " %llu", (unsigned long long)e->change);
    }
    return sbuf_str(&b);
}

static str all_of(struct place *p, struct vault *v)
{
    struct vault_feed_answer f = ask(p, v, 0, 1000);
    return entries(p, &f);
}

static struct vault *as(struct place *p, const char *grant)
{
    struct access access;
    struct err err;
    assert_true(access_parse(&p->arena, str_c(grant), &access, &err));
    return vault_for_clients(p->vault, &p->arena, &access);
}

static void refresh(struct place *p)
{
    vault_refresh(p->vault, NULL, 0);
}

static void rename_in(struct place *p, const char *from, const char *to)
{
    assert_int_equal(renameat(p->fd, from, p->fd, to), 0);
}

static void make(struct place *p, struct change_op op)
{
    struct change c = {.ops = &op, .n = 1, .by = {.tool = STR("t"), .client = STR("C")}};
    struct change_result made;
    struct err err = {0};
    if (!vault_change(p->vault, &p->arena, &c, &made, &err))
        fail_msg("%s", err.msg);
}

/* A cursor that is asked for before the first index is complete misses nothing later. */
static void test_cursor_before_index(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR("alpha"));
    for (int i = 0; i < 2; i++) { /* without a stored index, and with one */
        feed_open(p, p->state);
        int64_t cursor = ask(p, p->vault, 0, 10).cursor;
        place_put(p, "A.md", i == 0 ? STR("beta") : STR("gamma"));
        refresh(p);
        struct vault_feed_answer f = ask(p, p->vault, cursor, 10);
        CHECK_STR("changed", entries(p, &f), "changed A.md");
        CHECK("complete", !f.missed && !f.repeated);
    }
}

/* Each kind of change, by another program and by vaultd. */
static void test_kinds(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR("alpha"));
    place_put(p, "x.png", STR("\x89PNG"));
    feed_start(p, p->state);
    CHECK_STR("nothing", all_of(p, p->vault), "");
    int64_t cursor = ask(p, p->vault, 0, 10).cursor;

    place_put(p, "B.md", STR("beta"));
    refresh(p);
    place_put(p, "A.md", STR("alpha 2"));
    refresh(p);
    place_folder(p, "Sub/");
    rename_in(p, "x.png", "Sub/y.png");
    rename_in(p, "B.md", "Sub/B.md");
    refresh(p);
    assert_int_equal(unlinkat(p->fd, "A.md", 0), 0);
    refresh(p);
    struct vault_feed_answer f = ask(p, p->vault, cursor, 100);
    CHECK_STR("others", entries(p, &f),
              "created B.md, changed A.md, moved B.md to Sub/B.md, moved x.png to "
              "Sub/y.png, deleted A.md");
    CHECK("complete", !f.more && !f.missed && !f.repeated);

    make(p, (struct change_op){
                .kind = JOURNAL_WRITE, .path = STR("N.md"), .text = STR("n")});
    make(p, (struct change_op){
                .kind = JOURNAL_WRITE, .path = STR("N.md"), .text = STR("m")});
    make(p,
         (struct change_op){.kind = JOURNAL_MOVE, .path = STR("Sub"), .to = STR("Dir")});
    make(p, (struct change_op){.kind = JOURNAL_DELETE, .path = STR("N.md")});
    place_put(p, "N.md", STR("n")); /* as it was left by a change, but not by it */
    refresh(p);
    f = ask(p, p->vault, f.cursor, 100);
    CHECK_STR("vaultd", entries(p, &f),
              "created N.md with C 1, changed N.md with C 2, moved Sub/B.md to Dir/B.md "
              "with C 3, moved Sub/y.png to Dir/y.png with C 3, deleted N.md with C 4, "
              "created N.md");
    CHECK_INT("no news", ask(p, p->vault, f.cursor, 100).n, 0);
}

/* A question goes on where the last one ended, whatever its limit. */
static void test_limit(void **state)
{
    struct place *p = *state;
    struct sbuf b = SBUF_ON(&p->arena);
    feed_start(p, p->state);
    int64_t cursor = ask(p, p->vault, 0, 1).cursor;
    for (int i = 0; i < 7; i++)
        place_put(p, arena_printf(&p->arena, "%d.md", i).p, STR("x"));
    refresh(p);
    for (bool more = true; more;) {
        struct vault_feed_answer f = ask(p, p->vault, cursor, 2);
        sbuf_printf(&b, STR_FMT "; ", STR_ARG(entries(p, &f)));
        cursor = f.cursor;
        more = f.more;
    }
    CHECK_STR("pages", sbuf_str(&b),
              "created 0.md, created 1.md; created 2.md, created 3.md; created 4.md, "
              "created 5.md; created 6.md; ");
    struct vault_feed_answer latest = ask(p, p->vault, 0, 2);
    CHECK_STR("the latest", entries(p, &latest), "created 5.md, created 6.md");
}

/* What was or is hidden leaves no trace, and a move across a limit is what is visible of it. */
static void test_views(void **state)
{
    struct place *p = *state;
    place_folder(p, "Work/");
    place_folder(p, "Rule/");
    place_put(p, "Home.md", STR("home"));
    place_put(p, "Rule/_policy.md", STR(HIDDEN));
    feed_start(p, p->state);
    struct vault *client = as(p, ""), *work = as(p, "read Work\n");
    int64_t begin = ask(p, client, 0, 10).cursor;

    place_put(p, "Diary.md", STR("open at first")); /* then hidden, moved, and gone */
    place_put(p, "Rule/Note.md", STR("by its folder"));
    place_put(p, "Rule/x.png", STR("picture"));
    refresh(p);
    CHECK_STR("visible then", all_of(p, client), "created Diary.md");
    place_put(p, "Diary.md", STR(HIDDEN));
    refresh(p);
    CHECK_STR("hidden now", all_of(p, client), "");
    rename_in(p, "Diary.md", "Secret.md");
    rename_in(p, "Rule/Note.md", "Rule/Other.md");
    refresh(p);
    assert_int_equal(unlinkat(p->fd, "Secret.md", 0), 0);
    assert_int_equal(unlinkat(p->fd, "Rule/Other.md", 0), 0);
    refresh(p);
    CHECK_STR("gone", all_of(p, client), "");
    struct vault_feed_answer f = ask(p, client, begin, 10);
    CHECK("nothing was missed", f.n == 0 && !f.more && !f.missed && !f.repeated);
    CHECK("its owner sees it", ask(p, p->vault, begin, 100).n >= 7);

    place_put(p, "Work/Plan.md", STR("plan"));
    place_put(p, "Out.md", STR("out"));
    refresh(p);
    rename_in(p, "Work/Plan.md", "Plan.md");
    rename_in(p, "Out.md", "Work/In.md");
    refresh(p);
    CHECK_STR("work", all_of(p, work),
              "created Work/Plan.md, deleted Work/Plan.md, created Work/In.md");
    CHECK_STR(
        "all", all_of(p, client),
        "created Out.md, created Work/Plan.md, moved Work/Plan.md to Plan.md, moved "
        "Out.md to Work/In.md");
    place_put(p, "Plan.md", STR(HIDDEN)); /* also under the name that it had before */
    refresh(p);
    CHECK_STR("work after", all_of(p, work), "created Work/In.md");
    CHECK_STR("all after", all_of(p, client),
              "created Out.md, moved Out.md to Work/In.md");
    CHECK_STR("deny", all_of(p, as(p, "deny Work\n")), "created Out.md, deleted Out.md");
}

/* What changes while no program runs is noticed by the next one; a cursor outlives it. */
static void test_restart(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR("alpha"));
    place_put(p, "B.md", STR("beta"));
    place_put(p, "Diary.md", STR(HIDDEN));
    feed_start(p, p->state);
    int64_t cursor = ask(p, p->vault, 0, 10).cursor;
    place_put(p, "C.md", STR("gamma"));
    refresh(p);
    vault_stop(p->vault);
    rename_in(p, "B.md", "Moved.md");
    place_put(p, "A.md", STR("alpha, longer"));
    assert_int_equal(unlinkat(p->fd, "Diary.md", 0), 0);
    feed_start(p, p->state);
    struct vault_feed_answer f = ask(p, as(p, ""), cursor, 10);
    CHECK_STR("noticed", entries(p, &f),
              "created C.md, changed A.md, moved B.md to Moved.md");
    CHECK("nothing was missed", !f.missed && !f.repeated);
    feed_start(p, p->state);
    CHECK_INT("once", ask(p, p->vault, f.cursor, 10).n, 0);
}

/* A cursor of a log that is gone, or of another server. */
static void test_other_log(void **state)
{
    struct place *p = *state;
    feed_start(p, p->state);
    place_put(p, "A.md", STR("alpha"));
    refresh(p);
    int64_t cursor = ask(p, p->vault, 0, 10).cursor;
    int64_t old = feed_cursor(1000, (unsigned)cursor & ((1U << FEED_TAG_BITS) - 1));
    CHECK("too old", ask(p, p->vault, old, 10).missed);
    CHECK("not too old", !ask(p, p->vault, cursor, 10).missed);
    struct vault_feed_answer f = ask(p, p->vault, cursor ^ 1, 10);
    CHECK_STR("overlaps", entries(p, &f), "created A.md");
    CHECK("may be known", f.repeated);
    feed_start(p, NULL); /* only in memory: a log of its own */
    CHECK("gone", ask(p, p->vault, cursor, 10).missed);
}

/* If it cannot be written, nothing is answered; afterwards nothing is missing. */
static void test_full(void **state)
{
    struct place *p = *state;
    struct vault_feed_question q = {.limit = 10};
    struct vault_feed_answer out;
    struct err err = {0};
    char *path = NULL;
    feed_start(p, p->state);
    int64_t cursor = ask(p, p->vault, 0, 10).cursor;
    path = mem_str(str_c(arena_printf(&p->arena, "%s", p->state).p));
    struct dirent *e;
    DIR *dir = opendir(path);
    str name = {0};
    while ((e = readdir(dir)) != NULL)
        if (str_starts(str_c(e->d_name), STR("feed-")) &&
            str_ends(str_c(e->d_name), STR(".jsonl")))
            name = arena_printf(&p->arena, "%s/%s", path, e->d_name);
    closedir(dir);
    free(path);
    str kept = arena_printf(&p->arena, STR_FMT ".kept", STR_ARG(name));
    assert_int_equal(rename(name.p, kept.p), 0);
    assert_int_equal(mkdir(name.p, 0700),
                     0); /* nothing can be written there, also by root */
    place_put(p, "A.md", STR("alpha"));
    refresh(p);
    CHECK("fails", !vault_feed_ask(p->vault, &p->arena, &q, &out, &err));
    CHECK("says why", err.msg[0] != '\0');
    assert_int_equal(rmdir(name.p), 0);
    assert_int_equal(rename(kept.p, name.p), 0);
    for (bool ok = false; !ok; err = (struct err){0})
        ok = vault_feed_ask(p->vault, &p->arena, &q, &out, &err);
    struct vault_feed_answer f = ask(p, p->vault, cursor, 10);
    CHECK_STR("later", entries(p, &f), "created A.md");
}

#define FEED_TEST(function)                                                              \
    cmocka_unit_test_setup_teardown(function, place_setup, place_teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FEED_TEST(test_cursor_before_index),
        FEED_TEST(test_kinds),
        FEED_TEST(test_limit),
        FEED_TEST(test_views),
        FEED_TEST(test_restart),
        FEED_TEST(test_other_log),
        FEED_TEST(test_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
