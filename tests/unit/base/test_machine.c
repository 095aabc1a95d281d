#include "base/os/machine.h"

#include "check.h"

static void test_numbers(void **state)
{
    (void)state;
    int64_t room = 0;
    CHECK("cores", machine_cores() >= 1);
    CHECK("memory", machine_memory() > 100000);
    CHECK("descriptors", machine_descriptors() >= 3);
    CHECK("disk", machine_disk_free("/", &room));
    CHECK("no disk", !machine_disk_free("/no/such/folder", &room));
}

/* Every processor with the newer instructions has the older ones. */
static void test_skills(void **state)
{
    (void)state;
    CHECK("AVX2", !machine_can(MACHINE_AVX2) || machine_can(MACHINE_SSSE3));
    CHECK("FMA", !machine_can(MACHINE_FMA) || machine_can(MACHINE_SSSE3));
}

static void test_program(void **state)
{
    struct arena *a = *state;
    char build[20] = {0};
    str path = machine_program(a);
    CHECK("the program", str_starts(path, STR("/")) && str_ends(path, STR("/test_base")));
    machine_build(build, sizeof(build)); /* tests may be linked without a name */
    (void)build;
}

static void test_accounts(void **state)
{
    struct arena *a = *state;
    struct machine_account who;
    CHECK("root", machine_find_account(a, 0, &who));
    CHECK_STR("its name", who.name, "root");
    CHECK("its home", str_starts(who.home, STR("/")));
    CHECK("nobody", !machine_find_account(a, 3999999999u, &who));
    CHECK_INT("who", machine_is_root(), machine_user() == 0);
}

TEST_MAIN(argc, argv)
{
    struct arena a = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_numbers, &a),
        cmocka_unit_test_prestate(test_skills, &a),
        cmocka_unit_test_prestate(test_program, &a),
        cmocka_unit_test_prestate(test_accounts, &a),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&a);
    return failed;
}
