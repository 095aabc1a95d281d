#include "base/json_write.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "json_gen.h"
#include "json_tree.h"

static str write_str(struct arena *a, str s)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_str(&w, s);
    return sbuf_str(&out);
}

static void test_structure(void **state)
{
    struct sbuf out = SBUF_ON(*state);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("s"), STR("text"));
    jsonw_put_int(&w, STR("i"), -7);
    jsonw_put_bool(&w, STR("y"), true);
    jsonw_put_value(&w, STR("missing"), NULL);
    jsonw_put_text(&w, STR("empty"), STR(""));
    jsonw_put_text(&w, STR("t"), STR("some"));
    jsonw_put_true(&w, STR("no"), false);
    jsonw_put_true(&w, STR("yes"), true);
    jsonw_put_strs(&w, STR("none"), NULL, 0);
    jsonw_put_strs(&w, STR("two"), (const str[]){STR("x"), STR("y")}, 2);
    jsonw_put_object(&w, STR("o"));
    jsonw_end(&w);
    jsonw_put_array(&w, STR("a"));
    jsonw_null(&w);
    jsonw_array(&w);
    jsonw_bool(&w, false);
    jsonw_end(&w);
    jsonw_object(&w);
    jsonw_key(&w, STR("n\"\n"));
    jsonw_num(&w, 0.1);
    jsonw_end(&w);
    jsonw_printf(&w, "%d of %s", 3, "\"many\"");
    jsonw_end(&w);
    jsonw_end(&w);
    CHECK_STR("all calls", sbuf_str(&out),
              "{\"s\":\"text\",\"i\":-7,\"y\":true,\"missing\":null,"
              "\"t\":\"some\",\"yes\":true,\"none\":[],\"two\":[\"x\",\"y\"],\"o\":{},"
              "\"a\":[null,[false],{\"n\\\"\\n\":0.1},\"3 of \\\"many\\\"\"]}");
}

static void test_depth(void **state)
{
    struct sbuf out = SBUF_ON(*state);
    struct jsonw w = JSONW_ON(&out);
    for (int i = 0; i < JSON_MAX_DEPTH; i++) {
        if (i % 3 == 0) {
            jsonw_object(&w);
            jsonw_key(&w, STR("k"));
        } else {
            jsonw_array(&w);
        }
    }
    jsonw_null(&w);
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        jsonw_end(&w);
    const struct json *j;
    struct err err;
    assert_true(json_parse(*state, sbuf_str(&out), &j, &err));
}

static void test_strings(void **state)
{
    static const struct {
        str s;
        const char *want;
    } cases[] = {
        {STR(""), "\"\""},
        {STR("abc"), "\"abc\""},
        {STR("a\"b\\c/d"), "\"a\\\"b\\\\c/d\""},
        {STR("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
        {STR("x\0y\x1F\x7F"), "\"x\\u0000y\\u001f\x7F\""},
        {STR("caf\u00E9 \U0001F331 \u2028\u2029"),
         "\"caf\u00E9 \U0001F331 \u2028\u2029\""},
        {STR("\xFF"), "\"\uFFFD\""},
        {STR("a\xC3"), "\"a\uFFFD\""},
        {STR("a\xE2\x82z"), "\"a\uFFFDz\""},
        {STR("\xF0\x9F\x8C\"\xC3\xA9"), "\"\uFFFD\\\"\u00E9\""},
        {STR("\xC0\xAF"), "\"\uFFFD\uFFFD\""},
        {STR("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\""},
        {STR("0123456789abcdef\x80ghi\n"), "\"0123456789abcdef\uFFFDghi\\n\""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].want, write_str(*state, cases[i].s), cases[i].want);
    CHECK_STR("NULL", write_str(*state, (str){0}), "\"\"");
}

/* Every length up to 70, with a byte to escape or repair at every place. */
static void test_string_steps(void **state)
{
    static const char odd[] = {'a', '"', '\\', '\n', '\x80', '\0'};
    for (size_t n = 1; n < 70; n++) {
        for (size_t at = 0; at < n; at++) {
            char text[70], want[80];
            for (size_t i = 0; i < n; i++)
                text[i] = (char)('a' + i % 26);
            text[at] = odd[(n + at) % sizeof(odd)];
            const struct json *j;
            struct err err;
            if (!json_parse(*state, write_str(*state, (str){text, n}), &j, &err))
                fail_msg("%zu of %zu: %s", at, n, err.msg);
            memcpy(want, text, n);
            str expected = {want, n};
            if (text[at] == '\x80') {
                memcpy(want + at, "\uFFFD", 3);
                memcpy(want + at + 3, text + at + 1, n - at - 1);
                expected.n = n + 2;
            }
            if (!str_eq(j->text, expected))
                fail_msg("%zu of %zu: got '" STR_FMT "'", at, n, STR_ARG(j->text));
        }
        arena_reset(*state);
    }
}

static void test_ints(void **state)
{
    static const struct {
        int64_t n;
        const char *want;
    } cases[] = {
        {0, "0"},
        {-1, "-1"},
        {10, "10"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
        {INT64_C(9007199254740993), "9007199254740993"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf out = SBUF_ON(*state);
        struct jsonw w = JSONW_ON(&out);
        jsonw_int(&w, cases[i].n);
        CHECK_STR(cases[i].want, sbuf_str(&out), cases[i].want);
    }
}

static str write_num(struct arena *a, double d)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_num(&w, d);
    return sbuf_str(&out);
}

static void test_nums(void **state)
{
    static const struct {
        double d;
        const char *want;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e20, "1e+20"},
        {123456789012.0, "123456789012"},
        {9007199254740992.0, "9007199254740992"},
        {5e-324, "5e-324"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
        {NAN, "null"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].want, write_num(*state, cases[i].d), cases[i].want);
}

static void test_nums_read_back(void **state)
{
    struct gen g = {.state = 42};
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)gen_next(&g, 1u << 31) << 33 ^
                        (uint64_t)gen_next(&g, 1u << 31) << 16 ^ gen_next(&g, 1u << 16);
        double d, again;
        memcpy(&d, &bits, sizeof(d));
        if (!isfinite(d))
            continue;
        str text = write_num(*state, d);
        const struct json *j;
        struct err err;
        assert_true(json_parse(*state, text, &j, &err));
        assert_true(json_num(j, &again));
        if (again != d)
            fail_msg("%a became '" STR_FMT "'", d, STR_ARG(text));
        arena_reset(*state);
    }
}

/* A decimal comma of the locale must not appear. */
static void test_locale(void **state)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        SKIP("no locale de_DE.UTF-8");
    double d = 0;
    const struct json *j;
    struct err err;
    str text = write_num(*state, 0.5);
    assert_true(json_parse(*state, STR("2.75"), &j, &err) && json_num(j, &d));
    setlocale(LC_ALL, "C");
    CHECK_STR("write", text, "0.5");
    assert_true(d == 2.75);
}

static void test_values_on_one_line(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{\r\n  \"a\": [1,\n2]\n}", "{    \"a\": [1, 2] }"},
        {" 1.0\n", "1.0"},
        {"\"a\\nb\"", "\"a\\nb\""},
        {"[\"\\u0000\",1e400]", "[\"\\u0000\",1e400]"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *j;
        struct err err;
        struct sbuf out = SBUF_ON(*state);
        struct jsonw w = JSONW_ON(&out);
        CHECK(cases[i].text, json_parse(*state, str_c(cases[i].text), &j, &err));
        jsonw_value(&w, j);
        CHECK_STR(cases[i].text, sbuf_str(&out), cases[i].want);
    }
}

static void test_printf_is_long(void **state)
{
    for (int n = 250; n < 260; n++) {
        struct sbuf out = SBUF_ON(*state);
        struct jsonw w = JSONW_ON(&out);
        jsonw_printf(&w, "%*s", n, "\n");
        assert_int_equal(out.n, n + 3);
        assert_memory_equal(out.p + n, "\\n\"", 3);
    }
}

/* A large text is measured first, so that it is not copied while it grows. */
static void test_large(void **state)
{
    enum { SIZE = 7 << 20 };
    static const char *const lines[] = {"plain text of a note, and more of it\n",
                                        "\"quoted\" and \\ and \t", "\x01\x02\x1f",
                                        "\u00e4\u00f6\u00fc \U0001F600\n"};
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct arena text_arena = {0}, a = {0};
        struct sbuf text = SBUF_ON(&text_arena), out = SBUF_ON(&a);
        struct jsonw w = JSONW_ON(&out);
        while (text.n < SIZE)
            sbuf_add(&text, str_c(lines[i]));
        jsonw_array(&w);
        jsonw_str(&w, sbuf_str(&text));
        jsonw_str(&w, STR("little"));
        jsonw_end(&w);
        CHECK(lines[i], arena_size(&a) < out.n + out.n / 20);
        arena_release(&a);
        arena_release(&text_arena);
    }
}

static void test_round_trip(void **state)
{
    struct gen g = {.state = 8259};
    int accepted = 0;
    for (int i = 0; i < 5000; i++) {
        const struct json *first, *again;
        struct err err;
        str text = gen_document(&g, *state);
        struct sbuf out = SBUF_ON(*state);
        struct jsonw w = JSONW_ON(&out);
        if (json_parse(*state, text, &first, &err)) {
            accepted++;
            json_tree_write(&w, first);
            if (!json_parse(*state, sbuf_str(&out), &again, &err) ||
                !json_tree_same(first, again))
                fail_msg("'" STR_FMT "' became '" STR_FMT "'", STR_ARG(text),
                         STR_ARG(sbuf_str(&out)));
        }
        arena_reset(*state);
    }
    assert_in_range(accepted, 2500, 5000);
}

static void value_without_key(struct jsonw *w)
{
    jsonw_object(w);
    jsonw_null(w);
}

static void end_too_many(struct jsonw *w)
{
    jsonw_array(w);
    jsonw_end(w);
    jsonw_end(w);
}

static void end_after_key(struct jsonw *w)
{
    jsonw_object(w);
    jsonw_key(w, STR("k"));
    jsonw_end(w);
}

static void key_after_key(struct jsonw *w)
{
    jsonw_object(w);
    jsonw_key(w, STR("k"));
    jsonw_key(w, STR("l"));
}

static void key_in_array(struct jsonw *w)
{
    jsonw_array(w);
    jsonw_key(w, STR("k"));
}

static void second_at_the_top(struct jsonw *w)
{
    jsonw_null(w);
    jsonw_null(w);
}

static void too_deep(struct jsonw *w)
{
    for (int i = 0; i <= JSON_MAX_DEPTH; i++)
        jsonw_array(w);
}

static void test_bugs(void **state)
{
    static const struct {
        const char *row;
        void (*calls)(struct jsonw *w);
    } cases[] = {
        {"a value without a key", value_without_key},
        {"an end too many", end_too_many},
        {"an end after a key", end_after_key},
        {"a key after a key", key_after_key},
        {"a key in an array", key_in_array},
        {"a second value at the top", second_at_the_top},
        {"too deep", too_deep},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pid_t child = fork();
        if (child == 0) {
            struct sbuf out = SBUF_ON(*state);
            struct jsonw w = JSONW_ON(&out);
            signal(SIGABRT, SIG_DFL);
            fclose(stderr);
            cases[i].calls(&w);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        CHECK(cases[i].row, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_structure),
        ARENA_TEST(test_depth),
        ARENA_TEST(test_strings),
        ARENA_TEST(test_string_steps),
        ARENA_TEST(test_ints),
        ARENA_TEST(test_nums),
        ARENA_TEST(test_nums_read_back),
        ARENA_TEST(test_locale),
        ARENA_TEST(test_values_on_one_line),
        ARENA_TEST(test_printf_is_long),
        ARENA_TEST(test_large),
        ARENA_TEST(test_round_trip),
        ARENA_TEST(test_bugs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
