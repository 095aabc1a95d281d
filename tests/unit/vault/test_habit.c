#include "vault/habit.h"

#include "vault_place.h"

/* Only notes in the same folder count, and not the note itself. */
static void test_habit_near(void **state)
{
    struct place *p = *state;
    place_put(p, "Daily/1.md", STR("# Log\n- a\n\n# Text\n\nb\n"));
    place_put(p, "Daily/2.md", STR("# Log\n- a\n"));
    place_put(p, "Daily/3.md", STR("# Log\n\n- apart\n"));
    place_put(p, "Daily/sub/4.md", STR("# Log\n\n- deeper\n"));
    place_put(p, "5.md", STR("# Log\n\n- above\n"));
    place_start(p);
    struct edit_habit h = habit_near(p->vault, STR("Daily/3.md"));
    CHECK("items", h.tight[1] == 2 && h.apart[1] == 0);
    CHECK("text", h.tight[0] == 0 && h.apart[0] == 1);
    h = habit_near(p->vault, STR("Daily/new.md"));
    CHECK("all", h.tight[1] == 2 && h.apart[1] == 1);
    h = habit_near(p->vault, STR("nowhere/new.md"));
    CHECK("none", h.tight[0] + h.tight[1] + h.apart[0] + h.apart[1] == 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {PLACE_TEST(test_habit_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
