/* Changes with many operations: made, undone and made again; and where their moves lead, compared with a plain loop
 * over all of them. In --full there are enough operations that a loop inside a loop would run into the time limit. */
#include <stdio.h>

#include "base/log.h"
#include "base/path.h"
#include "random.h"
#include "rounds.h"
#include "tree.h"
#include "vault/change/change.h"
#include "vault/change/change_moves.h"

static uint64_t make_all(struct tree *t, struct changes *c, struct change_op *ops,
                         size_t n)
{
    struct change_result r;
    struct err err;
    struct change change = {.ops = ops, .n = n, .by.tool = STR("test")};
    if (!changes_make(c, &t->arena, &change, &r, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return r.number;
}

static uint64_t undo_all(struct tree *t, struct changes *c, uint64_t number)
{
    struct change_result r;
    struct err err;
    struct change as = {.by.tool = STR("undo")};
    if (!changes_undo(c, &t->arena, number, &as, &r, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return r.number;
}

/* A new folder for each file, or one for all. */
static struct change_op write_or_move(struct tree *t, size_t i, bool move, bool apart)
{
    str flat = arena_printf(&t->arena, "n%zu.md", i);
    str there = apart ? arena_printf(&t->arena, "d%zu/e/n%zu.md", i, i)
                      : arena_printf(&t->arena, "all/n%zu.md", i);
    if (!move)
        return (struct change_op){.kind = JOURNAL_WRITE, .path = there, .text = flat};
    put_bytes(t->fd, flat.p, flat);
    return (struct change_op){.kind = JOURNAL_MOVE, .path = flat, .to = there};
}

static void test_many(void **state)
{
    struct tree *t = *state;
    size_t n = (size_t)rounds(500);
    for (int kind = 0; kind < 4; kind++) {
        struct changes *c;
        struct err err;
        assert_true(changes_open(&t->root, t->state, &c, &err));
        struct change_op *ops = ARENA_ARRAY(&t->arena, struct change_op, n);
        for (size_t i = 0; i < n; i++)
            ops[i] = write_or_move(t, i, kind % 2 == 1, kind / 2 == 1);
        str before = tree_text(&t->arena, t->fd);
        uint64_t number = make_all(t, c, ops, n);
        str after = tree_text(&t->arena, t->fd);
        assert_false(str_eq(before, after));
        number = undo_all(t, c, number);
        assert_true(str_eq(tree_text(&t->arena, t->fd), before));
        number = undo_all(t, c, number);
        assert_true(str_eq(tree_text(&t->arena, t->fd), after));
        undo_all(t, c, number);
        changes_close(c);
        arena_reset(&t->arena);
    }
}

/* --- where moves lead --- */

static str any_path(struct arena *a, struct random *r)
{
    static const char *const names[] = {"a", "b", "ab", "A"};
    str path = STR("");
    do
        path = path_join(a, path, str_c(names[random_below(r, 4)]));
    while (random_below(r, 3) > 0);
    return path;
}

static str moved_by_loop(struct arena *a, const struct journal_change *c, size_t first,
                         str path)
{
    for (size_t i = first; i < c->n; i++) {
        const struct journal_op *op = &c->ops[i];
        if (op->kind == JOURNAL_MOVE && path_is_or_below(op->path, path))
            path = arena_printf(a, STR_FMT STR_FMT, STR_ARG(op->to),
                                STR_ARG(str_skip(path, op->path.n)));
    }
    return path;
}

static size_t count_arrivals(struct arena *a, const struct change_moves *m, str path)
{
    const struct journal_op *op;
    size_t n = 0;
    for (size_t at = 0; (op = change_arrival(a, m, path, &at)) != NULL;)
        n += str_eq_nocase(op->to, path);
    return n;
}

static size_t count_by_loop(const struct journal_change *c, str path)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->ops[i].kind == JOURNAL_MOVE && str_eq_nocase(c->ops[i].to, path);
    return n;
}

static void test_moves(void **state)
{
    struct arena a = {0};
    struct random r = {20261118};
    (void)state;
    for (int round = 0; round < rounds(1000); round++) {
        struct journal_op ops[24];
        struct journal_change c = {.ops = ops, .n = random_below(&r, COUNT_OF(ops) + 1)};
        for (size_t i = 0; i < c.n; i++)
            ops[i] = (struct journal_op){.kind = random_one_in(&r, 4) ? JOURNAL_WRITE
                                                                      : JOURNAL_MOVE,
                                         .path = any_path(&a, &r),
                                         .to = any_path(&a, &r)};
        struct change_moves m = change_moves_of(&a, &c);
        for (int k = 0; k < 20; k++) {
            char row[32];
            size_t first = random_below(&r, (uint32_t)c.n + 1);
            str path = any_path(&a, &r);
            snprintf(row, sizeof(row), "round %d.%d", round, k);
            CHECK(row, str_eq(change_moved(&a, &m, first, path),
                              moved_by_loop(&a, &c, first, path)));
            CHECK_INT(row, count_arrivals(&a, &m, path), count_by_loop(&c, path));
        }
        arena_reset(&a);
    }
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_many),
        cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
