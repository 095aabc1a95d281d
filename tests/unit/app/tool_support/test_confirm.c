/* When the user is asked before a change, what clients that cannot ask must do, and what
 * is made once. */
#include "app/tool_support/tool_support.h"
#include "app_place.h"

enum { CANNOT_ASK, ACCEPTS, DECLINES, CANCELS }; /* the client, and its user */

struct row {
    const char *flags, *owner;
    int user;
    const char *tool, *arguments;
    const char *question; /* part of it; NULL: none is asked */
    const char *want;     /* part of the answer */
    const char *path;     /* a file afterwards, or NULL */
    bool stays;           /* whether it is there */
};

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("home #known\n"));
    place_put(p, "Work/a.md", STR("a\n"));
    place_put(p, "Work/b.md", STR("b\n"));
}

#define FOLDER "'path':'Work','recursive':true"
#define OVER "'path':'Home.md','content':'new','overwrite':true"

static const struct row rows[] = {
    /* a folder */
    {"", "", CANNOT_ASK, "vault_delete", FOLDER, NULL,
     "ERROR not deleted: 2 files would be deleted, and this client cannot ask the user; "
     "if that is meant, repeat the "
     "call with confirm: 2",
     "Work/a.md", true},
    {"", "", CANNOT_ASK, "vault_delete", FOLDER ",'confirm':1", NULL,
     "not as many as confirm says", "Work/a.md", true},
    {"", "", CANNOT_ASK, "vault_delete", FOLDER ",'confirm':2", NULL, "deleted Work",
     "Work/a.md", false},
    {"", "", CANNOT_ASK, "vault_delete", FOLDER ",'dry_run':true", NULL, "Work",
     "Work/a.md", true},
    {"--confirm never", "", CANNOT_ASK, "vault_delete", FOLDER, NULL, "deleted Work",
     "Work/a.md", false},
    {"", "", ACCEPTS, "vault_delete", FOLDER, "2 files", "deleted Work", "Work/a.md",
     false},
    {"", "", DECLINES, "vault_delete", FOLDER, "2 files",
     "ERROR not confirmed: the user declined, nothing was changed", "Work/a.md", true},
    {"", "", CANCELS, "vault_delete", FOLDER, "2 files", "ERROR not confirmed",
     "Work/a.md", true},
    {"", "", DECLINES, "vault_delete", FOLDER ",'dry_run':true", NULL, "Work",
     "Work/a.md", true},
    {"--confirm never", "", DECLINES, "vault_delete", FOLDER, NULL, "deleted Work",
     "Work/a.md", false},
    /* one note */
    {"", "", DECLINES, "vault_delete", "'path':'Home'", NULL, "deleted Home.md",
     "Home.md", false},
    {"--confirm always", "", DECLINES, "vault_delete", "'path':'Home'", "Home.md",
     "ERROR not confirmed", "Home.md", true},
    {"--confirm always", "", ACCEPTS, "vault_delete", "'path':'Home'", "Home.md",
     "deleted Home.md", "Home.md", false},
    {"--confirm always", "", CANNOT_ASK, "vault_delete", "'path':'Home'", NULL,
     "deleted Home.md", "Home.md", false},
    {"--confirm always", "", DECLINES, "vault_write", OVER, "Home.md",
     "ERROR not confirmed", "Home.md", true},
    {"--confirm always", "", DECLINES, "vault_write", "'path':'New','content':'x'", NULL,
     "New.md", "New.md", true},
    {"--confirm always", "", DECLINES, "vault_move", "'path':'Home','to':'Start'",
     "Home.md", "ERROR not confirmed", "Home.md", true},
    /* many files within a short time */
    {"--confirm-files 1", "grant", CANNOT_ASK, "vault_move", "'path':'Work','to':'Old'",
     NULL,
     "ERROR not changed: with this, more than 1 files would have changed in 10 minutes, "
     "and this client cannot ask",
     "Work/a.md", true},
    {"--confirm-files 1 --stdio", "", CANNOT_ASK, "vault_move",
     "'path':'Work','to':'Old'", NULL, "Old", "Work/a.md", false},
    {"--confirm-files 1", "", CANNOT_ASK, "vault_move", "'path':'Work','to':'Old'", NULL,
     "ERROR not changed: with this, more than 1 files", "Work/a.md", true},
    {"--confirm-files 1", "grant", ACCEPTS, "vault_move", "'path':'Work','to':'Old'",
     "0 files were changed in the last 10 minutes, and this would change 2 more.", "Old",
     "Work/a.md", false},
    {"--confirm-files 1", "grant", DECLINES, "vault_move", "'path':'Work','to':'Old'",
     "would change 2 more", "ERROR not confirmed", "Work/a.md", true},
    {"--confirm-files 2", "grant", CANNOT_ASK, "vault_move", "'path':'Work','to':'Old'",
     NULL, "Old", "Work/a.md", false},
    {"--confirm-files 0", "grant", CANNOT_ASK, "vault_move", "'path':'Work','to':'Old'",
     NULL, "Old", "Work/a.md", false},
    /* new tags */
    {"--tag-policy enforce", "", CANNOT_ASK, "vault_write",
     "'path':'New','content':'---\\ntags: [strange]\\n---\\n'", NULL,
     "ERROR Tag 'strange' not in allowed list. Allowed: known.", "New.md", false},
    {"--tag-policy enforce", "", CANNOT_ASK, "vault_write",
     "'path':'New','content':'---\\ntags: [known]\\n---\\n'", NULL, "New.md", "New.md",
     true},
    {"--tag-policy warn", "", CANNOT_ASK, "vault_write",
     "'path':'New','content':'---\\ntags: [strange]\\n---\\n'", NULL,
     "the tag 'strange' is new to this vault: ask the user before you create tags",
     "New.md", true},
    {"", "", CANNOT_ASK, "vault_write",
     "'path':'New','content':'---\\ntags: [strange]\\n---\\n'", NULL, "New.md", "New.md",
     true},
    {"--tag-policy enforce", "", CANNOT_ASK, "vault_write",
     "'path':'New','content':'#channel'", NULL, "New.md", "New.md", true},
    /* refused for all callers */
    {"--read-only", "", CANNOT_ASK, "vault_write", OVER, NULL, "", "Home.md", true},
    {"", "", CANNOT_ASK, "vault_write", "'path':'Home.md','content':'new'", NULL,
     "ERROR ", "Home.md", true},
    {"", "", CANNOT_ASK, "vault_write", OVER ",'if_match':'0000000000000000'", NULL,
     "ERROR 'Home.md' has changed", "Home.md", true},
};

static const char *const answers[] = {[ACCEPTS] =
                                          "{'confirm':{'action':'accept','content':{}}}",
                                      [DECLINES] = "{'confirm':{'action':'decline'}}",
                                      [CANCELS] = "{'confirm':{'action':'cancel'}}"};

/* Repeats the call with the answer of the user, if they were asked. */
static struct peer_call *ask(struct app_place *p, const struct row *r, const char *name)
{
    struct arena *a = &p->peer.arena;
    const char *call =
        arena_printf(a, "'name':'%s','arguments':{%s}", r->tool, r->arguments).p;
    struct peer_call *c = peer_send(&p->peer, "tools/call", call);
    str text = peer_answer(c), sealed = json_get_str(peer_result(c), STR("requestState"));
    CHECK_INT(name, sealed.n > 0, r->question != NULL);
    if (sealed.n == 0)
        return c;
    CHECK(arena_printf(a, "%s: " STR_FMT, name, STR_ARG(text)).p,
          str_find(text, str_c(r->question)) != STR_NONE);
    return peer_send(&p->peer, "tools/call",
                     arena_printf(a,
                                  "%s,'requestState':'" STR_FMT "','inputResponses':%s",
                                  call, STR_ARG(sealed), answers[r->user])
                         .p);
}

static void check_row(const struct row *r)
{
    struct app_place *p = app_place_open(r->flags, fill);
    struct arena *a = &p->peer.arena;
    app_look(p);
    p->peer.revision = MCP_2026_07_28;
    p->peer.capabilities = r->user == CANNOT_ASK ? "{}" : "{'elicitation':{'form':{}}}";
    p->peer.caller.owner = str_c(r->owner);
    const char *name =
        arena_printf(a, "%s %s {%s} %d", r->flags, r->tool, r->arguments, r->user).p;
    str got = app_answer(ask(p, r, name));
    CHECK(arena_printf(a, "%s: '" STR_FMT "'", name, STR_ARG(got)).p,
          str_find(got, str_c(r->want)) != STR_NONE);
    CHECK_INT(name, place_has(p->place, r->path), r->stays);
    app_place_close(p);
}

static void test_confirm(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(&rows[i]);
}

/* --- a confirmation is for the plan that was shown, once --- */

struct planned {
    const char *flags, *owner, *tool, *arguments;
    const char *path, *text; /* what changes before the user answers; text NULL: a call */
};

static const struct planned plans[] = {
    {"", "", "vault_delete", FOLDER, "Work/c.md", "c\n"},
    {"", "", "vault_delete", FOLDER, "Work/a.md", "A, changed\n"},
    {"", "", "vault_delete", FOLDER, "Work/x.bin", "x"},
    {"--confirm always", "", "vault_move", "'path':'Work','to':'Old'", "Work/c.md",
     "c\n"},
    {"--confirm always", "", "vault_delete", "'path':'Home'", "Home.md", "other\n"},
    {"--confirm always", "", "vault_write", OVER, "Home.md", "other\n"},
    {"--confirm always", "", "vault_batch",
     "'steps':[{'tool':'vault_delete','path':'Home'},"
     "{'tool':'vault_delete','path':'Work','recursive':true}]",
     "Work/c.md", "c\n"},
    {"--confirm-files 1", "grant", "vault_move", "'path':'Work','to':'Old'", "Work/c.md",
     "c\n"},
    {"--confirm-files 1", "grant", "vault_undo", "", "vault_write",
     NULL}, /* the latest change */
};

static struct peer_call *plan_send(struct app_place *p, const struct planned *r,
                                   str sealed)
{
    struct arena *a = &p->peer.arena;
    str more = sealed.n == 0
                   ? STR("")
                   : arena_printf(a, ",'requestState':'" STR_FMT "','inputResponses':%s",
                                  STR_ARG(sealed), answers[ACCEPTS]);
    return peer_send(&p->peer, "tools/call",
                     arena_printf(a, "'name':'%s','arguments':{%s}" STR_FMT, r->tool,
                                  r->arguments, STR_ARG(more))
                         .p);
}

static str plan_asked(struct app_place *p, const struct planned *r, str sealed)
{
    struct peer_call *c = plan_send(p, r, sealed);
    peer_answer(c);
    return json_get_str(peer_result(c), STR("requestState"));
}

static void plan_change(struct app_place *p, const struct planned *r)
{
    if (r->text != NULL) {
        place_put(p->place, r->path, str_c(r->text));
        app_look(p);
        return;
    }
    p->peer.caller.owner = STR("another grant");
    app_call(p, "vault_write", "'path':'Newer','content':'x'");
    p->peer.caller.owner = str_c(r->owner);
}

static void check_plan(const struct planned *r)
{
    struct app_place *p = app_place_open(r->flags, fill);
    app_look(p);
    p->peer.revision = MCP_2026_07_28;
    p->peer.capabilities = "{'elicitation':{'form':{}}}";
    p->peer.caller.owner = str_c(r->owner);
    if (r->text == NULL)
        app_call(p, "vault_write", "'path':'New','content':'x'");
    str first = plan_asked(p, r, (str){0});
    CHECK(r->tool, first.n > 0);
    plan_change(p, r);
    str second = plan_asked(p, r, first);
    CHECK(r->tool, second.n > 0); /* it is another plan: asked again */
    str done = app_answer(plan_send(p, r, second));
    CHECK(r->tool, !str_starts(done, STR("ERROR")) && done.n > 0);
    str again = peer_answer(plan_send(p, r, second));
    CHECK(r->tool, str_find(again, STR("a confirmation counts once")) != STR_NONE);
    app_place_close(p);
}

static void test_SEC_123_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(plans); i++)
        check_plan(&plans[i]);
}

/* An answer to a question that was not asked does not confirm anything. */
static void test_SEC_123_not_asked(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    app_look(p);
    p->peer.revision = MCP_2026_07_28;
    p->peer.capabilities = "{'elicitation':{'form':{}}}";
    struct peer_call *c = peer_send(
        &p->peer, "tools/call",
        arena_printf(&p->peer.arena,
                     "'name':'vault_delete','arguments':{" FOLDER "},'inputResponses':%s",
                     answers[ACCEPTS])
            .p);
    peer_answer(c);
    CHECK("asked", json_get(peer_result(c), STR("inputRequests")) != NULL);
    CHECK("still there", place_has(p->place, "Work/a.md"));
    app_place_close(p);
}

#define KEY ",'idempotency_key':'k'"

static void test_once(void **state)
{
    (void)state;
    static const struct app_row calls[] = {
        {"vault_insert", "'path':'Home','content':'x'" KEY, "Home.md", "Home.md",
         "home #known\n\nx\n"},
        {"vault_insert", "'path':'Home','content':'x'" KEY, "Home.md", "Home.md",
         "home #known\n\nx\n"},
        {"vault_insert", "'path':'Home','content':'y'" KEY,
         "ERROR this idempotency_key was used for another change: use a new one",
         "Home.md", "home #known\n\nx\n"},
        {"vault_insert", "'path':'Home','content':'x'", "Home.md", "Home.md",
         "home #known\n\nx\n\nx\n"},
    };
    struct app_place *p = app_place_open("", fill);
    app_look(p);
    app_check_rows(p, NULL, calls, COUNT_OF(calls));
    app_place_close(p);
}

/* An answer has at most as many tokens as its call allows, and says how to go on. */
static void test_budget(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    struct sbuf b = SBUF_ON(&p->peer.arena);
    for (int i = 0; i < 300; i++)
        sbuf_printf(&b, "line %d\n", i);
    place_put(p->place, "Long.md", sbuf_str(&b));
    app_look(p);
    str all = app_call(p, "vault_read", "'path':'Long','limit':1000,'budget':25000");
    str some = app_call(p, "vault_read", "'path':'Long','limit':1000,'budget':100");
    CHECK("all of it", str_find(all, STR("line 299\n")) != STR_NONE);
    CHECK("part of it", some.n <= 100 * TOOL_TOKEN_BYTES + MODEL_TEXT_REST);
    CHECK("more", str_find(some, STR("[more: offset ")) != STR_NONE);
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confirm),
        cmocka_unit_test(test_SEC_123_plan),
        cmocka_unit_test(test_SEC_123_not_asked),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
