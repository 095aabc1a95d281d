#include "base/os/child.h"
#include "base/os/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/pipe.h"
#include "base/os/ready.h"
#include "base/os/thread.h"
#include "check.h"

static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};

struct started {
    struct child child;
    int out; /* what it prints */
};

/* A shell with this script; its stdin is empty. */
static bool start_limited(const char *script, struct child_plan plan, struct started *s)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    int in[2], out[2];
    assert_true(pipe_open(in) && pipe_open(out));
    plan.program = plan.program != NULL ? plan.program : "/bin/sh";
    plan.argv = argv;
    plan.env = env;
    plan.in = in[0];
    plan.out = plan.errors = out[1];
    bool ok = child_start(&plan, &s->child) && child_limit(&s->child, &plan);
    int error = errno;
    pipe_close(&in[0]);
    pipe_close(&in[1]);
    pipe_close(&out[1]);
    s->out = out[0];
    errno = error;
    return ok;
}

static struct started start(const char *script)
{
    struct started s;
    CHECK(script, start_limited(script, (struct child_plan){0}, &s));
    return s;
}

/* Its exit code, with what it printed. */
static int finish(struct started *s, char *text, size_t size)
{
    size_t n = 0, got = 0;
    while (file_read(s->out, text + n, size - 1 - n, &got) && got > 0)
        n += got;
    text[n] = '\0';
    pipe_close(&s->out);
    return child_reap(&s->child);
}

static void test_ends(void **state)
{
    static const struct {
        const char *script;
        int code;
        bool stopped;
    } rows[] = {{"exit 3", 3, false},
                {"kill -9 $$", CHILD_KILLED + SIGKILL, true},
                {"kill -15 $$", CHILD_KILLED + SIGTERM, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[64];
        struct started s = start(rows[i].script);
        int code = finish(&s, text, sizeof(text));
        CHECK_INT(rows[i].script, code, rows[i].code);
        CHECK_INT(rows[i].script, child_was_stopped(code), rows[i].stopped);
    }
}

/* It sees no descriptor of ours, not even one that we inherited. */
static void test_descriptors(void **state)
{
    enum { INHERITED = 77 };
    char text[256];
    assert_int_equal(dup2(STDERR_FILENO, INHERITED), INHERITED);
    struct started s = start("for i in 3 4 5 6 7 8 9 77; do "
                             "test -e /dev/fd/$i && echo $i; done; exit 0");
    CHECK_INT("code", finish(&s, text, sizeof(text)), 0);
    CHECK_STR("descriptors", str_c(text), "");
    close(INHERITED);
}

/* What we ignore or block is as usual there. */
static void test_signals(void **state)
{
    char text[64];
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    signal(SIGPIPE, SIG_IGN);
    struct started one = start("kill -PIPE $$; echo alive"),
                   two = start("kill $$; echo alive");
    CHECK_INT("ignored here", finish(&one, text, sizeof(text)), CHILD_KILLED + SIGPIPE);
    CHECK_INT("blocked here", finish(&two, text, sizeof(text)), CHILD_KILLED + SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void test_places(void **state)
{
    char text[64];
    struct started s;
    assert_true(start_limited("pwd", (struct child_plan){.folder = "/usr"}, &s));
    CHECK_INT("code", finish(&s, text, sizeof(text)), 0);
    CHECK_STR("folder", str_c(text), "/usr\n");
    assert_false(start_limited("", (struct child_plan){.folder = "/nonexistent"}, &s));
    CHECK_INT("no such folder", errno, ENOENT);
    pipe_close(&s.out);
    assert_false(start_limited("", (struct child_plan){.program = "/nonexistent"}, &s));
    CHECK_INT("no such program", errno, ENOENT);
    pipe_close(&s.out);
    assert_false(start_limited("", (struct child_plan){.program = "/etc/passwd"}, &s));
    CHECK_INT("not a program", errno, EACCES);
    pipe_close(&s.out);
}

/* A limit is in force before there is input, not before the first instruction. */
static void test_limits(void **state)
{
    char text[64];
    struct started s;
    struct child_plan plan = {.memory = 200 << 20, .cpu = 7, .nice = 5};
    assert_true(start_limited("cat; ulimit -v; ulimit -t; nice", plan, &s));
    CHECK_INT("code", finish(&s, text, sizeof(text)), 0);
    CHECK_STR("limits", str_c(text), "204800\n7\n5\n");
}

/* With what it started. */
static void test_group(void **state)
{
    char text[64];
    struct started s = start("echo ready; sleep 1000 & sleep 1000");
    assert_true(ready_wait(&(struct ready){.fd = s.out}, 1, 60000));
    CHECK("runs", !child_has_ended(&s.child));
    child_ask_to_end(&s.child);
    CHECK_INT("asked", finish(&s, text, sizeof(text)), CHILD_KILLED + SIGTERM);
    s = start("trap '' TERM; echo ready; sleep 1000 & wait");
    assert_true(ready_wait(&(struct ready){.fd = s.out}, 1, 60000));
    child_ask_to_end(&s.child);
    child_kill(&s.child);
    CHECK_INT("killed", finish(&s, text, sizeof(text)), CHILD_KILLED + SIGKILL);
    s = start("exit 0");
    for (int i = 0; i < 6000 && !child_has_ended(&s.child); i++)
        ready_pause(10);
    CHECK("ended", child_has_ended(&s.child));
    CHECK("and is still there", child_has_ended(&s.child));
    CHECK_INT("code", finish(&s, text, sizeof(text)), 0);
}

/* --- copies --- */

static int says(void *arg, int out)
{
    return write(out, arg, strlen(arg)) > 0 ? 0 : 1;
}

static int opens(void *arg, int out)
{
    FILE *file = fopen(arg, "re"); /* on Linux, the attempt ends the process */
    return file == NULL ? 5 : 0;
}

static int turns(void *arg, int out)
{
    volatile unsigned n = 1;
    while (n > 0)
        n |= 1;
    return 0;
}

/* Blocks too small to be mappings of their own; the volatile pointers keep the compiler from leaving them out. */
static int frees_much(void *arg, int out)
{
    enum { BLOCKS = 200, SIZE = 64 << 10 };
    char *volatile blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        if ((blocks[i] = malloc(SIZE)) == NULL)
            return 5;
    for (int i = BLOCKS - 1; i >= 0; i--)
        free(blocks[i]);
    return says(arg, out);
}

static int compute(int (*body)(void *arg, int out), const char *arg, char text[64])
{
    static const struct child_bounds bounds = {.memory = 64 << 20, .cpu = 1};
    struct started s;
    char *mine = mem_str(str_c(arg));
    assert_true(child_compute(&bounds, body, mine, &s.child, &s.out));
    free(mine);
    return finish(&s, text, 64);
}

static void test_SEC_95_compute(void **state)
{
    char text[64];
    CHECK_INT("writes", compute(says, "hello", text), 0);
    CHECK_STR("written", str_c(text), "hello");
    int code = compute(opens, "/etc/passwd", text);
    CHECK("a file cannot be opened", code == 5 || code == CHILD_KILLED + SIGSYS);
    CHECK("time is limited", child_was_stopped(compute(turns, "", text)));
}

static void *compute_and_free(void *code)
{
    char text[64];
    *(int *)code = compute(frees_much, "done", text);
    return NULL;
}

/* The heap of a thread is not that of the program: before glibc first shrinks one, it reads a file in /proc. */
static void test_compute_frees(void **state)
{
    int here, code = -1;
    struct thread t;
    compute_and_free(&here);
    CHECK_INT("on the main thread", here, 0);
    assert_true(thread_start(&t, "worker", compute_and_free, &code));
    thread_join(&t);
    CHECK_INT("on another thread", code, 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),           cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_signals),        cmocka_unit_test(test_places),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_group),
        cmocka_unit_test(test_SEC_95_compute), cmocka_unit_test(test_compute_frees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
