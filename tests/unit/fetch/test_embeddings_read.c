#include "fetch/embeddings_read.h"

#include <math.h>

#include "check.h"
#include "fetch/embeddings.h"

static void test_order_and_length(void **state)
{
    float *v;
    unsigned numbers = 0;
    struct err err = {0};
    str body = STR("{\"object\":\"list\",\"data\":["
                   "{\"index\":1,\"embedding\":[0,-2e0],\"object\":\"embedding\"},"
                   "{\"index\":0,\"embedding\":[3,4]}],\"model\":\"m\",\"usage\":{}}");
    assert_true(embeddings_read(*state, body, 2, &v, &numbers, &err));
    assert_int_equal(numbers, 2);
    static const float want[] = {0.6F, 0.8F, 0, -1};
    for (size_t i = 0; i < COUNT_OF(want); i++)
        assert_true(fabsf(v[i] - want[i]) < 1e-6F);
}

static void test_refused(void **state)
{
    static const struct {
        const char *body, *message;
        unsigned numbers;
    } rows[] = {
        {"<h1>It works</h1>", "did not answer with JSON", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1,", "did not answer with JSON", 0},
        {"", "did not answer with JSON", 0},
        {"[]", "returned no embeddings", 0},
        {"{\"error\":{\"message\":\"no\"}}", "returned no embeddings", 0},
        {"{\"data\":{}}", "returned no embeddings", 0},
        {"{\"data\":[]}", "returned 0 embeddings for 2 texts", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1]}]}",
         "returned 1 embeddings for 2 texts", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[]},{\"index\":1,\"embedding\":[]}]}",
         "returned an embedding of 0 dimensions, not of 1 to 4096", 0},
        {"{\"data\":[1,2]}", "returned an embedding of 0 dimensions, not of 1 to 4096",
         0},
        {"{\"data\":[{\"index\":0,\"embedding\":\"AACAPw==\"},{\"index\":1}]}",
         "returned an embedding of 0 dimensions, not of 1 to 4096", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1,2]}]}",
         "returned embeddings of different dimensions", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
         "returned embeddings without a valid index", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":2,\"embedding\":[1]}]}",
         "returned embeddings without a valid index", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":-1,\"embedding\":[1]}]}",
         "returned embeddings without a valid index", 0},
        {"{\"data\":[{\"embedding\":[1]},{\"embedding\":[1]}]}",
         "returned embeddings without a valid index", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[NaN]},{\"index\":1,\"embedding\":[1]}]}",
         "did not answer with JSON", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[null]},{\"index\":1,\"embedding\":[1]}]"
         "}",
         "returned a value that is not a number", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1e39]},{\"index\":1,\"embedding\":[1]}]"
         "}",
         "returned a value that is not a number", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1e999]},{\"index\":1,\"embedding\":[1]}]"
         "}",
         "returned a value that is not a number", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[0]},{\"index\":1,\"embedding\":[1]}]}",
         "returned a zero vector", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1e-50]},{\"index\":1,\"embedding\":[1]}]"
         "}",
         "returned a zero vector", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}]}",
         "returned embeddings of 1 dimensions instead of 384: check "
         "embeddings-dimensions, "
         "and restart vaultd if the model changed",
         384},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        float *v = NULL;
        unsigned numbers = rows[i].numbers;
        struct err err = {0};
        CHECK(rows[i].body,
              !embeddings_read(*state, str_c(rows[i].body), 2, &v, &numbers, &err));
        CHECK_INT(rows[i].body, err.code, ERR_BUSY);
        CHECK_STR(rows[i].body, str_c(err.msg), rows[i].message);
        CHECK_INT(rows[i].body, numbers, rows[i].numbers);
        CHECK(rows[i].body, v == NULL);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_order_and_length),
                                       ARENA_TEST(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
