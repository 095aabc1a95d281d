/* Long lines, clients that write first and read later, and shutting down. */
#include "mcp/stdio.h"

#include <sys/wait.h>

#include "base/clock.h"
#include "pipes.h"
#include "rounds.h"

/* --- long lines --- */

/* A ping of n bytes. */
static str long_ping(struct arena *a, size_t n)
{
    str ping = quoted(a, PING("1"));
    char *text = arena_alloc(a, n);
    memset(text, ' ', n);
    memcpy(text, ping.p, ping.n);
    return (str){text, n};
}

static void test_longest_line(void **state)
{
    struct rig *g = *state;
    put(g, long_ping(&g->arena, STDIO_LINE_MAX));
    put(g, STR("\n"));
    CHECK_HEARD("longest", g, PONG("1"));
    put(g, long_ping(&g->arena, STDIO_LINE_MAX + 1));
    put(g, STR("\n"));
    CHECK_HEARD("too long", g, ERROR("", "-32600", "A message may have at most 10 MiB"));
    say(g, PING("2"));
    CHECK_HEARD("in sync", g, PONG("2"));
}

static void test_endless_line(void **state)
{
    struct rig *g = *state;
    str part = long_ping(&g->arena, 1 << 20);
    for (int i = 0; i < 40; i++)
        put(g, part);
    CHECK_HEARD("refused early, and once", g,
                ERROR("", "-32600", "A message may have at most 10 MiB"));
    say(g, PING("2")); /* still part of that line */
    say(g, PING("3"));
    CHECK_HEARD("in sync", g, PONG("3"));
}

/* --- a client that writes first and reads later --- */

enum { LINES = 3000, LINES_MAX = 10000 };

static void test_late_reader(void **state)
{
    struct rig *g = *state;
    int lines = rounds_up_to(LINES, LINES_MAX);
    for (int i = 0; i < lines; i++) {
        char line[64];
        int n = snprintf(line, sizeof(line),
                         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n", i);
        put(g, (str){line, (size_t)n});
    }
    for (int i = 0; i < lines; i++) {
        char want[64];
        snprintf(want, sizeof(want), PONG("%d"), i);
        CHECK_HEARD("in order", g, want);
    }
}

struct writing {
    struct rig *rig;
    const char *tool;
    int n;
};

static void *write_calls(void *arg)
{
    const struct writing *w = arg;
    struct arena a = {0};
    for (int i = 0; i < w->n; i++) {
        str line = quoted(&a, arena_printf(&a, CALL("%d", "%s") "\n", i, w->tool).p);
        while (line.n > 0) {
            ssize_t k = write(w->rig->to, line.p, line.n);
            if (k <= 0)
                break;
            line = str_skip(line, (size_t)k);
        }
        arena_reset(&a);
    }
    arena_release(&a);
    return NULL;
}

/* More than the queue holds: reading pauses, nothing is lost. */
static void test_full_queue(void **state)
{
    static const char *const names[] = {"large", "large_quick"};
    enum { CALLS = STDIO_QUEUE_MAX / LARGE + 200 };
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct writing w = {g, names[i], CALLS};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, write_calls, &w), 0);
        usleep(300000);
        size_t n = 0;
        for (; n < CALLS; n++) {
            str line = hear(g);
            CHECK("whole", line.n > LARGE && str_ends(line, STR("x\"}]}}")));
            arena_reset(&g->arena);
        }
        pthread_join(thread, NULL);
        say(g, PING("1"));
        CHECK_HEARD("nothing more", g, PONG("1"));
    }
}

/* n calls in one write, as from a client that does not wait for answers. */
static str many_calls(struct arena *a, const char *first, const char *tool, int n)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_printf(&b, "%s", first);
    for (int i = 0; i < n; i++)
        sbuf_printf(
            &b,
            "{'jsonrpc':'2.0','id':%d,'method':'tools/call','params':{'name':'%s'}}\n", i,
            tool);
    sbuf_char(&b, '\0');
    return quoted(a, b.p);
}

/* A finished answer is sent even if the reader then waits for a worker. */
static void test_answers_do_not_wait(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    put(g, many_calls(&g->arena, PING("1") "\n", "held",
                      200)); /* more than the pool takes */
    struct pollfd p = {.fd = g->from, .events = POLLIN};
    bool came = poll(&p, 1, PATIENCE_MS) == 1;
    atomic_store(&gate, true);
    CHECK("while all workers are busy", came);
    CHECK_HEARD("the ping", g, PONG("1"));
}

/* The client does not read: calls stop being served soon after the queue is full, even
 * within one read. */
static void test_bounded_memory(void **state)
{
    enum { CALLS = 800, WAITING = 4 + 2 /* with a worker, and on the way */ };
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    atomic_store(&counted, 0);
    str calls = many_calls(&g->arena, "", "counted", CALLS);
    CHECK("one read", calls.n <= 64 << 10);
    put(g, calls);
    int before = -1;
    for (int n = 0; n != before || n == 0; usleep(300000)) {
        before = n;
        n = atomic_load(&counted);
    }
    CHECK("bounded", before <= STDIO_QUEUE_MAX / LARGE + WAITING);
}

/* --- the end --- */

static void until_ended(struct rig *g)
{
    for (int i = 0; i < PATIENCE_MS && !atomic_load(&g->ended); i++)
        usleep(1000);
    CHECK("it ends", atomic_load(&g->ended));
}

static void test_exit(void **state)
{
    struct rig *g = *state;
    put(g, quoted(&g->arena,
                  PING("1") "\n{'jsonrpc':'2.0','method':'exit'}\n" PING("2") "\n"));
    CHECK_HEARD("before", g, PONG("1"));
    CHECK_STR("not after", hear(g), "(end)");
    until_ended(g);
}

static void test_eof_with_running_call(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    say(g, CALL("7", "held"));
    say(g, PING("8"));
    CHECK_HEARD("it runs", g, PONG("8"));
    hang_up(g);
    usleep(50000);
    assert_false(atomic_load(&g->ended));
    atomic_store(&gate, true);
    CHECK_HEARD("its answer", g, RESULT("7", "held"));
    CHECK_STR("the end", hear(g), "(end)");
    until_ended(g);
}

static uint64_t ms_until_end_with_open_question(void)
{
    struct rig *g = start(false);
    handshake(g, "2025-11-25");
    say(g, CALL("7", "roots"));
    CHECK("question", str_find(hear(g), STR("roots/list")) != STR_NONE);
    uint64_t before = clock_ms();
    hang_up(g);
    CHECK_STR("the end", hear(g), "(end)");
    until_ended(g);
    uint64_t took = clock_ms() - before;
    finish(g);
    return took;
}

/* No answers can arrive any more, so the server does not wait for them; but the machine may
 * be busy. */
static void test_eof_with_open_question(void **state)
{
    uint64_t took = UINT64_MAX;
    for (int i = 0; i < 10 && took >= STDIO_DRAIN_MS; i++)
        took = ms_until_end_with_open_question();
    CHECK("soon", took < STDIO_DRAIN_MS);
}

/* A server that is told to stop gives its calls less time than one at EOF. */
static void end_soon(struct rig *g)
{
    if (rounds_factor() > 1)
        hang_up(g);
    else
        (void)!eventfd_write(g->stop, 1);
}

/*
 * A call may outlive the time it is given; mcp_stdio_run() has then returned when it
 * ends. In a child process, since a failure here is a use after free.
 */
static void test_end_with_stubborn_call(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        alarm(600);
        close(STDERR_FILENO);
        struct rig *g = start(false);
        handshake(g, "2025-11-25");
        say(g, CALL("7", "stubborn"));
        say(g, PING("8"));
        if (!str_eq(hear(g), quoted(&g->arena, PONG("8"))))
            _exit(1);
        end_soon(g);
        while (!atomic_load(&g->ended))
            usleep(1000);
        finish(g);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK("in good order", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_stop(void **state)
{
    struct rig *g = *state;
    say(g, PING("1"));
    CHECK_HEARD("it serves", g, PONG("1"));
    assert_int_equal(eventfd_write(g->stop, 1), 0);
    CHECK_STR("the end", hear(g), "(end)");
    until_ended(g);
}

/* A client that disconnects also ends the server, although its other pipe stays open. */
static void test_broken_output(void **state)
{
    struct rig *g = *state;
    say(g, PING("1"));
    CHECK_HEARD("it serves", g, PONG("1"));
    close(g->from);
    g->from = -1;
    for (int i = 0; i < 200 && !atomic_load(&g->ended); i++) {
        str ping = quoted(&g->arena, PING("2") "\n");
        (void)!write(g->to, ping.p, ping.n);
        usleep(10000);
    }
    until_ended(g);
}

/* The same while workers answer. */
static void test_broken_output_of_workers(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-11-25");
    for (int i = 0; i < 20; i++)
        say(g, CALL("1", "large"));
    usleep(20000);
    close(g->from);
    g->from = -1;
    for (int i = 0; i < 200 && !atomic_load(&g->ended); i++) {
        str call = quoted(&g->arena, CALL("1", "large") "\n");
        (void)!write(g->to, call.p, call.n);
        usleep(10000);
    }
    until_ended(g);
}

TEST_MAIN(argc, argv)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        PIPE_TEST(test_longest_line),
        SOCKET_TEST(test_longest_line),
        PIPE_TEST(test_endless_line),
        PIPE_TEST(test_late_reader),
        SOCKET_TEST(test_late_reader),
        PIPE_TEST(test_full_queue),
        SOCKET_TEST(test_full_queue),
        PIPE_TEST(test_answers_do_not_wait),
        PIPE_TEST(test_bounded_memory),
        PIPE_TEST(test_exit),
        SOCKET_TEST(test_exit),
        PIPE_TEST(test_eof_with_running_call),
        cmocka_unit_test(test_eof_with_open_question),
        cmocka_unit_test(test_end_with_stubborn_call),
        PIPE_TEST(test_stop),
        PIPE_TEST(test_broken_output),
        SOCKET_TEST(test_broken_output),
        PIPE_TEST(test_broken_output_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
