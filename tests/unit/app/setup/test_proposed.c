/* Proposals as people decide them, and what is left if a process dies meanwhile. */
#include "app/setup/proposed.h"

#include <pthread.h>

#include "base/os/thread.h"
#include "state/store.h"
#include "vault/change/proposal.h"
#include "vault_place.h"

enum { NOW = 1800000000, LATER = NOW + PROPOSALS_ACCEPTING_S + 1 };

struct desk {
    struct place *place;
    struct proposed_place at;
};

static int setup_desk(void **state)
{
    struct desk *d = mem_zero(sizeof(*d));
    struct err err = {0};
    void *place;
    place_setup(&place);
    d->place = place;
    place_put(d->place, "a.md", STR("one\n\ntwo\n\nthree\n"));
    place_start(d->place);
    if (!store_open(NULL, &d->at.store, &err))
        fail_msg("%s", err.msg);
    d->at.vault = STR("v");
    d->at.open = d->place->vault;
    d->at.now = NOW;
    *state = d;
    return 0;
}

static int teardown_desk(void **state)
{
    struct desk *d = *state;
    void *place = d->place;
    store_close(d->at.store);
    free(d);
    return place_teardown(&place);
}

/* Two hunks of a.md, by anna's client. */
static str propose(struct desk *d, const char *owner)
{
    struct arena *a = &d->place->arena;
    str base = STR("one\n\ntwo\n\nthree\n"), id = {0};
    struct proposal_op op = {.op = {.kind = JOURNAL_WRITE,
                                    .path = STR("a.md"),
                                    .text = STR("ONE\n\ntwo\n\nTHREE\n"),
                                    .expects = CHANGE_SAME,
                                    .was = hash_content(base)},
                             .base = base};
    struct proposal p = {.by = {.tool = STR("vault_edit"), .who = STR("anna")},
                         .summary = STR("vault_edit: a.md"),
                         .files = 1,
                         .ops = &op,
                         .n = 1};
    struct proposal_new row = {.vault = d->at.vault,
                               .owner = str_c(owner),
                               .summary = p.summary,
                               .body = proposal_print(a, &p)};
    struct proposal_earlier earlier;
    struct err err = {0};
    if (!proposal_table_add(d->at.store, a, &row, NOW, &id, &earlier, &err))
        fail_msg("%s", err.msg);
    return id;
}

static bool decide(struct desk *d, str id, const char *choice,
                   struct proposed_outcome *out, struct err *err)
{
    struct proposed_decision decision = {
        .id = id, .choice = str_c(choice), .by = STR("ben"), .reason = STR("so")};
    return proposed_decide(&d->at, &d->place->arena, &decision, out, err);
}

/* The change was made, but its process died before it could say so. Whoever decides next
 * makes nothing, and reports what that one had accepted. */
static void test_killed_after_the_change(void **state)
{
    struct desk *d = *state;
    struct arena *a = &d->place->arena;
    struct proposed_outcome done;
    struct proposed it;
    struct err err = {0};
    struct accept_result made;
    str id = propose(d, "anna\napp");
    struct proposal_verdict v = {
        .vault = d->at.vault, .id = id, .by = STR("eva"), .choice = STR("1.1")};
    assert_true(proposal_table_begin(d->at.store, &v, NOW, &err));
    assert_true(proposed_read(&d->at, a, id, STR("1.1"), &it, &err));
    struct accept how = {.proposal = &it.proposal,
                         .id = id,
                         .by = STR("eva"),
                         .hunks = &it.hunks,
                         .choice = &it.choice};
    assert_true(accept_proposal(d->place->vault, a, &how, &made, &err));
    CHECK_STR("made", place_text(d->place, "a.md"), "ONE\n\ntwo\n\nthree\n");
    CHECK("not yet", !decide(d, id, "all", &done, &err));
    CHECK_INT("not yet", err.code, ERR_CONFLICT);
    d->at.now = LATER;
    if (!decide(d, id, "all", &done, &err))
        fail_msg("%s", err.msg);
    CHECK_INT("the same change", done.change, made.change);
    CHECK_INT("partly", done.state, PROPOSAL_PARTLY);
    CHECK_STR("the first choice", done.choice, "1.1");
    CHECK_STR("once", place_text(d->place, "a.md"), "ONE\n\ntwo\n\nthree\n");
    assert_true(proposed_read(&d->at, a, id, STR(""), &it, &err));
    CHECK_STR("kept", it.row.choice, "1.1");
}

static void test_killed_before_the_change(void **state)
{
    struct desk *d = *state;
    struct proposed_outcome done;
    struct err err = {0};
    str id = propose(d, "anna\napp");
    struct proposal_verdict v = {
        .vault = d->at.vault, .id = id, .by = STR("eva"), .choice = STR("1.1")};
    assert_true(proposal_table_begin(d->at.store, &v, NOW, &err));
    d->at.now = LATER;
    if (!decide(d, id, "1.2", &done, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("the second choice", done.choice, "1.2");
    CHECK_STR("made", place_text(d->place, "a.md"), "one\n\ntwo\n\nTHREE\n");
}

struct deciding {
    struct desk *desk;
    struct arena arena;
    str id;
    bool ok;
    struct err err;
};

static void *accept_all(void *arg)
{
    struct deciding *x = arg;
    struct proposed_outcome done;
    struct proposed_decision all = {.id = x->id, .choice = STR("all"), .by = STR("eva")};
    x->ok = proposed_decide(&x->desk->at, &x->arena, &all, &done, &x->err);
    return NULL;
}

/* Who takes so long to accept that others take it for dead writes nothing once they have
 * decided. */
static void test_hangs(void **state)
{
    struct desk *d = *state;
    struct arena *a = &d->place->arena;
    struct deciding slow = {.desk = d, .id = propose(d, "anna\napp")};
    struct proposal_verdict no = {.vault = d->at.vault, .id = slow.id, .by = STR("ben")};
    struct proposal_row row = {0};
    struct journal *held;
    struct err err = {0};
    pthread_t thread;
    str body;
    struct changes *changes = vault_changes(d->place->vault, &err);
    assert_true(changes_lock_all(changes, &held, &err)); /* so long */
    assert_int_equal(pthread_create(&thread, NULL, accept_all, &slow), 0);
    for (; row.state != PROPOSAL_ACCEPTING; thread_pause(1000))
        assert_true(
            proposal_table_get(d->at.store, a, d->at.vault, slow.id, &row, &body, &err));
    CHECK("rejected", proposal_table_reject(d->at.store, &no, LATER, &err));
    changes_unlock(changes);
    pthread_join(thread, NULL);
    CHECK("not accepted", !slow.ok);
    CHECK_STR("unchanged", place_text(d->place, "a.md"), "one\n\ntwo\n\nthree\n");
    assert_true(
        proposal_table_get(d->at.store, a, d->at.vault, slow.id, &row, &body, &err));
    CHECK_INT("stays rejected", row.state, PROPOSAL_REJECTED);
    arena_release(&slow.arena);
}

/* What failed still waits. */
static void test_released(void **state)
{
    struct desk *d = *state;
    struct proposed_outcome done;
    struct proposed it;
    struct err err = {0};
    str id = propose(d, "anna\napp");
    place_put(d->place, "a.md", STR("uno\n\ntwo\n\nthree\n"));
    CHECK("conflict", !decide(d, id, "all", &done, &err));
    assert_true(proposed_read(&d->at, &d->place->arena, id, STR(""), &it, &err));
    CHECK_INT("waits", it.row.state, PROPOSAL_WAITING);
    CHECK("rejected", decide(d, id, "none", &done, &err));
    CHECK_INT("rejected", done.state, PROPOSAL_REJECTED);
    CHECK("once", !decide(d, id, "all", &done, &err));
}

/* A person sees what was proposed on their behalf: by their apps and keys, and by nobody
 * whose name only begins like theirs. */
static void test_people(void **state)
{
    static const struct {
        const char *owner, *person;
        bool sees;
    } cases[] = {
        {"anna\napp", "anna", true},
        {"anna\napp", "ann", false},
        {"anna/laptop\nkey", "anna", true},
        {"anna/laptop\nkey", "anna/laptop", true},
        {"anna/laptop\napp", "anna", false},
        {"annabel\napp", "anna", false},
        {"\nClaude", "", false},
        {"anna", "anna", false},
        {"laptop\nkey", "anna", false},
        {"/laptop\nkey", "", false},
    };
    struct desk *d = *state;
    struct proposed it;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str id = propose(d, cases[i].owner), person = str_c(cases[i].person);
        d->at.person = &person;
        CHECK_INT(cases[i].owner,
                  proposed_read(&d->at, &d->place->arena, id, STR(""), &it, &err),
                  cases[i].sees);
        struct proposed_outcome done;
        struct proposed_decision no = {.id = id, .choice = STR("none")};
        CHECK_INT(cases[i].owner,
                  proposed_decide(&d->at, &d->place->arena, &no, &done, &err),
                  cases[i].sees);
    }
}

static void test_expired(void **state)
{
    struct desk *d = *state;
    struct proposed_outcome done;
    struct proposal_row *rows;
    size_t n;
    struct err err = {0};
    str id = propose(d, "anna\napp");
    d->at.now = NOW + (PROPOSALS_DAYS + 1) * 24LL * 60 * 60;
    assert_true(proposed_list(&d->at, &d->place->arena, &rows, &n, &err));
    CHECK_INT("listed so", rows[0].state, PROPOSAL_EXPIRED);
    CHECK("too late", !decide(d, id, "all", &done, &err));
    CHECK("why", str_ends(str_c(err.msg), STR(" is expired")));
}

#define DESK_TEST(f) cmocka_unit_test_setup_teardown(f, setup_desk, teardown_desk)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(test_killed_after_the_change),
        DESK_TEST(test_killed_before_the_change),
        DESK_TEST(test_hangs),
        DESK_TEST(test_released),
        DESK_TEST(test_people),
        DESK_TEST(test_expired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
