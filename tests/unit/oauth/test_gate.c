/* Who waits for whom: tokens that must be looked up, pages of the app, and the rest. */
#include "oauth/gate.h"

#include "../http/fixture.h"
#include "base/pool.h"
#include "oauth/browser_request.h"
#include "oauth/parts.h"
#include "oauth_place.h"
#include "until.h"

struct gated {
    struct oauth_place *place;
    struct fixture *fixture;
    atomic_int inside; /* jobs or pages that are held */
    atomic_bool let_go;
};

static void hold(struct gated *g)
{
    atomic_fetch_add(&g->inside, 1);
    while (!atomic_load(&g->let_go))
        usleep(1000);
}

static void hold_job(void *arg)
{
    hold(arg);
}

static void hold_page(void *app, struct arena *a, const struct oauth_asked *asked,
                      struct http_response *out)
{
    hold(app);
    *out = (struct http_response){.status = 200, .body = STR("page")};
}

static const struct oauth_page held_pages[] = {
    {"/held", .is_open = true, .answer = hold_page},
    {0},
};

static void enter_gate(struct http_exchange *x, void *context, enum gate_verdict verdict,
                       const struct oauth_grant *grant)
{
    struct gated *g = context;
    if (verdict == GATE_OPEN)
        http_reply(x, &(struct http_response){.status = 200, .body = grant->user});
    else
        gate_answer(g->place->oauth, x, verdict);
}

static void handle_gate(struct http_exchange *x, void *context)
{
    struct gated *g = context;
    gate_ask(g->place->oauth, x, enter_gate, g);
}

/* The routes of sign-in, and "/gate". */
static const struct http_route *gated_routes(struct gated *g)
{
    const struct http_route *theirs = oauth_routes(g->place->oauth);
    size_t n = 0;
    while (theirs[n].path != NULL)
        n++;
    struct http_route *all = ARENA_ARRAY(&g->place->arena, struct http_route, n + 2);
    memcpy(all, theirs, n * sizeof(*all));
    all[n] = (struct http_route){
        .path = "/gate", .methods = HTTP_GET, .handle = handle_gate, .context = g};
    return all;
}

static int setup(void **state)
{
    struct gated *g = mem_zero(sizeof(*g));
    struct fixture *f = g->fixture = mem_zero(sizeof(*f));
    struct err err;
    g->place = place_new(true);
    g->place->config.pages = held_pages;
    g->place->config.app = g;
    place_open(g->place);
    f->server = http_server_create(&(struct http_config){.routes = gated_routes(g),
                                                         .context = g,
                                                         .guard.any_host = true,
                                                         .limits = HTTP_LIMITS_DEFAULT});
    assert_true(http_server_listen(f->server, STR("127.0.0.1:0"), &err));
    fixture_begin(f);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    struct gated *g = *state;
    atomic_store(&g->let_go, true);
    http_server_stop(g->fixture->server);
    pthread_join(g->fixture->thread, NULL);
    oauth_stop(g->place->oauth);
    http_server_free(g->fixture->server);
    arena_release(&g->fixture->arena);
    place_free(g->place);
    free(g->fixture);
    free(g);
    return 0;
}

static int ask(struct gated *g, const char *path, str token)
{
    struct sbuf out = SBUF_ON(&g->fixture->arena);
    int fd = dial(g->fixture);
    sbuf_printf(&out, "GET %s HTTP/1.1\r\nHost: vault.example\r\n", path);
    if (token.n > 0)
        sbuf_printf(&out, "Authorization: Bearer " STR_FMT "\r\n", STR_ARG(token));
    sbuf_add(&out, STR("\r\n"));
    assert_true(say(fd, sbuf_str(&out)));
    return fd;
}

static int answer_of(struct gated *g, int fd)
{
    int status = hear(g->fixture, fd).status;
    close(fd);
    return status;
}

static void test_verdicts(void **state)
{
    struct gated *g = *state;
    str token = place_grant(g->place).access_token;
    const struct {
        const char *what;
        str token;
        int status;
    } cases[] = {
        {"none", STR(""), 401},
        {"not one", STR("x"), 401},
        {"new", token, 200},
        {"seen", token, 200},
        {"unknown",
         STR("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"), 401},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].what, answer_of(g, ask(g, "/gate", cases[i].token)),
                  cases[i].status);
}

/* While the store is slow, a token that was seen is judged at once, and others get an answer
 * later. */
static void test_unknown_tokens_wait_alone(void **state)
{
    struct gated *g = *state;
    str token = place_grant(g->place).access_token;
    char other[65];
    int fds[100]; /* and as many of the server; a process may have 1024 */
    assert_int_equal(answer_of(g, ask(g, "/gate", token)), 200);
    for (int i = 0; i < GATE_WORKERS; i++)
        assert_true(oauth_look(g->place->oauth, hold_job, g));
    UNTIL(atomic_load(&g->inside) == GATE_WORKERS);
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        snprintf(other, sizeof(other), "%064zx", i);
        fds[i] = ask(g, "/gate", str_c(other));
    }
    assert_int_equal(answer_of(g, ask(g, "/gate", token)), 200);
    atomic_store(&g->let_go, true);
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        int status = answer_of(g, fds[i]);
        assert_true(status == 401 || status == 503); /* 503: too many wait */
    }
}

/* Pages that wait for a vault keep no sign-in, token or gate waiting. */
static void test_pages_wait_alone(void **state)
{
    struct gated *g = *state;
    int pages[OAUTH_WORKERS + 2];
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        pages[i] = ask(g, "/held", STR(""));
    UNTIL(atomic_load(&g->inside) == PAGES_WORKERS);
    int fd = dial(g->fixture);
    assert_true(say(fd, STR("POST /oauth/token HTTP/1.1\r\nHost: vault.example\r\n"
                            "Content-Type: application/x-www-form-urlencoded\r\n"
                            "Content-Length: 13\r\n\r\ngrant_type=no")));
    assert_int_equal(answer_of(g, fd), 400);
    assert_int_equal(answer_of(g, ask(g, "/account", STR(""))), 200);
    atomic_store(&g->let_go, true);
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        assert_int_equal(answer_of(g, pages[i]), 200);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_verdicts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_tokens_wait_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pages_wait_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
