#include "vault/change/link.h"
#include "vault_place.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md",
              STR("---\nup: \"[[Plan]]\"\n---\n[[Work/Plan]] x [[Twin]]\n"));
    place_put(p, "Work/Plan.md", STR("a\n  see [[Home|it]] and [b](Twin.md) \n[[Home]]"));
    place_put(p, "Work/Twin.md", STR("x"));
    place_put(p, "Twin.md", STR("[[Twin]] of itself\n"));
    place_put(p, "a [b].md", STR("x"));
    place_put(p, "pic.png", STR("x"));
    place_put(
        p, "Board.canvas",
        STR("{\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"Home.md\",\"x\":0,"
            "\"y\":0,\"width\":1,\"height\":1}],\"edges\":[]}"));
    place_start(p);
}

static void test_written_as_the_settings_say(void **state)
{
    static const struct {
        enum obsidian_link_format format;
        bool markdown;
        const char *source, *target, *display, *want; /* NULL: refused */
    } cases[] = {
        {LINKS_SHORTEST, false, "Home.md", "Work/Plan.md", "", "[[Plan]]"},
        {LINKS_SHORTEST, false, "Home.md", "Work/Plan.md", "the plan",
         "[[Plan|the plan]]"},
        {LINKS_SHORTEST, false, "Home.md", "Work/Twin.md", "", "[[Work/Twin]]"},
        {LINKS_SHORTEST, false, "Home.md", "pic.png", "", "[[pic.png]]"},
        {LINKS_SHORTEST, false, "New/not there.md", "Home.md", "", "[[Home]]"},
        {LINKS_SHORTEST, false, "Home.md", "a [b].md", "", "[a \\[b\\]](a%20[b].md)"},
        {LINKS_SHORTEST, false, "Home.md", "Work/Plan.md", "a|b", NULL},
        {LINKS_SHORTEST, false, "Home.md", "Work/Plan.md", "a\nb", NULL},
        {LINKS_RELATIVE, false, "Work/Plan.md", "Home.md", "", "[[../Home]]"},
        {LINKS_ABSOLUTE, false, "Work/Twin.md", "Work/Plan.md", "", "[[Work/Plan]]"},
        {LINKS_SHORTEST, true, "Home.md", "Work/Plan.md", "", "[Plan](Plan.md)"},
        {LINKS_ABSOLUTE, true, "Home.md", "Work/Plan.md", "a|b", "[a\\|b](Work/Plan.md)"},
        {LINKS_RELATIVE, true, "Work/Plan.md", "Home.md", "", "[Home](../Home.md)"},
        {LINKS_SHORTEST, true, "Home.md", "Work/Plan.md", "a\nb", NULL},
    };
    struct place *p = *state;
    fill(p);
    const struct index *x = vault_lock(p->vault);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct link_style style = {cases[i].format, cases[i].markdown};
        struct err err = {0};
        str got;
        bool ok = link_write(x, &p->arena, &style, str_c(cases[i].source),
                             index_find(x, str_c(cases[i].target)),
                             str_c(cases[i].display), &got, &err);
        CHECK_INT(cases[i].target, ok, cases[i].want != NULL);
        if (ok)
            CHECK_STR(cases[i].target, got, cases[i].want);
        else
            CHECK_INT(cases[i].target, err.code, ERR_INVALID);
    }
    vault_unlock(p->vault);
}

static void test_found(void **state)
{
    struct place *p = *state;
    struct link_source *sources;
    struct file_link *links;
    fill(p);
    const struct index *x = vault_lock(p->vault);
    const struct file *home = index_find(x, STR("Home.md"));
    assert_int_equal(link_sources(x, &p->arena, home->id, &sources), 2);
    CHECK_STR("by path", sources[0].file->path, "Board.canvas");
    CHECK_STR("by path", sources[1].file->path, "Work/Plan.md");
    assert_int_equal(sources[1].links, 2);
    const struct file *plan = sources[1].file;
    assert_int_equal(link_find(x, &p->arena, plan, home->id, &links), 2);
    CHECK_STR("line", link_line(plan, &links[0]), "see [[Home|it]] and [b](Twin.md)");
    CHECK_STR("last line", link_line(plan, &links[1]), "[[Home]]");
    assert_int_equal(link_find(x, &p->arena, home, plan->id, &links), 2);
    CHECK_STR("property", link_line(home, &links[0]), "up: \"[[Plan]]\"");
    assert_int_equal(link_find(x, &p->arena, sources[0].file, home->id, &links), 1);
    CHECK_STR("canvas", link_line(sources[0].file, &links[0]), "");
    vault_unlock(p->vault);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_written_as_the_settings_say),
        PLACE_TEST(test_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
