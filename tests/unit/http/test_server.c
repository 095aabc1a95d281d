/* Listening, limits on connections, and how a server stops. */
#include "fixture.h"
#include "systems.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#define HOST "Host: localhost\r\n"
#define GET "GET / HTTP/1.1\r\n" HOST "\r\n"

static void listen_on(struct fixture *f, str address)
{
    struct err err;
    if (!http_server_listen(f->server, address, &err))
        fail_msg(STR_FMT ": %s (%s)", STR_ARG(address), err.msg, err.detail);
}

static bool is_served(struct fixture *f, int fd)
{
    say(fd, STR(GET));
    return hear(f, fd).status == 200;
}

static bool is_newcomer_served(struct fixture *f)
{
    int fd = dial(f);
    bool served = is_served(f, fd);
    close(fd);
    return served;
}

static int dial_unix(const char *path)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&un, sizeof(un)) != 0)
        fail_msg("connect %s: %s", path, strerror(errno));
    return fd;
}

static void test_every_address(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_create(&limits);
    assert_int_equal(http_server_port(f->server), 0);
    listen_on(f, STR(":0"));
    fixture_begin(f);
    int fd = dial(f);
    assert_true(is_served(f, fd));
    close(fd);

    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)f->port),
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&in6, sizeof(in6)) == 0)
        assert_true(is_served(f, fd));
    close(fd);
    fixture_stop(f);
}

static void test_unix(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_server_XXXXXX", path[64], address[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/http.sock", folder);
    snprintf(address, sizeof(address), "unix:%s", path);

    /* What a crash leaves behind. */
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
    int stale = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(stale, (const struct sockaddr *)&un, sizeof(un)), 0);
    close(stale);

    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.connections_per_peer = 1; /* not for local peers */
    struct fixture *f = fixture_create(&limits);
    listen_on(f, str_c(address));
    fixture_begin(f);
    assert_int_equal(f->port, 0);
    int first = dial_unix(path), second = dial_unix(path);
    assert_true(is_served(f, first));
    assert_true(is_served(f, second));

    /* A socket that is in use is left alone. */
    struct http_server *other = http_server_create(
        &(struct http_config){.routes = fixture_routes, .limits = limits});
    struct err err;
    assert_false(http_server_listen(other, str_c(address), &err));
    http_server_free(other);
    assert_true(is_served(f, first));
    close(first);
    close(second);
    fixture_stop(f);

    struct stat st;
    assert_int_not_equal(stat(path, &st), 0);
    rmdir(folder);
}

static void test_given_descriptor(void **state)
{
    (void)state;
    struct sockaddr_in sa = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&sa, sizeof(sa)), 0);

    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_create(&limits);
    struct err err;
    assert_false(http_server_listen_fd(f->server, 9999, &err));
    assert_false(http_server_listen(f->server, STR("example.com:1"), &err));
    assert_true(http_server_listen_fd(f->server, fd, &err));
    fixture_begin(f);
    assert_int_not_equal(f->port, 0);
    fd = dial(f);
    assert_true(is_served(f, fd));
    close(fd);
    fixture_stop(f);
}

static void test_SEC_64_connection_limit(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.connections = 3;
    limits.connections_per_peer = 1; /* not for loopback */
    struct fixture *f = fixture_start(&limits);
    int fds[3];
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        fds[i] = dial(f);
        assert_true(is_served(f, fds[i]));
    }
    int fd = dial(f);
    struct heard h = hear_all(f, fd);
    assert_int_equal(status_in(h.text), 503);
    assert_int_equal(h.ending, CLOSED);
    CHECK_STR("503", header_in(h.text, "retry-after"), "1");
    close(fd);

    assert_true(is_served(f, fds[0]));
    close(fds[2]);
    WAIT_UNTIL(is_newcomer_served(f)); /* the place is free again */
    close(fds[0]);
    close(fds[1]);
    fixture_stop(f);
}

/* The first address of this machine that is not loopback; false if it has none. */
static bool outer_address(struct sockaddr_in *sa)
{
    struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(*sa);
    bool ok = connect(fd, (const struct sockaddr *)&far, sizeof(far)) == 0 &&
              getsockname(fd, (struct sockaddr *)sa, &len) == 0;
    close(fd);
    return ok && ntohl(sa->sin_addr.s_addr) >> 24 != 127;
}

static void test_SEC_64_peer_limit(void **state)
{
    (void)state;
    struct sockaddr_in sa;
    if (!outer_address(&sa))
        SKIP("this machine has only loopback addresses");
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.connections_per_peer = 2;
    struct fixture *f = fixture_create(&limits);
    listen_on(f, STR("0.0.0.0:0"));
    fixture_begin(f);
    sa.sin_port = htons((uint16_t)f->port);
    int fds[3];
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(fds[i], (const struct sockaddr *)&sa, sizeof(sa)), 0);
        say(fds[i], STR("GET / HTTP/1.1\r\n" HOST "\r\n"));
        CHECK_INT(i < 2 ? "within" : "over", hear(f, fds[i]).status, i < 2 ? 200 : 0);
    }
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        close(fds[i]);
    fixture_stop(f);
}

/* SEC-64: no descriptor is left after connections were aborted at any point. */
static void test_SEC_64_aborted(void **state)
{
    (void)state;
    static const char *const starts[] = {
        "",
        "GET",
        "GET / HTTP/1.1\r\nHost: loc",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 100\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        GET,
        "GET /large?3000000 HTTP/1.1\r\n" HOST "\r\n",
        "GET /later?1 HTTP/1.1\r\n" HOST "\r\n",
        "BAD\r\n\r\n",
        GET GET "GET / HT",
    };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    assert_true(is_served(f, fd));
    size_t before = count_descriptors();
    const size_t n = UNDER_WINE ? 150 : 1500; /* which takes its time */
    for (size_t i = 0; i < n; i++) {
        int victim = dial(f);
        say(victim, str_c(starts[i % COUNT_OF(starts)]));
        if (i % 3 == 0) {
            struct linger now = {.l_onoff = 1};
            setsockopt(victim, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        }
        close(victim);
    }
    /* Then all before it have been accepted. A server that is late has too many at first. */
    WAIT_UNTIL(is_newcomer_served(f));
    WAIT_UNTIL(count_descriptors() == before);
    assert_true(is_served(f, fd));
    close(fd);
    fixture_stop(f);
}

/* SEC-63: 200 slow clients do not delay the next one. */
static void test_SEC_63_slow_crowd(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.silent_ms = limits.head_ms = HEAR_MS * 2; /* they are there all the time */
    struct fixture *f = fixture_start(&limits);
    int slow[200];
    for (size_t i = 0; i < COUNT_OF(slow); i++) {
        slow[i] = dial(f);
        say(slow[i], STR("GET / HTTP/1.1\r\nHost: l"));
    }
    int fd = dial(f);
    for (int i = 0; i < 100; i++)
        assert_true(is_served(f, fd));
    CHECK_INT("beside them", http_server_connections(f->server), COUNT_OF(slow) + 1);
    for (size_t i = 0; i < COUNT_OF(slow); i++)
        close(slow[i]);
    close(fd);
    fixture_stop(f);
}

/* In its own process: so few descriptors that most clients are refused. */
static void serve_with_few_descriptors(int report)
{
    struct rlimit few = {.rlim_cur = 40, .rlim_max = 40};
    setrlimit(RLIMIT_NOFILE, &few);
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.keepalive_ms = limits.silent_ms = HEAR_MS; /* who is served keeps its place */
    struct fixture *f = fixture_create(&limits);
    struct err err;
    if (!http_server_listen(f->server, STR("127.0.0.1:0"), &err))
        _exit(1);
    unsigned port = http_server_port(f->server);
    if (write(report, &port, sizeof(port)) != sizeof(port))
        _exit(1);
    http_server_run(f->server);
    http_server_free(f->server);
    free(f);
}

/* The processor time that a child has used. */
static uint64_t cpu_ns_of(pid_t child)
{
    clockid_t clock;
    struct timespec t;
    assert_int_equal(clock_getcpuclockid(child, &clock), 0);
    assert_int_equal(clock_gettime(clock, &t), 0);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void test_SEC_64_no_descriptors(void **state)
{
    (void)state;
    if (machine_system() == MACHINE_WINDOWS)
        SKIP("this system cannot fork");
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_with_few_descriptors(pipes[1]);
        _exit(0);
    }
    struct fixture client = {0};
    assert_int_equal(read(pipes[0], &client.port, sizeof(client.port)),
                     sizeof(client.port));
    int fds[200];
    size_t served = 0;
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        fds[i] = dial(&client);
        served += is_served(&client, fds[i]);
    }
    assert_true(served > 10 && served < 40);
    uint64_t before = cpu_ns_of(child);
    usleep(200000);
    CHECK("it does not spin", cpu_ns_of(child) - before < 50000000);
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        close(fds[i]);
    WAIT_UNTIL(is_newcomer_served(&client)); /* there is room again */
    kill(child, SIGTERM);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(pipes[0]);
    close(pipes[1]);
    arena_release(&client.arena);
}

static void test_drain(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int idle = dial(f), silent = dial(f), busy = dial(f), stream = dial(f);
    assert_true(is_served(f, idle));
    say(busy, STR("GET /held HTTP/1.1\r\n" HOST "\r\n"));
    say(stream, STR("GET /events HTTP/1.1\r\n" HOST "\r\n"));
    struct http_exchange *x = fixture_stream(f);
    WAIT_UNTIL(atomic_load(&f->workers) == 1);
    http_server_stop(f->server);
    assert_int_equal(hear_all(f, idle).ending, CLOSED);
    assert_int_equal(hear_all(f, silent).ending, CLOSED);
    struct heard h = hear_all(f, stream);
    assert_int_equal(h.ending, CLOSED);
    assert_true(str_ends(h.text, STR("\r\n0\r\n\r\n")));
    WAIT_UNTIL(atomic_load(&f->gone) == 1);
    assert_false(http_stream_send(x, STR("late")));
    atomic_store(&f->let_go, true); /* the others did not wait for this one */

    struct answer a = hear(f, busy);
    assert_int_equal(a.status, 200);
    CHECK_STR("last answer", header_in(a.head, "connection"), "close");
    assert_int_equal(hear_all(f, busy).ending, CLOSED);
    http_stream_end(x); /* after the last connection has ended */
    close(idle);
    close(silent);
    close(busy);
    close(stream);
    fixture_free(f);
}

#define POST_ECHO STR("POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nhi")

static void check_last_answer(struct fixture *f, const char *what, int fd)
{
    struct answer a = hear(f, fd);
    CHECK_INT(what, a.status, 200);
    CHECK_STR(what, header_in(a.head, "connection"), "close");
    CHECK_INT(what, hear_all(f, fd).ending, CLOSED);
    close(fd);
}

/* A proxy cannot repeat a POST that it has sent: what arrives before its connection ends is
 * answered, also on connections that were idle or not accepted yet when the stop began. */
static void test_drain_arrived(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int idle = dial(f), silent = dial(f), busy = dial(f);
    assert_true(is_served(f, idle));
    WAIT_UNTIL(http_server_connections(f->server) == 3);
    say(busy, STR("GET /busy HTTP/1.1\r\n" HOST "\r\n"));
    WAIT_UNTIL(atomic_load(&f->workers) == 1);
    http_server_stop(f->server); /* the loop notices it before what follows */
    int waiting = dial(f);
    say(idle, POST_ECHO);
    say(silent, POST_ECHO);
    say(waiting, POST_ECHO);
    atomic_store(&f->let_go, true);
    check_last_answer(f, "idle", idle);
    check_last_answer(f, "silent", silent);
    check_last_answer(f, "not accepted", waiting);
    close(busy);
    fixture_free(f);
}

/* A proxy has not noticed the stop yet. */
static void test_drain_last_request(void **state)
{
    (void)state;
    const str local[] = {STR("127.0.0.1")};
    struct fixture *f = mem_zero(sizeof(*f));
    struct http_config config = {
        .routes = fixture_routes, .context = f, .limits = HTTP_LIMITS_DEFAULT};
    struct arena a = {0};
    struct err err;
    config.limits.drain_ms = config.limits.drain_idle_ms = HEAR_MS;
    assert_true(http_proxies_parse(&a, local, 1, &config.proxies, &err));
    f->server = http_server_create(&config);
    listen_on(f, STR("127.0.0.1:0"));
    fixture_begin(f);
    int idle = dial(f), stream = dial(f);
    assert_true(is_served(f, idle));
    say(stream, STR("GET /events HTTP/1.1\r\n" HOST "\r\n"));
    struct http_exchange *x = fixture_stream(f);
    http_server_stop(f->server);
    assert_int_equal(hear_all(f, stream).ending, CLOSED); /* it stops */
    http_stream_end(x);
    say(idle, POST_ECHO);
    check_last_answer(f, "idle", idle);
    close(stream);
    fixture_free(f);
    arena_release(&a);
}

/* Load balancers need time to notice it: meanwhile everything is served. */
static void test_stop_delay(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.stop_ms = HEAR_MS;
    struct fixture *f = fixture_start(&limits);
    int first = dial(f);
    assert_true(is_served(f, first));
    http_server_stop(f->server);
    assert_true(is_newcomer_served(f));
    assert_true(is_served(f, first));
    http_server_stop(f->server); /* do not wait */
    assert_int_equal(hear_all(f, first).ending, CLOSED);
    close(first);
    fixture_free(f);

    limits.stop_ms = 50;
    f = fixture_start(&limits);
    first = dial(f);
    assert_true(is_served(f, first));
    http_server_stop(f->server);
    assert_int_equal(hear_all(f, first).ending, CLOSED);
    close(first);
    fixture_free(f);
}

static void note_stop(void *context)
{
    struct fixture *f = context;
    atomic_fetch_add(&f->stops, 1);
}

/* With on_stop the caller ends the streams; those that are still working may finish. */
static void test_drain_streams(void **state)
{
    (void)state;
    struct http_config config = {
        .routes = fixture_routes, .limits = HTTP_LIMITS_DEFAULT, .on_stop = note_stop};
    struct fixture *f = config.context = mem_zero(sizeof(*f));
    f->server = http_server_create(&config);
    listen_on(f, STR("127.0.0.1:0"));
    fixture_begin(f);
    int fd = dial(f);
    say(fd, STR("GET /events HTTP/1.1\r\n" HOST "\r\n"));
    struct http_exchange *x = fixture_stream(f);
    hear(f, fd);
    http_server_stop(f->server);
    WAIT_UNTIL(atomic_load(&f->stops) == 1);
    assert_true(http_stream_send(x, STR("last")));
    http_stream_end(x);
    struct heard h = hear_all(f, fd);
    CHECK_STR("rest", h.text, "4\r\nlast\r\n0\r\n\r\n");
    assert_int_equal(h.ending, CLOSED);
    assert_int_equal(atomic_load(&f->gone), 0);
    close(fd);
    fixture_free(f);
}

/* Exchanges that do not finish in time are cut off; their answers are dropped safely. */
static void test_drain_deadline(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.drain_ms = 100;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("GET /held HTTP/1.1\r\n" HOST "\r\n"));
    WAIT_UNTIL(atomic_load(&f->workers) == 1);
    http_server_stop(f->server);
    WAIT_UNTIL(atomic_load(&f->gone) == 1);
    assert_int_equal(hear_all(f, fd).text.n, 0);
    close(fd);
    atomic_store(&f->let_go, true);
    fixture_free(f); /* the answer arrives at a server that has stopped */
}

static void test_signal(void **state)
{
    (void)state;
    static const int numbers[] = {SIGTERM, SIGINT};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct http_limits limits = HTTP_LIMITS_DEFAULT;
        struct fixture *f = fixture_start(&limits);
        int fd = dial(f);
        assert_true(is_served(f, fd));
        kill(getpid(), numbers[i]);
        assert_int_equal(hear_all(f, fd).ending, CLOSED);
        close(fd);
        fixture_free(f);
    }
}

/* Never run, stopped before run, freed as NULL. */
static void test_lifecycle(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_create(&limits);
    listen_on(f, STR("127.0.0.1:0"));
    http_server_free(f->server);
    f->server = http_server_create(
        &(struct http_config){.routes = fixture_routes, .limits = limits});
    listen_on(f, STR("127.0.0.1:0"));
    http_server_stop(f->server);
    http_server_run(f->server);
    http_server_free(f->server);
    http_server_free(NULL);
    free(f);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_address),
        cmocka_unit_test(test_unix),
        cmocka_unit_test(test_given_descriptor),
        cmocka_unit_test(test_SEC_64_connection_limit),
        cmocka_unit_test(test_SEC_64_peer_limit),
        cmocka_unit_test(test_SEC_64_aborted),
        cmocka_unit_test(test_SEC_63_slow_crowd),
        cmocka_unit_test(test_SEC_64_no_descriptors),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_drain_arrived),
        cmocka_unit_test(test_drain_last_request),
        cmocka_unit_test(test_stop_delay),
        cmocka_unit_test(test_drain_streams),
        cmocka_unit_test(test_drain_deadline),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_lifecycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
