/* tests/vectors/meaning/layers.json: what another implementation gives for a tiny model. */
#include "vault/meaning/model_layers.h"

#include <math.h>

#include "base/clock.h"
#include "tiny_model.h"
#include "vectors.h"

static const struct kernel *kernel_of(size_t i)
{
    return i == 0 ? &kernel_plain : kernel_best();
}

static struct model_image image_of(struct arena *a)
{
    struct model_image m;
    struct err err = {0};
    if (!model_image_read(tiny_model(a), &m, &err))
        fail_msg("%s", err.msg);
    return m;
}

static size_t read_tokens(const struct json *list, uint32_t ids[TOKENS_MAX])
{
    size_t n = 0;
    for (const struct json *t = list->child; t != NULL; t = t->next) {
        int64_t id = 0;
        json_int(t, &id);
        ids[n++] = (uint32_t)id;
    }
    return n;
}

static void check_row(const struct model_image *m, const struct kernel *k,
                      const struct json *row)
{
    uint32_t ids[TOKENS_MAX];
    float out[TINY_WIDTH];
    struct err err = {0};
    size_t n = read_tokens(json_get(row, STR("tokens")), ids), i = 0;
    if (!model_layers_run(m, k, ids, n, 0, out, &err))
        fail_msg("%s", err.msg);
    for (const struct json *v = json_get(row, STR("vector"))->child; v != NULL;
         v = v->next) {
        double want = 0;
        json_num(v, &want);
        if (!(fabs((double)out[i] - want) < 2e-6))
            fail_msg("%s, %zu tokens, number %zu: got %.9g, want %.9g", k->name, n, i,
                     (double)out[i], want);
        i++;
    }
    assert_int_equal(i, TINY_WIDTH);
}

static void test_recorded(void **state)
{
    struct arena *a = *state;
    struct model_image m = image_of(a);
    const struct json *rows = vectors_read(a, "meaning/layers.json");
    for (size_t k = 0; k < 2; k++)
        for (const struct json *row = rows->child; row != NULL; row = row->next)
            check_row(&m, kernel_of(k), row);
}

static void test_deadline(void **state)
{
    struct model_image m = image_of(*state);
    uint32_t ids[] = {2, 4, 5, 3};
    float out[TINY_WIDTH];
    struct err err = {0};
    assert_false(model_layers_run(&m, &kernel_plain, ids, COUNT_OF(ids), 1, out, &err));
    assert_int_equal(err.name, E_TIMEOUT);
    assert_true(model_layers_run(&m, &kernel_plain, ids, COUNT_OF(ids),
                                 clock_ns() + 60000000000u, out, &err));
}

/* Weights of a hostile file: the sum of rows is infinite, or not a number. */
static void test_not_finite(void **state)
{
    struct model_image m = image_of(*state);
    uint32_t ids[] = {2, 4, 5, 3};
    float out[TINY_WIDTH], gain[TINY_WIDTH];
    struct err err = {0};
    for (size_t i = 0; i < TINY_WIDTH; i++)
        gain[i] = NAN;
    m.layers[1].done.gain = gain;
    for (size_t k = 0; k < 2; k++) {
        assert_false(
            model_layers_run(&m, kernel_of(k), ids, COUNT_OF(ids), 0, out, &err));
        assert_int_equal(err.code, ERR_INVALID);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_recorded),
        ARENA_TEST(test_deadline),
        ARENA_TEST(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
