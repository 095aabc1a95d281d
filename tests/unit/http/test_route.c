#include "check.h"

#include "http/route.h"

static const struct http_route routes[] = {
    {.path = "/", .methods = HTTP_GET},
    {.path = "/mcp",
     .methods = HTTP_GET | HTTP_POST | HTTP_DELETE,
     .cors = HTTP_CORS_WELCOME},
    {.path = "/tree/leaf", .methods = HTTP_POST},
    {.path = "/tree/", .methods = HTTP_GET},
    {0},
};

static void test_find(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int row; /* -1: none */
    } cases[] = {
        {"/", 0},      {"/mcp", 1},       {"/mcp/", -1},       {"/mcpx", -1},
        {"/MCP", -1},  {"/tree/leaf", 2}, {"/tree/leaf/x", 3}, {"/tree/", 3},
        {"/tree", -1}, {"", -1},          {"/%6dcp", -1},      {"//mcp", -1},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct http_route *got = http_route_find(routes, str_c(cases[i].path));
        CHECK_INT(cases[i].path, got != NULL ? got - routes : -1, cases[i].row);
    }
}

static void test_methods(void **state)
{
    assert_true(http_route_takes(&routes[0], HTTP_GET));
    assert_true(http_route_takes(&routes[0], HTTP_HEAD));
    assert_false(http_route_takes(&routes[0], HTTP_POST));
    assert_false(http_route_takes(&routes[2], HTTP_HEAD));
    assert_false(http_route_takes(&routes[0], HTTP_OTHER));
    CHECK_STR("/", http_route_allow(*state, &routes[0]), "GET, HEAD, OPTIONS");
    CHECK_STR("/mcp", http_route_allow(*state, &routes[1]),
              "GET, HEAD, POST, DELETE, OPTIONS");
    CHECK_STR("leaf", http_route_allow(*state, &routes[2]), "POST, OPTIONS");
}

static const str *find_header(const struct http_response *r, str name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, name))
            return &r->headers[i].value;
    return NULL;
}

#define ALLOWED                                                                          \
    "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, "        \
    "mcp-method, mcp-name, last-event-id"

static void test_preflight(void **state)
{
    static const struct {
        const char *asked, *allowed;
    } cases[] = {
        {"", ALLOWED},
        {"authorization,x-evil", ALLOWED},
        {"mcp-param-path", ALLOWED ", mcp-param-path"},
        {"Mcp-Param-A , x, mcp-param-b", ALLOWED ", Mcp-Param-A, mcp-param-b"},
        {"mcp-param-a b, mcp-param-\"x, mcp-param", ALLOWED},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header headers[] = {
            {STR("Origin"), STR("http://localhost")},
            {STR("Access-Control-Request-Headers"), str_c(cases[i].asked)},
        };
        struct http_request q = {.headers = headers, .n_headers = COUNT_OF(headers)};
        struct http_response r;
        http_route_options(*state, &routes[1], &q, &r);
        CHECK_INT(cases[i].asked, r.status, 204);
        CHECK_STR(cases[i].asked, *find_header(&r, STR("Access-Control-Allow-Headers")),
                  cases[i].allowed);
        CHECK_STR(cases[i].asked, *find_header(&r, STR("Access-Control-Allow-Methods")),
                  "GET, HEAD, POST, DELETE, OPTIONS");
        CHECK_STR(cases[i].asked, *find_header(&r, STR("Access-Control-Max-Age")),
                  "86400");

        http_route_options(*state, &routes[0], &q, &r);
        CHECK("not a cors route", r.n_headers == 1);
        CHECK_STR("not a cors route", *find_header(&r, STR("Allow")),
                  "GET, HEAD, OPTIONS");
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        ARENA_TEST(test_methods),
        ARENA_TEST(test_preflight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
