#include "vault/note/policy.h"

#include "base/sbuf.h"
#include "check.h"
#include "vault/note/frontmatter.h"

/* What a note says, in one word, however it is written. */
static void test_texts(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"---\nai: hidden\n---\nx", "hidden"},
        {"---\nai: read-only\n---\nx", "read-only"},
        {"---\nai: propose\n---\nx", "propose"},
        {"---\r\nai: hidden\r\n---\r\nx", "hidden"},
        {"\xEF\xBB\xBF---\nai: hidden\n---\nx", "hidden"},
        {"---\nAI: Hidden\n---\n", "hidden"},
        {"---\nai: 'hidden'\n---\n", "hidden"},
        {"---\n\"ai\": \"hid\\x64en\"\n---\n", "hidden"},
        {"---\nai: hidden # my diary\n---\n", "hidden"},
        {"---\nai:\n  - hidden\n---\n", "hidden"},
        {"---\nai: [read-only, hidden]\n---\n", "hidden"},
        {"---\nai: |\n  hidden\n---\n", "hidden"},
        {"---\nx: &a hidden\nai: *a\n---\n", "hidden"},
        {"---\n{\"ai\": \"hidden\"}\n---\n", "hidden"},
        {"---\nAI: hidden\nai: propose\n---\n", "hidden"}, /* two properties in YAML */
        {"---\nai: !!str hidden\n---\n", "hidden"},
        {"---\nai: hidden\n--- \nx", "hidden"},
        {"---\nai: hidden\n---", "hidden"},
        /* other values are none of our business */
        {"---\nai: gpt-4\n---\n", ""},
        {"---\nai: true\n---\n", ""},
        {"---\nai:\n---\n", ""},
        {"---\nai: hidden gems\n---\n", ""},
        {"---\nai: {hidden: true}\n---\n", ""},
        {"---\nfair: hidden\n---\n", ""},
        {"---\nx:\n  ai: hidden\n---\n", ""},
        {"---\ntext: 'ai: hidden'\n---\n", ""},
        /* not in the properties */
        {"ai: hidden\n", ""},
        {"\n---\nai: hidden\n---\n", ""},
        {"--- \nai: hidden\n---\n", ""},
        {"---\nx: 1\n---\nbody\n---\nai: hidden\n---\n", ""},
        /* unsure counts */
        {"---\nai: hidden\nai: none\n---\n", "hidden"},
        {"---\nai: none\nx: [\nai: hidden\n---\n", "hidden"},
        {"---\nai:\thidden\nx: [\n---\n", "hidden"},
        {"---\n\tai: hidden\n---\n", "hidden"},
        {"---\nai:\n- hidden\nx: [\n---\n", "hidden"},
        {"---\n? ai\n: hidden\nx: [\n---\n", "hidden"},
        {"---\nx: [\n{a: 1, ai: hidden}\n---\n", "hidden"},
        {"---\nx: [\nai: \"hid\\x64en\"\n---\n", "hidden"},
        {"---\nx: [\nai: *a\n---\n", "hidden"},
        {"---\nx: [\nai: read-only\n---\n", "read-only"},
        {"---\nai: hidden\nno end", "hidden"},
        {"---\nx: [\nai: gpt-4\n---\n", ""},
        {"---\nx: [\nabout: fair: hidden\n---\n", ""},
        {"---\nx: [\nabout: AI is hidden\n---\n", ""},
        {"---\nno end, no property\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text,
                  str_c(policy_name(policy_of_text(STR("ai"), str_c(cases[i].text), false,
                                                   POLICY_NONE))),
                  cases[i].want);
}

/* A file that is being written says what it said before. */
static void test_before(void **state)
{
    static const struct {
        const char *text;
        enum policy before, want;
        bool cut;
    } cases[] = {
        {"", POLICY_HIDDEN, POLICY_HIDDEN, false},
        {"---\nx: 1\n", POLICY_HIDDEN, POLICY_HIDDEN, false},
        {"---\nai: hidden\n", POLICY_PROPOSE, POLICY_HIDDEN, false},
        {"---\nx: 1\n---\n", POLICY_HIDDEN, POLICY_NONE, false},
        {"text", POLICY_HIDDEN, POLICY_NONE, false},
        {"---\nx: 1\n", POLICY_NONE, POLICY_HIDDEN, true},
        {"text", POLICY_NONE, POLICY_NONE, true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].text,
                  policy_of_text(STR("ai"), str_c(cases[i].text), cases[i].cut,
                                 cases[i].before),
                  cases[i].want);
}

/* A block of a megabyte is more than is read as YAML. */
static void test_large(void **state)
{
    enum { LINES = 100000 };
    for (int first = 0; first < 2; first++) {
        struct sbuf b = SBUF_ON(*state);
        sbuf_add(&b, first ? STR("---\nai: hidden\n") : STR("---\n"));
        for (int i = 0; i < LINES; i++)
            sbuf_printf(&b, "key%d: value\n", i);
        sbuf_add(&b, first ? STR("---\n") : STR("ai: hidden\n---\n"));
        CHECK_INT("hidden", policy_of_text(STR("ai"), sbuf_str(&b), false, POLICY_NONE),
                  POLICY_HIDDEN);
    }
}

static void test_property(void **state)
{
    static const char text[] = "---\nai: hidden\nKünstlich: Propose\n---\n";
    static const struct {
        const char *property;
        enum policy want;
    } cases[] = {
        {"ai", POLICY_HIDDEN},  {"AI", POLICY_HIDDEN}, {"künstlich", POLICY_PROPOSE},
        {"other", POLICY_NONE}, {"", POLICY_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(
            cases[i].property,
            policy_of_text(str_c(cases[i].property), str_c(text), false, POLICY_NONE),
            cases[i].want);
    CHECK("rule",
          policy_is_rule(STR("a/_policy.md")) && policy_is_rule(STR("_Policy.MD")));
    CHECK("no rule",
          !policy_is_rule(STR("policy.md")) && !policy_is_rule(STR("_policy.md/x.md")));
}

static void test_slips(void **state)
{
    static const struct {
        const char *value;
        enum policy meant;
    } cases[] = {
        {"readonly", POLICY_READ_ONLY}, {"Read only", POLICY_READ_ONLY},
        {"hiden", POLICY_HIDDEN},       {"proposed", POLICY_PROPOSE},
        {"gpt-4", POLICY_NONE},         {"hidden", POLICY_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct frontmatter fm;
        enum policy meant = POLICY_NONE;
        str block = arena_printf(*state, "x: 1\nai: %s\n", cases[i].value);
        frontmatter_read(*state, block, 1, &fm);
        bool found = policy_slip(STR("ai"), fm.props, &meant) != NULL;
        CHECK_INT(cases[i].value, meant, cases[i].meant);
        CHECK_INT(cases[i].value, found, cases[i].meant != POLICY_NONE);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_before),
        cmocka_unit_test_setup_teardown(test_large, setup_arena, teardown_arena),
        cmocka_unit_test(test_property),
        cmocka_unit_test_setup_teardown(test_slips, setup_arena, teardown_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
