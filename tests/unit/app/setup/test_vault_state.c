#include "app/setup/vault_state.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/os/file.h"
#include "state/vault_table.h"
#include "vault_place.h"

static str key_of(struct place *p, const char *identity)
{
    (void)mkdir(p->state, 0700);
    return vault_state_key(&p->arena, p->state, str_c(p->folder), str_c(identity));
}

static bool says_birth(struct place *p)
{
    struct file_stat st;
    return file_stat_at(FILE_CWD, p->folder, FILE_FOLLOW, &st) && st.born_ns != 0;
}

static void make_folder(struct place *p)
{
    assert_int_equal(mkdir(p->folder, 0700), 0);
    char note[600];
    snprintf(note, sizeof(note), "%s/Note.md", p->folder);
    FILE *f = fopen(note, "w");
    assert_non_null(f);
    fclose(f);
}

static void test_same_folder(void **state)
{
    struct place *p = *state;
    place_put(p, "Note.md", STR("text\n"));
    str first = key_of(p, "");
    CHECK_STR("the hash of the path", first,
              vault_state_of_path(&p->arena, str_c(p->folder)));
    CHECK_STR("again", key_of(p, ""), first);
    CHECK_STR("ends in NUL", str_c(key_of(p, "").p), first);
    CHECK_STR("looked at",
              vault_state_look(&p->arena, p->state, str_c(p->folder), STR("")), first);
}

/* Another folder at the path has a state of its own, and the first finds its own
 * again. */
static void test_other_folder(void **state)
{
    struct place *p = *state;
    char away[512];
    snprintf(away, sizeof(away), "%s-away", p->folder);
    if (!says_birth(p))
        SKIP("the file system does not say when a folder was made");
    place_put(p, "Note.md", STR("text\n"));
    str first = key_of(p, "");
    assert_int_equal(rename(p->folder, away), 0);
    make_folder(p);
    str second = key_of(p, "");
    CHECK("another", !str_eq(first, second));
    CHECK_STR("again", key_of(p, ""), second);
    char third[520];
    snprintf(third, sizeof(third), "%s-2", away);
    assert_int_equal(rename(p->folder, third), 0);
    assert_int_equal(rename(away, p->folder), 0);
    CHECK_STR("back", key_of(p, ""), first);
    place_remove(FILE_CWD, third);
}

/* An empty folder, such as an unmounted mount point, is not remembered. */
static void test_empty_folder(void **state)
{
    struct place *p = *state;
    char away[512];
    snprintf(away, sizeof(away), "%s-away", p->folder);
    str first = key_of(p, "");
    assert_int_equal(rename(p->folder, away), 0);
    make_folder(p);
    CHECK_STR("mounted", key_of(p, ""), first);
    place_remove(FILE_CWD, away);
}

/* A hosted vault has its identity; naming its folder finds the same state. */
static void test_hosted(void **state)
{
    struct place *p = *state;
    place_put(p, "Note.md", STR("text\n"));
    str path = vault_state_of_path(&p->arena, str_c(p->folder));
    CHECK_STR("from before identities", key_of(p, VAULT_TABLE_EARLIER "team"), path);
    CHECK_STR("identity", key_of(p, "00ff"), "00ff");
    if (says_birth(p))
        CHECK_STR("by its folder", key_of(p, ""), "00ff");
    CHECK_STR("the next", key_of(p, "11ee"), "11ee");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_folder, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_other_folder, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_empty_folder, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_hosted, place_setup, place_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
