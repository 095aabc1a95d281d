/*
 * The wall clock jumps between any two calls, by hours or decades, in both directions, and
 * so it may while the server is down. Notes are written, deleted and restored meanwhile:
 * a repeated call is still recognised, the trash still says where a note was, and at the
 * end every change can be undone, one after the other, whatever its date.
 */
#include <errno.h>

#include "base/clock.h"
#include "random.h"
#include "rounds.h"
#include "vault/ops.h"
#include "vault_place.h"

enum { ROUNDS = 6, STEPS = 40, NOTES = 4, YEAR = 365 * 24 * 60 * 60 };

static struct random dice = {4242};
static int64_t ahead; /* seconds */

int64_t __real_clock_now(void);
int64_t __wrap_clock_now(void);

int64_t __wrap_clock_now(void)
{
    return __real_clock_now() + ahead;
}

static uint32_t pick(uint32_t n)
{
    return random_below(&dice, n);
}

static void jump(void)
{
    static const int64_t jumps[] = {0, 0, 3600, -3600, 86400, -86400, 8 * 86400};
    static const int64_t far[] = {-30, -1, 0, 1, 10, 60};
    ahead += jumps[pick(COUNT_OF(jumps))];
    if (pick(4) == 0)
        ahead = far[pick(COUNT_OF(far))] * YEAR;
}

static const char *path_of(struct place *p, uint32_t note)
{
    return arena_printf(&p->arena, "n%u.md", note).p;
}

static struct draft_result commit(struct draft *d, const char *key)
{
    struct draft_result r;
    struct err err = {0};
    struct idempotency once = {
        .key = str_c(key), .request = STR("same"), .answer = STR("done")};
    if (!draft_commit(d, &once, &r, &err))
        fail_msg("%s, %lld s ahead: %s", key, (long long)ahead, err.msg);
    return r;
}

/* Between a call and its repetition: at most the time for which it is recognised, or so much
 * that the clock must be wrong. */
static void jump_soon(void)
{
    static const int64_t jumps[] = {0, 3600, -3600}, far[] = {-50, 200};
    ahead =
        pick(2) ? ahead + jumps[pick(COUNT_OF(jumps))] : far[pick(COUNT_OF(far))] * YEAR;
}

/* The same call twice. */
static void write_twice(struct place *p, uint32_t note, int step)
{
    const char *key = arena_printf(&p->arena, "key %d", step).p;
    for (int again = 0; again < 2; again++) {
        struct draft *d = place_draft(p);
        struct err err = {0};
        str text = arena_printf(&p->arena, "step %d\n", step);
        assert_true(draft_write(d, str_c(path_of(p, note)), text, DRAFT_OVERWRITE, &err));
        if (again)
            jump_soon();
        CHECK_INT(key, commit(d, key).repeated, again == 1);
    }
}

static void delete_note(struct place *p, uint32_t note)
{
    struct draft *d = place_draft(p);
    struct ops_report r;
    struct err err = {0};
    if (!ops_delete(d, str_c(path_of(p, note)), &(struct ops_delete){0}, &r, &err))
        fail_msg("%s", err.msg);
    commit(d, "");
}

/* By its name: from where it was, whenever that was. */
static void restore_note(struct place *p, uint32_t note)
{
    struct draft *d = place_draft(p);
    struct ops_report r;
    struct err err = {0};
    if (!ops_restore(d, str_c(path_of(p, note)), STR(""), &r, &err))
        fail_msg("%s, %lld s ahead: %s", path_of(p, note), (long long)ahead, err.msg);
    CHECK_STR("back", r.to, path_of(p, note));
    commit(d, "");
}

static void undo_all(struct place *p, size_t least)
{
    uint64_t number;
    struct err err = {0};
    size_t n = 0;
    for (; vault_undoable(p->vault, &number, &err); n++) {
        struct change undo = {.by.tool = STR("undo")};
        struct change_result r;
        jump();
        if (!vault_undo(p->vault, &p->arena, number, &undo, &r, &err))
            fail_msg("change %llu, %lld s ahead: %s", (unsigned long long)number,
                     (long long)ahead, err.msg);
    }
    CHECK("none is forgotten", n >= least);
}

static void test_clock_jumps(void **state)
{
    for (int round = 0; round < rounds(ROUNDS); round++) {
        struct place *p;
        bool gone[NOTES] = {false};
        size_t made = 0;
        ahead = 0;
        place_setup((void **)&p);
        for (uint32_t i = 0; i < NOTES; i++)
            place_put(p, path_of(p, i), STR("first\n"));
        str before = arena_str(&p->arena, place_tree(p));
        place_start(p);
        for (int step = 0; step < STEPS; step++, made++) {
            uint32_t note = pick(NOTES);
            jump();
            if (pick(6) == 0) {
                place_close_drafts(p);
                place_start(p);
            }
            if (gone[note])
                restore_note(p, note);
            else if (pick(3) == 0)
                delete_note(p, note);
            else
                write_twice(p, note, step);
            gone[note] = !place_has(p, path_of(p, note));
        }
        undo_all(p, made);
        assert_int_equal(unlinkat(p->fd, ".trash", AT_REMOVEDIR) == 0 || errno == ENOENT,
                         1);
        CHECK_STR("as before", place_tree(p), before);
        place_teardown((void **)&p);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clock_jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
