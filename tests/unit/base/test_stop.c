#include "base/stop.h"

#include "base/clock.h"
#include "check.h"

static bool is_asked(void *arg)
{
    return *(bool *)arg;
}

static void test_reasons(void **state)
{
    (void)state;
    bool asked = false;
    struct arena a = {0};
    struct err err = {0};
    struct stop never = {0}, ask = {.asked = is_asked, .arg = &asked},
                late = {.until = 1}, soon = stop_within(NULL, 3600 * 1000),
                large = {.arena = &a, .max = 1 << 20};
    CHECK("none", !stop_now(NULL));
    CHECK("never", !stop_now(&never));
    CHECK("not yet", !stop_now(&soon));
    CHECK("late", stop_now(&late));
    CHECK("not asked", !stop_now(&ask));
    asked = true;
    CHECK("asked", stop_now(&ask));
    CHECK("small", !stop_now(&large));
    CHECK("why", !stop_fail(&late, "this", "try less", &err));
    CHECK_STR("late", str_c(err.msg), "this takes too long: try less");
    CHECK_INT("late", err.name, E_TIMEOUT);
    arena_alloc(&a, 2 << 20);
    CHECK("large", stop_now(&large));
    CHECK("why", !stop_fail(&large, "this", "try less", &err));
    CHECK_STR("large", str_c(err.msg), "this needs more than 1 MiB: try less");
    CHECK_INT("large", err.code, ERR_LIMIT);
    arena_release(&a);
    CHECK("small again", !stop_now(&large));
}

static void test_within(void **state)
{
    (void)state;
    uint64_t now = clock_ms();
    struct stop first = stop_within(NULL, 1000), later = stop_within(&first, 5000),
                sooner = stop_within(&first, 10);
    CHECK("from now on", first.until >= now + 1000);
    CHECK("never later", later.until == first.until);
    CHECK("sooner", sooner.until < first.until);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
