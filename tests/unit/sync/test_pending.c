#include "sync/pending.h"

#include "vault_place.h"

static struct draft_result write_text(struct place *p, const char *path, const char *text)
{
    struct draft *d = place_draft(p);
    OK(draft_write(d, str_c(path), str_c(text), DRAFT_OVERWRITE, &err));
    return place_commit(path, d);
}

static void move(struct place *p, const char *from, const char *to)
{
    struct draft *d = place_draft(p);
    draft_move(d, str_c(from), str_c(to));
    place_commit(from, d);
}

static void take_away(struct place *p, const char *path)
{
    struct draft *d = place_draft(p);
    OK(draft_delete(d, str_c(path), &err));
    place_commit(path, d);
}

static void pull(struct place *p, const char *path, const char *text)
{
    struct change_op op = {
        .kind = JOURNAL_WRITE, .path = str_c(path), .text = str_c(text)};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("sync")};
    struct change_result made;
    OK(vault_change(p->vault, &p->arena, &change, &made, &err));
}

static struct pending read_all(struct place *p, uint64_t done)
{
    struct pending list;
    OK(pending_read(p->vault, &p->arena, done, &list, &err));
    return list;
}

/* "disk Path", "gone", or "kept text". */
static str after(struct place *p, const struct pending *list, size_t i, const char *path)
{
    struct pending_file f = pending_after(list, &p->arena, i, str_c(path));
    return f.where == PENDING_GONE ? STR("gone")
           : f.where == PENDING_ON_DISK
               ? arena_printf(&p->arena, "disk " STR_FMT, STR_ARG(f.path))
               : arena_printf(&p->arena, "kept " STR_FMT, STR_ARG(f.text));
}

/* The files as each change left them, although the next one followed immediately. */
static void test_after(void **state)
{
    struct place *p = *state;
    place_start(p);
    write_text(p, "A.md", "one");   /* 0 */
    write_text(p, "A.md", "two");   /* 1 */
    move(p, "A.md", "F/B.md");      /* 2 */
    write_text(p, "F/B.md", "");    /* 3 */
    move(p, "F", "G");              /* 4 */
    write_text(p, "F/B.md", "new"); /* 5 */
    take_away(p, "G/B.md");         /* 6 */
    struct pending list = read_all(p, 0);
    assert_int_equal(list.n, 7);
    assert_false(list.more || list.gap);
    static const struct {
        size_t i;
        const char *path, *want;
    } rows[] = {
        {0, "A.md", "kept one"},      {1, "A.md", "kept two"},
        {1, "F/B.md", "gone"},        {2, "F/B.md", "kept two"},
        {2, "A.md", "disk A.md"},     {3, "F/B.md", "kept "},
        {3, "G/B.md", "gone"},        {4, "G/B.md", "kept "},
        {4, "F/B.md", "gone"},        {5, "F/B.md", "disk F/B.md"},
        {6, "G/B.md", "disk G/B.md"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i].path, after(p, &list, rows[i].i, rows[i].path), rows[i].want);
}

/* What a pull merged belongs to the change before it; a later change does not. */
static void test_after_pull(void **state)
{
    struct place *p = *state;
    place_start(p);
    write_text(p, "A.md", "mine");
    pull(p, "A.md", "mine and theirs");
    struct pending list = read_all(p, 0);
    CHECK_STR("pulled", after(p, &list, 0, "A.md"), "disk A.md");
    write_text(p, "A.md", "later");
    list = read_all(p, 0);
    CHECK_STR("changed", after(p, &list, 0, "A.md"), "kept mine and theirs");
    CHECK_STR("last", after(p, &list, 2, "A.md"), "disk A.md");
}

/* What a pull moved away is in the commit of the pull under its new name only. */
static void test_after_pulled_move(void **state)
{
    struct place *p = *state;
    struct change_op op = {.kind = JOURNAL_MOVE, .path = STR("A.md"), .to = STR("B.md")};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("sync")};
    struct change_result made;
    place_start(p);
    write_text(p, "A.md", "mine");
    OK(vault_change(p->vault, &p->arena, &change, &made, &err));
    struct pending list = read_all(p, 0);
    CHECK_STR("old name", after(p, &list, 0, "A.md"), "disk A.md");
    write_text(p, "B.md", "later");
    list = read_all(p, 0);
    CHECK_STR("changed since", after(p, &list, 0, "A.md"), "disk A.md");
    CHECK_STR("new name", after(p, &list, 2, "B.md"), "disk B.md");
}

static void test_undo(void **state)
{
    struct place *p = *state;
    place_start(p);
    write_text(p, "A.md", "one");
    place_undo(p, write_text(p, "A.md", "two").change);
    struct pending list = read_all(p, 0);
    assert_int_equal(list.n, 3);
    CHECK_STR("undone", after(p, &list, 1, "A.md"), "kept two");
    CHECK_STR("as it is", after(p, &list, 2, "A.md"), "disk A.md");
}

static void test_differs(void **state)
{
    struct place *p = *state;
    place_start(p);
    write_text(p, "A.md", "one");
    write_text(p, "B.md", "two");
    take_away(p, "B.md");
    struct pending list = read_all(p, 0);
    static const struct {
        const char *path, *text; /* NULL: no file */
        bool want;
    } rows[] = {
        {"A.md", "one", false}, {"A.md", "other", true}, {"A.md", NULL, true},
        {"B.md", NULL, false},  {"B.md", "two", true},   {"C.md", "by hand", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool there = rows[i].text != NULL;
        str text = there ? str_c(rows[i].text) : (str){0};
        CHECK_INT(rows[i].path, pending_differs(&list, str_c(rows[i].path), there, text),
                  rows[i].want);
    }
}

static void test_names(void **state)
{
    struct place *p = *state;
    static const str known[] = {STR("Z/B.md"), STR("Z/Old.md")};
    size_t n;
    place_start(p);
    place_put(p, "X/Old.md", STR("old"));
    vault_refresh(p->vault, NULL, 0);
    write_text(p, "A.md", "one");
    move(p, "A.md", "X/B.md");
    move(p, "X", "Y");
    move(p, "Y", "Z");
    struct pending list = read_all(p, 0);
    str *names = pending_names(&list, &p->arena, known, 2, &n);
    struct sbuf b = SBUF_ON(&p->arena);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, STR_FMT ",", STR_ARG(names[i]));
    CHECK_STR("names", sbuf_str(&b), "A.md,X/B.md,X/Old.md,Y/B.md,Y/Old.md,Z/B.md,");
}

/* More than are handled together. */
static void test_portions(void **state)
{
    enum { OPS = PENDING_OPS_MAX / 2 + 1 };
    struct place *p = *state;
    place_start(p);
    for (int c = 0; c < 3; c++) {
        struct draft *d = place_draft(p);
        str text = arena_printf(&p->arena, "%d", c);
        for (int i = 0; i < OPS; i++)
            OK(draft_write(d, arena_printf(&p->arena, "%d.md", i), text, DRAFT_OVERWRITE,
                           &err));
        place_commit("many", d);
    }
    struct pending list = read_all(p, 0);
    assert_true(list.n == 1 && list.last == 1 && list.more);
    list = read_all(p, 1);
    assert_true(list.n == 1 && list.last == 2 && list.more);
    list = read_all(p, 2);
    assert_true(list.n == 1 && list.last == 3 && !list.more && !list.gap);
    list = read_all(p, 3);
    assert_true(list.n == 0 && list.last == 3 && !list.more && !list.gap);
}

/* Reading on reads what is new and nothing again: the memory of a commit does not depend
 * on how often others change notes meanwhile. */
static void test_read_on(void **state)
{
    enum { CHANGES = 100, SIZE = 10000 };
    struct place *p = *state;
    struct arena a = {0};
    struct pending list;
    struct err err = {0};
    char text[SIZE + 1];
    place_start(p);
    write_text(p, "A.md", "first");
    assert_true(pending_read(p->vault, &a, 0, &list, &err));
    for (int i = 0; i < CHANGES; i++) {
        memset(text, 'a' + i % 26, SIZE);
        text[SIZE] = '\0';
        write_text(p, "A.md", text);
        assert_true(pending_read_on(p->vault, &a, &list, &err));
        CHECK_INT("changes", list.n, i + 2);
    }
    assert_true(pending_read_on(p->vault, &a, &list, &err));
    CHECK_INT("nothing new", list.n, CHANGES + 1);
    struct pending all = read_all(p, 0);
    CHECK_INT("the same", all.n, list.n);
    for (size_t i = 0; i < all.n; i++) {
        CHECK_INT("numbers", list.list[i].number, all.list[i].number);
        CHECK("contents", str_eq(list.list[i].ops[0].old, all.list[i].ops[0].old));
    }
    CHECK("memory", arena_size(&a) < (size_t)4 * CHANGES * SIZE);
    arena_release(&a);
}

static void test_since(void **state)
{
    struct place *p = *state;
    uint64_t done = 7;
    bool any;
    place_start(p);
    OK(pending_since(p->vault, 0, false, &done, &err));
    assert_int_equal(done, 0);
    write_text(p, "A.md", "one");
    OK(pending_any(p->vault, 0, &any, &err));
    assert_true(any);
    OK(pending_since(p->vault, INT64_MAX, false, &done, &err));
    assert_int_equal(done, 1); /* it was before our time */
    OK(pending_any(p->vault, 1, &any, &err));
    assert_false(any);
    done = 0;
    OK(pending_since(p->vault, INT64_MAX, true, &done, &err));
    assert_int_equal(done, 0); /* as it was saved */
    done = 9;
    OK(pending_since(p->vault, 0, true, &done, &err));
    assert_int_equal(done, 0); /* the journal is another one */
}

static void drop_old(struct place *p)
{
    struct err err;
    struct journal *j = NULL;
    struct changes *c = vault_changes(p->vault, &err);
    assert_true(c != NULL && changes_lock_all(c, &j, &err));
    journal_prune(j, INT64_MAX);
    changes_unlock(c);
}

/* The journal has pruned some that were not read. */
static void test_gap(void **state)
{
    struct place *p = *state;
    uint64_t done;
    place_start(p);
    char *large = arena_alloc(&p->arena, JOURNAL_SEGMENT_MAX);
    memset(large, 'x', JOURNAL_SEGMENT_MAX);
    place_put(p, "Large.bin", (str){large, JOURNAL_SEGMENT_MAX});
    vault_refresh(p->vault, NULL, 0);
    write_text(p, "A.md", "one");
    pull(p, "Large.bin", "small");
    write_text(p, "B.md", "two");
    drop_old(p);
    struct pending list = read_all(p, 0);
    assert_true(list.n == 1 && list.gap && list.last == 3);
    assert_false(read_all(p, 2).gap);
    OK(pending_since(p->vault, 0, false, &done, &err));
    assert_int_equal(done, 2); /* earlier ones are ignored */
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_after),
        PLACE_TEST(test_after_pull),
        PLACE_TEST(test_after_pulled_move),
        PLACE_TEST(test_undo),
        PLACE_TEST(test_differs),
        PLACE_TEST(test_names),
        PLACE_TEST(test_portions),
        PLACE_TEST(test_read_on),
        PLACE_TEST(test_since),
        PLACE_TEST(test_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
