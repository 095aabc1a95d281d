#include "app/tool_support/tag_policy.h"

#include "check.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static struct index *make_index(void)
{
    struct index *x = index_create();
    put(x, "a.md", "---\ntags: [Person, vc/project]\n---\n#dns\n");
    return x;
}

static void test_stranger(void **state)
{
    static const struct {
        const char *before, *after, *want;
    } cases[] = {
        {"", "no tags", ""},
        {"", "#dns and #person, #VC/Project", ""},
        {"", "#dns in #general is #fff", ""}, /* the policy does not cover text */
        {"", "---\ntags: dns, career\n---\n", "career"},
        {"", "---\ntag: career\n---\n", "career"},
        {"", "---\ntags: {career: 1}\n---\n", "career"},
        {"", "---\ntags: [dns, career]\n---\n", "career"},
        {"", "---\ntags: career\n---\n", "career"},
        {"", "---\ntags: ['#career']\n---\n", "career"},
        {"", "---\ntags: [two words]\n---\n", "two words"},
        {"", "---\ntags: [2024]\n---\n", "2024"},
        {"", "---\ntags:\n---\n", ""},
        {"", "---\ntags: [\n---\n", ""},
        {"", "---\ntags: vc\n---\n", "vc"}, /* exists only because of vc/project */
        {"", "`#career` and #12", ""},
        {"---\ntags: Career\n---\n", "---\ntags: career\n---\n",
         ""}, /* the note already had it */
        {"---\ntags: [two words]\n---\n", "---\ntags: [two words]\na: 1\n---\n", ""},
    };
    struct index *x = make_index();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(
            cases[i].after,
            tag_policy_stranger(x, *state, str_c(cases[i].before), str_c(cases[i].after)),
            cases[i].want);
    index_free(x);
}

static void test_first_tags(void **state)
{
    struct index *x = index_create();
    put(x, "a.md", "no tags");
    CHECK_STR(
        "any",
        tag_policy_stranger(x, *state, STR(""), STR("---\ntags: [first, second]\n---\n")),
        "");
    CHECK_STR("none", tag_policy_allowed(x, *state), "");
    index_free(x);
}

static void test_words(void **state)
{
    struct index *x = make_index();
    CHECK_STR("allowed", tag_policy_allowed(x, *state), "dns, Person, vc/project");
    CHECK_STR("refusal", tag_policy_refusal(x, *state, STR("career")),
              "Tag 'career' not in allowed list. Allowed: dns, Person, vc/project.\n"
              "Ask user before creating new tags.");
    for (int i = 0; i < TAG_POLICY_LISTED; i++)
        put(x, arena_printf(*state, "%d.md", i).p, arena_printf(*state, "#t%d", i).p);
    CHECK("many", str_ends(tag_policy_allowed(x, *state), STR(" and 3 more")));
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_stranger),
        ARENA_TEST(test_first_tags),
        ARENA_TEST(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
