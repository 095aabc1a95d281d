/* Changes that are proposed instead of made, and what becomes of them. */
#include "vault/accept.h"

#include "vault/change/journal.h"
#include "vault/ops.h"
#include "vault/transact.h"
#include "vault_place.h"

/* Keeps one proposal in memory. */
struct kept {
    struct arena arena;
    str text, key, request, answer;
    size_t n;
};

static bool keep_add(void *arg, struct arena *a, const struct proposal *p,
                     const struct idempotency *once, struct proposal_kept *out,
                     struct err *err)
{
    struct kept *k = arg;
    (void)err;
    k->text = arena_str(&k->arena, proposal_print(a, p));
    k->key = arena_str(&k->arena, once->key);
    k->request = arena_str(&k->arena, once->request);
    k->answer = arena_str(&k->arena, once->answer);
    k->n++;
    *out = (struct proposal_kept){.id = STR("p1")};
    return true;
}

static bool keep_find(void *arg, struct arena *a, const struct idempotency *once,
                      struct proposal_kept *out, struct err *err)
{
    struct kept *k = arg;
    (void)a;
    *out = (struct proposal_kept){0};
    if (k->n == 0 || !str_eq(once->key, k->key))
        return true;
    if (!str_eq(once->request, k->request))
        return change_key_reused(err);
    *out = (struct proposal_kept){.id = STR("p1"), .repeated = true, .answer = k->answer};
    return true;
}

static void start(struct place *p, struct kept *k)
{
    struct err err = {0};
    if (!vault_open(p->folder, &p->vault, &err))
        fail_msg("%s", err.msg);
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state,
                                                  .proposals = {keep_add, keep_find, k}});
    if (!vault_wait(p->vault, NULL, NULL, &err))
        fail_msg("%s", err.msg);
}

/* A client that may only propose, or only in a folder. */
static struct vault *client(struct place *p, const char *folder)
{
    struct access access;
    struct err err = {0};
    str path = str_c(folder);
    struct access_request request = {
        .propose = path.n == 0, .review = &path, .n_review = path.n > 0};
    if (!access_make(&p->arena, &request, &access, &err))
        fail_msg("%s", err.msg);
    return vault_as(p->vault, &p->arena, &access);
}

struct edit {
    const char *path, *text; /* text NULL: delete it; */
    const char *to;          /* or move it */
};

static bool edit_steps(struct draft *d, void *arg, struct err *err)
{
    struct ops_report r;
    for (const struct edit *e = arg; e->path != NULL; e++)
        if (!(e->to != NULL ? ops_move(d, str_c(e->path), str_c(e->to), &r, err)
              : e->text != NULL
                  ? draft_write(d, str_c(e->path), str_c(e->text), DRAFT_EDIT, err)
                  : draft_delete(d, str_c(e->path), err)))
            return false;
    return true;
}

static str keep_answer(struct arena *a, void *arg)
{
    (void)a;
    (void)arg;
    return STR("{}");
}

static bool change(struct place *p, struct vault *v, struct edit *edits, const char *key,
                   struct draft_result *out, struct err *err)
{
    struct transact t = {.by = {.tool = STR("vault_edit"),
                                .who = STR("anna"),
                                .client = STR("app"),
                                .grant = STR("anna\napp")},
                         .once = {.key = str_c(key), .request = str_c(edits->path)},
                         .steps = edit_steps,
                         .keep = keep_answer,
                         .arg = edits};
    return transact_run(v, &p->arena, &t, out, err);
}

static bool take(struct place *p, struct kept *k, const char *file,
                 struct accept_result *out, struct err *err)
{
    struct proposal proposal;
    struct hunks hunks;
    struct hunk_choice choice;
    str path = str_c(file);
    struct accept how = {.proposal = &proposal,
                         .id = STR("p1"),
                         .by = STR("ben"),
                         .hunks = &hunks,
                         .choice = &choice};
    if (!proposal_parse(&p->arena, k->text, &proposal, err))
        return false;
    hunks_list(&p->arena, &proposal, &hunks);
    hunks_choose_all(&p->arena, &hunks, &choice);
    return (file == NULL ||
            hunks_choose_paths(&p->arena, &hunks, &path, 1, &choice, err)) &&
           accept_proposal(p->vault, &p->arena, &how, out, err);
}

/* The same for hunks, after a person has seen the digest; show: only what it would do. */
struct choice {
    const char *text;
    str seen;
    struct hunks hunks;
    struct accept_preview shown;
};

static bool choose(struct place *p, struct kept *k, struct choice *c, bool show,
                   struct accept_result *out, struct err *err)
{
    struct proposal *proposal = ARENA_NEW(&p->arena, struct proposal);
    struct hunk_choice choice;
    struct accept how = {.proposal = proposal,
                         .id = STR("p1"),
                         .by = STR("ben"),
                         .hunks = &c->hunks,
                         .choice = &choice,
                         .seen = c->seen};
    if (!proposal_parse(&p->arena, k->text, proposal, err))
        return false;
    hunks_list(&p->arena, proposal, &c->hunks);
    return hunks_choose(&p->arena, &c->hunks, str_c(c->text), &choice, err) &&
           (show ? accept_preview(p->vault, &p->arena, &how, &c->shown, err)
                 : accept_proposal(p->vault, &p->arena, &how, out, err));
}

/* Nothing is on disk before it is accepted; then the journal says who did what. */
static void test_accept(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    struct journal *j;
    struct journal_change c;
    place_put(p, "a.md", STR("one\n"));
    start(p, &k);
    struct edit edits[] = {{"a.md", "two\n", NULL}, {"b.md", "new\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    CHECK_STR("proposal", made.proposal, "p1");
    CHECK_INT("change", made.change, 0);
    CHECK_INT("files", made.n, 2);
    CHECK_STR("as before", place_text(p, "a.md"), "one\n");
    CHECK("nothing new", !place_has(p, "b.md"));
    OK(take(p, &k, NULL, &done, &err));
    CHECK_STR("a", place_text(p, "a.md"), "two\n");
    CHECK_STR("b", place_text(p, "b.md"), "new\n");
    CHECK("whole", done.change > 0 && !done.partly && done.merged == 0);
    struct err why = {0};
    struct changes *changes = vault_changes(p->vault, &why);
    OK(changes_lock_all(changes, &j, &err));
    OK(journal_read(j, &p->arena, done.change, false, &c, &err));
    changes_unlock(changes);
    CHECK_STR("who", c.who, "anna");
    CHECK_STR("accepted by", c.accepted_by, "ben");
    uint64_t number = done.change;
    OK(take(p, &k, NULL, &done, &err));
    CHECK_INT("made once", done.change, number);
    arena_release(&k.arena);
}

/* What is not under review is made at once; what is mixed is proposed as a whole. */
static void test_folder(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    place_put(p, "Work/a.md", STR("one\n"));
    place_put(p, "b.md", STR("one\n"));
    start(p, &k);
    struct vault *v = client(p, "Work");
    struct edit plain[] = {{"b.md", "two\n", NULL}, {0}},
                mixed[] = {{"b.md", "three\n", NULL}, {"Work/a.md", "two\n", NULL}, {0}},
                into[] = {{"b.md", NULL, "Work/b.md"}, {0}},
                out[] = {{"Work/a.md", NULL, "a.md"}, {0}},
                folder[] = {{"Work", NULL, "Play"}, {0}};
    OK(change(p, v, plain, "", &made, &err));
    CHECK("made", made.change > 0 && made.proposal.n == 0 && k.n == 0);
    struct edit *all[] = {mixed, into, out, folder};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        OK(change(p, v, all[i], "", &made, &err));
        CHECK_INT(all[i]->path, k.n, i + 1);
    }
    CHECK_STR("b", place_text(p, "b.md"), "two\n");
    CHECK_STR("a", place_text(p, "Work/a.md"), "one\n");
    arena_release(&k.arena);
}

/* The gate makes nothing that needs a review, whoever asks it; nor does undo. */
static void test_gate(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct change_result result;
    place_put(p, "a.md", STR("one\n"));
    start(p, &k);
    struct change_op op = {.path = STR("a.md"), .text = STR("two\n")};
    struct change direct = {.ops = &op, .n = 1};
    FAILS(vault_change(client(p, ""), &p->arena, &direct, &result, &err), ERR_DENIED,
          "only after a review");
    struct edit edits[] = {{"a.md", "two\n", NULL}, {0}};
    OK(change(p, p->vault, edits, "", &made, &err));
    uint64_t number = made.change;
    struct transact undo = {.undo = &number};
    FAILS(transact_run(client(p, ""), &p->arena, &undo, &made, &err), ERR_DENIED,
          "only after a review");
    CHECK_STR("a", place_text(p, "a.md"), "two\n");
    arena_release(&k.arena);
}

/* A repeated call returns the same proposal, also when it was accepted meanwhile. */
static void test_repeated(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    start(p, &k);
    struct vault *v = client(p, "");
    struct edit edits[] = {{"new.md", "x\n", NULL}, {0}},
                other[] = {{"other.md", "x\n", NULL}, {0}};
    OK(change(p, v, edits, "key", &made, &err));
    CHECK("new", !made.repeated && k.n == 1);
    OK(change(p, v, edits, "key", &made, &err));
    CHECK("repeated", made.repeated && str_eq(made.proposal, STR("p1")) && k.n == 1);
    CHECK_STR("answer", made.answer, "{}");
    OK(take(p, &k, NULL, &done, &err));
    OK(change(p, v, edits, "key", &made, &err));
    CHECK("still", made.repeated && k.n == 1);
    FAILS(change(p, v, other, "key", &made, &err), ERR_CONFLICT, "");
    arena_release(&k.arena);
}

/* What was changed meanwhile is merged, or nothing at all is written. */
static void test_meanwhile(void **state)
{
    static const struct {
        const char *name, *now, *result; /* now NULL: removed; result NULL: a conflict */
    } cases[] = {
        {"the same", "# T\n\nONE\n\nlast\n", "# T\n\nONE\n\nlast\n"},
        {"the same place", "# T\n\nuno\n\nlast\n", NULL},
        {"removed", NULL, NULL},
    };
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    place_put(p, "a.md", STR("# T\n\none\n\nlast\n"));
    place_put(p, "b.md", STR("b\n"));
    start(p, &k);
    struct edit edits[] = {
        {"b.md", "B\n", NULL}, {"a.md", "# T\n\nONE\n\nlast\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    for (size_t i = COUNT_OF(cases); i-- > 0;) { /* conflicts first: they write nothing */
        struct err err = {0};
        if (cases[i].now != NULL)
            place_put(p, "a.md", str_c(cases[i].now));
        else
            unlinkat(p->fd, "a.md", 0);
        bool ok = take(p, &k, NULL, &done, &err);
        CHECK_INT(cases[i].name, ok, cases[i].result != NULL);
        CHECK_INT(cases[i].name, ok ? ERR_CONFLICT : err.code, ERR_CONFLICT);
        if (!ok) {
            CHECK_STR(cases[i].name, place_text(p, "b.md"), "b\n");
            continue;
        }
        CHECK_STR(cases[i].name, place_text(p, "a.md"), cases[i].result);
        break; /* it is made once */
    }
    arena_release(&k.arena);
}

static void test_merged(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    place_put(p, "a.md", STR("# T\n\none\n\nlast\n"));
    start(p, &k);
    struct edit edits[] = {{"a.md", "# T\n\nONE\n\nlast\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    place_put(p, "a.md", STR("# T\n\none\n\nlast, edited\n"));
    OK(take(p, &k, NULL, &done, &err));
    CHECK_STR("both", place_text(p, "a.md"), "# T\n\nONE\n\nlast, edited\n");
    CHECK_INT("merged", done.merged, 1);
    arena_release(&k.arena);
}

static void test_by_file(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    place_put(p, "a.md", STR("one\n"));
    place_put(p, "b.md", STR("one\n"));
    start(p, &k);
    struct edit edits[] = {{"a.md", "two\n", NULL}, {"b.md", "two\n", NULL}, {0}},
                move[] = {{"a.md", NULL, "c.md"}, {"b.md", "three\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    FAILS(take(p, &k, "c.md", &done, &err), ERR_INVALID, "c.md");
    OK(take(p, &k, "b.md", &done, &err));
    CHECK("partly", done.partly);
    CHECK_STR("a", place_text(p, "a.md"), "one\n");
    CHECK_STR("b", place_text(p, "b.md"), "two\n");
    OK(change(p, client(p, ""), move, "", &made, &err));
    FAILS(take(p, &k, "a.md", &done, &err), ERR_INVALID, "as a whole");
    arena_release(&k.arena);
}

#define LONG "a\nb\nc\nd\ne\nf\n"

/* Hunks that are left out leave the lines as they are, also where a file has changed. */
static void test_by_hunk(void **state)
{
    static const struct {
        const char *choice, *now, *result;
    } cases[] = {
        {"1.1", LONG, "A\nb\nc\nd\ne\nf\n"},
        {"1.2", LONG, "a\nb\nC\nd\ne\nf\n"},
        {"1.1,1.3", LONG, "A\nb\nc\nd\ne\nf\nnew\n"},
        {"1.2-3", "x\n" LONG, "x\na\nb\nC\nd\ne\nf\nnew\n"},
        {"all", LONG, "A\nb\nC\nd\ne\nf\nnew\n"},
        {"none", LONG, LONG},
    };
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    place_put(p, "a.txt", STR(LONG));
    start(p, &k);
    struct edit edits[] = {{"a.txt", "A\nb\nC\nd\ne\nf\nnew\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct choice c = {.text = cases[i].choice};
        bool moved = strcmp(cases[i].now, LONG) != 0;
        place_put(p, "a.txt", str_c(cases[i].now));
        OK(choose(p, &k, &c, true, NULL, &err));
        CHECK_INT(cases[i].choice, c.shown.files[0].state,
                  moved                                  ? ACCEPT_CONFLICT
                  : strcmp(cases[i].choice, "none") == 0 ? ACCEPT_LEFT_OUT
                                                         : ACCEPT_CLEAN);
        if (moved || c.shown.files[0].state == ACCEPT_LEFT_OUT)
            continue; /* a text file is merged only as a whole */
        CHECK_STR(cases[i].choice, c.shown.files[0].result, cases[i].result);
    }
    place_put(p, "a.txt", STR(LONG));
    struct choice first = {.text = "1.1,1.3"};
    OK(choose(p, &k, &first, false, &done, &err));
    CHECK("partly", done.partly && done.change > 0);
    CHECK_STR("written", place_text(p, "a.txt"), cases[2].result);
    arena_release(&k.arena);
}

/* What was shown is what is accepted: a note that has changed since is shown again. */
static void test_seen(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    struct choice c = {.text = "all"}, again = {.text = "all"};
    place_put(p, "a.md", STR("# T\n\none\n\nlast\n"));
    start(p, &k);
    struct edit edits[] = {{"a.md", "# T\n\nONE\n\nlast\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    OK(choose(p, &k, &c, true, NULL, &err));
    place_put(p, "a.md", STR("# T\n\none\n\nlast, edited\n"));
    c.seen = c.shown.seen;
    FAILS(choose(p, &k, &c, false, &done, &err), ERR_CONFLICT, "look at it again");
    CHECK_STR("nothing", place_text(p, "a.md"), "# T\n\none\n\nlast, edited\n");
    OK(choose(p, &k, &again, true, NULL, &err));
    CHECK_INT("merged", again.shown.files[0].state, ACCEPT_MERGED);
    CHECK_STR("merged", again.shown.files[0].result, "# T\n\nONE\n\nlast, edited\n");
    CHECK("another", !str_eq(again.shown.seen, c.seen));
    again.seen = again.shown.seen;
    OK(choose(p, &k, &again, false, &done, &err));
    CHECK_STR("both", place_text(p, "a.md"), "# T\n\nONE\n\nlast, edited\n");
    arena_release(&k.arena);
}

/* A conflict is shown with both texts, and hunks without one can still be accepted. */
static void test_shown_conflict(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    struct choice c = {.text = "all"}, other = {.text = "1.2"};
    place_put(p, "a.md", STR("# T\n\none\n\ntwo\n\nthree\n"));
    start(p, &k);
    struct edit edits[] = {{"a.md", "# T\n\nONE\n\ntwo\n\nTHREE\n", NULL}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    place_put(p, "a.md", STR("# T\n\nuno\n\ntwo\n\nthree\n"));
    OK(choose(p, &k, &c, true, NULL, &err));
    const struct accept_file *f = &c.shown.files[0];
    CHECK_INT("conflict", f->state, ACCEPT_CONFLICT);
    CHECK_INT("one", f->n_collisions, 1);
    CHECK("both", str_find(f->collisions[0].now, STR("uno")) != STR_NONE &&
                      str_find(f->collisions[0].proposed, STR("ONE")) != STR_NONE);
    CHECK("which", f->clashes[0] && !f->clashes[1]);
    OK(choose(p, &k, &other, false, &done, &err));
    CHECK_STR("the other", place_text(p, "a.md"), "# T\n\nuno\n\ntwo\n\nTHREE\n");
    arena_release(&k.arena);
}

/* No more goes than was shown. */
static void test_folder_grows(void **state)
{
    struct place *p = *state;
    struct kept k = {0};
    struct draft_result made = {0};
    struct accept_result done;
    place_put(p, "Old/a.md", STR("one\n"));
    start(p, &k);
    struct edit edits[] = {{"Old", NULL, "New"}, {0}};
    OK(change(p, client(p, ""), edits, "", &made, &err));
    place_put(p, "Old/b.md", STR("later\n"));
    FAILS(take(p, &k, NULL, &done, &err), ERR_CONFLICT, "'Old'");
    CHECK("stays", place_has(p, "Old/b.md") && place_has(p, "Old/a.md"));
    unlinkat(p->fd, "Old/b.md", 0);
    OK(take(p, &k, NULL, &done, &err));
    CHECK_STR("moved", place_text(p, "New/a.md"), "one\n");
    arena_release(&k.arena);
}

/* Where nobody keeps proposals, none is made, and nothing is written. */
static void test_no_keeper(void **state)
{
    struct place *p = *state;
    struct draft_result made = {0};
    place_start(p);
    struct edit edits[] = {{"a.md", "x\n", NULL}, {0}};
    FAILS(change(p, client(p, ""), edits, "", &made, &err), ERR_INVALID, "review");
    CHECK("nothing", !place_has(p, "a.md"));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_accept),    PLACE_TEST(test_folder),
        PLACE_TEST(test_gate),      PLACE_TEST(test_repeated),
        PLACE_TEST(test_meanwhile), PLACE_TEST(test_merged),
        PLACE_TEST(test_by_file),   PLACE_TEST(test_folder_grows),
        PLACE_TEST(test_no_keeper), PLACE_TEST(test_by_hunk),
        PLACE_TEST(test_seen),      PLACE_TEST(test_shown_conflict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
