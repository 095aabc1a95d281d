/* What the audit records of a call: who, which files, and how it ended; never what is in them. */
#include "app/catalog/call_record.h"

#include "app/setup/audit.h"
#include "app_place.h"
#include "until.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("[[Plan]] alpha\n"));
    place_put(p, "Sub/Plan.md", STR("secretword\n"));
    place_put(p, "Quote \" it.md", STR("beta\n"));
    assert_int_equal(mkdir(arena_printf(&p->arena, "%s/log", p->top).p, 0700), 0);
}

static const struct row {
    const char *tool, *arguments;
    const char *has, *lacks; /* of its line, as in quoted.h; lacks may be NULL */
} rows[] = {
    {"vault_read", "'path':'Home'", "'name':'vault_read'", "'changed'"},
    {"vault_read", "'path':'Home'", "'read':['Home.md']", "alpha"},
    {"vault_read", "'path':'Home'", "'user':'ann'", NULL},
    {"vault_read", "'path':'Home'", "'outcome':'ok'", NULL},
    {"vault_read", "'path':'None'", "'outcome':'FILE_NOT_FOUND'", "'read':"},
    {"vault_read", "'path':'Quote \\\" it'", "'read':['Quote \\\" it.md']", "beta"},
    {"vault_search", "'query':'secretword'", "'read':['Sub/Plan.md']", "secretword"},
    {"vault_search", "'query':'nowhere'", "'outcome':'ok'", "'read':"},
    {"vault_links", "'path':'Home'", "Sub/Plan.md", NULL},
    {"vault_edit", "'path':'Home','old_text':'alpha','new_text':'gamma'",
     "'changed':['Home.md']", "gamma"},
    {"vault_write", "'path':'New.md','content':'delta'", "'changed':['New.md']", "delta"},
    {"vault_move", "'path':'Sub/Plan.md','to':'Moved.md'", "Moved.md", NULL},
    {"vault_undo", "", "'outcome':'ok'", NULL},
    {"vault_write", "'path':'../x.md','content':'x'", "'outcome':'", "'changed':"},
};

/* The last line of the log. */
static str last_line(struct app_place *p)
{
    str all = app_file(p, "../log/audit.jsonl");
    size_t end = all.n - str_ends(all, STR("\n"));
    size_t begin = str_find_last(str_slice(all, 0, end), '\n');
    return str_slice(all, begin == STR_NONE ? 0 : begin + 1, end);
}

static void check_line(struct app_place *p, const struct row *r)
{
    struct arena *a = &p->place->arena;
    struct err err = {0};
    const struct json *j;
    str line = last_line(p);
    if (!json_parse(a, line, &j, &err))
        fail_msg("%s: %s: " STR_FMT, r->tool, err.msg, STR_ARG(line));
    if (str_find(line, quoted(a, r->has)) == STR_NONE)
        fail_msg("%s {%s}: no '%s' in " STR_FMT, r->tool, r->arguments, r->has,
                 STR_ARG(line));
    if (r->lacks != NULL && str_find(line, quoted(a, r->lacks)) != STR_NONE)
        fail_msg("%s {%s}: '%s' in " STR_FMT, r->tool, r->arguments, r->lacks,
                 STR_ARG(line));
}

static size_t count_calls(struct app_place *p)
{
    size_t n = 0, at;
    str all = app_file(p, "../log/audit.jsonl"), what = STR("\"event\":\"call\"");
    for (; (at = str_find(all, what)) != STR_NONE; n++)
        all = str_skip(all, at + what.n);
    return n;
}

/* With refuse, a call is answered after its line is written; if it failed, maybe before. */
static void test_calls(void **state)
{
    (void)state;
    struct app_place *p =
        app_place_open("--audit @/log/audit.jsonl --audit-fail refuse", fill);
    struct audit_state s;
    app_look(p);
    p->peer.caller.user = STR("ann");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)app_call(p, rows[i].tool, rows[i].arguments);
        UNTIL(count_calls(p) == i + 1);
        check_line(p, &rows[i]);
    }
    audit_state(p->app.audit, &s);
    CHECK_INT("lost", s.lost, 0);
    app_place_close(p);
}

/* Nothing is recorded unless it is asked for. */
static void test_off(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    app_look(p);
    (void)app_call(p, "vault_read", "'path':'Home'");
    CHECK("off", p->app.audit == NULL && !place_has(p->place, "../log/audit.jsonl"));
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
