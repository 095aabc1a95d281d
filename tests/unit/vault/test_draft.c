/* Changes made through drafts, in a vault on disk. */
#include "vault_place.h"

#define NFC "\u00e9"  /* é */
#define NFD "e\u0301" /* the same in two characters */

static struct place *begin(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR("zebra [[B]] #animal\n"));
    place_put(p, "B.md", STR("giraffe\n"));
    place_put(p, "sub/C.md", STR("zebra\n"));
    place_start(p);
    return p;
}

static bool write_to(struct draft *d, const char *path, const char *text, struct err *err)
{
    return draft_write(d, str_c(path), str_c(text), DRAFT_OVERWRITE, err);
}

static str read_from(struct draft *d, const char *path)
{
    struct draft_file f = {0};
    OK(draft_read(d, str_c(path), &f, &err));
    return f.text;
}

static void test_reads_its_writes(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    CHECK_STR("disk", read_from(d, "A.md"), "zebra [[B]] #animal\n");
    CHECK("nothing yet", draft_is_empty(d) && !draft_has_changed(d, STR("A.md")));
    OK(write_to(d, "A.md", "one", &err));
    CHECK("its own", draft_has_changed(d, STR("A.md")));
    CHECK("another", !draft_has_changed(d, STR("B.md")));
    CHECK_STR("own", read_from(d, "A.md"), "one");
    CHECK_STR("any spelling", read_from(d, "/./A.md"), "one");
    CHECK_STR("disk is as before", place_text(p, "A.md"), "zebra [[B]] #animal\n");
    OK(write_to(d, "A.md", "two", &err));
    struct draft_result r = place_commit("two edits", d);
    CHECK_INT("one file", r.n, 1);
    CHECK("changed", r.change == 1 && r.files[0].outcome == DRAFT_CHANGED);
    CHECK_STR("before", r.files[0].before, "zebra [[B]] #animal\n");
    CHECK_STR("on disk", place_text(p, "A.md"), "two");

    struct journal *j;
    struct journal_change c;
    struct changes *changes = vault_changes(p->vault, &(struct err){0});
    OK(changes_lock_all(changes, &j, &err));
    OK(journal_read(j, &p->arena, 1, true, &c, &err));
    changes_unlock(changes);
    CHECK_INT("one write", c.n, 1);
    CHECK_STR("by", c.who, "somebody");
}

static void test_create(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    FAILS(draft_write(d, STR("A.md"), STR("x"), DRAFT_CREATE, &err), ERR_EXISTS,
          "'A.md' already exists");
    OK(draft_write(d, STR("new/deep/D.md"), STR("okapi [[B]] #new"), DRAFT_CREATE, &err));
    FAILS(draft_write(d, STR("new/deep/D.md"), STR("x"), DRAFT_CREATE, &err), ERR_EXISTS,
          "exists");
    CHECK("found", draft_exists(d, STR("new/deep/D.md")));
    OK(draft_write(d, STR("A.md"), STR("zebra"), DRAFT_OVERWRITE, &err));
    OK(draft_write(d, STR("empty.md"), STR(""), DRAFT_CREATE, &err));
    struct draft_result r = place_commit("create", d);
    CHECK_INT("files", r.n, 3);
    CHECK_STR("disk", place_text(p, "new/deep/D.md"), "okapi [[B]] #new");
    CHECK("empty", place_has(p, "empty.md") && place_indexed(p, "empty.md"));
    CHECK_INT("words", place_hits(p, "okapi"), 1);
    CHECK_INT("links", place_backlinks(p, "B.md"), 1);
    CHECK("tags", place_tagged(p, "new") && !place_tagged(p, "animal"));
}

static void test_refused(void **state)
{
    struct place *p = begin(state);
    place_put(p, "sub/.Far.md.icloud", STR("bplist00"));
    str before = place_tree(p);
    static const struct {
        const char *path;
        enum err_code code;
        const char *words;
    } rows[] = {
        {"sub/Far.md", ERR_EXISTS, "'sub/Far.md' already exists: it is only in iCloud"},
        {"", ERR_INVALID, "needs a name"},
        {"a:b.md", ERR_INVALID, "'a:b.md'"},
        {"x/con.md", ERR_INVALID, "device"},
        {"x./a.md", ERR_INVALID, "'x.'"},
        {"sub", ERR_INVALID, "folder"},
        {"A.md/x.md", ERR_INVALID, "'A.md' is a file"},
        {"SUB/new.md", ERR_EXISTS, "'sub' already exists: another spelling"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct draft *d = place_draft(p);
        struct draft_result r;
        struct err err = {0};
        CHECK(rows[i].path, !write_to(d, rows[i].path, "x", &err) ||
                                !draft_commit(d, &(struct idempotency){0}, &r, &err));
        if (err.code != rows[i].code || strstr(err.msg, rows[i].words) == NULL)
            fail_msg("%s: %s", rows[i].path, err.msg);
    }
    CHECK("as before", str_eq(before, place_tree(p)));
}

/* Existing names that other systems do not allow stay usable. */
static void test_odd_names(void **state)
{
    struct place *p = *state;
    place_put(p, "why?/what: this.md", STR("one"));
    place_start(p);
    struct draft *d = place_draft(p);
    OK(write_to(d, "why?/what: this.md", "two", &err));
    OK(write_to(d, "why?/new.md", "three", &err));
    FAILS(write_to(d, "why?/who?.md", "x", &err), ERR_INVALID, "'who?.md'");
    place_commit("odd", d);
    CHECK_STR("old", place_text(p, "why?/what: this.md"), "two");
    CHECK_STR("new", place_text(p, "why?/new.md"), "three");
}

static void test_SEC_90_other_spelling(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *there, *said;
    } rows[] = {
        {"Note.md", "note.md"},
        {"Caf" NFC ".md", "Caf" NFD ".md"},
        {"r" NFD "sum" NFD ".md", "R" NFC "SUM" NFC ".md"},
        {"Folder/Deep.md", "folder/deep.md"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        place_put(p, rows[i].there, str_c("as it was"));
    place_start(p);
    str before = place_tree(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct draft *d = place_draft(p);
        struct draft_file f;
        str said = str_c(rows[i].said);
        OK(draft_read(d, said, &f, &err));
        CHECK_STR("found", f.path, rows[i].there);
        CHECK("exists", draft_exists(d, said));
        FAILS(draft_write(d, said, STR("x"), DRAFT_CREATE, &err), ERR_EXISTS,
              "another spelling");
        FAILS(draft_write(d, said, STR("x"), DRAFT_OVERWRITE, &err), ERR_EXISTS,
              rows[i].there);
        CHECK("still exists", draft_exists(d, said));
        struct draft *other = place_draft(p);
        CHECK("without reading", draft_exists(other, said));
    }
    struct draft *d = place_draft(p);
    OK(write_to(d, "Fresh.md", "x", &err));
    FAILS(write_to(d, "FRESH.md", "x", &err), ERR_EXISTS, "'Fresh.md'");
    CHECK_STR("own", read_from(d, "fresh.md"), "x");
    CHECK("as before", str_eq(before, place_tree(p)));
}

static void test_delete(void **state)
{
    struct place *p = begin(state);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    struct draft_file f;
    OK(draft_delete(d, STR("A.md"), &err));
    CHECK("gone", !draft_exists(d, STR("A.md")));
    FAILS(draft_read(d, STR("A.md"), &f, &err), ERR_NOT_FOUND, "A.md");
    FAILS(draft_delete(d, STR("A.md"), &err), ERR_NOT_FOUND, "A.md");
    FAILS(draft_delete(d, STR("nowhere.md"), &err), ERR_NOT_FOUND, "nowhere.md");
    OK(draft_delete(d, STR("sub/c.md"), &err)); /* by another spelling */
    struct draft_result r = place_commit("delete", d);
    CHECK("two", r.n == 2 && r.files[0].outcome == DRAFT_DELETED);
    CHECK("gone on disk", !place_has(p, "A.md") && !place_has(p, "sub/C.md"));
    CHECK("gone in the index", place_hits(p, "zebra") == 0 && !place_tagged(p, "animal"));
    place_undo(p, r.change);
    CHECK("as before", str_eq(before, place_tree(p)));
    CHECK("index as before", place_hits(p, "zebra") == 2 && place_tagged(p, "animal"));
    CHECK_INT("links as before", place_backlinks(p, "B.md"), 1);
}

static void test_delete_then_create(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    OK(draft_delete(d, STR("A.md"), &err));
    OK(draft_write(d, STR("A.md"), STR("new"), DRAFT_CREATE, &err));
    OK(draft_delete(d, STR("B.md"), &err));
    OK(draft_write(d, STR("b.md"), STR("small"), DRAFT_CREATE, &err));
    OK(write_to(d, "never.md", "x", &err));
    OK(draft_delete(d, STR("never.md"), &err));
    struct draft_result r = place_commit("delete, create", d);
    CHECK_INT("A, B and b", r.n, 3);
    CHECK_STR("A", place_text(p, "A.md"), "new");
    CHECK("b", place_has(p, "b.md") && !place_has(p, "B.md"));
    CHECK("never", !place_has(p, "never.md"));
}

/* A file that is too large to edit can still be deleted. */
static void test_large(void **state)
{
    struct place *p = *state;
    enum { SIZE = DRAFT_NOTE_MAX + 1 };
    char *bytes = arena_alloc(&p->arena, SIZE);
    memset(bytes, 'x', SIZE);
    str large = {bytes, SIZE};
    struct draft_file f;
    place_put(p, "large.md", large);
    place_start(p);
    struct draft *d = place_draft(p);
    FAILS(draft_write(d, STR("new.md"), large, DRAFT_CREATE, &err), ERR_LIMIT, "at most");
    OK(draft_write(d, STR("most.md"), str_slice(large, 0, DRAFT_NOTE_MAX), DRAFT_CREATE,
                   &err));
    FAILS(draft_read(d, STR("large.md"), &f, &err), ERR_LIMIT, "large.md");
    FAILS(write_to(d, "large.md", "small", &err), ERR_LIMIT, "large.md");
    OK(draft_delete(d, STR("large.md"), &err));
    struct draft_result r = place_commit("large", d);
    CHECK("done", !place_has(p, "large.md") && place_has(p, "most.md"));
    place_undo(p, r.change);
    CHECK_INT("back", place_text(p, "large.md").n, SIZE);
}

static void test_SEC_111_etag(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    struct draft_file f;
    OK(draft_read(d, STR("A.md"), &f, &err));
    str etag = draft_etag(&p->arena, f.hash);
    CHECK_INT("length", etag.n, DRAFT_ETAG);
    OK(draft_match(d, STR("A.md"), etag, &err));
    OK(draft_match(d, STR("A.md"), STR(""), &err));
    OK(draft_match(d, STR("nowhere.md"), STR(""), &err));
    FAILS(draft_match(d, STR("nowhere.md"), etag, &err), ERR_NOT_FOUND, "nowhere.md");
    place_put(p, "A.md", STR("by somebody else"));
    str now = draft_etag(&p->arena, hash_content(STR("by somebody else")));
    struct draft *later = place_draft(p);
    FAILS(draft_match(later, STR("A.md"), etag, &err), ERR_CONFLICT, now.p);
    OK(draft_match(later, STR("A.md"), now, &err));
}

static void test_SEC_111_changed_on_disk(void **state)
{
    struct place *p = begin(state);
    static const struct {
        const char *name, *path;
        const char *text; /* NULL: deleted */
        enum err_code code;
    } rows[] = {
        {"edited", "A.md", "by somebody else", ERR_CONFLICT},
        {"deleted", "sub/C.md", NULL, ERR_NOT_FOUND},
        {"created", "new.md", "by somebody else", ERR_EXISTS},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct draft *d = place_draft(p);
        struct draft_result r;
        OK(write_to(d, "B.md", "ours", &err));
        OK(write_to(d, "other/new.md", "ours", &err));
        OK(write_to(d, rows[i].path, "ours", &err));
        if (rows[i].text != NULL)
            place_put(p, rows[i].path, str_c(rows[i].text));
        else
            unlinkat(p->fd, rows[i].path, 0);
        str before = place_tree(p);
        FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), rows[i].code,
              rows[i].path);
        CHECK(rows[i].name, str_eq(before, place_tree(p)));
    }
}

static void test_nothing(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    CHECK_INT("no step", place_commit("nothing", d).change, 0);
    str same = read_from(d, "A.md");
    OK(draft_write(d, STR("A.md"), same, DRAFT_OVERWRITE, &err));
    CHECK("empty", draft_is_empty(d));
    struct draft_result r = place_commit("same text", d);
    CHECK("nothing", r.change == 0 && r.n == 0);
    CHECK_STR("no diff", draft_diff(&p->arena, &r, 0), "");
}

static void test_preview(void **state)
{
    struct place *p = begin(state);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    OK(write_to(d, "A.md", "other\n", &err));
    OK(write_to(d, "new.md", "new\n", &err));
    OK(draft_delete(d, STR("sub/C.md"), &err));
    draft_move(d, STR("B.md"), STR("D.md"));
    struct draft_result would, did;
    draft_preview(d, &would);
    str diff = draft_diff(&p->arena, &would, 0);
    CHECK_STR("diff", diff,
              "--- A.md\n+++ A.md\n@@ -1 +1 @@\n-zebra [[B]] #animal\n+other\n"
              "--- /dev/null\n+++ new.md\n@@ -0,0 +1 @@\n+new\n"
              "--- sub/C.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-zebra\n"
              "rename from B.md\nrename to D.md\n");
    CHECK("nothing happened", str_eq(before, place_tree(p)) && would.change == 0);
    did = place_commit("as shown", d);
    CHECK("the same", str_eq(diff, draft_diff(&p->arena, &did, 0)));
    CHECK_INT("as many", did.n, would.n);
    CHECK("limit", draft_diff(&p->arena, &did, 40).n < diff.n);
}

static void test_SEC_114_idempotency(void **state)
{
    struct place *p = begin(state);
    struct actor by = {.tool = STR("test")};
    struct idempotency once = {STR("k1"), STR("create D"), STR("the answer")};
    struct draft_result r;
    struct draft *d = draft_create(p->vault, &p->arena, &by);
    OK(draft_write(d, STR("D.md"), STR("x"), DRAFT_CREATE, &err));
    OK(draft_commit(d, &once, &r, &err));
    CHECK("made", !r.repeated && r.change == 1 && r.n == 1);

    once.answer = STR("another answer");
    d = draft_create(p->vault, &p->arena, &by);
    OK(write_to(d, "D.md", "other", &err));
    OK(draft_commit(d, &once, &r, &err));
    CHECK("not made again", r.repeated && r.change == 1 && r.n == 0);
    CHECK_STR("first answer", r.answer, "the answer");
    CHECK_STR("as it was", place_text(p, "D.md"), "x");

    once.request = STR("something else");
    d = draft_create(p->vault, &p->arena, &by);
    OK(write_to(d, "D.md", "other", &err));
    FAILS(draft_commit(d, &once, &r, &err), ERR_CONFLICT, "idempotency_key");
}

static void test_SEC_123_undo(void **state)
{
    struct place *p = begin(state);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    OK(write_to(d, "A.md", "okapi", &err));
    OK(write_to(d, "x/y/new.md", "okapi", &err));
    OK(draft_make_folder(d, STR("empty/folder"), &err));
    OK(draft_delete(d, STR("B.md"), &err));
    draft_move(d, STR("sub"), STR("moved/sub"));
    uint64_t change = place_commit("all kinds", d).change;
    str after = place_tree(p);
    CHECK_INT("new words", place_hits(p, "okapi"), 2);
    CHECK("moved", place_indexed(p, "moved/sub/C.md") && !place_has(p, "sub"));
    CHECK("folder", place_has(p, "empty/folder"));
    place_undo(p, change);
    CHECK("as before", str_eq(before, place_tree(p)));
    CHECK("words", place_hits(p, "okapi") == 0 && place_hits(p, "zebra") == 2);
    CHECK_INT("links", place_backlinks(p, "B.md"), 1);
    struct change as = {.by.tool = STR("undo")};
    struct change_result r;
    FAILS(vault_undo(p->vault, &p->arena, change, &as, &r, &err), ERR_CONFLICT, "undone");
    place_undo(p, change + 1);
    CHECK("redone", str_eq(after, place_tree(p)));
    CHECK_INT("words again", place_hits(p, "okapi"), 2);

    place_put(p, "A.md", STR("by somebody else"));
    after = place_tree(p);
    FAILS(vault_undo(p->vault, &p->arena, change + 2, &as, &r, &err), ERR_CONFLICT,
          "'A.md'");
    CHECK("as it was", str_eq(after, place_tree(p)));
}

static void test_moves(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *name, *moves; /* pairs of letters */
        const char *after;        /* the contents of a, b, c, d; '-': no file */
    } rows[] = {
        {"one", "ad", "-bca"},
        {"chain", "cdbcab", "-abc"},
        {"chain, other order", "abbccd", "-abc"},
        {"swap", "abba", "bac-"},
        {"circle", "abbcca", "cab-"},
        {"circle and one", "abbacd", "ba-c"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (char c = 'a'; c <= 'd'; c++)
            unlinkat(p->fd, (char[]){c, '.', 'm', 'd', 0}, 0);
        for (char c = 'a'; c <= 'c'; c++)
            place_put(p, (char[]){c, '.', 'm', 'd', 0}, (str){&c, 1});
        place_start(p);
        str before = place_tree(p);
        struct draft *d = place_draft(p);
        for (const char *m = rows[i].moves; *m != 0; m += 2)
            draft_move(d, (str){(char[]){m[0], '.', 'm', 'd'}, 4},
                       (str){(char[]){m[1], '.', 'm', 'd'}, 4});
        for (int k = 0; k < 2; k++) { /* in the draft, and on disk */
            uint64_t change = k == 1 ? place_commit(rows[i].name, d).change : 0;
            for (char c = 'a'; c <= 'd'; c++) {
                const char *path = (char[]){c, '.', 'm', 'd', 0};
                char want = rows[i].after[c - 'a'];
                bool there = k == 1 ? place_has(p, path) : draft_exists(d, str_c(path));
                CHECK_INT(rows[i].name, there, want != '-');
                if (want == '-')
                    continue;
                str text = k == 1 ? place_text(p, path) : read_from(d, path);
                CHECK_STR(rows[i].name, text, ((char[]){want, 0}));
                CHECK(rows[i].name, k == 0 || place_indexed(p, path));
            }
            if (k == 1)
                place_undo(p, change);
        }
        CHECK(rows[i].name, str_eq(before, place_tree(p)));
    }
}

static void test_move_and_write(void **state)
{
    struct place *p = begin(state);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    struct draft_file f;
    OK(write_to(d, "A.md", "before", &err));
    draft_move(d, STR("A.md"), STR("x/D.md"));
    CHECK_STR("found where it goes", read_from(d, "x/D.md"), "before");
    FAILS(draft_read(d, STR("A.md"), &f, &err), ERR_NOT_FOUND, "moved elsewhere");
    FAILS(write_to(d, "A.md", "x", &err), ERR_NOT_FOUND, "moved elsewhere");
    FAILS(draft_delete(d, STR("x/D.md"), &err), ERR_INVALID, "delete it at its old path");
    OK(write_to(d, "x/D.md", "after", &err));
    FAILS(draft_write(d, STR("x/D.md"), STR("x"), DRAFT_CREATE, &err), ERR_EXISTS, "x/D");
    draft_move(d, STR("sub"), STR("other"));
    OK(write_to(d, "other/C.md", "okapi", &err));
    OK(write_to(d, "other/new.md", "okapi", &err));
    struct draft_result r = place_commit("move and write", d);
    CHECK_STR("x/D.md", place_text(p, "x/D.md"), "after");
    CHECK_STR("other/C.md", place_text(p, "other/C.md"), "okapi");
    CHECK_INT("indexed", place_hits(p, "okapi"), 2);
    CHECK("gone", !place_has(p, "A.md") && !place_has(p, "sub"));
    place_undo(p, r.change);
    CHECK("as before", str_eq(before, place_tree(p)));
}

/* Files that leave a folder do so before the folder moves. */
static void test_move_out_of_moving(void **state)
{
    struct place *p = begin(state);
    place_put(p, "sub/E.md", STR("e"));
    struct draft *d = place_draft(p);
    draft_move(d, STR("sub"), STR("other"));
    draft_move(d, STR("sub/C.md"), STR("C.md"));
    place_commit("out", d);
    CHECK("both", place_has(p, "C.md") && place_has(p, "other/E.md") &&
                      !place_has(p, "other/C.md"));
}

/* Into a folder that has moved by then: nothing happens. */
static void test_move_into_moving(void **state)
{
    struct place *p = begin(state);
    str before = place_tree(p);
    struct draft_result r;
    struct draft *d = place_draft(p);
    draft_move(d, STR("sub"), STR("other"));
    draft_move(d, STR("A.md"), STR("sub/A.md"));
    struct err err = {0};
    CHECK("fails", !draft_commit(d, &(struct idempotency){0}, &r, &err));
    CHECK("nothing happened", str_eq(before, place_tree(p)));
}

static void test_move_target_taken(void **state)
{
    struct place *p = begin(state);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    struct draft_result r;
    OK(write_to(d, "sub/C.md", "x", &err));
    draft_move(d, STR("A.md"), STR("B.md"));
    FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), ERR_EXISTS, "B.md");
    CHECK("nothing happened", str_eq(before, place_tree(p)));
}

/* A text from the index, which must be the text of the file. */
static void test_rewrite(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    struct draft_result r;
    const struct index *x = vault_lock(p->vault);
    const struct file *a = index_find(x, STR("A.md"));
    OK(draft_rewrite(d, a, STR("rewritten\n"), &err));
    FAILS(draft_rewrite(d, a, STR("again"), &err), ERR_CONFLICT, "'A.md'");
    vault_unlock(p->vault);
    draft_preview(d, &r);
    CHECK_STR("before", r.files[0].before, "zebra [[B]] #animal\n");
    CHECK_STR("after", read_from(d, "A.md"), "rewritten\n");

    place_put(p, "A.md", STR("by somebody else"));
    FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), ERR_CONFLICT, "'A.md'");
    CHECK_STR("theirs", place_text(p, "A.md"), "by somebody else");

    /* also if the draft has read the newer text in the meantime */
    d = place_draft(p);
    CHECK_STR("theirs", read_from(d, "A.md"), "by somebody else");
    x = vault_lock(p->vault);
    FAILS(draft_rewrite(d, index_find(x, STR("A.md")), STR("ours"), &err), ERR_CONFLICT,
          "'A.md'");
    vault_unlock(p->vault);
}

static void test_folders(void **state)
{
    struct place *p = begin(state);
    struct draft *d = place_draft(p);
    OK(draft_make_folder(d, STR("sub"), &err)); /* exists */
    OK(draft_make_folder(d, STR("new/deep"), &err));
    FAILS(draft_make_folder(d, STR("A.md"), &err), ERR_EXISTS, "is a file");
    FAILS(draft_make_folder(d, STR("SUB"), &err), ERR_EXISTS, "'sub'");
    FAILS(draft_make_folder(d, STR("SUB/deep"), &err), ERR_EXISTS, "'sub'");
    FAILS(draft_make_folder(d, STR("a?"), &err), ERR_INVALID, "'a?'");
    place_commit("make", d);
    CHECK("made", place_has(p, "new/deep"));
    d = place_draft(p);
    draft_remove_folder(d, STR("new/deep"));
    place_commit("remove", d);
    CHECK("removed", place_has(p, "new") && !place_has(p, "new/deep"));
    struct draft_result r;
    d = place_draft(p);
    draft_remove_folder(d, STR("sub"));
    FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), ERR_CONFLICT, "not empty");
}

/* "f/f/.../n.md" in n folders. */
static str deep_path(struct arena *a, size_t n)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_add(&b, STR("f/"));
    sbuf_add(&b, STR("n.md"));
    return sbuf_str(&b);
}

/* SEC-86: 150 levels can be made at once, and their notes are indexed; there is a limit. */
static void test_levels(void **state)
{
    struct place *p = *state;
    struct arena *a = &p->arena;
    struct draft_result r;
    struct err refused = {0};
    place_start(p);
    struct draft *d = draft_create(p->vault, a, &(struct actor){.tool = STR("t")});
    CHECK("too many levels", !draft_write(d, deep_path(a, DRAFT_LEVELS_MAX + 1), STR("x"),
                                          DRAFT_CREATE, &refused));
    CHECK_INT("a limit", refused.code, ERR_LIMIT);
    CHECK("what to do", strstr(refused.msg, "make the outer folders first") != NULL);
    d = draft_create(p->vault, a, &(struct actor){.tool = STR("t")});
    OK(draft_write(d, deep_path(a, 150), STR("deep"), DRAFT_CREATE, &err));
    OK(draft_write(d, deep_path(a, 10), STR("less"), DRAFT_CREATE, &err));
    OK(draft_commit(d, &(struct idempotency){0}, &r, &err));
    d = draft_create(p->vault, a, &(struct actor){.tool = STR("t")});
    OK(draft_write(d, deep_path(a, DRAFT_LEVELS_MAX + 1), STR("deeper"), DRAFT_CREATE,
                   &err));
    OK(draft_commit(d, &(struct idempotency){0}, &r, &err));
    const struct index *x = vault_lock(p->vault);
    CHECK("deep", index_find(x, deep_path(a, 150)) != NULL);
    CHECK("less", index_find(x, deep_path(a, 10)) != NULL);
    CHECK("deeper", index_find(x, deep_path(a, DRAFT_LEVELS_MAX + 1)) != NULL);
    vault_unlock(p->vault);
}

static void test_no_state(void **state)
{
    struct place *p = begin(state);
    place_start_with(p, NULL);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    struct draft_result r;
    struct change_result c;
    OK(write_to(d, "A.md", "x", &err));
    FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), ERR_DENIED, "read-only");
    FAILS(vault_undo(p->vault, &p->arena, 1, &(struct change){0}, &c, &err), ERR_DENIED,
          "state folder");
    struct err err = {0};
    CHECK("none", vault_changes(p->vault, &err) == NULL);
    assert_int_equal(err.name, E_READ_ONLY);
    CHECK("nothing happened", str_eq(before, place_tree(p)));
}

static void give_to(struct place *p, uid_t who)
{
    static const char *const paths[] = {
        "", "/vault", "/vault/A.md", "/vault/B.md", "/vault/sub", "/vault/sub/C.md"};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        str path = arena_printf(&p->arena, "%s%s", p->top, paths[i]);
        assert_int_equal(chown(path.p, who, who), 0);
    }
}

static void test_read_only_folder(void **state)
{
    struct place *p = begin(state);
    bool root = geteuid() == 0;
    enum { NOBODY = 65534 };
    vault_close(p->vault);
    p->vault = NULL;
    place_remove(AT_FDCWD, p->state);
    if (root) { /* modes do not restrict root */
        give_to(p, NOBODY);
        assert_int_equal(seteuid(NOBODY), 0);
    }
    place_start(p);
    str before = place_tree(p);
    struct draft_result r;
    static const char *const paths[] = {"A.md", "sub/C.md", "new.md", "new/new.md"};
    assert_int_equal(fchmodat(p->fd, "sub", 0555, 0), 0);
    assert_int_equal(fchmod(p->fd, 0555), 0);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct draft *d = place_draft(p);
        OK(write_to(d, paths[i], "x", &err));
        FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), ERR_DENIED,
              "no write permission");
    }
    struct draft *d = place_draft(p);
    draft_move(d, STR("A.md"), STR("D.md"));
    FAILS(draft_commit(d, &(struct idempotency){0}, &r, &err), ERR_DENIED,
          "no write permission");
    CHECK("nothing happened", str_eq(before, place_tree(p)));
    assert_int_equal(fchmod(p->fd, 0755), 0);
    assert_int_equal(fchmodat(p->fd, "sub", 0755, 0), 0);
    d = place_draft(p);
    OK(write_to(d, "A.md", "x", &err));
    place_commit("writable again", d);
    vault_close(p->vault);
    p->vault = NULL;
    if (root)
        assert_int_equal(seteuid(0), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_reads_its_writes),
        PLACE_TEST(test_create),
        PLACE_TEST(test_refused),
        PLACE_TEST(test_odd_names),
        PLACE_TEST(test_SEC_90_other_spelling),
        PLACE_TEST(test_delete),
        PLACE_TEST(test_delete_then_create),
        PLACE_TEST(test_large),
        PLACE_TEST(test_SEC_111_etag),
        PLACE_TEST(test_SEC_111_changed_on_disk),
        PLACE_TEST(test_nothing),
        PLACE_TEST(test_preview),
        PLACE_TEST(test_SEC_114_idempotency),
        PLACE_TEST(test_SEC_123_undo),
        PLACE_TEST(test_moves),
        PLACE_TEST(test_move_and_write),
        PLACE_TEST(test_move_out_of_moving),
        PLACE_TEST(test_move_into_moving),
        PLACE_TEST(test_move_target_taken),
        PLACE_TEST(test_rewrite),
        PLACE_TEST(test_folders),
        PLACE_TEST(test_levels),
        PLACE_TEST(test_no_state),
        PLACE_TEST(test_read_only_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
