/* Who may send a body, and how much of it is kept. */
#include "fixture.h"

#include "http/forwarded.h"

/* A proxy on this machine is trusted, so X-Forwarded-For names the peer. */
static struct fixture *behind_proxy(const struct http_limits *limits)
{
    static const str words[] = {STR("127.0.0.1")};
    struct fixture *f = mem_zero(sizeof(*f));
    struct err err;
    struct http_config config = {.routes = fixture_routes,
                                 .context = f,
                                 .limits = *limits,
                                 .on_access = note_access};
    assert_true(http_proxies_parse(&f->arena, words, 1, &config.proxies, &err));
    f->server = http_server_create(&config);
    assert_true(http_server_listen(f->server, STR("127.0.0.1:0"), &err));
    fixture_begin(f);
    return f;
}

struct sender {
    const char *path, *peer, *token;
    size_t size; /* of the body; 0: chunked */
};

/* A new connection that has sent the head. */
static int begin(struct fixture *f, const struct sender *s)
{
    struct sbuf out = SBUF_ON(&f->arena);
    int fd = dial(f);
    sbuf_printf(&out, "POST %s HTTP/1.1\r\nHost: localhost\r\n", s->path);
    if (s->peer != NULL)
        sbuf_printf(&out, "X-Forwarded-For: %s\r\n", s->peer);
    if (s->token != NULL)
        sbuf_printf(&out, "X-Token: %s\r\n", s->token);
    if (s->size > 0)
        sbuf_printf(&out, "Content-Length: %zu\r\n\r\n", s->size);
    else
        sbuf_printf(&out, "Transfer-Encoding: chunked\r\n\r\n");
    assert_true(say(fd, sbuf_str(&out)));
    return fd;
}

static void finish(struct fixture *f, const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
    fixture_stop(f);
}

static str bytes(struct fixture *f, size_t n)
{
    char *p = arena_alloc(&f->arena, n);
    memset(p, 'b', n);
    return (str){p, n};
}

/* A stranger is answered at the end of the head, and nothing of the body is kept. */
static void test_judged_at_the_head(void **state)
{
    static const struct {
        struct sender sender;
        int status;
    } cases[] = {
        {{"/judged", NULL, NULL, 4 << 20}, 401},
        {{"/judged", NULL, NULL, JUDGED_SMALL + 1}, 401},
        {{"/judged", NULL, NULL, 0}, 401},
        {{"/judged", NULL, "known", 5 << 20}, 413},
    };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int fd = begin(f, &cases[i].sender);
        struct answer a = hear(f, fd);
        CHECK_INT("status", a.status, cases[i].status);
        CHECK_STR("status", header_in(a.head, "connection"), "close");
        close(fd);
    }
    fixture_stop(f);
}

static void test_admitted(void **state)
{
    static const struct sender cases[] = {
        {"/judged", NULL, NULL, JUDGED_SMALL},
        {"/judged", NULL, "known", 1 << 20},
        {"/judged", NULL, "later", 1 << 20},
    };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    atomic_store(&f->let_go, true);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int fd = begin(f, &cases[i]);
        assert_true(say(fd, bytes(f, cases[i].size)));
        struct answer a = hear(f, fd);
        CHECK_INT("status", a.status, 200);
        CHECK_INT("size", a.body.n, cases[i].size);
        assert_true(say(fd, STR("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")));
        CHECK_INT("the connection stays", hear(f, fd).status, 200);
        close(fd);
    }
    fixture_stop(f);
}

/* What arrives while the judge thinks is kept, and pipelined requests wait. */
static void test_judge_takes_time(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = begin(f, &(struct sender){"/judged", NULL, "later", 100000});
    assert_true(say(fd, bytes(f, 100000)));
    assert_true(say(fd, STR("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")));
    WAIT_UNTIL(atomic_load(&f->judged) == 1);
    atomic_store(&f->let_go, true);
    CHECK_INT("body", hear(f, fd).body.n, 100000);
    CHECK_STR("next", hear(f, fd).body, "/echo");
    close(fd);
    fixture_stop(f);
}

/* 100-continue is sent only to those who are admitted. */
static void test_expect(void **state)
{
    const str head =
        STR("POST /judged HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
            "Expect: 100-continue\r\n");
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    assert_true(say(fd, head) && say(fd, STR("\r\n")));
    CHECK_INT("stranger", hear(f, fd).status, 401);
    close(fd);
    fd = dial(f);
    assert_true(say(fd, head) && say(fd, STR("X-Token: known\r\n\r\n")));
    CHECK_INT("known", hear(f, fd).status, 100);
    assert_true(say(fd, bytes(f, 99)));
    CHECK_INT("known", hear(f, fd).status, 200);
    close(fd);
    fixture_stop(f);
}

static void test_peer_leaves_the_judge(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    for (int i = 0; i < 3; i++)
        close(begin(f, &(struct sender){"/judged", NULL, "later", 1000}));
    WAIT_UNTIL(atomic_load(&f->judged) == 3 && http_server_connections(f->server) == 0);
    atomic_store(&f->let_go, true);
    WAIT_UNTIL(atomic_load(&f->workers) == 0);
    int last = begin(f, &(struct sender){"/judged", NULL, "later", 1000});
    WAIT_UNTIL(atomic_load(&f->judged) == 4);
    fixture_stop(f); /* with one under way */
    close(last);
}

/* Unfinished requests are counted by the address that the proxy reports, and those of known
 * callers are not. */
static void test_unfinished_by_address(void **state)
{
    static const struct {
        struct sender sender;
        int status; /* 0: it may go on */
    } cases[] = {
        {{"/judged", "203.0.113.1", NULL, 9}, 0},
        {{"/judged", "203.0.113.1", NULL, 9}, 0},
        {{"/judged", "203.0.113.1", NULL, 9}, 429},
        {{"/judged", "203.0.113.1", NULL, 9}, 429},
        {{"/judged", "203.0.113.2", "known", 9}, 0},
        {{"/judged", "203.0.113.2", "known", 9}, 0},
        {{"/judged", "203.0.113.2", "known", 9}, 0},
        {{"/judged", "203.0.113.2", NULL, 9}, 0},
        {{"/judged", "2001:db8::1", NULL, 9}, 0},
        {{"/judged", "2001:db8::2", NULL, 9}, 0},
        {{"/judged", "2001:db8::3", NULL, 9}, 429}, /* the same network */
        {{"/judged", NULL, NULL, 9}, 0},
        {{"/judged", NULL, NULL, 9}, 0},
        {{"/judged", NULL, NULL, 9}, 0}, /* this machine */
    };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.unfinished_per_peer = 2;
    struct fixture *f = behind_proxy(&limits);
    int fds[COUNT_OF(cases)], judged = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fds[i] = begin(f, &cases[i].sender);
        judged += cases[i].status == 0;
        WAIT_UNTIL(atomic_load(&f->judged) == judged);
        if (cases[i].status == 0)
            continue;
        struct answer a = hear(f, fds[i]);
        CHECK_INT(cases[i].sender.peer, a.status, cases[i].status);
        CHECK_STR("429", header_in(a.head, "retry-after"), "1");
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (cases[i].status != 0)
            continue;
        assert_true(say(fds[i], STR("all of it")));
        CHECK_INT("finished", hear(f, fds[i]).status, 200);
    }
    finish(f, fds, COUNT_OF(fds));
}

/* The last quarter of the connections is for others. */
static void test_reserve(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.connections = 8;
    struct fixture *f = fixture_start(&limits);
    int fds[8];
    for (size_t i = 0; i < 6; i++)
        fds[i] = begin(f, &(struct sender){"/judged", NULL, NULL, 9});
    WAIT_UNTIL(atomic_load(&f->judged) == 6);
    fds[6] = begin(f, &(struct sender){"/judged", NULL, NULL, 9});
    CHECK_INT("stranger", hear(f, fds[6]).status, 503);
    fds[7] = begin(f, &(struct sender){"/judged", NULL, "known", 9});
    WAIT_UNTIL(atomic_load(&f->judged) == 8); /* its body comes later */
    assert_true(say(fds[7], STR("all of it")));
    CHECK_INT("known", hear(f, fds[7]).status, 200);
    finish(f, fds, COUNT_OF(fds));
}

/* Waits until the server has answered one of them. */
static void wait_for_answer(const int *fds, size_t n)
{
    struct pollfd polls[16];
    assert_true(n <= COUNT_OF(polls));
    for (size_t i = 0; i < n; i++)
        polls[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    assert_true(poll(polls, n, -1) > 0);
}

/* A request on a new connection, which stays open. */
static int served(struct fixture *f, const char *peer, const char *token)
{
    int fd = dial(f);
    struct sbuf out = SBUF_ON(&f->arena);
    sbuf_printf(&out,
                "GET /echo HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\n"
                "X-Token: %s\r\n\r\n",
                peer, token);
    assert_true(say(fd, sbuf_str(&out)));
    CHECK_INT(peer, hear(f, fd).status, 200);
    return fd;
}

/* How many connections still answer after these bytes. */
static int count_alive(struct fixture *f, const int *fds, size_t n, str bytes)
{
    int alive = 0;
    for (size_t i = 0; i < n; i++)
        alive += say(fds[i], bytes) && hear(f, fds[i]).status == 200;
    return alive;
}

/* However many connections others keep, a caller with few of them gets one. */
static void test_places_by_caller(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.connections = 8;
    struct fixture *f = behind_proxy(&limits);
    int fds[12];
    for (size_t i = 0; i < 3; i++) { /* one caller idles, another one sends */
        fds[i] = served(f, "203.0.113.1", "known");
        fds[i + 3] = begin(f, &(struct sender){"/judged", "203.0.113.1", "known2", 9});
    }
    fds[6] = begin(f, &(struct sender){"/judged", "203.0.113.1", "known2", 9});
    WAIT_UNTIL(atomic_load(&f->judged) == 4);
    fds[7] = served(f, "203.0.113.2", "no");

    fds[8] = served(f, "203.0.113.1", "known3"); /* of four */
    fds[9] = served(f, "203.0.113.3", "no");     /* of three, of either caller */
    fds[10] = served(f, "203.0.113.4", "known4");
    const str again = STR("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_INT("who has one", count_alive(f, fds + 7, 4, again), 4);
    CHECK_INT("who idles", count_alive(f, fds, 3, again), 2);
    CHECK_INT("who sends", count_alive(f, fds + 3, 4, STR("all of it")), 2);
    fds[11] = dial(f); /* all but two have the newcomer's address now */
    CHECK_INT("who has most", hear(f, fds[11]).status, 503);
    finish(f, fds, COUNT_OF(fds));
}

/* Too much in all: who sent most is refused, and a small request of another goes on. */
static void test_received_all(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.received_all = 4 << 20;
    struct fixture *f = behind_proxy(&limits);
    int fds[9];
    fds[0] = begin(f, &(struct sender){"/echo", "203.0.113.1", NULL, 300000});
    assert_true(say(fds[0], bytes(f, 299999)));
    for (size_t i = 1; i < COUNT_OF(fds); i++) {
        fds[i] = begin(f, &(struct sender){"/echo", "203.0.113.2", NULL, 600000});
        (void)!say(fds[i], bytes(f, 599999));
    }
    wait_for_answer(fds + 1, COUNT_OF(fds) - 1);
    size_t refused = 0;
    assert_true(say(fds[0], STR("b")));
    CHECK_INT("the small one", hear(f, fds[0]).status, 200);
    for (size_t i = 1; i < COUNT_OF(fds); i++) {
        (void)!say(fds[i], STR("b"));
        int status = hear(f, fds[i]).status;
        refused += status == 503;
        assert_true(status == 503 || status == 200);
    }
    assert_true(refused > 0);
    finish(f, fds, COUNT_OF(fds));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judged_at_the_head),
        cmocka_unit_test(test_admitted),
        cmocka_unit_test(test_judge_takes_time),
        cmocka_unit_test(test_expect),
        cmocka_unit_test(test_peer_leaves_the_judge),
        cmocka_unit_test(test_unfinished_by_address),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_places_by_caller),
        cmocka_unit_test(test_received_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
