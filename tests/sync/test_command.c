/* Sync with a command, and at intervals. */
#include "sync_world.h"

static void command_start(struct world *w, struct side *s, const str *argv, size_t n)
{
    side_init(w, s, "bob");
    sh(w, "mkdir bob");
    s->config.kind = SYNC_COMMAND;
    s->config.command.argv = argv;
    s->config.command.n = n;
    side_start(s);
}

/* Wait for a file; the time limit of the test ends a wait in vain. */
static void wait_for(struct world *w, const char *path)
{
    sh(w, arena_printf(&w->arena, "while [ ! -e '%s' ]; do sleep 0.05; done", path).p);
}

static void test_runs(void **state)
{
    static const str argv[] = {STR("sh"),
                               STR("-c"),
                               STR("echo \"$2\" > \"$1/From afar.md\"; env > \"$2/env\""),
                               STR("x"),
                               STR("{vault}"),
                               STR("{state}")};
    struct world *w = *state;
    struct side s;
    setenv("GITHUB_CLIENT_SECRET", "hush", 1);
    command_start(w, &s, argv, COUNT_OF(argv));
    side_sync(&s);
    assert_true(place_indexed(&s.place, "From afar.md"));
    assert_true(str_find(sh(w, "cat bob-state/env"), STR("hush")) == STR_NONE);
    struct sync_state st = side_state(&s);
    assert_true(st.last_success > 0);
    assert_int_equal(st.kind, SYNC_COMMAND);
    side_close(&s);
}

static void test_fails(void **state)
{
    static const str argv[] = {
        STR("sh"), STR("-c"),
        STR("echo 'cannot reach https://me:secret@host/x' >&2; exit 7")};
    struct world *w = *state;
    struct side s;
    command_start(w, &s, argv, COUNT_OF(argv));
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY,
          "sh exited with 7: cannot reach https://***@host/x");
    assert_true(str_find(side_state(&s).last_error, STR("secret")) == STR_NONE);
    side_close(&s);
}

static void test_time_out(void **state)
{
    static const str argv[] = {STR("sleep"), STR("600")};
    struct world *w = *state;
    struct side s;
    side_init(w, &s, "bob");
    s.config.command.timeout_s = 1;
    sh(w, "mkdir bob");
    s.config.kind = SYNC_COMMAND;
    s.config.command.argv = argv;
    s.config.command.n = COUNT_OF(argv);
    side_start(&s);
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "longer than 1 s");
    side_close(&s);
}

/* After a change, when it is quiet; and without one, at the interval. */
static void test_by_itself(void **state)
{
    static const str argv[] = {STR("touch"), STR("{state}/ran")};
    struct world *w = *state;
    struct side s;
    command_start(w, &s, argv, COUNT_OF(argv));
    assert_int_equal(side_state(&s).last_try, 0);
    side_write(&s, "Note.md", "x\n");
    wait_for(w, "bob-state/ran");
    side_close(&s);
    sh(w, "rm -r bob bob-state");
    side_init(w, &s, "bob");
    sh(w, "mkdir bob");
    s.config.kind = SYNC_COMMAND;
    s.config.command.argv = argv;
    s.config.command.n = COUNT_OF(argv);
    s.config.command.interval_s = 1;
    side_start(&s);
    wait_for(w, "bob-state/ran");
    side_close(&s);
}

/* Pulls at the interval, pushes without a request. */
static void test_git_by_itself(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.pull_s = 1;
    side_start(&s);
    sh(w, "cd ann; echo new > New.md; git add .; git commit -qm new; git push -q");
    wait_for(w, "bob/New.md");
    side_write(&s, "Mine.md", "mine\n");
    sh(w,
       "until git -C remote.git show main:Mine.md >/dev/null 2>&1; do sleep 0.05; done");
    side_close(&s);
}

/* Several changes, one push; stopping does not wait for the delay. */
static void test_push_delay(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.push_delay_s = 3600;
    side_start(&s);
    side_sync(&s);
    side_write(&s, "A.md", "a\n");
    side_write(&s, "B.md", "b\n");
    sh(w, "until git -C bob show HEAD:B.md >/dev/null 2>&1; do sleep 0.05; done");
    sh_code(w, "git -C remote.git show main:A.md", 128);
    side_close(&s);
    CHECK_STR("remote", remote_text(w, "B.md"), "b");
}

static void test_none(void **state)
{
    struct arena a = {0};
    struct sync_state st;
    sync_state(NULL, &a, &st);
    assert_int_equal(st.kind, SYNC_NONE);
    sync_changed(NULL);
    sync_seen(NULL);
    FAILS(sync_wait(NULL, NULL, NULL, &err), ERR_INVALID, "not synced");
    sync_stop(NULL, clock_ms() + SYNC_STOP_PUSH_MS);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_runs),          WORLD_TEST(test_fails),
        WORLD_TEST(test_time_out),      WORLD_TEST(test_by_itself),
        WORLD_TEST(test_git_by_itself), WORLD_TEST(test_push_delay),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
