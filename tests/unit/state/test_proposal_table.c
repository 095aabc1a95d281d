#include "state/proposal_table.h"

#include "check.h"
#include "postgres_place.h"

enum { NOW = 1800000000, DAY = 24 * 60 * 60 };

static const str work = {"work", 4}, home = {"home", 4};

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

/* Empty if it was refused. */
static str add_as(struct store *s, struct arena *a, const struct proposal_new *p,
                  int64_t now, struct err *err)
{
    struct proposal_earlier earlier;
    str id = {0};
    return proposal_table_add(s, a, p, now, &id, &earlier, err) ? id : (str){0};
}

static str add(struct store *s, struct arena *a, str vault, const char *owner)
{
    struct err err = {0};
    struct proposal_new p = {.vault = vault,
                             .owner = str_c(owner),
                             .summary = STR("vault_edit: a.md"),
                             .body = {"line\n\0\xff", 7}};
    str id = add_as(s, a, &p, NOW, &err);
    if (id.n == 0)
        fail_msg("%s", err.msg);
    return id;
}

static enum proposal_state state_of(struct store *s, struct arena *a, str id)
{
    struct proposal_row row;
    struct err err = {0};
    str body;
    if (!proposal_table_get(s, a, work, id, &row, &body, &err))
        fail_msg("%s", err.msg);
    CHECK_INT("its text while it waits", body.n > 0, row.state <= PROPOSAL_ACCEPTING);
    return row.state;
}

/* A proposal is found in its vault, and listed for its owner. */
static void test_rows(void **state)
{
    struct arena a = {0};
    struct proposal_row *rows, row;
    size_t n;
    str body, anna = STR("anna\napp");
    struct err err = {0};
    str id = add(*state, &a, work, "anna\napp");
    (void)add(*state, &a, work, "ben\napp");
    (void)add(*state, &a, home, "anna\napp");
    assert_true(proposal_table_get(*state, &a, work, id, &row, &body, &err));
    CHECK("body", str_eq(body, ((str){"line\n\0\xff", 7})));
    CHECK_STR("summary", row.summary, "vault_edit: a.md");
    CHECK("owner", str_eq(row.owner, anna) && row.created == NOW && row.bytes == 7);
    CHECK("other vault", !proposal_table_get(*state, &a, home, id, &row, &body, &err));
    CHECK_INT("other vault", err.code, ERR_NOT_FOUND);
    assert_true(proposal_table_list(*state, &a, work, NULL, &rows, &n, &err));
    CHECK_INT("all", n, 2);
    assert_true(proposal_table_list(*state, &a, work, &anna, &rows, &n, &err));
    CHECK_INT("own", n, 1);
    arena_release(&a);
}

static bool begin(struct store *s, str vault, str id, int64_t now, struct err *err)
{
    struct proposal_verdict v = {.vault = vault,
                                 .id = id,
                                 .by = STR("anna"),
                                 .choice = STR("1.2"),
                                 .reason = STR("y")};
    return proposal_table_begin(s, &v, now, err);
}

static bool reject(struct store *s, str vault, str id, str reason, int64_t now,
                   struct err *err)
{
    struct proposal_verdict v = {
        .vault = vault, .id = id, .by = STR("anna"), .reason = reason};
    return proposal_table_reject(s, &v, now, err);
}

/* It is decided once, whoever tries. */
static void test_decided_once(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    str id = add(*state, &a, work, "x"), other;
    CHECK("home", !begin(*state, home, id, NOW, &err));
    assert_true(begin(*state, work, id, NOW, &err));
    CHECK("second", !begin(*state, work, id, NOW + 1, &err));
    CHECK_INT("second", err.code, ERR_CONFLICT);
    CHECK("reject", !reject(*state, work, id, STR(""), NOW, &err));
    proposal_table_release(*state, work, id, NOW - 1);
    CHECK_INT("of another one", state_of(*state, &a, id), PROPOSAL_ACCEPTING);
    proposal_table_release(*state, work, id, NOW);
    CHECK_INT("released", state_of(*state, &a, id), PROPOSAL_WAITING);
    assert_true(begin(*state, work, id, NOW, &err));
    assert_true(proposal_table_end(
        *state, &(struct proposal_verdict){.vault = work, .id = id, .choice = STR("1.2")},
        true, 12, NOW, &err));
    CHECK_INT("accepted", state_of(*state, &a, id), PROPOSAL_PARTLY);
    proposal_table_release(*state, work, id, NOW);
    CHECK_INT("stays", state_of(*state, &a, id), PROPOSAL_PARTLY);
    CHECK("again", !begin(*state, work, id, NOW + DAY, &err));
    CHECK("why", str_ends(str_c(err.msg), STR(" is partly accepted")));
    other = add(*state, &a, work, "x");
    assert_true(reject(*state, work, other, STR("no"), NOW, &err));
    CHECK_INT("rejected", state_of(*state, &a, other), PROPOSAL_REJECTED);
    struct proposal_row *rows;
    size_t n;
    assert_true(proposal_table_decided(*state, &a, NOW, &rows, &n, &err));
    CHECK_INT("decided", n, 2);
    for (size_t i = 0; i < n; i++) {
        bool first = str_eq(rows[i].id, id);
        CHECK_STR("choice", rows[i].choice, first ? "1.2" : "none");
        CHECK_STR("reason", rows[i].reason, first ? "y" : "no");
        CHECK_STR("by", rows[i].decided_by, "anna");
    }
    assert_true(proposal_table_decided(*state, &a, NOW + 1, &rows, &n, &err));
    CHECK_INT("decided later", n, 0);
    CHECK("then", !begin(*state, work, other, NOW + DAY, &err));
    arena_release(&a);
}

/* A process that died while it accepted is replaced. */
static void test_died(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    str id = add(*state, &a, work, "x");
    int64_t later = NOW + PROPOSALS_ACCEPTING_S;
    assert_true(begin(*state, work, id, NOW, &err));
    CHECK("not yet", !begin(*state, work, id, later, &err));
    assert_true(begin(*state, work, id, later + 1, &err));
    later += 1 + PROPOSALS_ACCEPTING_S;
    CHECK("it is not dead", !reject(*state, work, id, STR("no"), later, &err));
    assert_true(reject(*state, work, id, STR("no"), later + 1, &err));
    CHECK_INT("rejected", state_of(*state, &a, id), PROPOSAL_REJECTED);
    arena_release(&a);
}

/* Who was taken for dead, and comes back, holds nothing. */
static void test_held(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    str id = add(*state, &a, work, "x");
    struct proposal_verdict v = {.vault = work, .id = id};
    int64_t later = NOW + PROPOSALS_ACCEPTING_S + 1;
    assert_true(begin(*state, work, id, NOW, &err));
    CHECK("held", proposal_table_hold(*state, &v, NOW, later, &err));
    CHECK("so it is not dead", !begin(*state, work, id, later + 1, &err));
    CHECK("held again", proposal_table_hold(*state, &v, later, later, &err));
    later += PROPOSALS_ACCEPTING_S + 1;
    assert_true(begin(*state, work, id, later, &err));
    CHECK("replaced", !proposal_table_hold(*state, &v, NOW, later, &err));
    CHECK_INT("replaced", err.code, ERR_CONFLICT);
    assert_true(
        reject(*state, work, id, STR("no"), later + PROPOSALS_ACCEPTING_S + 1, &err));
    CHECK("rejected", !proposal_table_hold(*state, &v, later, later, &err));
    CHECK_INT("stays", state_of(*state, &a, id), PROPOSAL_REJECTED);
    arena_release(&a);
}

/* Also what a process left behind that died while it accepted. */
static void test_died_for_long(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    struct proposal_new p = {.vault = work, .owner = STR("x"), .body = STR("b")};
    str id = add(*state, &a, work, "x");
    assert_true(begin(*state, work, id, NOW, &err));
    assert_true(add_as(*state, &a, &p, NOW + (int64_t)PROPOSALS_DAYS * DAY + 1, &err).n >
                0);
    CHECK_INT("expired", state_of(*state, &a, id), PROPOSAL_EXPIRED);
    arena_release(&a);
}

static void test_repeated(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    struct proposal_earlier e;
    struct proposal_new p = {.vault = work,
                             .owner = STR("x"),
                             .body = STR("b"),
                             .key = STR("k"),
                             .request = STR("r"),
                             .answer = STR("{}")};
    str id, again = {0};
    assert_true(proposal_table_add(*state, &a, &p, NOW, &id, &e, &err));
    CHECK("new", e.id.n == 0 && id.n > 0);
    assert_true(proposal_table_add(*state, &a, &p, NOW, &again, &e, &err));
    CHECK("same", str_eq(e.id, id) && e.same && again.n == 0);
    CHECK_STR("answer", e.answer, "{}");
    p.request = STR("other");
    assert_true(proposal_table_add(*state, &a, &p, NOW, &again, &e, &err));
    CHECK("other request", str_eq(e.id, id) && !e.same);
    assert_true(proposal_table_repeated(*state, &a, home, STR("k"), STR("r"), &e, &err));
    CHECK_INT("other vault", e.id.n, 0);
    arena_release(&a);
}

/* One owner cannot fill a vault, and no vault the store. */
static void test_limits(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    struct proposal_new p = {.vault = work, .owner = STR("x"), .body = STR("b")};
    for (int i = 0; i < PROPOSALS_OWNER_MAX; i++)
        assert_true(add_as(*state, &a, &p, NOW, &err).n > 0);
    CHECK_INT("owner", add_as(*state, &a, &p, NOW, &err).n, 0);
    CHECK_INT("owner", err.code, ERR_LIMIT);
    p.owner = STR("y");
    assert_true(add_as(*state, &a, &p, NOW, &err).n > 0);
    p.body = (str){arena_zero(&a, PROPOSALS_OWNER_BYTES), PROPOSALS_OWNER_BYTES};
    CHECK_INT("bytes of an owner", add_as(*state, &a, &p, NOW, &err).n, 0);
    CHECK_INT("bytes of an owner", err.code, ERR_LIMIT);
    CHECK("says whose", str_find(str_c(err.msg), STR("of this client")) != STR_NONE);
    for (int i = 0; i < PROPOSALS_VAULT_BYTES / PROPOSALS_OWNER_BYTES - 1; i++) {
        p.owner = arena_printf(&a, "owner %d", i);
        assert_true(add_as(*state, &a, &p, NOW, &err).n > 0);
    }
    p.owner = STR("z");
    CHECK_INT("bytes", add_as(*state, &a, &p, NOW, &err).n, 0);
    CHECK("of all", str_find(str_c(err.msg), STR("in this vault")) != STR_NONE);
    p.vault = home;
    p.body = STR("b");
    p.owner = STR("x");
    assert_true(add_as(*state, &a, &p, NOW, &err).n > 0);
    arena_release(&a);
}

/* What waits too long makes room, and is later forgotten. */
static void test_expires(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    struct proposal_row row;
    str body, id = add(*state, &a, work, "x");
    struct proposal_new p = {.vault = work, .owner = STR("x"), .body = STR("b")};
    int64_t old = NOW + (int64_t)PROPOSALS_DAYS * DAY;
    assert_true(add_as(*state, &a, &p, old, &err).n > 0);
    CHECK_INT("not yet", state_of(*state, &a, id), PROPOSAL_WAITING);
    int64_t waiting;
    assert_true(proposal_table_waiting(*state, &waiting, &err));
    CHECK_INT("waiting", waiting, 2);
    CHECK("too old", !begin(*state, work, id, old + 1, &err));
    CHECK("too old", str_ends(str_c(err.msg), STR(" is expired")));
    assert_true(add_as(*state, &a, &p, old + 1, &err).n > 0);
    CHECK_INT("expired", state_of(*state, &a, id), PROPOSAL_EXPIRED);
    CHECK("too late", !begin(*state, work, id, old + 2, &err));
    assert_true(add_as(*state, &a, &p, old + 32LL * DAY, &err).n > 0);
    CHECK("gone", !proposal_table_get(*state, &a, work, id, &row, &body, &err));
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_decided_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_died, setup, teardown),
        cmocka_unit_test_setup_teardown(test_held, setup, teardown),
        cmocka_unit_test_setup_teardown(test_died_for_long, setup, teardown),
        cmocka_unit_test_setup_teardown(test_repeated, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_expires, setup, teardown),
    };
    if (argc > 1)
        postgres_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (argc > 1)
        postgres_stop();
    return failed;
}
