#include "base/process.h"

#include "base/clock.h"
#include "check.h"
#include "until.h"

static const char *const env[] = {"PATH=/usr/bin:/bin", "GREETING=hello", NULL};

static struct process shell(const char *script, const char *argv[4])
{
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = NULL;
    return (struct process){
        .argv = argv, .env = env, .folder = "/", .out_max = 1 << 20, .ms = 60000};
}

static bool run(struct arena *a, const char *script, str input,
                struct process_result *out, struct err *err)
{
    const char *argv[4];
    struct process p = shell(script, argv);
    p.input = input;
    return process_run(a, &p, out, err);
}

static void test_ends(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    assert_true(run(&a, "echo $GREETING; echo bad >&2; pwd; exit 3", STR(""), &r, &err));
    assert_int_equal(r.code, 3);
    CHECK_STR("out", r.out, "hello\n/\n");
    CHECK_STR("out", r.errors, "bad\n");
    assert_true(run(&a, "kill -9 $$", STR(""), &r, &err));
    assert_int_equal(r.code, 128 + 9);
    arena_release(&a);
}

/* Sync runs dozens of programs for a change: none of them costs a whole interval. */
static void test_soon_over(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 1000 && best >= 40; i++) { /* the machine may be busy */
        uint64_t began = clock_ms();
        assert_true(run(&a, "exec <&- >&- 2>&-; exec sleep 0.005", STR(""), &r, &err));
        uint64_t took = clock_ms() - began;
        best = took < best ? took : best;
    }
    assert_true(best < 40);
    arena_release(&a);
}

static void test_input(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    size_t n = 900 << 10; /* more than any pipe holds, both ways simultaneously */
    char *big = arena_alloc(&a, n);
    memset(big, 'x', n);
    assert_true(run(&a, "cat", (str){big, n}, &r, &err));
    assert_true(str_eq(r.out, (str){big, n}));
    assert_true(run(&a, "head -c 5", (str){big, n}, &r, &err)); /* it stops reading */
    assert_int_equal(r.out.n, 5);
    arena_release(&a);
}

static void test_not_found(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *const argv[] = {"no-such-program", NULL};
    struct process p = {.argv = argv, .env = env, .folder = "/", .ms = 1000};
    assert_false(process_run(&a, &p, &r, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    const char *words[4];
    p = shell("true", words);
    p.folder = "/no/such/folder";
    assert_false(process_run(&a, &p, &r, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    arena_release(&a);
}

/* The whole group is killed, even processes that ignore SIGTERM. */
static void test_time_out(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *argv[4];
    struct process p = shell("trap '' TERM; echo begun; sleep 600 & sleep 600", argv);
    for (p.ms = 300; p.ms < UNTIL_MS; p.ms *= 2) { /* a busy machine starts it later */
        assert_false(process_run(&a, &p, &r, &err));
        assert_int_equal(err.name, E_TIMEOUT);
        if (r.out.n > 0)
            break;
    }
    CHECK_STR("out", r.out, "begun\n");
    arena_release(&a);
}

static void test_too_much(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *argv[4];
    struct process p = shell("yes", argv);
    assert_false(process_run(&a, &p, &r, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(r.out.n > p.out_max);
    assert_true(str_starts(r.out, STR("y\ny\n")));
    arena_release(&a);
}

static void test_stop(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *argv[4];
    atomic_bool stop = true;
    struct process p = shell("sleep 600", argv);
    p.stop = &stop;
    assert_false(process_run(&a, &p, &r, &err));
    assert_int_equal(err.code, ERR_BUSY);
    arena_release(&a);
}

/* A child that it leaves running with our pipes open does not block us. */
static void test_leftover_child(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    assert_true(run(&a, "sleep 600 & echo done", STR(""), &r, &err));
    CHECK_STR("out", r.out, "done\n");
    arena_release(&a);
}

static void count_line(void *arg, str line)
{
    size_t *n = arg;
    *n += str_starts(line, STR("step"));
}

static void test_lines(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    const char *argv[4];
    size_t n = 0;
    struct process p = shell("printf 'step 1\\rstep 2\\r\\nstep 3\\n' >&2", argv);
    p.on_line = count_line;
    p.arg = &n;
    assert_true(process_run(&a, &p, &r, &err));
    assert_int_equal(n, 3);
    assert_true(run(&a, "seq 100000 >&2", STR(""), &r, &err));
    assert_int_equal(r.errors.n, PROCESS_ERRORS_KEPT);
    assert_true(str_ends(r.errors, STR("\n100000\n")));
    arena_release(&a);
}

/* Nothing but stdin, stdout and stderr is inherited. */
static void test_descriptors(void **state)
{
    struct arena a = {0};
    struct process_result r;
    struct err err;
    assert_true(run(&a, "cd /proc/$$/fd && echo *", STR(""), &r, &err));
    assert_true(str_starts(r.out, STR("0 1 2")));
    assert_true(r.out.n <= 8); /* at most one more, with which the shell lists them */
    arena_release(&a);
}

/* --- sessions --- */

static bool is_never_whole(void *arg, str answer)
{
    return false;
}

static bool has_line(void *arg, str answer)
{
    return str_ends(answer, STR("\n"));
}

static struct process_session *open_session(const char *script, unsigned ms)
{
    const char *argv[4];
    struct process p = shell(script, argv);
    struct process_session *s = NULL;
    struct err err = {0};
    p.ms = ms;
    if (!process_open(&p, &s, &err))
        fail_msg("%s: %s", script, err.msg);
    return s;
}

static void test_session(void **state)
{
    struct arena a = {0};
    struct process_result end;
    struct err err;
    str answer;
    struct process_session *s = open_session(
        "while read -r x; do echo \"$GREETING $x\"; done; echo over >&2; exit 3", 60000);
    assert_true(process_ask(s, &a, STR("one\n"), has_line, NULL, &answer, &err));
    CHECK_STR("first", answer, "hello one\n");
    assert_true(process_ask(s, &a, STR("two\n"), has_line, NULL, &answer, &err));
    CHECK_STR("second", answer, "hello two\n");
    process_close(s, &a, &end);
    assert_int_not_equal(end.code, 0); /* it was ended */

    /* requests and answers that no pipe can hold */
    s = open_session("exec cat", 60000);
    char *large = arena_alloc(&a, 1 << 20);
    memset(large, 'x', 1 << 20);
    large[(1 << 20) - 1] = '\n';
    assert_true(process_ask(s, &a, (str){large, 1 << 20}, has_line, NULL, &answer, &err));
    assert_int_equal(answer.n, 1 << 20);
    process_close(s, NULL, NULL);
    arena_release(&a);
}

static void test_session_ends(void **state)
{
    struct arena a = {0};
    struct process_result end;
    struct err err;
    str answer;
    struct process_session *s = open_session("read -r x; echo sorry >&2; exit 9", 60000);
    assert_false(process_ask(s, &a, STR("one\n"), has_line, NULL, &answer, &err));
    assert_int_equal(err.code, ERR_BUSY);
    process_close(s, &a, &end);
    assert_int_equal(end.code, 9);
    CHECK_STR("errors", end.errors, "sorry\n");

    s = open_session("exec sleep 1000", 50);
    assert_false(process_ask(s, &a, STR("one\n"), has_line, NULL, &answer, &err));
    assert_int_equal(err.name, E_TIMEOUT);
    process_close(s, NULL, NULL);

    s = open_session("exec yes ''", 60000);
    assert_false(process_ask(s, &a, STR("one\n"), is_never_whole, NULL, &answer, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    process_close(s, NULL, NULL);
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session),     cmocka_unit_test(test_session_ends),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_input),
        cmocka_unit_test(test_not_found),   cmocka_unit_test(test_time_out),
        cmocka_unit_test(test_too_much),    cmocka_unit_test(test_stop),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_leftover_child),
        cmocka_unit_test(test_descriptors), cmocka_unit_test(test_soon_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
