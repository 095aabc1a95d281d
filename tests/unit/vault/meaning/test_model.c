#include "vault/meaning/model.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "check.h"
#include "tiny_model.h"

static struct model *open_tiny(struct arena *a)
{
    char path[] = "/tmp/model-XXXXXX";
    struct model *m = NULL;
    struct err err = {0};
    AUTO_CLOSE int fd = mkstemp(path);
    assert_true(fd >= 0 && file_write(fd, tiny_model(a)));
    if (!model_open(path, &m, &err))
        fail_msg("%s", err.msg);
    unlink(path);
    return m;
}

static void test_embed(void **state)
{
    struct arena *a = *state;
    struct model *m = open_tiny(a);
    struct embedder e = model_embedder(m);
    str texts[] = {STR("Hello, worlds!"), STR("unable"), STR("hello, worlds!"), STR("")};
    float *out;
    unsigned numbers;
    struct err err = {0};
    assert_true(
        e.embed(e.arg, a, EMBED_CHUNK, texts, COUNT_OF(texts), 0, &out, &numbers, &err));
    assert_int_equal(numbers, TINY_WIDTH);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        double length = 0;
        for (unsigned k = 0; k < numbers; k++)
            length += pow((double)out[i * numbers + k], 2);
        assert_true(fabs(length - 1) < 1e-5);
    }
    assert_memory_equal(out, out + 2 * (size_t)numbers, numbers * sizeof(*out));
    assert_memory_not_equal(out, out + numbers, numbers * sizeof(*out));
    assert_true(str_starts(e.id, STR("tiny ")) && e.id.n == 5 + 32);
    CHECK_STR("about", e.about, "tiny, inside vaultd");
    CHECK_STR("names", e.reads_names, "English");
    CHECK_STR("codes", e.reads_codes, "en");
    model_close(m);
}

/* More tokens than the model has positions. */
static void test_long(void **state)
{
    struct arena *a = *state;
    struct model *m = open_tiny(a);
    struct embedder e = model_embedder(m);
    str text = STR("a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b");
    float *out;
    unsigned numbers;
    struct err err = {0};
    assert_true(e.embed(e.arg, a, EMBED_QUERY, &text, 1, 0, &out, &numbers, &err));
    assert_false(
        e.embed(e.arg, a, EMBED_QUERY, &text, 1, clock_ns() - 1, &out, &numbers, &err));
    assert_int_equal(err.name, E_TIMEOUT);
    model_close(m);
}

static void test_reads(void **state)
{
    static const struct {
        const char *text;
        bool reads;
    } cases[] = {
        {"", true},
        {"2026-11-17", true},
        {"hello", true},
        {"Zettelkasten", true}, /* too short to tell */
        {"теги", false},
        {"备份笔记", false},
        {"단축키", false},
        {"hello 漢", true}, /* mostly Latin */
        {"hello world hello world hello world hello world hello world hello world hello "
         "world",
         true},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         false}, /* in small parts */
    };
    struct model *m = open_tiny(*state);
    struct embedder e = model_embedder(m);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].text, e.reads(e.arg, str_c(cases[i].text)), cases[i].reads);
    CHECK("a whole word", e.knows(e.arg, STR("hello")));
    CHECK("a misspelled one", !e.knows(e.arg, STR("helo")));
    model_close(m);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_embed),
        ARENA_TEST(test_long),
        ARENA_TEST(test_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
