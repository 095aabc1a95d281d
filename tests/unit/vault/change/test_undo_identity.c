/* A move is undone only from what it moved, never from what has its name by now. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "rounds.h"
#include "tree.h"
#include "vault/change/change.h"

static struct changes *open_changes(struct tree *t)
{
    struct changes *c;
    struct err err;
    if (!changes_open(&t->root, t->state, &c, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return c;
}

static uint64_t make(struct tree *t, struct changes *c, struct change_op op)
{
    struct change_result r;
    struct err err;
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
    if (!changes_make(c, &t->arena, &change, &r, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return r.number;
}

static uint64_t move(struct tree *t, struct changes *c, const char *from, const char *to)
{
    return make(
        t, c,
        (struct change_op){.kind = JOURNAL_MOVE, .path = str_c(from), .to = str_c(to)});
}

static bool undo(struct tree *t, struct changes *c, uint64_t number, uint64_t *as,
                 struct err *err)
{
    struct change_result r;
    bool ok = changes_undo(c, &t->arena, number, &(struct change){.by.tool = STR("undo")},
                           &r, err);
    *as = ok ? r.number : 0;
    return ok;
}

static uint64_t undo_well(const char *row, struct tree *t, struct changes *c,
                          uint64_t number)
{
    uint64_t as;
    struct err err;
    if (!undo(t, c, number, &as, &err))
        fail_msg("%s: %s (%s)", row, err.msg, err.detail);
    return as;
}

/* It fails, says why, and changes nothing. */
static void undo_refused(const char *row, struct tree *t, struct changes *c,
                         uint64_t number)
{
    uint64_t as;
    struct err err;
    str tree = tree_text(&t->arena, t->fd);
    CHECK(row, !undo(t, c, number, &as, &err));
    CHECK_INT(row, err.name, E_CONFLICT);
    CHECK(row, strstr(err.msg, "changed since") != NULL);
    CHECK_TREE(row, t, tree);
}

static void rename_well(struct tree *t, const char *from, const char *to)
{
    assert_int_equal(renameat(t->fd, from, t->fd, to), 0);
}

static void test_another_file_in_the_trash(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    put(t->fd, "a.md", "precious");
    folder(t->fd, "trash");
    uint64_t n = move(t, c, "a.md", "trash/a.md");
    assert_int_equal(unlinkat(t->fd, "trash/a.md", 0), 0);
    put(t->fd, "trash/a.md", "other"); /* with the inode of the first, on many systems */
    undo_refused("other text", t, c, n);
    put(t->fd, "trash/a.md", "precious");
    undo_well("the same text", t, c, n);
    changes_close(c);
}

static void test_another_folder_in_the_trash(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    folder(t->fd, "d");
    folder(t->fd, "e");
    put(t->fd, "d/mine.md", "mine");
    put(t->fd, "e/theirs.md", "theirs");
    folder(t->fd, "trash");
    uint64_t n = move(t, c, "d", "trash/d");
    put(t->fd, "trash/d/mine.md", "edited in the trash");
    rename_well(t, "trash/d", "kept");
    rename_well(t, "e", "trash/d");
    undo_refused("other folder", t, c, n);
    rename_well(t, "trash/d", "e");
    rename_well(t, "kept", "trash/d");
    undo_well("the same folder", t, c, n);
    CHECK_STR("text", content(&t->arena, t->fd, "d/mine.md"), "edited in the trash");
    changes_close(c);
}

static bool knows_creation(struct tree *t, const char *path)
{
    struct file_stat st;
    assert_true(file_stat_at(t->fd, path, FILE_NO_LINK, &st));
    return st.born_ns != 0;
}

static void test_edits_stay(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    put(t->fd, "a.md", "alpha");
    bool known = knows_creation(t, "a.md");
    uint64_t n = move(t, c, "a.md", "b.md");
    if (known) {
        put(t->fd, "b.md", "edited in place");
        n = undo_well("in place", t, c, undo_well("in place", t, c, n));
    }
    make(t, c,
         (struct change_op){
             .kind = JOURNAL_WRITE, .path = STR("b.md"), .text = STR("by a tool")});
    move(t, c, "b.md", "c.md");
    move(t, c, "c.md", "b.md");
    undo_well("by a tool", t, c, n);
    CHECK_STR("text", content(&t->arena, t->fd, "a.md"), "by a tool");
    n = move(t, c, "a.md", "b.md");
    put(t->fd, "new.tmp", "saved by an editor");
    rename_well(t, "new.tmp", "b.md");
    undo_refused("another file", t, c, n);
    changes_close(c);
}

/* A folder that undo has removed and redo has made again is the same one to vaultd. */
static void test_folder_made_again(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    uint64_t made =
        make(t, c,
             (struct change_op){
                 .kind = JOURNAL_WRITE, .path = STR("d/x.md"), .text = STR("x")});
    uint64_t back = undo_well("move", t, c, move(t, c, "d", "e"));
    undo_well("redo", t, c, undo_well("made", t, c, made));
    undo_well("moved again", t, c, back);
    CHECK_STR("text", content(&t->arena, t->fd, "e/x.md"), "x");
    changes_close(c);
}

/* What is at the old path by now stays. */
static void test_old_path_taken(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    put(t->fd, "a.md", "alpha");
    uint64_t n = move(t, c, "a.md", "b.md");
    put(t->fd, "a.md", "new");
    undo_refused("taken", t, c, n);
    changes_close(c);
}

/* On a file system that ignores case, A.md is found where b.md has become a.md; here, by
 * a second name. */
static void test_old_path_in_other_case(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_op ops[] = {
        {.kind = JOURNAL_MOVE, .path = STR("A.md"), .to = STR("c.md")},
        {.kind = JOURNAL_MOVE, .path = STR("b.md"), .to = STR("a.md")},
    };
    struct change change = {.ops = ops, .n = 2, .by.tool = STR("test")};
    struct change_result r, plan;
    struct err err;
    put(t->fd, "A.md", "alpha");
    put(t->fd, "b.md", "beta");
    assert_true(changes_make(c, &t->arena, &change, &r, &err));
    assert_int_equal(linkat(t->fd, "a.md", t->fd, "A.md", 0), 0);
    if (!changes_plan_undo(c, &t->arena, r.number, &plan, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(unlinkat(t->fd, "A.md", 0), 0);
    put(t->fd, "A.md", "new");
    undo_refused("another file", t, c, r.number);
    changes_close(c);
}

/* --- after a crash --- */

/* A process died after it had recorded a move, or made it. */
static void die(struct tree *t, bool moved, struct journal_change *dead)
{
    struct journal *j;
    struct err err;
    struct file_stat st;
    assert_true(file_stat_at(t->fd, "a.md", FILE_NO_LINK, &st));
    struct journal_op op = {.kind = JOURNAL_MOVE,
                            .path = STR("a.md"),
                            .to = STR("b.md"),
                            .is = {st.inode, st.born_ns, st.size},
                            .after = hash_content(STR("alpha"))};
    struct journal_op second = {.kind = JOURNAL_MAKE_FOLDER, .path = STR("never")};
    struct journal_op ops[] = {op, second};
    *dead = (struct journal_change){.time = clock_now(), .ops = ops, .n = 2};
    assert_true(journal_open(t->state, &j, &err));
    assert_true(journal_lock(j, NULL, &err));
    assert_true(journal_append(j, dead, &err));
    journal_close(j);
    if (moved)
        rename_well(t, "a.md", "b.md");
}

static void test_recovery_moves_nothing_else(void **state)
{
    struct tree *t = *state;
    struct journal_change dead;
    for (int moved = 0; moved < 2; moved++) {
        put(t->fd, "a.md", "alpha");
        die(t, moved == 1, &dead);
        rename_well(t, moved == 1 ? "b.md" : "a.md", "kept.md");
        put(t->fd, "b.md", "new at that name");
        changes_close(open_changes(t));
        CHECK_STR("b", content(&t->arena, t->fd, "b.md"), "new at that name");
        CHECK("a", !there(t->fd, "a.md"));
        CHECK_STR("kept", content(&t->arena, t->fd, "kept.md"), "alpha");
    }
}

static void test_recovery_rolls_back(void **state)
{
    struct tree *t = *state;
    struct journal_change dead;
    put(t->fd, "a.md", "alpha");
    die(t, true, &dead);
    changes_close(open_changes(t));
    CHECK_STR("a", content(&t->arena, t->fd, "a.md"), "alpha");
    CHECK("b", !there(t->fd, "b.md"));
}

/* Records of older versions do not say what was moved; they can be undone. */
static void test_older_records(void **state)
{
    struct tree *t = *state;
    struct journal *j;
    struct err err;
    struct journal_op op = {.kind = JOURNAL_MOVE, .path = STR("a.md"), .to = STR("b.md")};
    struct journal_change old = {.time = clock_now(), .ops = &op, .n = 1};
    assert_true(journal_open(t->state, &j, &err));
    assert_true(journal_lock(j, NULL, &err));
    assert_true(journal_append(j, &old, &err));
    journal_end(j, old.number, JOURNAL_DONE);
    journal_close(j);
    put(t->fd, "b.md", "moved");
    struct changes *c = open_changes(t);
    undo_well("old", t, c, old.number);
    CHECK_STR("a", content(&t->arena, t->fd, "a.md"), "moved");
    changes_close(c);
}

/* --- any moves, by vaultd and by others --- */

static unsigned seed;

static unsigned pick(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

enum { NAMES = 5, MOVES = 12 };
static const char *const names[NAMES] = {"a.md", "b.md", "c.md", "d.md", "e.md"};

/* Which file is at each name; 0: none. Its number is the start of its text. */
struct model {
    unsigned at[NAMES], next;
};

static void put_numbered(struct tree *t, const char *name, unsigned number)
{
    put_bytes(t->fd, name, arena_printf(&t->arena, "%u %u", number, pick(1000)));
}

/* Another program renames, replaces, removes or edits a file in place. */
static void meddle(struct tree *t, struct model *m)
{
    unsigned i = pick(NAMES), k = pick(NAMES), what = pick(4);
    if (what == 0 && m->at[i] != 0 && i != k) {
        rename_well(t, names[i], names[k]);
        m->at[k] = m->at[i];
        m->at[i] = 0;
    } else if (what == 1 && m->at[i] != 0) {
        assert_int_equal(unlinkat(t->fd, names[i], 0), 0);
        m->at[i] = 0;
    } else if (what == 2 && m->at[i] == 0) {
        put_numbered(t, names[i], m->at[i] = ++m->next);
    } else if (what == 3 && m->at[i] != 0) {
        put_numbered(t, names[i], m->at[i]);
    }
}

static void check_model(const char *row, struct tree *t, const struct model *m)
{
    for (size_t i = 0; i < NAMES; i++) {
        CHECK_INT(row, there(t->fd, names[i]), m->at[i] != 0);
        str text = m->at[i] != 0 ? content(&t->arena, t->fd, names[i]) : STR("0");
        CHECK_INT(row, strtoul(arena_str(&t->arena, text).p, NULL, 10), m->at[i]);
    }
}

struct moved {
    uint64_t number;
    unsigned from, to, file;
};

static void move_any(struct tree *t, struct changes *c, struct model *m,
                     struct moved *out, size_t *n)
{
    unsigned from = pick(NAMES), to = pick(NAMES);
    if (m->at[from] == 0 || m->at[to] != 0)
        return;
    out[(*n)++] =
        (struct moved){move(t, c, names[from], names[to]), from, to, m->at[from]};
    m->at[to] = m->at[from];
    m->at[from] = 0;
}

static void undo_any(const char *row, struct tree *t, struct changes *c, struct model *m,
                     const struct moved *moved)
{
    uint64_t as;
    struct err err;
    bool free = m->at[moved->to] == moved->file && m->at[moved->from] == 0;
    bool ok = undo(t, c, moved->number, &as, &err);
    if (ok != free)
        fail_msg("%s: %s undone, %s", row, ok ? "is" : "is not", ok ? "" : err.msg);
    if (ok) {
        m->at[moved->from] = moved->file;
        m->at[moved->to] = 0;
    }
}

static void test_any_moves(void **state)
{
    struct tree *t = *state;
    put(t->fd, "z.md", "");
    if (!knows_creation(t, "z.md"))
        SKIP("the file system does not say when a file was created");
    struct changes *c = open_changes(t);
    for (unsigned s = 1, end = (unsigned)rounds(60); s <= end; s++) {
        struct model m = {0};
        struct moved moved[MOVES];
        size_t n = 0;
        seed = s * 7919;
        for (size_t i = 0; i < NAMES; i++)
            if (there(t->fd, names[i]))
                put_numbered(t, names[i], m.at[i] = ++m.next);
        for (int i = 0; i < 40; i++) {
            char row[64];
            snprintf(row, sizeof(row), "seed %u, step %d", s, i);
            if (pick(3) > 0)
                meddle(t, &m);
            else if (n < MOVES && pick(2) == 0)
                move_any(t, c, &m, moved, &n);
            else if (n > 0)
                undo_any(row, t, c, &m, &moved[--n]);
            check_model(row, t, &m);
        }
        arena_reset(&t->arena);
    }
    changes_close(c);
}

TEST_MAIN(argc, argv)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_another_file_in_the_trash),
        TREE_TEST(test_another_folder_in_the_trash),
        TREE_TEST(test_edits_stay),
        TREE_TEST(test_folder_made_again),
        TREE_TEST(test_old_path_taken),
        TREE_TEST(test_old_path_in_other_case),
        TREE_TEST(test_recovery_moves_nothing_else),
        TREE_TEST(test_recovery_rolls_back),
        TREE_TEST(test_older_records),
        TREE_TEST(test_any_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
