#include "state/roster.h"

#include "base/sbuf.h"
#include "check.h"
#include "postgres_place.h"
#include "state/store_backend.h"

static int setup(void **state)
{
    struct store *s;
    struct err err;
    char name[32], url[256];
    bool postgres = postgres_folder[0] != '\0';
    if (postgres)
        postgres_new(name, url, sizeof(url));
    if (!store_open(postgres ? url : NULL, &s, &err))
        fail_msg("%s", err.msg);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    store_close(*state);
    return 0;
}

static void add(struct store *s, const char *name, const char *folder, const char *remote)
{
    struct err err;
    struct roster_row row = {str_c(name), str_c(folder), str_c(remote)};
    if (!roster_add(s, &row, &err))
        fail_msg("%s: %s", name, err.msg);
}

/* "work /w  anna,ben; home  u " */
static str all(struct store *s, struct arena *a)
{
    struct roster r;
    struct err err;
    struct sbuf out = SBUF_ON(a);
    if (!roster_read(s, a, &r, &err))
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < r.n; i++) {
        const struct roster_row *row = &r.rows[i];
        sbuf_printf(&out, "%s" STR_FMT " " STR_FMT " " STR_FMT " ", i > 0 ? "; " : "",
                    STR_ARG(row->name), STR_ARG(row->folder), STR_ARG(row->remote));
        for (size_t k = 0; k < row->n_people; k++)
            sbuf_printf(&out, "%s" STR_FMT, k > 0 ? "," : "", STR_ARG(row->people[k]));
    }
    return sbuf_str(&out);
}

static void test_rows(void **state)
{
    struct store *s = *state;
    struct arena a = {0};
    struct err err;
    uint64_t before = store_generation(s);
    add(s, "Home", "", "https://example.com/home.git");
    add(s, "work", "/w", "");
    CHECK("others notice", store_generation(s) != before);
    struct roster_row twice = {.name = STR("HOME")};
    CHECK("taken", !roster_add(s, &twice, &err) && err.code == ERR_EXISTS);
    assert_true(roster_allow(s, STR("WORK"), STR("ben"), &err));
    assert_true(roster_allow(s, STR("work"), STR("anna"), &err));
    assert_true(roster_allow(s, STR("work"), STR("anna"), &err));
    assert_true(roster_allow(s, STR("home"), STR(ROSTER_EVERYBODY), &err));
    CHECK("no vault",
          !roster_allow(s, STR("x"), STR("anna"), &err) && err.code == ERR_NOT_FOUND);
    CHECK("no name", !roster_allow(s, STR("work"), STR(""), &err));
    CHECK_STR("all", all(s, &a),
              "Home  https://example.com/home.git *; work /w  anna,ben");
    assert_true(roster_deny(s, STR("work"), STR("ben"), &err));
    CHECK("not allowed", !roster_deny(s, STR("work"), STR("ben"), &err));
    assert_true(roster_remove(s, STR("HOME"), &err));
    CHECK("gone", !roster_remove(s, STR("home"), &err) && err.code == ERR_NOT_FOUND);
    add(s, "home", "/h", "");
    CHECK_STR("nobody came back", all(s, &a), "home /h  ; work /w  anna");
    arena_release(&a);
}

/* More people than are read at once. */
static void test_many_people(void **state)
{
    enum { PEOPLE = 2500 };
    struct store *s = *state;
    struct arena a = {0};
    struct roster r;
    struct err err;
    add(s, "a", "/a", "");
    add(s, "b", "/b", "");
    assert_true(store_begin(s, &err));
    for (int i = 0; i < PEOPLE; i++)
        if (!roster_allow(s, i % 2 ? STR("a") : STR("b"), arena_printf(&a, "user%d", i),
                          &err))
            fail_msg("%s", err.msg);
    assert_true(store_commit(s, &err));
    assert_true(roster_read(s, &a, &r, &err));
    CHECK_INT("a", r.rows[0].n_people, PEOPLE / 2);
    CHECK_INT("b", r.rows[1].n_people, PEOPLE / 2);
    arena_release(&a);
}

/* A vault that takes the name of an earlier one begins anew. */
static void test_same_name(void **state)
{
    struct store *s = *state;
    struct arena a = {0};
    struct err err = {0};
    struct store_value *rows;
    str team = STR("team"), ann = STR("ann"), here = STR("here"), there = STR("there");
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        add(s, "team", "", "");
        assert_true(store_list(s, &a, SQL_MARK_LIST,
                               STORE_ARGS(STORE_S(team), STORE_S(ann), STORE_S(there)),
                               &rows, 5, &n, &err));
        CHECK_INT("seen", n, 0);
        assert_true(store_run(s, SQL_MARK_PUT,
                              STORE_ARGS(STORE_S(team), STORE_S(ann), STORE_S(here),
                                         STORE_N(7), STORE_N(1)),
                              NULL, &err));
        assert_true(roster_remove(s, team, &err));
    }
    arena_release(&a);
}

/* A vault is added as a whole, or not at all. */
static void test_half(void **state)
{
    struct store *s = *state;
    struct arena a = {0};
    struct store_table none;
    struct err err;
    struct roster_row row = {STR("team"), STR(""), STR("")};
    assert_true(s->backend->ask(s, &a, "ALTER TABLE heads RENAME TO others",
                                STORE_NO_ARGS, &none, &err));
    assert_false(roster_add(s, &row, &err));
    CHECK_STR("rows", all(s, &a), "");
    assert_true(s->backend->ask(s, &a, "ALTER TABLE others RENAME TO heads",
                                STORE_NO_ARGS, &none, &err));
    add(s, "team", "", "");
    CHECK_STR("rows", all(s, &a), "team   ");
    arena_release(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_people, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_half, setup, teardown),
    };
    if (argc > 1)
        postgres_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (argc > 1)
        postgres_stop();
    return failed;
}
