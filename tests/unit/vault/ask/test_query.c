/* What the vectors do not cover: odd input and limits. */
#include "vault/ask/query.h"

#include "query_json.h"
#include "quoted.h"

static const struct query *parse(struct arena *a, const char *text)
{
    const struct query *q;
    struct err err = {0};
    if (!query_parse(a, str_c(text), &q, &err))
        fail_msg("%s: %s", text, err.msg);
    return q;
}

static void test_odd_queries(void **state)
{
    static const struct {
        const char *query, *tree;
    } cases[] = {
        /* not closed */
        {"(a b", "{'and':[{'word':'a'},{'word':'b'}]}"},
        {"\"a b", "{'phrase':'a b'}"},
        {"\"a\\\"", "{'phrase':'a\\\"'}"},
        {"/a b", "{'and':[{'word':'/a'},{'word':'b'}]}"},
        {"[a b", "{'and':[{'word':'[a'},{'word':'b'}]}"},
        {"[a:\"b]\"", "{'word':'[a:\\\"b]\\\"'}"},
        /* brackets and slashes that open nothing */
        {"a) b", "{'and':[{'word':'a)'},{'word':'b'}]}"},
        {")", "{'word':')'}"},
        {"f(x) y", "{'and':[{'word':'f(x)'},{'word':'y'}]}"},
        {"(f(x) y)", "{'and':[{'word':'f(x)'},{'word':'y'}]}"},
        {"don\"t", "{'word':'don\\\"t'}"},
        {"[ ] a", "{'and':[{'word':'['},{'word':']'},{'word':'a'}]}"},
        {"[]", "{'word':'[]'}"},
        {"[:a]", "{'word':'[:a]'}"},
        {"[[Note]]", "{'word':'[[Note]]'}"},
        {"[x](y)", "{'word':'[x](y)'}"},
        {"/home/me/notes", "{'word':'/home/me/notes'}"},
        {"//", "{'word':'//'}"},
        {"- a", "{'and':[{'word':'-'},{'word':'a'}]}"},
        {"-", "{'word':'-'}"},
        {"(-)", "{'word':'-'}"},
        {"tag:", "{'word':'tag:'}"},
        {"(tag:)", "{'word':'tag:'}"},
        {"()", "{'and':[]}"},
        /* OR without a term on both sides */
        {"OR", "{'word':'OR'}"},
        {"OR a", "{'and':[{'word':'OR'},{'word':'a'}]}"},
        {"a OR", "{'and':[{'word':'a'},{'word':'OR'}]}"},
        {"(a OR)", "{'and':[{'word':'a'},{'word':'OR'}]}"},
        {"a OR OR b", "{'or':[{'word':'a'},{'and':[{'word':'OR'},{'word':'b'}]}]}"},
        {"ORange a", "{'and':[{'word':'ORange'},{'word':'a'}]}"},
        /* regexes */
        {"/a/b/", "{'regex':'a/b'}"},
        {"/[/]/", "{'regex':'[/]'}"},
        {"(/a/)", "{'regex':'a'}"},
        {"/a\\/", "{'word':'/a\\\\/'}"},
        /* operators */
        {"tag: #a", "{'op':'tag','arg':{'word':'#a'}}"},
        {"--a", "{'not':{'not':{'word':'a'}}}"},
        {"line:block:a", "{'op':'line','arg':{'op':'block','arg':{'word':'a'}}}"},
        {"xtag:a", "{'word':'xtag:a'}"},
        {"file:()", "{'op':'file','arg':{'and':[]}}"},
        {"a\u00A0b\u3000c", "{'and':[{'word':'a'},{'word':'b'},{'word':'c'}]}"},
        /* properties */
        {"[a:]", "{'prop':{'word':'a'}}"},
        {"[a: b ]", "{'prop':{'word':'a'},'value':{'word':'b'}}"},
        {"[a: null ]", "{'prop':{'word':'a'},'value':{'null':true}}"},
        {"[a:\"null\"]", "{'prop':{'word':'a'},'value':{'phrase':'null'}}"},
        {"[a:< 5 ]", "{'prop':{'word':'a'},'value':{'cmp':'<','value':'5'}}"},
        {"[a:>\"2024-01-01\"]",
         "{'prop':{'word':'a'},'value':{'cmp':'>','value':'2024-01-01'}}"},
        {"[a:10:30]", "{'prop':{'word':'a'},'value':{'word':'10:30'}}"},
        {"[a:[[Note]]]", "{'prop':{'word':'a'},'value':{'word':'[[Note]]'}}"},
        {"[a:-b]", "{'prop':{'word':'a'},'value':{'not':{'word':'b'}}}"},
        {"[/^a/:/[\\]]/]", "{'prop':{'regex':'^a'},'value':{'regex':'[\\\\]]'}}"},
        {"[a b:c d]", "{'prop':{'and':[{'word':'a'},{'word':'b'}]},"
                      "'value':{'and':[{'word':'c'},{'word':'d'}]}}"},
        {"[file:x]", "{'prop':{'word':'file'},'value':{'word':'x'}}"},
        {"[(a OR b):c]", "{'prop':{'or':[{'word':'a'},{'word':'b'}]},"
                         "'value':{'word':'c'}}"},
        {"([a])", "{'prop':{'word':'a'}}"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_QUOTED(*state, cases[i].query,
                     query_json(*state, parse(*state, cases[i].query)), cases[i].tree);
}

static void test_limits(void **state)
{
    struct arena *a = *state;
    struct err err = {0};
    const struct query *q;
    struct sbuf b = SBUF_ON(a);
    for (int i = 0; i < QUERY_MAX_DEPTH; i++)
        sbuf_char(&b, '-');
    assert_true(query_parse(a, str_skip(sbuf_str(&b), 1), &q, &err));
    sbuf_char(&b, 'a');
    assert_false(query_parse(a, sbuf_str(&b), &q, &err));
    assert_int_equal(err.code, ERR_LIMIT);

    static const char *const nests[] = {"(", "[", "[a:(", "tag:", "-", "([("};
    for (size_t k = 0; k < COUNT_OF(nests); k++) {
        b.n = 0;
        while (b.n + 8 < QUERY_MAX_BYTES)
            sbuf_add(&b, str_c(nests[k]));
        if (!query_parse(a, sbuf_str(&b), &q, &err))
            CHECK_INT(nests[k], err.code, ERR_LIMIT);
    }
    while (b.n <= QUERY_MAX_BYTES)
        sbuf_char(&b, 'a');
    assert_false(query_parse(a, sbuf_str(&b), &q, &err));
    assert_int_equal(err.code, ERR_LIMIT);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_odd_queries),
        ARENA_TEST(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
