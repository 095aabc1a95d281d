/* What a client learns about its own proposals, and how it builds on them; and that it learns nothing of those of others. */
#include "app/tool_support/tool_proposal.h"

#include "app/setup/proposals.h"
#include "app_place.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("one\n\ntwo\n\nthree\n"));
    place_put(p, "Other.md", STR("other\n"));
}

static void become(struct app_place *p, const char *owner)
{
    p->peer.caller.owner = str_c(owner);
}

static struct proposed_place desk(struct app_place *p)
{
    struct proposed_place place;
    proposals_place(&p->app.vaults[0], &p->place->arena, NULL, &place);
    return place;
}

/* The proposal that is none of these two. Those of one second have no order. */
static const char *other_than(struct app_place *p, const char *one, const char *two)
{
    struct proposed_place place = desk(p);
    struct proposal_row *rows;
    size_t n = 0;
    OK(proposed_list(&place, &p->place->arena, &rows, &n, &err));
    for (size_t i = 0; i < n; i++)
        if (!str_eq(rows[i].id, str_c(one)) && !str_eq(rows[i].id, str_c(two)))
            return arena_str(&p->place->arena, rows[i].id).p;
    fail_msg("nothing was proposed");
    return NULL;
}

static bool decides(struct app_place *p, const char *id, const char *choice,
                    struct err *err)
{
    struct proposed_place place = desk(p);
    struct proposed_outcome done;
    struct proposed_decision d = {.id = str_c(id),
                                  .choice = str_c(choice),
                                  .by = STR("eva"),
                                  .reason = STR("not here")};
    return proposed_decide(&place, &p->place->arena, &d, &done, err);
}

/* # in arguments is the id. */
static void check(struct app_place *p, const char *id, const char *tool,
                  const char *arguments, const char *has, const char *lacks)
{
    struct arena *a = &p->place->arena;
    const char *at = strchr(arguments, '#');
    if (at != NULL)
        arguments =
            arena_printf(a, "%.*s%s%s", (int)(at - arguments), arguments, id, at + 1).p;
    str got = app_call(p, tool, arguments);
    if (str_find(got, str_c(has)) == STR_NONE)
        fail_msg("%s {%s}: no '%s' in " STR_FMT, tool, arguments, has, STR_ARG(got));
    if (lacks != NULL && str_find(got, str_c(lacks)) != STR_NONE)
        fail_msg("%s {%s}: '%s' in " STR_FMT, tool, arguments, lacks, STR_ARG(got));
}

#define EDIT "'path':'Home.md','old_text':'two','new_text':'TWO'"

static void test_outcome(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--writes propose", fill);
    app_look(p);
    become(p, "ann\nfirst");
    (void)app_call(p, "vault_edit", EDIT);
    const char *id = other_than(p, "", "");
    check(p, id, "vault_changes", "'proposal':'#'", "waiting", "reason");
    check(p, id, "vault_changes", "'proposal':'#'", "+TWO", NULL);
    check(p, id, "vault_changes", "", id, NULL);
    check(p, id, "vault_read", "'path':'Home.md'", "two", NULL);
    check(p, id, "vault_read", "'path':'Home.md'", id, NULL);
    check(p, id, "vault_read", "'path':'Other.md'", "other", id);
    check(p, id, "vault_read", "'path':'Home.md','proposal':'#'", "TWO", NULL);
    /* another client, also of the same user, knows nothing of it */
    become(p, "ann\nsecond");
    check(p, id, "vault_changes", "'proposal':'#'", "ERROR", "TWO");
    check(p, id, "vault_changes", "", "", id);
    check(p, id, "vault_read", "'path':'Home.md'", "two", id);
    check(p, id, "vault_read", "'path':'Home.md','proposal':'#'", "ERROR", "TWO");
    check(p, id, "vault_edit",
          "'path':'Home.md','old_text':'TWO','new_text':'x','proposal':'#'", "ERROR",
          NULL);
    /* the answer is that about one that never was */
    check(p, "000000000000", "vault_changes", "'proposal':'#'", "ERROR", "TWO");
    become(p, "ann\nfirst");
    OK(decides(p, id, "none", &err));
    check(p, id, "vault_changes", "'proposal':'#'", "rejected", "+TWO");
    check(p, id, "vault_changes", "'proposal':'#'", "not here", NULL);
    check(p, id, "vault_changes", "", "rejected", NULL);
    check(p, id, "vault_read", "'path':'Home.md'", "two", id);
    app_place_close(p);
}

/* A proposal that builds on another fits after it was accepted, and one that was decided is no base. */
static void test_base(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("--writes propose", fill);
    app_look(p);
    become(p, "ann\nfirst");
    (void)app_call(p, "vault_edit", EDIT);
    const char *id = other_than(p, "", "");
    check(p, id, "vault_edit",
          "'path':'Home.md','old_text':'TWO','new_text':'ZWEI','proposal':'#'", "",
          "ERROR");
    const char *next = other_than(p, id, "");
    check(p, next, "vault_read", "'path':'Home.md','proposal':'#'", "ZWEI", NULL);
    check(p, id, "vault_read", "'path':'Home.md','proposal':'#'", "TWO", NULL);
    CHECK_STR("nothing is written", app_file(p, "Home.md"), "one\n\ntwo\n\nthree\n");
    FAILS(decides(p, next, "all", &err), ERR_CONFLICT, "in the same places");
    OK(decides(p, id, "all", &err));
    CHECK_STR("the first", app_file(p, "Home.md"), "one\n\nTWO\n\nthree\n");
    OK(decides(p, next, "all", &err));
    CHECK_STR("both", app_file(p, "Home.md"), "one\n\nZWEI\n\nthree\n");
    check(p, next, "vault_edit",
          "'path':'Home.md','old_text':'one','new_text':'x','proposal':'#'",
          "leave out proposal", NULL);
    (void)app_call(p, "vault_move", "'path':'Other.md','to':'Moved.md'");
    const char *moved = other_than(p, id, next);
    check(p, moved, "vault_edit",
          "'path':'Moved.md','old_text':'other','new_text':'x','proposal':'#'",
          "nothing can build on it", NULL);
    app_place_close(p);
}

/* A server without proposals has none, whatever the id. */
static void test_none(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    app_look(p);
    check(p, "5f0c31a2b4d6", "vault_changes", "'proposal':'#'", "ERROR", NULL);
    check(p, "5f0c31a2b4d6", "vault_read", "'path':'Home.md','proposal':'#'", "ERROR",
          NULL);
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcome),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
