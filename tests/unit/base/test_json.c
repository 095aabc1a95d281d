#include "base/json.h"

#include <time.h>

#include "base/json_write.h"
#include "check.h"
#include "jansson_apart.h"
#include "json_gen.h"

static const struct json *parse(struct arena *a, str text)
{
    const struct json *j;
    struct err err = {0};
    if (!json_parse(a, text, &j, &err))
        fail_msg("'" STR_FMT "': %s", STR_ARG(str_slice(text, 0, 200)), err.msg);
    return j;
}

static void test_accepts(void **state)
{
    static const struct {
        const char *text;
        enum json_type type;
        unsigned n;
    } cases[] = {
        {"null", JSON_NULL, 0},
        {"true", JSON_TRUE, 0},
        {"false", JSON_FALSE, 0},
        {"0", JSON_NUMBER, 0},
        {"-0", JSON_NUMBER, 0},
        {"-0.0e-0", JSON_NUMBER, 0},
        {"12.5E+3", JSON_NUMBER, 0},
        {"1e400", JSON_NUMBER, 0},
        {"123456789012345678901234567890", JSON_NUMBER, 0},
        {"\"\"", JSON_STRING, 0},
        {"\"\x7F \xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x8C\xB1\"", JSON_STRING, 0},
        {"[]", JSON_ARRAY, 0},
        {"[[],{},1]", JSON_ARRAY, 3},
        {"{}", JSON_OBJECT, 0},
        {"{\"\":1,\"a\":{\"a\":2},\"A\":3}", JSON_OBJECT, 3},
        {"[ 1 ,\t2\r\n, 3 ]", JSON_ARRAY, 3},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str around = arena_printf(*state, " \t\r\n%s\n\r\t ", cases[i].text);
        const struct json *bare = parse(*state, str_c(cases[i].text));
        const struct json *spaced = parse(*state, around);
        CHECK_INT(cases[i].text, bare->type, cases[i].type);
        CHECK_INT(cases[i].text, bare->n, cases[i].n);
        CHECK_STR(cases[i].text, bare->raw, cases[i].text);
        CHECK_STR(cases[i].text, spaced->raw, cases[i].text);
    }
}

static void test_SEC_65_refuses(void **state)
{
    static const struct {
        str text;
        const char *msg;
    } cases[] = {
        {STR(""), "byte 0: expected a value, found the end"},
        {STR("  "), "byte 2: expected a value, found the end"},
        {STR("\xEF\xBB\xBF{}"), "byte 0: expected a value"},
        {STR("\0"), "byte 0: expected a value"},
        {STR("nul"), "byte 0: expected null"},
        {STR("[tru]"), "byte 1: expected true"},
        {STR("False"), "byte 0: expected a value"},
        {STR("NaN"), "byte 0: expected a value"},
        {STR("Infinity"), "byte 0: expected a value"},
        {STR("1 2"), "byte 2: expected nothing after the value"},
        {STR("{}\0"), "byte 2: expected nothing after the value"},
        {STR("01"), "byte 1: expected nothing after the value"},
        {STR("[01]"), "byte 2: expected ',' or ']'"},
        {STR("0x1"), "byte 1: expected nothing after the value"},
        {STR("-"), "byte 1: expected a digit, found the end"},
        {STR("+1"), "byte 0: expected a value"},
        {STR(".5"), "byte 0: expected a value"},
        {STR("1."), "byte 2: expected a digit, found the end"},
        {STR("[1.e3]"), "byte 3: expected a digit"},
        {STR("[1e]"), "byte 3: expected a digit"},
        {STR("1e+"), "byte 3: expected a digit, found the end"},
        {STR("['a']"), "byte 1: expected a value"},
        {STR("[1,]"), "byte 3: expected a value"},
        {STR("[,1]"), "byte 1: expected a value"},
        {STR("[1 2]"), "byte 3: expected ',' or ']'"},
        {STR("[1}"), "byte 2: expected ',' or ']'"},
        {STR("[1"), "byte 2: expected ',' or ']', found the end"},
        {STR("["), "byte 1: expected a value, found the end"},
        {STR("[1] // one"), "byte 4: expected nothing after the value"},
        {STR("[1 /* one */]"), "byte 3: expected ',' or ']'"},
        {STR("{"), "byte 1: expected a key in quotes or '}', found the end"},
        {STR("{a:1}"), "byte 1: expected a key in quotes or '}'"},
        {STR("{\"a\":1,}"), "byte 7: expected a key in quotes"},
        {STR("{\"a\" 1}"), "byte 5: expected ':'"},
        {STR("{\"a\"}"), "byte 4: expected ':'"},
        {STR("{\"a\":}"), "byte 5: expected a value"},
        {STR("{\"a\":1"), "byte 6: expected ',' or '}', found the end"},
        {STR("{\"a\":1]"), "byte 6: expected ',' or '}'"},
        {STR("{\"a\":1 \"b\":2}"), "byte 7: expected ',' or '}'"},
        {STR("\""), "byte 1: expected a quote to close the string, found the end"},
        {STR("\"abc"), "byte 4: expected a quote to close the string, found the end"},
        {STR("\"a\\\""), "byte 4: expected a quote to close the string, found the end"},
        {STR("\"a\nb\""), "byte 2: expected an escape for a control character"},
        {STR("\"a\0b\""), "byte 2: expected an escape for a control character"},
        {STR("\"a\\n\x1F\""), "byte 4: expected an escape for a control character"},
        {STR("\"\\"), "expected one of \"\\/bfnrtu after a backslash, found the end"},
        {STR("\"\\x\""), "byte 2: expected one of \"\\/bfnrtu after a backslash"},
        {STR("\"\\\0\""), "byte 2: expected one of \"\\/bfnrtu after a backslash"},
        {STR("\"\\\xC3\xA9\""), "byte 2: expected one of \"\\/bfnrtu after a backslash"},
        {STR("\"\\u12\""), "byte 2: expected four hex digits after \\u"},
        {STR("\"\\u12G4\""), "byte 2: expected four hex digits after \\u"},
        {STR("\"\\u123"), "byte 2: expected four hex digits after \\u"},
        {STR("\"\\uD800\""), "byte 2: expected two surrogates that make a pair"},
        {STR("\"\\uD800\\n\""), "byte 2: expected two surrogates that make a pair"},
        {STR("\"\\uD800\\u0041\""), "byte 2: expected two surrogates that make a pair"},
        {STR("\"\\uD800\\uD800\""), "byte 2: expected two surrogates that make a pair"},
        {STR("\"\\uD83C\\uDF3"), "byte 2: expected two surrogates that make a pair"},
        {STR("\"\\uDC00\""), "byte 2: expected a first surrogate before a second one"},
        {STR("\"\xFF\""), "byte 1: expected UTF-8"},
        {STR("\"\xC0\xAF\""), "byte 1: expected UTF-8"},
        {STR("\"ab\xED\xA0\x80\""), "byte 3: expected UTF-8"},
        {STR("{\"a\":1,\"a\":2}"), "byte 11: duplicate key 'a'"},
        {STR("{\"a\":1,\"\\u0061\" : 2}"), "byte 18: duplicate key 'a'"},
        {STR("{\"\":1,\"\":2}"), "duplicate key ''"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *untouched = NULL, *j = untouched;
        struct err err = {0};
        if (json_parse(*state, cases[i].text, &j, &err))
            fail_msg("'" STR_FMT "' was accepted", STR_ARG(cases[i].text));
        CHECK(cases[i].msg, j == untouched);
        CHECK_INT(cases[i].msg, err.code, ERR_INVALID);
        size_t at = str_find(str_c(err.msg), str_c(cases[i].msg));
        if (at == STR_NONE || at + strlen(cases[i].msg) != strlen(err.msg))
            fail_msg("'" STR_FMT "': got '%s', want '%s'", STR_ARG(cases[i].text),
                     err.msg, cases[i].msg);
    }
}

static void test_strings(void **state)
{
    static const struct {
        const char *text;
        str want;
    } cases[] = {
        {"\"x\\u0000y\"", STR("x\0y")},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", STR("\"\\/\b\f\n\r\t")},
        {"\"\\u00e9\\u00E9\\u20ac\"", STR("\u00E9\u00E9\u20AC")},
        {"\"\\ud83c\\uDF31.\"", STR("\U0001F331.")},
        {"\"\\ud800\\udc00\\udbff\\udfff\"", STR("\U00010000\U0010FFFF")},
        {"\"\\uFFFF\\uFFFE\\ud7ff\\ue000\"", STR("\uFFFF\uFFFE\xED\x9F\xBF\uE000")},
        {"\"0123456789abcdef0123456789abcdef\\n0123456789abcdef!\"",
         STR("0123456789abcdef0123456789abcdef\n0123456789abcdef!")},
        {"\"\\\\u0041\"", STR("\\u0041")},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str got = {0};
        CHECK(cases[i].text, json_str(parse(*state, str_c(cases[i].text)), &got));
        if (!str_eq(got, cases[i].want))
            fail_msg("%s: got '" STR_FMT "'", cases[i].text, STR_ARG(got));
    }
}

/* A special byte at each place of a string, so at each place of a 16-byte step. */
static void test_string_steps(void **state)
{
    for (size_t n = 0; n < 70; n++) {
        struct sbuf b = SBUF_ON(*state);
        sbuf_char(&b, '"');
        for (size_t i = 0; i < n; i++)
            sbuf_char(&b, (char)('a' + i % 26));
        sbuf_add(&b, STR("\\t-\""));
        const struct json *j = parse(*state, sbuf_str(&b));
        assert_int_equal(j->text.n, n + 2);
        assert_memory_equal(j->text.p, b.p + 1, n);
        assert_memory_equal(j->text.p + n, "\t-", 2);

        struct err err = {0};
        b.p[n + 1] = '\x01';
        assert_false(json_parse(*state, sbuf_str(&b), &j, &err));
        str want = arena_printf(*state, "invalid JSON at byte %zu: ", n + 1);
        assert_true(str_starts(str_c(err.msg), want));
    }
}

static void test_views(void **state)
{
    str text = STR("{\"plain\":\"caf\xC3\xA9\",\"n\":[1.50]}");
    const struct json *j = parse(*state, text);
    const struct json *plain = json_get(j, STR("plain"));
    assert_ptr_equal(plain->text.p, text.p + 10);
    assert_ptr_equal(plain->key.p, text.p + 2);
    CHECK_STR("array", json_get(j, STR("n"))->raw, "[1.50]");
    CHECK_STR("item", json_get(j, STR("n"))->child->raw, "1.50");
    CHECK_STR("all", j->raw, text);
}

static void test_getters(void **state)
{
    const struct json *j =
        parse(*state, STR("{\"s\":\"t\",\"i\":7,\"y\":true,\"f\":false,\"z\":null,"
                          "\"S\":{\"s\":1}}"));
    bool b = true;
    str s = STR("as it was");
    int64_t n = 42;
    CHECK_STR("string", json_get_str(j, STR("s")), "t");
    CHECK_STR("no string", json_get_str(j, STR("i")), "");
    CHECK_STR("missing", json_get_str(j, STR("x")), "");
    CHECK_STR("not an object", json_get_str(json_get(j, STR("s")), STR("s")), "");
    assert_true(json_get_true(j, STR("y")));
    assert_false(json_get_true(j, STR("f")));
    assert_false(json_get_true(j, STR("i")));
    assert_true(json_bool(json_get(j, STR("f")), &b));
    assert_false(b);
    assert_true(json_is(json_get(j, STR("z")), JSON_NULL));
    assert_null(json_get(j, STR("")));
    assert_null(json_get(NULL, STR("s")));
    assert_false(json_is(NULL, JSON_NULL));
    assert_false(json_str(NULL, &s));
    assert_false(json_int(json_get(j, STR("s")), &n));
    assert_false(json_int(NULL, &n));
    CHECK_STR("untouched", s, "as it was");
    assert_int_equal(n, 42);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        bool is_int;
        int64_t n;
        bool is_num;
        double d;
    } cases[] = {
        {"5", true, 5, true, 5},
        {"5.0", true, 5, true, 5},
        {"5e0", true, 5, true, 5},
        {"0.5E1", true, 5, true, 5},
        {"500e-2", true, 5, true, 5},
        {"-5.000e+0", true, -5, true, -5},
        {"5.5", false, 0, true, 5.5},
        {"5e-1", false, 0, true, 0.5},
        {"0", true, 0, true, 0},
        {"-0", true, 0, true, 0},
        {"0.000e99999999999999999999", true, 0, true, 0},
        {"1e-99999999999999999999", false, 0, true, 0},
        {"9007199254740993", true, INT64_C(9007199254740993), true, 9007199254740992.0},
        {"9223372036854775807", true, INT64_MAX, true, 9223372036854775808.0},
        {"-9223372036854775808", true, INT64_MIN, true, -9223372036854775808.0},
        {"-9223372036854775808.0", true, INT64_MIN, true, -9223372036854775808.0},
        {"-922337203685477580.8e1", true, INT64_MIN, true, -9223372036854775808.0},
        {"9223372036854775808", false, 0, true, 9223372036854775808.0},
        {"9223372036854775808.0", false, 0, true, 9223372036854775808.0},
        {"9223372036854775807.5", false, 0, true, 9223372036854775807.5},
        {"9e18", true, INT64_C(9000000000000000000), true, 9e18},
        {"1e19", false, 0, true, 1e19},
        {"1e400", false, 0, false, 0},
        {"-1e99999999999999999999", false, 0, false, 0},
        {"0.1", false, 0, true, 0.1},
        {"123456789012345678901234567890", false, 0, true,
         123456789012345678901234567890.0},
        {"0.10000000000000000000000000000000000000000000000000000000000000000000001",
         false, 0, true, 0.1},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *j = parse(*state, str_c(cases[i].text));
        int64_t n = 0;
        double d = 0;
        CHECK_INT(cases[i].text, json_int(j, &n), cases[i].is_int);
        CHECK_INT(cases[i].text, n, cases[i].n);
        CHECK_INT(cases[i].text, json_num(j, &d), cases[i].is_num);
        CHECK(cases[i].text, d == cases[i].d);
    }
}

/* JSON-RPC: the answer contains the id as it was sent. */
static void test_id_comes_back(void **state)
{
    static const char *const ids[] = {
        "1",
        "1.0",
        "-0",
        "1e3",
        "9007199254740993",
        "\"a/b\"",
        "\"\"",
        "\"a\\/b\"",
        "\"\\u0000\"",
        "123456789012345678901234567890",
        "null",
        "0.10",
        "\"\\u00E9\"",
        "\"\xC3\xA9\"",
    };

    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        str text = arena_printf(*state, "{\"jsonrpc\":\"2.0\", \"id\" : %s }", ids[i]);
        struct sbuf out = SBUF_ON(*state);
        struct jsonw w = JSONW_ON(&out);
        jsonw_value(&w, json_get(parse(*state, text), STR("id")));
        CHECK_STR(ids[i], sbuf_str(&out), ids[i]);
    }
}

static str nested(struct arena *a, str open, str inner, str close, size_t depth)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < depth; i++)
        sbuf_add(&b, open);
    sbuf_add(&b, inner);
    for (size_t i = 0; i < depth; i++)
        sbuf_add(&b, close);
    return sbuf_str(&b);
}

static void test_depth(void **state)
{
    static const struct {
        str open, inner, close;
    } cases[] = {
        {STR("["), STR(""), STR("]")},
        {STR("{\"a\":"), STR("1"), STR("}")},
        {STR("[{\"b\":2,\"a\":"), STR("null"), STR("}]")},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t most = i == 2 ? JSON_MAX_DEPTH / 2 : JSON_MAX_DEPTH;
        const struct json *j;
        struct err err = {0};
        parse(*state,
              nested(*state, cases[i].open, cases[i].inner, cases[i].close, most));
        for (size_t depth = most + 1; depth < 1000000; depth *= 30) {
            str text =
                nested(*state, cases[i].open, cases[i].inner, cases[i].close, depth);
            CHECK(cases[i].open.p, !json_parse(*state, text, &j, &err));
            CHECK_INT(cases[i].open.p, err.code, ERR_LIMIT);
        }
    }

    /* Siblings are not nested. */
    str beside = nested(*state, STR("[],"), STR("[]"), STR(""), 500);
    parse(*state, arena_printf(*state, "[" STR_FMT "]", STR_ARG(beside)));
}

/* {"k0":0,"k1":0,...}, and then the last one again. */
static str many_keys(struct arena *a, int n, bool last_twice)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_char(&b, '{');
    for (int i = 0; i < n; i++)
        sbuf_printf(&b, "%s\"k%d\":0", i > 0 ? "," : "", i);
    if (last_twice)
        sbuf_printf(&b, ",\"\\u006B%d\":0", n - 1);
    sbuf_char(&b, '}');
    return sbuf_str(&b);
}

static void test_SEC_65_many_keys(void **state)
{
    static const int counts[] = {1, 2, 15, 16, 17, 18, 100, 60000};

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        str row = arena_printf(*state, "%d keys", counts[i]);
        str once = many_keys(*state, counts[i], false);
        str twice = many_keys(*state, counts[i], true);
        const struct json *j;
        struct err err = {0};
        clock_t start = clock();
        CHECK_INT(row.p, parse(*state, once)->n, counts[i]);
        CHECK(row.p, !json_parse(*state, twice, &j, &err));
        CHECK(row.p, clock() - start < 2 * CLOCKS_PER_SEC);
        CHECK_INT(row.p, err.code, ERR_INVALID);
        CHECK(row.p, strstr(err.msg, "duplicate key") != NULL);
    }
}

static void test_too_many_keys(void **state)
{
    const struct json *j;
    struct err err = {0};
    assert_false(
        json_parse(*state, many_keys(*state, JSON_MAX_KEYS + 1, false), &j, &err));
    assert_int_equal(err.code, ERR_LIMIT);
}

/* A small text must not become a large tree. */
static void test_too_many_values(void **state)
{
    const struct json *j;
    struct err err = {0};
    struct sbuf b = SBUF_ON(*state);
    sbuf_char(&b, '[');
    for (size_t i = 0; i < JSON_MAX_VALUES; i++)
        sbuf_add(&b, i > 0 ? STR(",0") : STR("0"));
    str most = arena_printf(*state, STR_FMT "]", STR_ARG(sbuf_str(&b)));
    CHECK("as many as allowed", json_parse(*state, most, &j, &err));
    sbuf_add(&b, STR(",0]"));
    CHECK("one more", !json_parse(*state, sbuf_str(&b), &j, &err));
    CHECK_INT("a limit", err.code, ERR_LIMIT);
}

static bool same_as_jansson(const struct json *ours, json_t *theirs);

static bool same_children(const struct json *ours, json_t *theirs)
{
    bool object = ours->type == JSON_OBJECT;
    if (ours->n != (object ? json_object_size(theirs) : json_array_size(theirs)))
        return false;
    size_t i = 0;
    for (const struct json *c = ours->child; c != NULL; c = c->next, i++) {
        json_t *peer = object ? json_object_getn(theirs, c->key.p, c->key.n)
                              : json_array_get(theirs, i);
        if (peer == NULL || !same_as_jansson(c, peer))
            return false;
    }
    return i == ours->n;
}

static bool same_as_jansson(const struct json *ours, json_t *theirs)
{
    int64_t n;
    double d;
    switch (json_typeof(theirs)) {
    case JANSSON_NULL:
        return ours->type == JSON_NULL;
    case JANSSON_TRUE:
        return ours->type == JSON_TRUE;
    case JANSSON_FALSE:
        return ours->type == JSON_FALSE;
    case JANSSON_INTEGER:
        return json_int(ours, &n) && n == json_integer_value(theirs);
    case JANSSON_REAL:
        return json_num(ours, &d) && d == json_real_value(theirs);
    case JANSSON_STRING:
        return ours->type == JSON_STRING &&
               str_eq(ours->text,
                      (str){json_string_value(theirs), json_string_length(theirs)});
    case JANSSON_ARRAY:
        return ours->type == JSON_ARRAY && same_children(ours, theirs);
    case JANSSON_OBJECT:
        return ours->type == JSON_OBJECT && same_children(ours, theirs);
    }
    return false;
}

/* Both accept it and read the same, or both refuse it. But jansson skips NUL bytes. */
static bool both_accept(struct arena *a, str text)
{
    const size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
    json_error_t why;
    json_t *theirs = json_loadb(text.p, text.n, flags, &why);
    const struct json *ours;
    struct err err = {0};
    bool ok = json_parse(a, text, &ours, &err);
    if (ok && theirs == NULL) {
        /* jansson has no numbers beyond 64 bits or a double, and no NUL in keys. */
        enum json_error_code code = json_error_code(&why);
        if (code != json_error_numeric_overflow && code != json_error_null_byte_in_key)
            fail_msg("only jansson refuses '" STR_FMT "': %s", STR_ARG(text), why.text);
    }
    if (!ok && theirs != NULL && str_find_char(text, '\0') == STR_NONE)
        fail_msg("only jansson accepts '" STR_FMT "': %s", STR_ARG(text), err.msg);
    if (ok && theirs != NULL && !same_as_jansson(ours, theirs))
        fail_msg("not what jansson sees: '" STR_FMT "'", STR_ARG(text));
    json_decref(theirs);
    return ok && theirs != NULL;
}

static void test_against_jansson(void **state)
{
    struct gen g = {.state = 20250618};
    int accepted = 0, after_mutation = 0;
    for (int i = 0; i < 3000; i++) {
        str text = gen_document(&g, *state);
        accepted += both_accept(*state, text);
        for (int k = 0; k < 4; k++)
            after_mutation += both_accept(*state, gen_mutate(&g, *state, text));
        arena_reset(*state);
    }
    /* The documents must be neither all valid nor all invalid. */
    assert_in_range(accepted, 2000, 2900);
    assert_in_range(after_mutation, 1200, 10800);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_accepts),         ARENA_TEST(test_SEC_65_refuses),
        ARENA_TEST(test_strings),         ARENA_TEST(test_string_steps),
        ARENA_TEST(test_views),           ARENA_TEST(test_getters),
        ARENA_TEST(test_numbers),         ARENA_TEST(test_id_comes_back),
        ARENA_TEST(test_depth),           ARENA_TEST(test_SEC_65_many_keys),
        ARENA_TEST(test_too_many_keys),   ARENA_TEST(test_too_many_values),
        ARENA_TEST(test_against_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
