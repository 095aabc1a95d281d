/* Making changes: in turn, again if a file has changed, and only once per key. */
#include "vault/transact.h"

#include <pthread.h>

#include "until.h"
#include "vault/ops.h"
#include "vault_place.h"

struct step {
    struct place *place;
    const char *from, *to;
    int calls;
    int edits; /* by another program, after the plan was made */
};

static bool move_step(struct draft *d, void *arg, struct err *err)
{
    struct step *s = arg;
    struct ops_report r;
    s->calls++;
    if (!ops_move(d, str_c(s->from), str_c(s->to), &r, err))
        return false;
    if (s->edits-- > 0)
        place_put(s->place, "A.md",
                  arena_printf(draft_arena(d), "[[Old]] edit %d", s->calls));
    return true;
}

static str moved(struct arena *a, void *arg)
{
    return arena_printf(a, "moved to %s", ((const struct step *)arg)->to);
}

static bool run_move(struct place *p, struct step *s, struct draft_result *r,
                     struct err *err)
{
    struct transact t = {
        .by = {.tool = STR("move")}, .steps = move_step, .keep = moved, .arg = s};
    s->place = p;
    return transact_run(p->vault, &p->arena, &t, r, err);
}

/* A note that another program made a moment ago has a link, too. */
static void test_unseen_link(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    place_put(p, "Old.md", STR("old"));
    place_start(p);
    place_put(p, "fresh.md", STR("[[Old]]"));
    struct step s = {.from = "Old.md", .to = "New.md"};
    OK(run_move(p, &s, &made, &err));
    CHECK_STR("rewritten", place_text(p, "fresh.md"), "[[New]]");
}

static void test_race(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    place_put(p, "Old.md", STR("old"));
    place_put(p, "A.md", STR("[[Old]]"));
    place_start(p);
    struct step s = {.from = "Old.md", .to = "New.md", .edits = 2};
    OK(run_move(p, &s, &made, &err));
    CHECK_INT("tries", s.calls, 3);
    CHECK_STR("theirs and ours", place_text(p, "A.md"), "[[New]] edit 2");
    place_undo(p, made.change);

    s = (struct step){.from = "Old.md", .to = "New.md", .edits = 1000};
    FAILS(run_move(p, &s, &made, &err), ERR_CONFLICT, "'A.md'");
    CHECK_INT("no more", s.calls, TRANSACT_TRIES);
    CHECK("theirs",
          place_has(p, "Old.md") && str_eq(place_text(p, "A.md"), STR("[[Old]] edit 4")));

    s = (struct step){.from = "Old.md", .to = "a?"};
    FAILS(run_move(p, &s, &made, &err), ERR_INVALID, "'a?.md'");
    CHECK_INT("hopeless", s.calls, 1);
}

/* What an undo would do is known before it is done. */
static void test_plan_undo(void **state)
{
    struct place *p = *state;
    struct draft_result made, plan;
    uint64_t number = 0;
    struct transact t = {.dry_run = true, .undo = &number};
    place_put(p, "Old.md", STR("old"));
    place_put(p, "A.md", STR("see [[Old]]\n"));
    place_start(p);
    FAILS(transact_run(p->vault, &p->arena, &t, &plan, &err), ERR_NOT_FOUND,
          "nothing to undo");
    struct step s = {.from = "Old.md", .to = "New.md"};
    OK(run_move(p, &s, &made, &err));
    str after = place_tree(p);
    OK(transact_run(p->vault, &p->arena, &t, &plan, &err));
    CHECK_INT("the latest", number, made.change);
    CHECK_INT("files", plan.n, 2);
    CHECK_STR("diff", draft_diff(&p->arena, &plan, 0),
              "rename from New.md\nrename to Old.md\n--- A.md\n+++ A.md\n"
              "@@ -1 +1 @@\n-see [[New]]\n+see [[Old]]\n");
    CHECK("nothing is changed", str_eq(after, place_tree(p)));
    place_put(p, "A.md", STR("edited"));
    FAILS(transact_run(p->vault, &p->arena, &t, &plan, &err), ERR_CONFLICT,
          "'A.md' has changed since");
}

/* A caller that expects a certain state gets the conflict immediately. */
static void test_exact(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    place_put(p, "Old.md", STR("old"));
    place_put(p, "A.md", STR("[[Old]]"));
    place_start(p);
    struct step s = {.place = p, .from = "Old.md", .to = "New.md", .edits = 1};
    struct transact t = {
        .by = {.tool = STR("move")}, .exact = true, .steps = move_step, .arg = &s};
    FAILS(transact_run(p->vault, &p->arena, &t, &made, &err), ERR_CONFLICT, "'A.md'");
    CHECK_INT("no more", s.calls, 1);
}

static void test_dry_run(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    place_put(p, "Old.md", STR("old"));
    place_put(p, "A.md", STR("[[Old]]\n"));
    place_start(p);
    str before = place_tree(p);
    struct step s = {.place = p, .from = "Old.md", .to = "New.md"};
    struct transact t = {.by = {.tool = STR("move")},
                         .once = {.key = STR("k"), .request = STR("r")},
                         .dry_run = true,
                         .steps = move_step,
                         .arg = &s};
    OK(transact_run(p->vault, &p->arena, &t, &made, &err));
    CHECK("nothing happened", str_eq(before, place_tree(p)) && made.change == 0);
    CHECK_STR("diff", draft_diff(&p->arena, &made, 0),
              "--- A.md\n+++ A.md\n@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
              "rename from Old.md\nrename to New.md\n");
    t.dry_run = false;
    OK(transact_run(p->vault, &p->arena, &t, &made, &err));
    CHECK("the key is free", made.change == 1 && !made.repeated && made.n == 2);
    t.dry_run = true; /* what would happen now, even if the key was used */
    s.from = "New.md";
    s.to = "Newer.md";
    OK(transact_run(p->vault, &p->arena, &t, &made, &err));
    CHECK("would be moved", !made.repeated && made.n == 2);
}

static void test_run_again(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    place_put(p, "Old.md", STR("old"));
    place_start(p);
    struct step s = {.place = p, .from = "Old.md", .to = "New.md"};
    struct transact t = {.by = {.tool = STR("move")},
                         .once = {.key = STR("k"), .request = STR("r")},
                         .steps = move_step,
                         .keep = moved,
                         .arg = &s};
    OK(transact_run(p->vault, &p->arena, &t, &made, &err));
    CHECK("made", !made.repeated && made.change == 1);
    OK(transact_run(p->vault, &p->arena, &t, &made, &err));
    CHECK("once", made.repeated && made.change == 1 && made.n == 0 && s.calls == 1);
    CHECK_STR("first answer", made.answer, "moved to New.md");
    t.once.request = STR("other");
    FAILS(transact_run(p->vault, &p->arena, &t, &made, &err), ERR_CONFLICT,
          "idempotency_key");
    place_start_with(p, NULL);
    t.once.key = (str){0};
    FAILS(transact_run(p->vault, &p->arena, &t, &made, &err), ERR_NOT_FOUND, "Old.md");
}

/* A caller that cannot see a change learns nothing about it from its key. */
static void test_run_again_unseen(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    struct access access;
    place_put(p, "Old.md", STR("old"));
    place_put(p, "Work/A.md", STR("a"));
    place_start(p);
    struct step s = {.place = p, .from = "Old.md", .to = "New.md"};
    struct transact t = {.by = {.tool = STR("move")},
                         .once = {.key = STR("k"), .request = STR("r")},
                         .steps = move_step,
                         .keep = moved,
                         .arg = &s};
    OK(transact_run(p->vault, &p->arena, &t, &made, &err));
    OK(access_parse(&p->arena, STR("read Work\n"), &access, &err));
    struct vault *v = vault_as(p->vault, &p->arena, &access);
    FAILS(transact_run(v, &p->arena, &t, &made, &err), ERR_CONFLICT, "idempotency_key");
    CHECK_INT("no more", s.calls, 1);
}

/* --- undo --- */

static str undone(struct arena *a, void *number)
{
    return arena_printf(a, "undone %d", (int)*(const uint64_t *)number);
}

static void test_undo(void **state)
{
    struct place *p = *state;
    struct draft_result made, r;
    uint64_t number = 0;
    struct transact t = {.by = {.tool = STR("undo")},
                         .once = {.key = STR("k"), .request = STR("r")},
                         .undo = &number,
                         .keep = undone,
                         .arg = &number};
    place_put(p, "Old.md", STR("old"));
    place_start(p);
    FAILS(transact_run(p->vault, &p->arena, &t, &r, &err), ERR_NOT_FOUND,
          "nothing to undo");
    struct step s = {.from = "Old.md", .to = "New.md"};
    OK(run_move(p, &s, &made, &err));
    OK(transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK("latest", number == 1 && r.change == 2 && place_has(p, "Old.md"));
    number = 0;
    OK(transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK("once", r.repeated && r.change == 2 && place_has(p, "Old.md"));
    CHECK_STR("first answer", r.answer, "undone 1");
    t.once.key = (str){0};
    number = 2;
    OK(transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK("that one", r.change == 3 && place_has(p, "New.md"));
}

static size_t asked_files;

static bool refuse_undo(struct actor *by, size_t files, void *arg, struct err *err)
{
    asked_files = files;
    return err_named(err, E_NOT_CONFIRMED, "refused");
}

/* Whether it may be made is asked with the files of the change, and not for an undo that
 * was made. */
static void test_SEC_114_undo_refused(void **state)
{
    struct place *p = *state;
    struct draft_result made, r;
    uint64_t number = 0;
    struct transact t = {.by = {.tool = STR("undo")},
                         .once = {.key = STR("k"), .request = STR("r")},
                         .undo = &number,
                         .may_undo = refuse_undo,
                         .arg = &number};
    place_put(p, "Old/A.md", STR("a"));
    place_put(p, "Old/B.md", STR("b"));
    place_put(p, "Old/C.md", STR("c"));
    place_start(p);
    struct step s = {.from = "Old", .to = "New"};
    OK(run_move(p, &s, &made, &err));
    FAILS(transact_run(p->vault, &p->arena, &t, &r, &err), ERR_DENIED, "refused");
    CHECK_INT("files", asked_files, 3);
    CHECK("not undone", place_has(p, "New/A.md"));
    t.may_undo = NULL;
    OK(transact_run(p->vault, &p->arena, &t, &r, &err));
    t.may_undo = refuse_undo;
    OK(transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK("repeated", r.repeated && r.change == 2);
}

/* --- the loop --- */

struct tries {
    int calls, good; /* the attempt that succeeds */
    bool again;
};

static bool attempt(void *arg, bool *again, struct err *err)
{
    struct tries *t = arg;
    *again = t->again;
    return ++t->calls == t->good || err_set(err, ERR_BUSY, "attempt %d", t->calls);
}

static void test_try(void **state)
{
    static const struct {
        const char *name;
        struct tries t;
        int alone, calls;
        bool ok;
    } rows[] = {
        {"at once", {0, 1, true}, 0, 1, true},   {"later", {0, 3, true}, 2, 3, true},
        {"too late", {0, 6, true}, 4, 5, false}, {"for good", {0, 2, false}, 0, 1, false},
        {"before", {0, 2, true}, 4, 2, true},
    };
    struct place *p = *state;
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct tries t = rows[i].t;
        struct err err;
        bool ok = transact_try(p->vault, attempt, &t, 5, rows[i].alone, &err);
        CHECK_INT(rows[i].name, ok, rows[i].ok);
        CHECK_INT(rows[i].name, t.calls, rows[i].calls);
    }
}

static bool append(struct draft *d, void *arg, struct err *err)
{
    struct draft_file f;
    return draft_read(d, STR("A.md"), &f, err) &&
           draft_write(d, STR("A.md"),
                       arena_printf(draft_arena(d), STR_FMT "x", STR_ARG(f.text)),
                       DRAFT_OVERWRITE, err);
}

/* --- steps that take long --- */

struct slow {
    struct place *place;
    int calls, asked;
    bool other_made;
};

static bool asked(void *arg)
{
    struct slow *s = arg;
    s->asked++;
    return s->calls > 0;
}

/* Another program's change, made while ours is planned. */
static void *make_other(void *arg)
{
    struct slow *s = arg;
    struct transact t = {.by = {.tool = STR("edit")}, .steps = append};
    struct draft_result r;
    struct arena a = {0};
    struct err err;
    s->other_made = transact_run(s->place->vault, &a, &t, &r, &err);
    arena_release(&a);
    return NULL;
}

static bool slow_step(struct draft *d, void *arg, struct err *err)
{
    struct slow *s = arg;
    pthread_t other;
    if (s->calls++ == 0) {
        assert_int_equal(pthread_create(&other, NULL, make_other, s), 0);
        pthread_join(other, NULL);
    }
    return append(d, NULL, err);
}

/* The steps of an early change block no other change: this would hang. */
static void test_early(void **state)
{
    struct place *p = *state;
    struct slow s = {.place = p};
    struct draft_result r;
    place_put(p, "A.md", STR(""));
    place_start(p);
    struct transact t = {
        .by = {.tool = STR("edit")}, .early = true, .steps = slow_step, .arg = &s};
    OK(transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK("the other was made", s.other_made);
    CHECK_STR("both", place_text(p, "A.md"), "xx");
}

/* The same call again, which comes while the first one is being made. */
struct twice {
    struct place *place;
    struct transact t;
    int calls;
    bool first_made;
};

static void *make_first(void *arg)
{
    struct twice *w = arg;
    struct draft_result r;
    struct arena a = {0};
    struct err err;
    w->first_made = transact_run(w->place->vault, &a, &w->t, &r, &err) && !r.repeated;
    arena_release(&a);
    return NULL;
}

static bool create_twice(struct draft *d, void *arg, struct err *err)
{
    struct twice *w = arg;
    pthread_t first;
    if (w->calls++ == 0) {
        assert_int_equal(pthread_create(&first, NULL, make_first, w), 0);
        pthread_join(first, NULL);
    }
    return draft_write(d, STR("new.md"), STR("x"), DRAFT_CREATE, err);
}

static str created(struct arena *a, void *arg)
{
    return STR("created");
}

/* SEC-114: it is not told that its own note exists. */
static void test_SEC_114_early_repeat(void **state)
{
    struct place *p = *state;
    struct draft_result r;
    struct err err = {0};
    place_start(p);
    struct twice w = {.place = p,
                      .t = {.by = {.tool = STR("w")},
                            .once = {.key = STR("k"), .request = STR("r")},
                            .early = true,
                            .steps = create_twice,
                            .keep = created}};
    w.t.arg = &w;
    CHECK("recognised", transact_run(p->vault, &p->arena, &w.t, &r, &err));
    CHECK("repeated", w.first_made && r.repeated && r.change == 1);
    CHECK_STR("answer", r.answer, "created");
    w.t.once.key = STR("other");
    CHECK("not made", !transact_run(p->vault, &p->arena, &w.t, &r, &err));
    CHECK_INT("exists", err.name, E_FILE_EXISTS);
}

static bool stopped_step(struct draft *d, void *arg, struct err *err)
{
    struct slow *s = arg;
    s->calls++;
    return append(d, NULL, err);
}

/* A client that is gone, or a deadline, ends the steps; nothing is changed. */
static void test_stopped(void **state)
{
    struct place *p = *state;
    struct slow s = {.place = p};
    struct draft_result r;
    struct err err = {0};
    place_put(p, "A.md", STR(""));
    place_start(p);
    struct transact t = {.by = {.tool = STR("edit")},
                         .stop = {.asked = asked, .arg = &s},
                         .steps = stopped_step,
                         .arg = &s};
    CHECK("stopped", !transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK_INT("TIMEOUT", err.name, E_TIMEOUT);
    CHECK("asked", s.asked > 0);
    CHECK_STR("unchanged", place_text(p, "A.md"), "");
}

struct other_change {
    struct place *place;
    atomic_bool has_turn, may_end;
};

static void *hold_turn(void *arg)
{
    struct other_change *o = arg;
    struct err err;
    assert_true(vault_take_turn(o->place->vault, NULL, &err));
    atomic_store(&o->has_turn, true);
    UNTIL(atomic_load(&o->may_end));
    vault_end_turn(o->place->vault);
    return NULL;
}

static bool is_cancelled(void *arg)
{
    return ++*(int *)arg > 3;
}

/* Waiting for the turn ends when the client cancels. */
static void test_turn_is_waited_for(void **state)
{
    struct place *p = *state;
    struct other_change o = {.place = p};
    struct draft_result r;
    struct err err = {0};
    struct slow s = {.place = p};
    int asked = 0;
    pthread_t thread;
    place_put(p, "A.md", STR(""));
    place_start(p);
    assert_int_equal(pthread_create(&thread, NULL, hold_turn, &o), 0);
    UNTIL(atomic_load(&o.has_turn));
    struct transact t = {.by = {.tool = STR("edit")},
                         .stop = {.asked = is_cancelled, .arg = &asked},
                         .steps = stopped_step,
                         .arg = &s};
    CHECK("given up", !transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK_INT("BUSY", err.name, E_BUSY);
    CHECK_STR("unchanged", place_text(p, "A.md"), "");
    atomic_store(&o.may_end, true);
    t.stop = (struct stop){0};
    CHECK("made", transact_run(p->vault, &p->arena, &t, &r, &err));
    pthread_join(thread, NULL);
}

/* It ends after VAULT_TURN_MS, which is shorter here. */
static void test_turn_has_a_deadline(void **state)
{
    struct place *p = *state;
    struct other_change o = {.place = p};
    struct err err = {0};
    pthread_t thread;
    place_put(p, "A.md", STR(""));
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state, .turn_ms = 1});
    assert_int_equal(pthread_create(&thread, NULL, hold_turn, &o), 0);
    UNTIL(atomic_load(&o.has_turn));
    CHECK("given up", !vault_take_turn(p->vault, NULL, &err));
    CHECK_INT("BUSY", err.name, E_BUSY);
    atomic_store(&o.may_end, true);
    pthread_join(thread, NULL);
    CHECK("free again", vault_take_turn(p->vault, NULL, &err));
    vault_end_turn(p->vault);
}

/* A call that needs too much memory fails, and only that. */
static void test_memory(void **state)
{
    struct place *p = *state;
    struct slow s = {.place = p};
    struct draft_result r;
    struct err err = {0};
    place_put(p, "A.md", STR(""));
    place_start(p);
    struct transact t = {.by = {.tool = STR("edit")},
                         .stop = {.arena = &p->arena, .max = 0},
                         .steps = stopped_step,
                         .arg = &s};
    CHECK("refused", !transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK_INT("a limit", err.code, ERR_LIMIT);
    CHECK_STR("unchanged", place_text(p, "A.md"), "");
    t.stop.max = 64 << 20;
    CHECK("made", transact_run(p->vault, &p->arena, &t, &r, &err));
    CHECK_STR("changed", place_text(p, "A.md"), "x");
}

/* SEC-110: edits at the same time, none lost; of several creations one succeeds. */
enum { THREADS = 8, EDITS = 12 };

struct worker {
    struct place *place;
    bool early;
    int created, failed;
};

static bool create(struct draft *d, void *arg, struct err *err)
{
    return draft_write(d, STR("one.md"), STR("x"), DRAFT_CREATE, err);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct arena a = {0};
    struct transact edit = {
        .by = {.tool = STR("edit")}, .early = w->early, .steps = append};
    struct transact make = {.by = {.tool = STR("edit")}, .steps = create};
    struct draft_result r;
    struct err err = {0};
    for (int i = 0; i < EDITS; i++)
        w->failed += !transact_run(w->place->vault, &a, &edit, &r, &err);
    w->created = transact_run(w->place->vault, &a, &make, &r, &err);
    arena_release(&a);
    return NULL;
}

static void test_parallel(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR(""));
    place_start(p);
    pthread_t threads[THREADS];
    struct worker workers[THREADS] = {0};
    int created = 0, failed = 0;
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].place = p;
        workers[i].early = i % 2 == 0;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        created += workers[i].created;
        failed += workers[i].failed;
    }
    CHECK_INT("failed", failed, 0);
    CHECK_INT("none lost", place_text(p, "A.md").n, THREADS * EDITS);
    CHECK_INT("one created", created, 1);
}

/* --- what an undo says --- */

static void test_swap_undone(void **state)
{
    struct place *p = *state;
    struct change_result plan;
    struct draft_result r;
    place_put(p, "a.md", STR("a"));
    place_put(p, "b.md", STR("b"));
    place_start(p);
    struct draft *d = place_draft(p);
    draft_move(d, STR("a.md"), STR("b.md"));
    draft_move(d, STR("b.md"), STR("a.md"));
    uint64_t change = place_commit("swap", d).change;
    OK(vault_plan_undo(p->vault, &p->arena, change, &plan, &err));
    draft_list_undo(&p->arena, &plan, &r);
    CHECK_INT("both", r.n, 2);
    for (size_t i = 0; i < r.n; i++)
        CHECK("no names of our own", path_is_visible(r.files[i].path) &&
                                         path_is_visible(r.files[i].to) &&
                                         !str_eq(r.files[i].path, r.files[i].to));
}

/* What stands in the way is named, and who made it. */
static void test_undo_blocked(void **state)
{
    struct place *p = *state;
    struct change as = {.by.tool = STR("undo")};
    struct change_result r;
    place_put(p, "d/x.md", STR("x"));
    place_start(p);
    struct draft *d = place_draft(p);
    draft_move(d, STR("d"), STR("e"));
    uint64_t change = place_commit("move", d).change;
    d = place_draft(p);
    OK(draft_write(d, STR("d/y.md"), STR("y"), DRAFT_CREATE, &err));
    (void)place_commit("write", d);
    FAILS(vault_undo(p->vault, &p->arena, change, &as, &r, &err), ERR_CONFLICT,
          "'d' has changed since, by change 2: undo that first");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_unseen_link),
        PLACE_TEST(test_race),
        PLACE_TEST(test_plan_undo),
        PLACE_TEST(test_exact),
        PLACE_TEST(test_dry_run),
        PLACE_TEST(test_run_again),
        PLACE_TEST(test_run_again_unseen),
        PLACE_TEST(test_undo),
        PLACE_TEST(test_try),
        PLACE_TEST(test_early),
        PLACE_TEST(test_stopped),
        PLACE_TEST(test_turn_is_waited_for),
        PLACE_TEST(test_turn_has_a_deadline),
        PLACE_TEST(test_memory),
        PLACE_TEST(test_parallel),
        PLACE_TEST(test_SEC_114_early_repeat),
        PLACE_TEST(test_SEC_114_undo_refused),
        PLACE_TEST(test_swap_undone),
        PLACE_TEST(test_undo_blocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
