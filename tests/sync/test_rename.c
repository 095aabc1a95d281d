/* Files that the remote renamed. */
#include "sync_world.h"

/* A pull in parts merges a renamed note in the first part, and finds it renamed in the
 * next ones: what we deleted in it does not come back. */
static void test_in_parts(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; seq 50 > A.md; git add .; git commit -qm long; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git mv A.md B.md; sed -i s/^40$/XL/ B.md; for i in 1 2 3; do "
          "head -c 40000000 /dev/zero | tr '\\0' $i > Large$i.bin; done; git add .;"
          "git commit -qm ann; git push -q");
    str mine = sh(w, "seq 50 | sed '10,12d'"),
        both = sh(w, "seq 50 | sed '10,12d;s/^40$/XL/'");
    side_write(&s, "A.md", arena_printf(&w->arena, "%s\n", mine.p).p);
    side_sync(&s);
    assert_false(place_has(&s.place, "A.md"));
    CHECK_FILE(&s, "B.md", arena_printf(&w->arena, "%s\n", both.p).p);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "B.md\nLarge1.bin\nLarge2.bin\nLarge3.bin\nNote.md\nSub/Inner.md");
    CHECK_STR("remote", remote_text(w, "B.md"), both.p);
    assert_int_equal(side_state(&s).n_conflicts, 0);
    side_close(&s);
}

/* They renamed a note to the name of one that we made: both are merged as new ones. */
static void test_taken_name(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; seq 50 > A.md; git add .; git commit -qm long; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git mv A.md B.md; git commit -qm moved; git push -q");
    side_delete(&s, "A.md");
    side_write(&s, "B.md", "mine\n");
    side_sync(&s);
    str text = place_text(&s.place, "B.md");
    assert_true(str_find(text, STR("mine")) != STR_NONE);
    assert_true(str_find(text, STR("\n50")) != STR_NONE);
    assert_false(place_has(&s.place, "A.md"));
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_in_parts),
        WORLD_TEST(test_taken_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
