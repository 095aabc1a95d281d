/* Who waits, who is refused, and what does not count. A minute is long for a test: no row depends on the clock. */
#include "app/web/rates.h"

#include "check.h"

enum { MINUTE = 60000, TEN_MINUTES = 600000 };

struct row {
    const char *name;
    int64_t calls, writes; /* per minute; 0: no limit */
    unsigned made;         /* changes before */
    unsigned charged;      /* what those cost besides */
    bool changes;          /* what the turn is for */
    uint64_t most_ms;
    bool may, waits;
    const char *refused;
};

static const struct row rows[] = {
    {"first", 2, 2, 0, 0, true, 0, true, false, NULL},
    {"last of the burst", 2, 2, 1, 0, true, 0, true, false, NULL},
    {"over it, no patience", 2, 2, 2, 0, false, 0, false, false,
     "too many requests within a minute, nothing was done"},
    {"over it, patience", 2, 2, 2, 0, false, MINUTE, true, true, NULL},
    {"too little patience", 2, 2, 2, 0, false, 1, false, false, "too many requests"},
    {"changes are fewer", 10, 1, 1, 0, true, 0, false, false,
     "too many changes within a minute, nothing was done"},
    {"reading goes on", 10, 1, 1, 0, false, 0, true, false, NULL},
    {"change waits", 10, 1, 1, 0, true, TEN_MINUTES, true, true, NULL},
    {"no limit", 0, 0, 50, 50, true, 0, true, false, NULL},
    {"no limit of changes", 100, 0, 50, 0, true, 0, true, false, NULL},
    {"charged", 3, 0, 1, 2, false, 0, false, false, "too many requests"},
    {"charged within", 3, 0, 1, 1, false, 0, true, false, NULL},
};

static void take(struct rates *r, const char *row, int64_t grant, bool changes)
{
    uint64_t ms;
    struct err err = {0};
    if (!rates_turn(r, grant, changes, TEN_MINUTES, &ms, &err))
        fail_msg("%s: %s", row, err.msg);
}

static void test_turns(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        struct settings s = {.rate_calls = row->calls, .rate_writes = row->writes};
        struct rates *r = rates_create(&s);
        struct err err = {0};
        uint64_t ms = 1;
        for (unsigned k = 0; k < row->made; k++)
            take(r, row->name, 7, true);
        rates_charge(r, 7, row->charged);
        CHECK_INT(row->name, rates_turn(r, 7, row->changes, row->most_ms, &ms, &err),
                  row->may);
        CHECK_INT(row->name, row->may && ms > 0, row->waits);
        if (row->refused != NULL) {
            CHECK_INT(row->name, err.name, E_RATE_LIMITED);
            CHECK(row->name, str_starts(str_c(err.msg), str_c(row->refused)));
            CHECK(row->name,
                  str_find(str_c(err.msg), STR(": try again in ")) != STR_NONE);
        }
        CHECK("another grant", rates_turn(r, 8, true, 0, &ms, &err) && ms == 0);
        rates_free(r);
    }
}

/* A change that is refused does not count as a request either. */
static void test_given_back(void **state)
{
    (void)state;
    struct settings s = {.rate_calls = 3, .rate_writes = 1};
    struct rates *r = rates_create(&s);
    struct err err = {0};
    uint64_t ms;
    take(r, "the one change", 1, true);
    for (int i = 0; i < 10; i++)
        CHECK("refused", !rates_turn(r, 1, true, 0, &ms, &err));
    for (int i = 0; i < 2; i++)
        CHECK("the rest of the requests",
              rates_turn(r, 1, false, 0, &ms, &err) && ms == 0);
    CHECK("used up", !rates_turn(r, 1, false, 0, &ms, &err));
    rates_free(r);
    rates_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
