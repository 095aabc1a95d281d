#include "state/vault_table.h"
#include "state/vault_table_sql.h"

#include <string.h>

#include "base/sbuf.h"
#include "check.h"
#include "postgres_place.h"
#include "replica/sql.h"
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
    struct vault_table_row row = {
        .name = str_c(name), .folder = str_c(folder), .remote = str_c(remote)};
    if (!vault_table_add(s, &row, &err))
        fail_msg("%s: %s", name, err.msg);
}

/* "work /w  anna,ben; home  u " */
static str all(struct store *s, struct arena *a)
{
    struct vault_table r;
    struct err err;
    struct sbuf out = SBUF_ON(a);
    if (!vault_table_read(s, a, &r, &err))
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < r.n; i++) {
        const struct vault_table_row *row = &r.rows[i];
        sbuf_printf(&out, "%s" STR_FMT " " STR_FMT " " STR_FMT " ", i > 0 ? "; " : "",
                    STR_ARG(row->name), STR_ARG(row->folder), STR_ARG(row->remote));
        for (size_t k = 0; k < row->n_people; k++)
            sbuf_printf(&out, "%s" STR_FMT, k > 0 ? "," : "",
                        STR_ARG(row->people[k].name));
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
    struct vault_table_row twice = {.name = STR("HOME")};
    CHECK("taken", !vault_table_add(s, &twice, &err) && err.code == ERR_EXISTS);
    assert_true(vault_table_allow(s, STR("WORK"), STR("ben"), &err));
    assert_true(vault_table_allow(s, STR("work"), STR("anna"), &err));
    assert_true(vault_table_allow(s, STR("work"), STR("anna"), &err));
    assert_true(vault_table_allow(s, STR("home"), STR(VAULT_TABLE_EVERYBODY), &err));
    CHECK("no vault", !vault_table_allow(s, STR("x"), STR("anna"), &err) &&
                          err.code == ERR_NOT_FOUND);
    CHECK("no name", !vault_table_allow(s, STR("work"), STR(""), &err));
    CHECK_STR("all", all(s, &a),
              "Home  https://example.com/home.git *; work /w  anna,ben");
    assert_true(vault_table_deny(s, STR("work"), STR("ben"), &err));
    CHECK("not allowed", !vault_table_deny(s, STR("work"), STR("ben"), &err));
    assert_true(vault_table_remove(s, STR("HOME"), &err));
    CHECK("gone", !vault_table_remove(s, STR("home"), &err) && err.code == ERR_NOT_FOUND);
    add(s, "home", "/h", "");
    CHECK_STR("without its users", all(s, &a), "work /w  anna; home /h  ");
    arena_release(&a);
}

/* More people than are read at once. */
static void test_many_people(void **state)
{
    enum { PEOPLE = 2500 };
    struct store *s = *state;
    struct arena a = {0};
    struct vault_table r;
    struct err err;
    add(s, "a", "/a", "");
    add(s, "b", "/b", "");
    assert_true(vault_table_read(s, &a, &r, &err));
    assert_true(store_begin(s, STORE_LOCK_ACCESS, &err));
    for (int i = 0; i < PEOPLE; i++)
        if (!store_run(s, SQL_VAULT_USER_ADD,
                       STORE_ARGS(STORE_S(r.rows[i % 2].identity),
                                  STORE_S(arena_printf(&a, "user%d", i))),
                       NULL, &err))
            fail_msg("%s", err.msg);
    assert_true(store_commit(s, &err));
    assert_true(vault_table_read(s, &a, &r, &err));
    CHECK_INT("a", r.rows[0].n_people, PEOPLE / 2);
    CHECK_INT("b", r.rows[1].n_people, PEOPLE / 2);
    arena_release(&a);
}

static struct vault_table_row row_of(struct store *s, struct arena *a, const char *name)
{
    struct vault_table r;
    struct err err;
    if (!vault_table_read(s, a, &r, &err))
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < r.n; i++)
        if (str_eq(r.rows[i].name, str_c(name)))
            return r.rows[i];
    fail_msg("no vault %s", name);
    return (struct vault_table_row){0};
}

/* A later vault of the same name is another one, and nothing of the first is left. */
static void test_same_name(void **state)
{
    struct store *s = *state;
    struct arena a = {0};
    struct err err = {0};
    struct store_table left;
    str before = STR(""), here = STR("here"), ann = STR("ann");
    for (int i = 0; i < 2; i++) {
        add(s, "team", "", "");
        struct vault_table_row row = row_of(s, &a, "team");
        CHECK("identity", row.identity.n > 0 && !str_eq(row.identity, before));
        CHECK_INT("people", row.n_people, 0);
        before = row.identity;
        assert_true(vault_table_allow(s, row.name, ann, &err));
        assert_true(store_run(s, SQL_MARK_PUT,
                              STORE_ARGS(STORE_S(before), STORE_S(ann), STORE_S(here),
                                         STORE_N(7), STORE_N(1)),
                              NULL, &err));
        assert_true(vault_table_remove(s, row.name, &err));
        assert_true(s->backend->ask(s, &a,
                                    "SELECT vault FROM marks UNION ALL "
                                    "SELECT vault FROM vault_users",
                                    STORE_NO_ARGS, &left, &err));
        CHECK_INT("left", left.rows, 0);
    }
    arena_release(&a);
}

/* Vaults and people are two statements. In between, a name may be given to another vault:
 * its people are not those of the one that was read. */
static void test_people_of_another(void **state)
{
    struct store *s = *state;
    struct arena a = {0};
    struct err err;
    add(s, "team", "/old", "");
    assert_true(store_run(s, SQL_VAULT_USER_ADD,
                          STORE_ARGS(STORE_S(STR("another")), STORE_S(STR("eve"))), NULL,
                          &err));
    assert_true(store_run(s, SQL_VAULT_USER_ADD,
                          STORE_ARGS(STORE_S(STR("team")), STORE_S(STR("eve"))), NULL,
                          &err));
    CHECK_STR("nobody", all(s, &a), "team /old  ");
    arena_release(&a);
}

/* Users allowed earlier have a lower place, whatever the names and the clock. */
static void test_order(void **state)
{
    static const char *const names[] = {"zeta", "alpha", "Mid", "beta"};
    struct store *s = *state;
    struct arena a = {0};
    struct vault_table r;
    struct err err;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        add(s, names[i], "", "");
    assert_true(vault_table_read(s, &a, &r, &err));
    for (size_t i = 0; i < COUNT_OF(names); i++)
        CHECK_STR("order", r.rows[i].name, names[i]);
    assert_true(vault_table_allow(s, STR("beta"), STR("ann"), &err));
    assert_true(vault_table_allow(s, STR("zeta"), STR("ann"), &err));
    CHECK("allowed first",
          row_of(s, &a, "beta").people[0].place < row_of(s, &a, "zeta").people[0].place);
    arena_release(&a);
}

static void run_sql(struct store *s, const char *const *sql, size_t n)
{
    struct arena a = {0};
    struct store_table none;
    struct err err;
    for (size_t i = 0; i < n; i++)
        if (!s->backend->ask(s, &a, sql[i], STORE_NO_ARGS, &none, &err))
            fail_msg("%s: %s %s", sql[i], err.msg, err.detail);
    arena_release(&a);
}

/* The step that gave vaults an identity, each of its statements. */
static void upgrade(struct store *s)
{
    struct arena a = {0};
    size_t step = 0;
    while (strstr(store_upgrades[step], "ADD COLUMN identity") == NULL)
        step++;
    str rest = str_c(store_upgrades[step]), sql;
    while (str_next(&rest, ';', &sql) && sql.n > 0)
        run_sql(s, &(const char *){arena_str(&a, sql).p}, 1);
    arena_release(&a);
}

/* Vaults of an older database keep their order and users, and get an identity. */
static void test_upgrade(void **state)
{
    static const char *const older[] = {
        "ALTER TABLE vaults DROP COLUMN identity",
        "ALTER TABLE vaults DROP COLUMN place",
        "ALTER TABLE vault_users DROP COLUMN place",
        "INSERT INTO vaults VALUES('zeta', 'Zeta', '', '', 5)",
        "INSERT INTO vaults VALUES('beta', 'beta', '/b', '', 7)",
        "INSERT INTO vaults VALUES('alpha', 'alpha', '', 'u', 7)",
        "INSERT INTO vault_users VALUES('zeta', 'ann')",
        "INSERT INTO vault_users VALUES('alpha', 'ann')",
        "INSERT INTO vault_users VALUES('gone', 'ann')",
        "INSERT INTO marks VALUES('Zeta', 'ann', 'here', 1, 1)",
    };
    struct store *s = *state;
    struct arena a = {0};
    run_sql(s, older, COUNT_OF(older));
    upgrade(s);
    CHECK_STR("rows", all(s, &a), "Zeta   ann; alpha  u ann; beta /b  ");
    CHECK_STR("identity", row_of(s, &a, "Zeta").identity, VAULT_TABLE_EARLIER "zeta");
    CHECK("default",
          row_of(s, &a, "Zeta").people[0].place < row_of(s, &a, "alpha").people[0].place);
    add(s, "later", "", "");
    CHECK_STR("rows", all(s, &a), "Zeta   ann; alpha  u ann; beta /b  ; later   ");
    arena_release(&a);
}

/* A vault is removed as a whole, or not at all. */
static void test_half(void **state)
{
    struct store *s = *state;
    struct arena a = {0};
    struct err err;
    add(s, "team", "", "");
    assert_true(vault_table_allow(s, STR("team"), STR("ann"), &err));
    run_sql(s, &(const char *){"ALTER TABLE heads RENAME TO others"}, 1);
    assert_false(vault_table_remove(s, STR("team"), &err));
    CHECK_STR("rows", all(s, &a), "team   ann");
    run_sql(s, &(const char *){"ALTER TABLE others RENAME TO heads"}, 1);
    assert_true(vault_table_remove(s, STR("team"), &err));
    CHECK_STR("rows", all(s, &a), "");
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_people, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_people_of_another, setup, teardown),
        cmocka_unit_test_setup_teardown(test_upgrade, setup, teardown),
        cmocka_unit_test_setup_teardown(test_half, setup, teardown),
    };
    if (argc > 1)
        postgres_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (argc > 1)
        postgres_stop();
    return failed;
}
