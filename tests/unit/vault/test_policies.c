#include "vault/policies.h"

#include "check.h"

static void test_paths(void **state)
{
    struct policies *p = policies_create(STR("ai"), false);
    static const struct {
        const char *path;
        enum policy says;
        bool rules;
    } sets[] = {
        {"a.md", POLICY_HIDDEN, false},
        {"b/_policy.md", POLICY_READ_ONLY, true},
        {"b/c/_policy.md", POLICY_PROPOSE, true},
        {"b/d/_policy.md", POLICY_HIDDEN, true},
        {"b/e.md", POLICY_HIDDEN, false},
        {"n/_policy.md", POLICY_NONE, false},
        {"none.md", POLICY_NONE, false},
    };
    static const struct {
        const char *path;
        enum policy at, below;
    } cases[] = {
        {"a.md", POLICY_HIDDEN, POLICY_HIDDEN},
        {"A.md", POLICY_NONE, POLICY_NONE},
        {"a.md.md", POLICY_NONE, POLICY_NONE},
        {"b", POLICY_READ_ONLY, POLICY_HIDDEN},
        {"b/x.png", POLICY_READ_ONLY, POLICY_READ_ONLY},
        {"b/_policy.md", POLICY_READ_ONLY, POLICY_READ_ONLY},
        {"b/c/x.md", POLICY_READ_ONLY, POLICY_READ_ONLY}, /* the strictest */
        {"b/d/x/y.md", POLICY_HIDDEN, POLICY_HIDDEN},
        {"b/d", POLICY_HIDDEN, POLICY_HIDDEN},
        {"bb/x.md", POLICY_NONE, POLICY_NONE},
        {"n", POLICY_NONE, POLICY_READ_ONLY}, /* rules stay where they are */
        {"n/_Policy.md", POLICY_READ_ONLY, POLICY_READ_ONLY},
        {"new/_policy.md", POLICY_READ_ONLY, POLICY_READ_ONLY},
        {"none.md", POLICY_NONE, POLICY_NONE},
        {"", POLICY_NONE, POLICY_HIDDEN},
    };
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        CHECK_INT(sets[i].path, policies_set(p, str_c(sets[i].path), sets[i].says),
                  sets[i].rules);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK_INT(cases[i].path, policies_at(p, str_c(cases[i].path)), cases[i].at);
        CHECK_INT(cases[i].path, policies_below(p, str_c(cases[i].path)), cases[i].below);
    }
    struct policies_counts counts;
    policies_count(p, &counts);
    CHECK_INT("notes", counts.notes[POLICY_HIDDEN], 2);
    CHECK_INT("folders", counts.folders[POLICY_HIDDEN], 1);
    CHECK_INT("folders", counts.folders[POLICY_PROPOSE], 1);
    policies_free(p);
}

static void test_changes(void **state)
{
    struct policies *p = policies_create(STR("ai"), false);
    CHECK("none", !policies_hide(p) && !policies_hide_folders(p) && !policies_propose(p));
    CHECK("same", !policies_set(p, STR("a.md"), POLICY_HIDDEN) && policies_hide(p));
    CHECK("note", !policies_hide_folders(p));
    CHECK("rule", policies_set(p, STR("x/_policy.md"), POLICY_PROPOSE));
    CHECK("again", !policies_set(p, STR("x/_policy.md"), POLICY_PROPOSE));
    CHECK("propose", policies_propose(p));
    CHECK("hidden", policies_set(p, STR("x/_policy.md"), POLICY_HIDDEN));
    CHECK("folders", policies_hide_folders(p) && !policies_propose(p));
    CHECK("second", !policies_set(p, STR("x/_POLICY.md"), POLICY_PROPOSE));
    CHECK("it counts", policies_remove(p, STR("x/_policy.md")));
    CHECK_INT("now", policies_at(p, STR("x/y.md")), POLICY_PROPOSE);
    CHECK("gone", policies_remove(p, STR("x/_POLICY.md")));
    CHECK("gone", !policies_remove(p, STR("x/_POLICY.md")));
    CHECK_INT("now", policies_at(p, STR("x/y.md")), POLICY_NONE);
    CHECK("note", !policies_set(p, STR("a.md"), POLICY_NONE));
    CHECK("none", !policies_hide(p) && !policies_hide_folders(p) && !policies_propose(p));
    CHECK_INT("none", policies_below(p, STR("")), POLICY_NONE);
    policies_free(p);
}

static void test_names(void **state)
{
    struct policies *folding = policies_create(STR("ai"), true),
                    *off = policies_create(STR(""), false);
    policies_set(folding, STR("Über/_policy.md"), POLICY_HIDDEN);
    CHECK_INT("folds", policies_at(folding, STR("über/X.md")), POLICY_HIDDEN);
    policies_set(off, STR("a.md"), POLICY_HIDDEN);
    CHECK("off",
          !policies_hide(off) && policies_at(off, STR("_policy.md")) == POLICY_NONE);
    CHECK_INT("NULL", policies_at(NULL, STR("a.md")), POLICY_NONE);
    policies_free(folding);
    policies_free(off);
    policies_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
