/* What a change did, found in the journal, in later changes and on disk. */
#include "vault/review.h"

#include "vault/ops.h"
#include "vault_place.h"

static uint64_t write_note(struct place *p, const char *path, str text)
{
    struct draft *d = place_draft(p);
    struct err err = {0};
    if (!draft_write(d, str_c(path), text, DRAFT_OVERWRITE, &err))
        fail_msg("%s: %s", path, err.msg);
    return place_commit(path, d).change;
}

static uint64_t move_note(struct place *p, const char *from, const char *to)
{
    struct draft *d = place_draft(p);
    struct ops_report r;
    struct err err = {0};
    if (!ops_move(d, str_c(from), str_c(to), &r, &err))
        fail_msg("%s: %s", from, err.msg);
    return place_commit(from, d).change;
}

static uint64_t delete_note(struct place *p, const char *path, bool forever)
{
    struct draft *d = place_draft(p);
    struct ops_report r;
    struct err err = {0};
    struct ops_delete how = {.forever = forever};
    if (!ops_delete(d, str_c(path), &how, &r, &err))
        fail_msg("%s: %s", path, err.msg);
    return place_commit(path, d).change;
}

static void check_diff(struct place *p, const char *row, uint64_t change,
                       const char *want)
{
    struct review r;
    struct err err = {0};
    if (!review_change(p->vault, &p->arena, change, &r, &err))
        fail_msg("%s: %s (%s)", row, err.msg, err.detail);
    CHECK_STR(row, review_diff(&p->arena, &r, 0), want);
}

/* The new text comes from the next change of the file, even under another name, or from
 * the disk. */
static void test_texts(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR("one\n"));
    place_start(p);
    uint64_t second = write_note(p, "A.md", STR("two\n"));
    uint64_t moved = move_note(p, "A.md", "New/B.md");
    uint64_t third = write_note(p, "New/B.md", STR("three\n"));
    uint64_t made = write_note(p, "C.md", STR("c\n"));
    uint64_t gone = delete_note(p, "C.md", true);
    check_diff(p, "before a move", second,
               "--- A.md\n+++ A.md\n@@ -1 +1 @@\n-one\n+two\n");
    check_diff(p, "move", moved, "rename from A.md\nrename to New/B.md\n");
    check_diff(p, "on disk", third,
               "--- New/B.md\n+++ New/B.md\n@@ -1 +1 @@\n-two\n+three\n");
    check_diff(p, "created", made, "--- /dev/null\n+++ C.md\n@@ -0,0 +1 @@\n+c\n");
    check_diff(p, "deleted", gone, "--- C.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n");
    place_undo(p, third);
    check_diff(p, "undone", third,
               "--- New/B.md\n+++ New/B.md\n@@ -1 +1 @@\n-two\n+three\n");
    place_put(p, "New/B.md", STR("somebody else\n"));
    check_diff(p, "still known", third,
               "--- New/B.md\n+++ New/B.md\n@@ -1 +1 @@\n-two\n+three\n");
}

static void test_not_known(void **state)
{
    struct place *p = *state;
    struct review r;
    place_put(p, "A.md", STR("one\n"));
    place_put(p, "a.png", STR("old\0bytes"));
    place_start(p);
    uint64_t written = write_note(p, "A.md", STR("two\n"));
    place_put(p, "A.md", STR("somebody else\n"));
    check_diff(p, "other program", written,
               "--- A.md\n+++ A.md\n(no diff: its new text is no longer available)\n");
    uint64_t gone = delete_note(p, "a.png", true);
    check_diff(p, "picture", gone, "--- a.png\n+++ /dev/null\n(no diff: not text)\n");
    FAILS(review_change(p->vault, &p->arena, 99, &r, &err), ERR_NOT_FOUND, "99");
}

/* The note that moved comes first, with its own new text; folders made on the way are not
 * mentioned. */
static void test_move(void **state)
{
    struct place *p = *state;
    struct review r;
    place_put(p, "Old.md", STR("[[#Top]] and [[Old]]\n"));
    place_put(p, "A.md", STR("[[Old]]\n"));
    place_start(p);
    uint64_t moved = move_note(p, "Old.md", "Deep/Folder/New.md");
    OK(review_change(p->vault, &p->arena, moved, &r, &err));
    CHECK_INT("files", r.n, 2);
    CHECK_INT("each counts once", r.entry.files, 2);
    CHECK("move", r.files[0].outcome == REVIEW_MOVED);
    CHECK_STR("from", r.files[0].path, "Old.md");
    CHECK_STR("to", r.files[0].to, "Deep/Folder/New.md");
    CHECK_STR("text", r.files[0].after, "[[#Top]] and [[New]]\n");
    CHECK_STR("link", r.files[1].path, "A.md");
    CHECK_STR("diff", review_diff(&p->arena, &r, 40),
              "rename from Old.md\nrename to Deep/Folder/New.md\n--- Old.md\n"
              "+++ Deep/Folder/New.md\n@@ -1 +1 @@\n(2 more lines)\n(1 more file)\n");
}

static void test_trash(void **state)
{
    struct place *p = *state;
    struct review r;
    struct ops_report report;
    place_put(p, "A.md", STR("a\n"));
    place_start(p);
    uint64_t gone = delete_note(p, "A.md", false);
    OK(review_change(p->vault, &p->arena, gone, &r, &err));
    CHECK_STR("word", str_c(review_word(r.files[0].outcome)), "deleted");
    CHECK_STR("path", r.files[0].path, "A.md");
    struct draft *d = place_draft(p);
    OK(ops_restore(d, STR("A.md"), STR(""), &report, &err));
    uint64_t back = place_commit("restore", d).change;
    OK(review_change(p->vault, &p->arena, back, &r, &err));
    CHECK_STR("word", str_c(review_word(r.files[0].outcome)), "restored");
    CHECK_STR("to", r.files[0].to, "A.md");
}

/* Notes that swap their names use a temporary name that is not shown. */
static void test_swap(void **state)
{
    struct place *p = *state;
    struct review r;
    place_put(p, "A.md", STR("a\n"));
    place_put(p, "B.md", STR("b\n"));
    place_start(p);
    struct draft *d = place_draft(p);
    draft_move(d, STR("A.md"), STR("B.md"));
    draft_move(d, STR("B.md"), STR("A.md"));
    uint64_t swapped = place_commit("swap", d).change;
    OK(review_change(p->vault, &p->arena, swapped, &r, &err));
    CHECK_INT("files", r.n, 2);
    for (size_t i = 0; i < r.n; i++)
        CHECK("whole moves", path_is_visible(r.files[i].path) &&
                                 path_is_visible(r.files[i].to) &&
                                 !str_eq(r.files[i].path, r.files[i].to));
}

static void test_folder(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    place_start(p);
    struct draft *d = place_draft(p);
    if (!draft_make_folder(d, STR("Empty"), &err))
        fail_msg("%s", err.msg);
    check_diff(p, "folder", place_commit("folder", d).change, "made the folder Empty\n");
}

/* Who may not see a change cannot look at it. */
static void test_view(void **state)
{
    struct place *p = *state;
    struct review r;
    struct access access;
    str folder = STR("Public");
    struct access_request request = {.read = &folder, .n_read = 1};
    place_put(p, "Private/A.md", STR("secret\n"));
    place_start(p);
    uint64_t written = write_note(p, "Private/A.md", STR("two\n"));
    OK(access_make(&p->arena, &request, &access, &err));
    struct vault *view = vault_as(p->vault, &p->arena, &access);
    FAILS(review_change(view, &p->arena, written, &r, &err), ERR_NOT_FOUND, "change");

    str path = STR("Private/A.md"), old = {0},
        etag = draft_etag(&p->arena, hash_content(STR("secret\n")));
    CHECK("replaced", review_replaced(p->vault, &p->arena, path, etag, &old));
    CHECK_STR("replaced", old, "secret\n");
    CHECK("its text now",
          !review_replaced(p->vault, &p->arena, path,
                           draft_etag(&p->arena, hash_content(STR("two\n"))), &old));
    CHECK("hidden", !review_replaced(view, &p->arena, path, etag, &old));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_texts), PLACE_TEST(test_not_known), PLACE_TEST(test_move),
        PLACE_TEST(test_trash), PLACE_TEST(test_swap),      PLACE_TEST(test_folder),
        PLACE_TEST(test_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
