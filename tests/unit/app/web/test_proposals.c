/* The page on which a person decides about proposed changes, and what the command line asks a server about them: what each
 * shows, what each decision writes, and what decides nothing. */
#include "app/web/proposals_page.h"

#include "app/setup/proposals.h"
#include "app/setup/proposed_request.h"
#include "app/web/proposals_operator.h"
#include "app/web/review_keys.h"
#include "app/web/review_link.h"
#include "page_asked.h"

#define FLAGS "--writes propose --deny-paths Private"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("one\n\ntwo\n\nthree\n"));
    place_put(p, "Other.md", STR("other\n"));
    place_put(p, "Crlf.md", STR("a\r\nb\r\n"));
}

/* Who proposes: a client of that user. */
static struct app_place *open_place(const char *user)
{
    struct app_place *p = app_place_open(FLAGS, fill);
    app_look(p);
    p->peer.caller.user = str_c(user);
    if (p->peer.caller.user.n > 0)
        p->peer.caller.owner = arena_printf(&p->place->arena, "%s\napp", user);
    return p;
}

/* The id of the proposal that a tool makes. */
static str propose(struct app_place *p, const char *tool, const char *arguments)
{
    struct arena *a = &p->place->arena;
    struct proposed_place place;
    struct proposal_row *rows;
    size_t n = 0;
    str got = app_call(p, tool, arguments);
    if (str_starts(got, STR("ERROR")) || str_starts(got, STR("RPC")))
        fail_msg("%s {%s}: " STR_FMT, tool, arguments, STR_ARG(got));
    proposals_place(&p->app.vaults[0], a, NULL, &place);
    OK(proposed_list(&place, a, &rows, &n, &err));
    assert_true(n > 0);
    return rows[0].id;
}

/* --- decisions --- */

struct decision {
    const char *name, *tool, *arguments;
    const char *meanwhile; /* what Home.md is when the page is shown; NULL: as before */
    const char *shows;     /* part of the page */
    const char *later;     /* what Home.md is when the form is sent; NULL: as before */
    const char *form;      /* without id and seen */
    int status;
    const char *says;        /* part of the answer; of a redirect: of where to */
    const char *path, *text; /* afterwards; NULL: there is no such file */
};

#define EDIT "vault_edit"
#define ONE "'path':'Home.md','old_text':'two','new_text':'TWO'"
#define BOTH                                                                             \
    "'path':'Home.md','edits':[{'old_text':'one','new_text':'ONE'},"                     \
    "{'old_text':'three','new_text':'THREE'}]"
#define BEFORE "one\n\ntwo\n\nthree\n"

static const struct decision decisions[] = {
    {"accept", EDIT, ONE, .shows = "</i>TWO</span>", .form = "do=accept", .status = 303,
     .says = "done=accepted", .path = "Home.md", .text = "one\n\nTWO\n\nthree\n"},
    {"reject", EDIT, ONE, .form = "do=reject&reason=no", .status = 303,
     .says = "done=rejected", .path = "Home.md", .text = BEFORE},
    {"no decision", EDIT, ONE, .form = "do=", .status = 400, .says = "no decision",
     .path = "Home.md", .text = BEFORE},
    {"another decision", EDIT, ONE, .form = "do=delete", .status = 400,
     .says = "no decision", .path = "Home.md", .text = BEFORE},
    {"one hunk", EDIT, BOTH, .shows = "Hunk 1.2, line 5",
     .form = "do=accept&f1=on&h1.2=on", .status = 303, .says = "done=accepted",
     .path = "Home.md", .text = "one\n\ntwo\n\nTHREE\n"},
    {"both hunks", EDIT, BOTH, .form = "do=accept&f1=on&h1.1=on&h1.2=on", .status = 303,
     .says = "done=accepted", .path = "Home.md", .text = "ONE\n\ntwo\n\nTHREE\n"},
    {"no hunk", EDIT, BOTH, .form = "do=accept&f1=on", .status = 409,
     .says = "Nothing is chosen", .path = "Home.md", .text = BEFORE},
    {"hunks without their file", EDIT, BOTH, .form = "do=accept&h1.1=on&h1.2=on",
     .status = 409, .says = "Nothing is chosen", .path = "Home.md", .text = BEFORE},
    {"hunks that are not there", EDIT, BOTH, .form = "do=accept&f1=on&h1.3=on&h2.1=on",
     .status = 409, .says = "Nothing is chosen", .path = "Home.md", .text = BEFORE},
    {"it changed after the page was shown", EDIT, ONE, .later = "zero\n\ntwo\n\nthree\n",
     .form = "do=accept", .status = 409, .says = "have changed since this page",
     .path = "Home.md", .text = "zero\n\ntwo\n\nthree\n"},
    {"a rejection does not mind that", EDIT, ONE, .later = "zero\n\ntwo\n\nthree\n",
     .form = "do=reject", .status = 303, .says = "done=rejected", .path = "Home.md",
     .text = "zero\n\ntwo\n\nthree\n"},
    {"merged", EDIT, ONE, .meanwhile = "zero\n\ntwo\n\nthree\n",
     .shows = "Both changes fit together", .form = "do=accept", .status = 303,
     .says = "done=accepted", .path = "Home.md", .text = "zero\n\nTWO\n\nthree\n"},
    {"a conflict", EDIT, ONE, .meanwhile = "one\n\nzwei\n\nthree\n",
     .shows = "Conflict: this", .form = "do=accept", .status = 409,
     .says = "Not accepted", .path = "Home.md", .text = "one\n\nzwei\n\nthree\n"},
    {"a part that is merged is confirmed", EDIT, BOTH,
     .meanwhile = "one\n\nzwei\n\nthree\n", .form = "do=accept&f1=on&h1.1=on",
     .status = 200, .says = "Please check the result", .path = "Home.md",
     .text = "one\n\nzwei\n\nthree\n"},
    {"a part that was confirmed", EDIT, BOTH, .meanwhile = "one\n\nzwei\n\nthree\n",
     .form = "do=accept&choice=1.1", .status = 303, .says = "done=accepted",
     .path = "Home.md", .text = "ONE\n\nzwei\n\nthree\n"},
    {"a choice that does not exist", EDIT, BOTH, .form = "do=accept&choice=7.1",
     .status = 409, .says = "Nothing is chosen", .path = "Home.md", .text = BEFORE},
    {"already so", EDIT, ONE, .meanwhile = "one\n\nTWO\n\nthree\n",
     .shows = "It is like that already.", .form = "do=accept", .status = 303,
     .says = "done=accepted", .path = "Home.md", .text = "one\n\nTWO\n\nthree\n"},
    {"a new note", "vault_write", "'path':'New.md','content':'x'", .shows = "Create ",
     .form = "do=accept", .status = 303, .says = "done=accepted", .path = "New.md",
     .text = "x"},
    {"an empty note", "vault_write", "'path':'New.md','content':''", .shows = "Create ",
     .form = "do=accept", .status = 303, .says = "done=accepted", .path = "New.md",
     .text = ""},
    {"a note that is emptied", "vault_write",
     "'path':'Other.md','content':'','overwrite':true", .form = "do=accept",
     .status = 303, .says = "done=accepted", .path = "Other.md", .text = ""},
    {"a file that is not text", "vault_write",
     "'path':'a.png','content':'iVBORw0KGgoAAAANSUhEUg==','encoding':'base64'",
     .shows = "This is not text: 0 bytes would become 16", .form = "do=reject",
     .status = 303, .says = "done=rejected", .path = "a.png"},
    {"a deletion", "vault_delete", "'path':'Other.md'", .shows = ".trash/Other.md",
     .form = "do=accept", .status = 303, .says = "done=accepted", .path = "Other.md"},
    {"a deletion for good", "vault_delete", "'path':'Other.md','permanent':true",
     .shows = "Delete ", .form = "do=accept", .status = 303, .says = "done=accepted",
     .path = "Other.md"},
    {"a move", "vault_move", "'path':'Other.md','to':'Sub/Moved.md'",
     .shows = "accepted or rejected as a whole", .form = "do=accept", .status = 303,
     .says = "done=accepted", .path = "Sub/Moved.md", .text = "other\n"},
    {"text that turns around", EDIT,
     "'path':'Home.md','old_text':'two','new_text':'a\\u202eb'", .shows = "‹U+202E›",
     .form = "do=reject", .status = 303, .says = "done=rejected", .path = "Home.md",
     .text = BEFORE},
    {"markup", EDIT, "'path':'Home.md','old_text':'two','new_text':'</pre><script>'",
     .shows = "&lt;/pre&gt;&lt;script&gt;", .form = "do=reject", .status = 303,
     .says = "done=rejected", .path = "Home.md", .text = BEFORE},
};

static void put_home(struct app_place *p, const char *text)
{
    if (text == NULL)
        return;
    place_put(p->place, "Home.md", str_c(text));
    app_look(p);
}

static void check_decision(const struct decision *r)
{
    struct app_place *p = open_place("ann");
    struct arena *a = &p->place->arena;
    str id = propose(p, r->tool, r->arguments);
    const char *query = arena_printf(a, "id=" STR_FMT, STR_ARG(id)).p;
    put_home(p, r->meanwhile);
    struct http_response shown =
        page_ask(p, &(struct page_asked){"/proposals", query, .user = "ann"});
    page_check(r->name, &shown, 200, r->shows, "<script>");
    CHECK("proposed", !place_has(p->place, "New.md") && !place_has(p->place, "Sub"));
    str seen = page_after(shown.body, "name=\"seen\" value=\"");
    CHECK(r->name, seen.n > 0);
    put_home(p, r->later);
    const char *form = arena_printf(a, "%s&id=" STR_FMT "&seen=" STR_FMT, r->form,
                                    STR_ARG(id), STR_ARG(seen))
                           .p;
    struct http_response out =
        page_ask(p, &(struct page_asked){"/proposals", .form = form, .user = "ann"});
    page_check(r->name, &out, r->status, r->status == 303 ? NULL : r->says, "<script>");
    if (r->status == 303 &&
        str_find(page_header(&out, "Location"), str_c(r->says)) == STR_NONE)
        fail_msg("%s: to " STR_FMT, r->name, STR_ARG(page_header(&out, "Location")));
    CHECK_INT(r->name, place_has(p->place, r->path), r->text != NULL);
    if (r->text != NULL)
        CHECK_STR(r->name, app_file(p, r->path), r->text);
    app_place_close(p);
}

static void test_decisions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(decisions); i++)
        check_decision(&decisions[i]);
}

/* --- who sees what --- */

static void test_people(void **state)
{
    (void)state;
    struct app_place *p = open_place("ann");
    struct arena *a = &p->place->arena;
    str id = propose(p, EDIT, ONE);
    const char *one = arena_printf(a, "id=" STR_FMT, STR_ARG(id)).p;
    const char *accept = arena_printf(a, "do=accept&seen=x&%s", one).p;
    const char *reject = arena_printf(a, "do=reject&reason=%%3Cb%%3Eno&%s", one).p;
    struct http_response out;
    const struct {
        struct page_asked ask;
        int status;
        const char *has, *lacks;
    } rows[] = {
        {{"/proposals", .user = "ann"}, 200, "vault_edit", "Decided"},
        {{"/proposals", .user = "ben"}, 200, "Nothing waits for a review.", "vault_edit"},
        {{"/proposals", one, .user = "ben"}, 404, NULL, "TWO"},
        {{"/proposals", .form = accept, .user = "ben"}, 404, NULL, "TWO"},
        {{"/proposals", .form = reject, .user = "ben"}, 404, NULL, "TWO"},
        {{"/proposals", "id=none", .user = "ann"}, 404, NULL, NULL},
        {{"/proposals", "id=%zz", .user = "ann"}, 400, "Check the address", NULL},
        {{"/proposals", "vault=none", .user = "ann"}, 404, "no such vault", NULL},
        {{"/proposals", "done=accepted", .user = "ann"}, 200, "can be undone", NULL},
        {{"/proposals", "done=rejected", .user = "ann"}, 200, "told the reason", NULL},
        {{"/proposals", "done=%3Cb%3E", .user = "ann"}, 200, NULL, "<b>"},
        {{"/proposals", .form = accept, .user = "ann"}, 409, "have changed since", NULL},
        {{"/proposals", .form = reject, .user = "ann"}, 303, NULL, NULL},
        {{"/proposals", .user = "ann"}, 200, "rejected by", "<b>no"},
        {{"/proposals", .user = "ann"}, 200, "&lt;b&gt;no", NULL},
        {{"/proposals", one, .user = "ann"}, 200, "This is decided", "name=\"do\""},
        {{"/proposals", .form = accept, .user = "ann"}, 200, "This is decided", NULL},
        {{"/proposals", .form = reject, .user = "ann"}, 200, "This is decided", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        out = page_ask(p, &rows[i].ask);
        page_check(arena_printf(a, "row %zu", i).p, &out, rows[i].status, rows[i].has,
                   rows[i].lacks);
    }
    CHECK_STR("nothing was made", app_file(p, "Home.md"), BEFORE);
    app_place_close(p);
}

/* Without sign-in, a program that can reach the server decides nothing. */
static void test_without_sign_in(void **state)
{
    (void)state;
    struct app_place *p = open_place("");
    struct arena *a = &p->place->arena;
    p->app.review_keys = review_keys_create();
    str id = propose(p, EDIT, ONE);
    const char *one = arena_printf(a, "id=" STR_FMT, STR_ARG(id)).p;
    const char *accept = arena_printf(a, "do=accept&%s", one).p;
    str key = review_keys_new(p->app.review_keys, a);
    const char *keyed = arena_printf(a, "key=" STR_FMT, STR_ARG(key)).p;
    struct http_response out = page_ask(p, &(struct page_asked){"/proposals"});
    page_check("locked", &out, 200, "1 change waits for your review", "TWO");
    out = page_ask(p, &(struct page_asked){"/proposals", one});
    page_check("one", &out, 200, "vaultd proposals --link", "TWO");
    out = page_ask(p, &(struct page_asked){"/proposals", .form = accept});
    page_check("accept", &out, 403, "may not decide", NULL);
    out = page_ask(p, &(struct page_asked){"/proposals", "key=guess"});
    page_check("a guess", &out, 403, "ten minutes", NULL);
    CHECK_STR("no cookie", page_header(&out, "Set-Cookie"), "");
    out = page_ask(p, &(struct page_asked){"/proposals", .form = keyed});
    page_check("a key in a form", &out, 403, "may not decide", NULL);
    out = page_ask(p, &(struct page_asked){"/proposals", keyed});
    page_check("the key", &out, 303, NULL, NULL);
    str cookies = page_header(&out, "Set-Cookie"), cookie;
    assert_true(str_next(&cookies, ';', &cookie));
    const char *mine = arena_str(a, cookie).p;
    out = page_ask(p, &(struct page_asked){"/proposals", keyed});
    page_check("the key again", &out, 403, NULL, NULL);
    out = page_ask(p, &(struct page_asked){"/proposals", one, .cookie = mine});
    page_check("shown", &out, 200, "TWO", NULL);
    str seen = page_after(out.body, "name=\"seen\" value=\"");
    accept = arena_printf(a, "do=accept&seen=" STR_FMT "&%s", STR_ARG(seen), one).p;
    out =
        page_ask(p, &(struct page_asked){"/proposals", .form = accept, .cookie = "a=b"});
    page_check("without the cookie", &out, 403, "may not decide", NULL);
    CHECK_STR("not yet", app_file(p, "Home.md"), BEFORE);
    out = page_ask(p, &(struct page_asked){"/proposals", .form = accept, .cookie = mine});
    page_check("accepted", &out, 303, NULL, NULL);
    CHECK_STR("made", app_file(p, "Home.md"), "one\n\nTWO\n\nthree\n");
    review_keys_free(p->app.review_keys);
    app_place_close(p);
}

static void test_none(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill);
    struct arena *a = &p->place->arena;
    struct oauth_asked asked = {.user = STR("ann")};
    struct http_response out =
        page_ask(p, &(struct page_asked){"/proposals", .user = "ann"});
    page_check("no proposals", &out, 404, "propose no changes to this server", NULL);
    CHECK_STR("no link", review_link(&p->app, a, &asked), "");
    app_place_close(p);
}

static void test_link(void **state)
{
    static const char *const want[] = {"Proposed changes", "Review 1 proposed change",
                                       "Review 2 proposed changes"};
    (void)state;
    struct app_place *p = open_place("ann");
    struct arena *a = &p->place->arena;
    struct oauth_asked ann = {.user = STR("ann")}, ben = {.user = STR("ben")},
                       operator_ = {.user = STR("")};
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        CHECK_STR("hers", review_link(&p->app, a, &ann), want[i]);
        CHECK_STR("none of his", review_link(&p->app, a, &ben), want[0]);
        CHECK_STR("all", review_link(&p->app, a, &operator_), want[i]);
        (void)propose(p, "vault_write",
                      arena_printf(a, "'path':'%zu.md','content':'x'", i).p);
    }
    app_place_close(p);
}

/* --- the command line --- */

static void check_operated(struct app_place *p, const char *body, const char *address,
                           const char *want)
{
    struct arena *a = &p->place->arena;
    struct http_response out = {0};
    proposals_operate(&p->app, a, quoted(a, body), str_c(address), &out);
    CHECK_INT(body, out.status, 200);
    if (str_find(out.body, quoted(a, want)) == STR_NONE)
        fail_msg("%s: no '%s' in " STR_FMT, body, want, STR_ARG(out.body));
}

static void test_operated(void **state)
{
    (void)state;
    struct app_place *p = open_place("ann");
    struct arena *a = &p->place->arena;
    p->app.review_keys = review_keys_create();
    str id = propose(p, EDIT, ONE);
    const struct {
        const char *body, *address, *want;
    } rows[] = {
        {"nonsense", "", "'error':"},
        {"{}", "", "not a request about proposals"},
        {"{'do':'list'}", "", arena_printf(a, "'id':'" STR_FMT "'", STR_ARG(id)).p},
        {"{'do':'list','vault':'vault'}", "", "vault_edit"},
        {"{'do':'list','vault':'VAULT'}", "", "vault_edit"},
        {"{'do':'list','vault':'other'}", "", "'not_served':true"},
        {"{'do':'list','folder':'/nowhere'}", "", "'not_served':true"},
        {arena_printf(a, "{'do':'list','folder':'%s'}", p->place->folder).p, "",
         "vault_edit"},
        {"{'do':'show','id':'none'}", "", "'error':"},
        {arena_printf(a, "{'do':'show','id':'" STR_FMT "'}", STR_ARG(id)).p, "", "TWO"},
        {arena_printf(a, "{'do':'show','id':'" STR_FMT "','choice':'9'}", STR_ARG(id)).p,
         "", "'error':"},
        {"{'do':'link'}", "", "give it a --server-url"},
        {"{'do':'link'}", "unix:/run/x", "give it a --server-url"},
        {"{'do':'link'}", ":1065", "'link':'http://localhost:1065/proposals?key="},
        {"{'do':'link'}", "127.0.0.1:80", "'link':'http://127.0.0.1:80/proposals?key="},
        {arena_printf(a, "{'do':'decide','id':'" STR_FMT "','seen':'x'}", STR_ARG(id)).p,
         "", "'stale':true"},
        {arena_printf(a, "{'do':'decide','id':'" STR_FMT "','files':['None.md']}",
                      STR_ARG(id))
             .p,
         "", "None.md"},
        {arena_printf(a, "{'do':'decide','id':'" STR_FMT "','files':[]}", STR_ARG(id)).p,
         "", "'error':"},
        {arena_printf(a, "{'do':'decide','id':'" STR_FMT "','by':'eva'}", STR_ARG(id)).p,
         "", "'state':'accepted'"},
        {arena_printf(a, "{'do':'decide','id':'" STR_FMT "'}", STR_ARG(id)).p, "",
         "'error':"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool made = i + 2 >= COUNT_OF(rows);
        check_operated(p, rows[i].body, rows[i].address, rows[i].want);
        CHECK_STR(rows[i].body, app_file(p, "Home.md"),
                  made ? "one\n\nTWO\n\nthree\n" : BEFORE);
    }
    p->app.settings.server_url = STR("https://notes.example.com/");
    check_operated(p, "{'do':'link'}", "",
                   "'link':'https://notes.example.com/proposals?key=");
    p->app.settings.signs_in = true;
    check_operated(p, "{'do':'link'}", "",
                   "'link':'https://notes.example.com/proposals'");
    review_keys_free(p->app.review_keys);
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_people),
        cmocka_unit_test(test_without_sign_in),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_operated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
