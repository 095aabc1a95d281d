#include "app/setup/endpoint.h"

#include "base/clock.h"
#include "check.h"

static void test_settings(void **state)
{
    static const struct {
        const char *where, *outside;
        bool ok, named;
    } rows[] = {
        {"", "", true, false},
        {"off", "", true, false},
        {"auto", "", true, false},
        {"http://127.0.0.1:11434/v1", "", true, true},
        {"http://[::1]:8080/v1", "", true, true},
        {"http://localhost/v1", "", true, true},
        {"http://192.168.1.5:1234/v1", "192.168.1.5:1234", true, true},
        {"https://api.openai.com/v1", "api.openai.com:443", true, true},
        {"openai", "", false, false},
        {"AUTO", "", false, false},
        {"localhost:11434", "", false, false},
        {"http://user@localhost/v1", "", false, false},
        {"https://api.example/v1?key=1", "api.example:443", false, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct settings_embeddings s = {.where = str_c(rows[i].where)};
        struct err err = {0};
        CHECK_INT(rows[i].where, endpoint_check(&s, &err), rows[i].ok);
        CHECK_INT(rows[i].where, endpoint_url(&s, NULL), rows[i].named);
        CHECK_STR(rows[i].where, endpoint_outside(*state, &s), rows[i].outside);
    }
}

/* Vectors are compared only if they were made in the same way; how questions are asked
 * does not matter to stored ones. */
static void test_identity(void **state)
{
    struct settings_embeddings s = {.where = STR("http://127.0.0.1:9/v1"),
                                    .model = STR("m")};
    struct embedder first, other;
    endpoint_open(*state, &s, &first);
    CHECK_STR("about", first.about, "m at 127.0.0.1:9");
    s.query_prefix = STR("query: ");
    endpoint_open(*state, &s, &other);
    assert_true(str_eq(first.id, other.id));
    endpoint_close(&other);
    s.document_prefix = STR("passage: ");
    endpoint_open(*state, &s, &other);
    assert_false(str_eq(first.id, other.id));
    endpoint_close(&other);
    s.document_prefix = STR("");
    s.dimensions = 64;
    endpoint_open(*state, &s, &other);
    assert_false(str_eq(first.id, other.id));
    endpoint_close(&other);
    endpoint_close(&first);
}

/* Nothing listens there: a question fails, and the next one at once. */
static void test_away(void **state)
{
    struct settings_embeddings s = {.where = STR("http://127.0.0.1:9/v1")};
    struct embedder e;
    struct err err = {0};
    str text = STR("question");
    float *v;
    unsigned n;
    endpoint_open(*state, &s, &e);
    assert_int_equal(e.rest_ms(e.arg), 0);
    uint64_t deadline = clock_ns() + 60000000000ULL;
    assert_false(e.embed(e.arg, *state, EMBED_QUERY, &text, 1, deadline, &v, &n, &err));
    assert_int_equal(err.code, ERR_BUSY);
    assert_true(e.rest_ms(e.arg) > 0);
    assert_false(e.embed(e.arg, *state, EMBED_QUERY, &text, 1, deadline, &v, &n, &err));
    assert_non_null(strstr(err.msg, "a moment ago"));
    endpoint_close(&e);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_settings),
                                       ARENA_TEST(test_identity), ARENA_TEST(test_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
