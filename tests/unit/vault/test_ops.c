/* Moving, renaming, deleting and restoring, on a vault on disk. */
#include "vault/ops.h"

#include "vault/draft_parts.h"

#include "vault_place.h"

static bool move(struct place *p, const char *from, const char *to,
                 struct ops_report *report, uint64_t *change, struct err *err)
{
    struct draft *d = place_draft(p);
    struct draft_result r;
    if (!ops_move(d, str_c(from), str_c(to), report, err) ||
        !draft_commit(d, &(struct idempotency){0}, &r, err))
        return false;
    *change = r.change;
    return true;
}

/* --- moving --- */

static void put_linked(struct place *p)
{
    place_put(p, "Old.md", STR("# Top\n\nself [[#Top]]\n"));
    place_put(p, "A.md", STR("[[Old]] and [[Old|shown]] `[[Old]]`\r\n"));
    place_put(p, "sub/B.md",
              STR("---\nup: \"[[Old]]\"\n---\n![[Old#Top]] [x](../Old.md)"));
    place_put(p, "Board.canvas",
              STR("{\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"Old.md\","
                  "\"x\":0,\"y\":0,\"width\":1,\"height\":1}],\"edges\":[]}"));
    place_put(p, "out/Excluded.md", STR("[[Old]]"));
    place_put(p, "pic.png", STR("\x89PNG\0\xff"));
    place_put(p, "P.md", STR("![[pic.png]] ![](pic.png)"));
    place_put(p, ".obsidian/app.json", STR("{\"userIgnoreFilters\": [\"out/\"]}"));
}

static void test_move_note(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    uint64_t change;
    put_linked(p);
    place_start(p);
    str before = place_tree(p);
    OK(move(p, "Old.md", "sub/New.md", &r, &change, &err));
    CHECK_STR("from", r.path, "Old.md");
    CHECK_STR("to", r.to, "sub/New.md");
    CHECK_INT("files", r.files, 1);
    CHECK_INT("rewritten", r.rewrites, 4);
    CHECK_STR("note", place_text(p, "A.md"), "[[New]] and [[New|shown]] `[[Old]]`\r\n");
    CHECK_STR("properties, embed, markdown", place_text(p, "sub/B.md"),
              "---\nup: \"[[New]]\"\n---\n![[New#Top]] [x](New.md)");
    CHECK("canvas", str_find(place_text(p, "Board.canvas"),
                             STR("\"file\":\"sub/New.md\"")) != STR_NONE);
    CHECK_STR("excluded", place_text(p, "out/Excluded.md"), "[[New]]");
    CHECK_STR("itself", place_text(p, "sub/New.md"), "# Top\n\nself [[#Top]]\n");
    CHECK("index",
          place_indexed(p, "sub/New.md") && place_backlinks(p, "Old.md") + 1 == 0);
    CHECK_INT("backlinks", place_backlinks(p, "sub/New.md"), 4);
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)));
    CHECK_INT("backlinks again", place_backlinks(p, "Old.md"), 4);
}

static void test_move_targets(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *from, *to, *goes;
    } rows[] = {
        {"Old.md", "New.md", "New.md"},
        {"Old", "New", "New.md"},
        {"old", "/New.md", "New.md"},
        {"Old.md", "v1.2", "v1.2.md"},
        {"Old.md", "New.MD", "New.MD"},
        {"Old.md", "sub", "sub/Old.md"},
        {"Old.md", "sub/", "sub/Old.md"},
        {"Old.md", "fresh/", "fresh/Old.md"},
        {"Old.md", "a/b/c/New", "a/b/c/New.md"},
        {"Old.md", "old.md", "old.md"},
        {"B", "/", "B.md"},
        {"Board.canvas", "Plan", "Plan.canvas"},
        {"pic.png", "img/photo", "img/photo.png"},
        {"pic.png", "photo.jpg", "photo.jpg"},
        {"pic.png", "PIC.png", "PIC.png"},
        {"what?.md", "sub/", "sub/what?.md"},
        {"sub", "Sub", "Sub"},
        {"sub", "other", "other"},
        {"sub/", "out", "out/sub"},
        {"sub", "new.d/deep", "new.d/deep"},
        {"empty", "full", "full"},
    };
    put_linked(p);
    place_put(p, "what?.md", STR("?"));
    place_folder(p, "empty/");
    place_start(p);
    str before = place_tree(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ops_report r;
        uint64_t change;
        struct err err = {0};
        if (!move(p, rows[i].from, rows[i].to, &r, &change, &err))
            fail_msg("%s to %s: %s", rows[i].from, rows[i].to, err.msg);
        CHECK_STR(rows[i].to, r.to, rows[i].goes);
        CHECK(rows[i].to, place_has(p, rows[i].goes) && !place_has(p, r.path.p));
        place_undo(p, change);
        CHECK(rows[i].to, str_eq(before, place_tree(p)));
    }
}

static void test_move_refused(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *from, *to;
        enum err_code code;
        const char *words;
    } rows[] = {
        {"nowhere.md", "x.md", ERR_NOT_FOUND, "File not found: nowhere.md"},
        {"", "x", ERR_NOT_FOUND, "not found"},
        {"../x.md", "x.md", ERR_DENIED, "'..'"},
        {".obsidian", "x", ERR_DENIED, "hidden"},
        {"Old.md", "A.md", ERR_EXISTS, "'A.md' already exists"},
        {"Old.md", "a.md", ERR_EXISTS, "'A.md' already exists"},
        {"Old.md", "unseen.md", ERR_EXISTS, "'unseen.md' already exists"},
        {"Old.md", "Old.md", ERR_INVALID, "already"},
        {"Old.md", "Old", ERR_INVALID, "already"},
        {"Old.md", "", ERR_INVALID, "new path"},
        {"Old.md", "../x.md", ERR_DENIED, "'..'"},
        {"Old.md", ".trash/x.md", ERR_DENIED, "hidden"},
        {"Old.md", "a:b.md", ERR_INVALID, "'a:b.md'"},
        {"Old.md", "SUB/x.md", ERR_EXISTS, "'sub'"},
        {"sub", "sub/deep", ERR_INVALID, "itself"},
        {"sub", "sub", ERR_INVALID, "already"},
        {"sub", "sub/", ERR_INVALID, "itself"},
        {"sub", "OUT", ERR_EXISTS, "'out'"},
        {"sub", "A.md", ERR_EXISTS, "'A.md'"},
        {"sub", "a?", ERR_INVALID, "'a?'"},
        {"sub", "/", ERR_INVALID, "already"},
        {"empty", "empty/deep", ERR_INVALID, "itself"},
    };
    put_linked(p);
    place_folder(p, "empty/");
    place_start(p);
    place_put(p, "unseen.md", STR("the index does not know"));
    str before = place_tree(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ops_report r;
        uint64_t change;
        struct err err = {0};
        if (move(p, rows[i].from, rows[i].to, &r, &change, &err))
            fail_msg("%s to %s worked", rows[i].from, rows[i].to);
        if (err.code != rows[i].code || strstr(err.msg, rows[i].words) == NULL)
            fail_msg("%s to %s: %s: %s", rows[i].from, rows[i].to,
                     err_code_name(err.code), err.msg);
        CHECK(rows[i].to, str_eq(before, place_tree(p)));
    }
}

static void test_move_folder(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    uint64_t change;
    place_put(p, "proj/A.md", STR("[[B]] ![[pic.png]] [n](B.md) [up](../Top.md)"));
    place_put(p, "proj/B.md", STR("[[Top]]"));
    place_put(p, "proj/pic.png", STR("\x89PNG"));
    place_put(p, "proj/.hidden", STR("comes along"));
    place_put(p, "Top.md", STR("[[proj/A]] [a](proj/A.md) [[B|b]]"));
    place_start(p);
    str before = place_tree(p);
    OK(move(p, "proj", "done/2024/proj", &r, &change, &err));
    CHECK_INT("files", r.files, 3);
    CHECK_STR("in it", place_text(p, "done/2024/proj/A.md"),
              "[[B]] ![[pic.png]] [n](B.md) [up](../../../Top.md)");
    CHECK_STR("to it", place_text(p, "Top.md"),
              "[[done/2024/proj/A]] [a](done/2024/proj/A.md) [[B|b]]");
    CHECK("hidden, too", place_has(p, "done/2024/proj/.hidden"));
    CHECK("all", !place_has(p, "proj") && place_indexed(p, "done/2024/proj/B.md"));
    CHECK_INT("links", place_backlinks(p, "done/2024/proj/A.md"), 1);
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)));
}

static void test_move_relative(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    uint64_t change;
    place_put(p, ".obsidian/app.json", STR("{\"newLinkFormat\": \"relative\"}"));
    place_put(p, "a/N.md", STR("[[../b/M]] ![p](../b/p.png) [[O]]"));
    place_put(p, "a/O.md", STR("[[N]]"));
    place_put(p, "b/M.md", STR("[[../a/N#x|y]]"));
    place_put(p, "b/p.png", STR("p"));
    place_start(p);
    str before = place_tree(p);
    OK(move(p, "a/N.md", "b/c/N.md", &r, &change, &err));
    CHECK_STR("its own", place_text(p, "b/c/N.md"),
              "[[../M]] ![p](../p.png) [[../../a/O]]");
    CHECK_STR("O", place_text(p, "a/O.md"), "[[../b/c/N]]");
    CHECK_STR("M", place_text(p, "b/M.md"), "[[c/N#x|y]]");
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)));
}

/* --- several steps in one draft: each sees the results of those before it --- */

static void test_steps_edit_and_move(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    put_linked(p);
    place_start(p);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    OK(draft_write(d, STR("A.md"), STR("[[Old]] edited"), DRAFT_OVERWRITE, &err));
    OK(draft_write(d, STR("C.md"), STR("new [[Old]]"), DRAFT_CREATE, &err));
    OK(ops_move(d, STR("Old"), STR("New.md"), &r, &err));
    CHECK_INT("with the new note", r.rewrites, 5);
    OK(draft_write(d, STR("New.md"), STR("new [[C]]"), DRAFT_OVERWRITE, &err));
    OK(ops_move(d, STR("C"), STR("sub/D.md"), &r, &err));
    OK(draft_write(d, STR("fresh/x.md"), STR("x"), DRAFT_CREATE, &err));
    OK(ops_rename(d, STR("P"), STR("fresh"), true, &r, &err));
    CHECK_STR("a folder of the draft", r.to, "fresh/P.md");
    OK(ops_move(d, STR("New.md"), STR("sub/Newest.md"), &r, &err));
    uint64_t change = place_commit("edits and moves", d).change;
    CHECK_STR("edited", place_text(p, "A.md"), "[[Newest]] edited");
    CHECK_STR("created and moved", place_text(p, "sub/D.md"), "new [[Newest]]");
    CHECK_STR("moved twice", place_text(p, "sub/Newest.md"), "new [[D]]");
    CHECK("gone", !place_has(p, "C.md") && !place_has(p, "New.md"));
    CHECK_INT("backlinks", place_backlinks(p, "sub/Newest.md"), 5);
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)));
}

static void test_steps_with_folders(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "F/a.md", STR("a"));
    place_put(p, "F/b.md", STR("b"));
    place_put(p, "x.md", STR("[[F/a]] [[F/b]] [[y]]"));
    place_put(p, "y.md", STR("y"));
    place_put(p, ".obsidian/app.json", STR("{\"newLinkFormat\": \"absolute\"}"));
    place_start(p);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    OK(ops_move(d, STR("F"), STR("G"), &r, &err));
    OK(draft_write(d, STR("G/a.md"), STR("edited"), DRAFT_OVERWRITE, &err));
    OK(ops_move(d, STR("y.md"), STR("G/y.md"), &r, &err));
    OK(ops_move(d, STR("G/b.md"), STR("b.md"), &r, &err));
    OK(ops_delete(d, STR("b"), &(struct ops_delete){0}, &r, &err));
    uint64_t change = place_commit("folder", d).change;
    CHECK_STR("in it", place_text(p, "G/a.md"), "edited");
    CHECK_STR("links", place_text(p, "x.md"), "[[G/a]] [[b]] [[G/y]]");
    CHECK("places", place_has(p, "G/y.md") && place_has(p, ".trash/b.md") &&
                        !place_has(p, "F") && !place_has(p, "b.md"));
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)));
}

/* Moves that depend on each other in both directions. */
static void test_steps_refused(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "F/a.md", STR("a"));
    place_start(p);
    struct draft *d = place_draft(p);
    OK(ops_move(d, STR("F"), STR("G"), &r, &err));
    FAILS(ops_move(d, STR("G/a.md"), STR("G/c.md"), &r, &err), ERR_INVALID,
          "cannot be moved in one change");
    d = place_draft(p);
    OK(ops_move(d, STR("F/a.md"), STR("F/c.md"), &r, &err));
    FAILS(ops_move(d, STR("F"), STR("G"), &r, &err), ERR_INVALID,
          "cannot be moved in one change");
}

/* A bare name stays in its folder. */
static void test_rename_bare(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *from, *to, *goes, *action;
    } rows[] = {
        {"Cold frame", "Warm frame", "P/Warm frame.md", "renamed"},
        {"P/Cold frame.md", "Warm.md", "P/Warm.md", "renamed"},
        {"Cold frame", "Archive", "Archive/Cold frame.md", "moved"},
        {"Cold frame", "archive/", "archive/Cold frame.md", "moved"},
        {"Cold frame", "/", "Cold frame.md", "moved"},
        {"Cold frame", "/Warm", "Warm.md", "moved and renamed"},
        {"Cold frame", "Q/Warm", "Q/Warm.md", "moved and renamed"},
        {"P/sub", "other", "P/other", "renamed"},
        {"P", "Archive", "Archive/P", "moved"},
        {"P", "p", "p", "renamed"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ops_report r;
        place_put(p, "P/Cold frame.md", STR("text"));
        place_put(p, "P/sub/x.md", STR("text"));
        place_put(p, "Archive/y.md", STR("text"));
        place_start(p);
        struct draft *d = place_draft(p);
        bool archive = str_eq(str_c(rows[i].to), STR("archive/"));
        struct err err = {0};
        bool ok = ops_rename(d, str_c(rows[i].from), str_c(rows[i].to), true, &r, &err);
        CHECK(rows[i].to, ok || archive);
        if (!ok)
            continue; /* another spelling of a folder */
        CHECK_STR(rows[i].to, r.to, rows[i].goes);
        CHECK_STR(rows[i].goes, str_c(r.action), rows[i].action);
    }
}

/* --- inside notes --- */

static void test_rename_heading(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "N.md", STR("# One\n\n## Two\n\n# Three\n\n## Two\n\ntext ^id1\n"));
    place_put(p, "L.md", STR("[[N#One]] [[N#One#Two]] [[N#^id1]]"));
    place_start(p);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    FAILS(ops_rename_heading(d, STR("N"), STR("None"), 0, STR("x"), &r, &err),
          ERR_NOT_FOUND, "None");
    FAILS(ops_rename_heading(d, STR("nowhere"), STR("One"), 0, STR("x"), &r, &err),
          ERR_NOT_FOUND, "nowhere");
    FAILS(ops_rename_heading(d, STR("N"), STR("Two"), 0, STR("x"), &r, &err), ERR_INVALID,
          "3");
    OK(ops_rename_heading(d, STR("N"), STR("One"), 0, STR("First"), &r, &err));
    CHECK_INT("links", r.links, 2);
    struct draft_result made = place_commit("heading", d);
    CHECK_STR("links", place_text(p, "L.md"), "[[N#First]] [[N#First#Two]] [[N#^id1]]");
    place_undo(p, made.change);
    CHECK("undone", str_eq(before, place_tree(p)));
    d = place_draft(p);
    OK(ops_rename_heading(d, STR("N.md"), STR("#Two"), 7, STR("Second"), &r, &err));
    place_commit("by line", d);
    CHECK_STR("N", place_text(p, "N.md"),
              "# One\n\n## Two\n\n# Three\n\n## Second\n\ntext ^id1\n");
    d = place_draft(p);
    FAILS(ops_rename_block(d, STR("N"), STR("nope"), STR("b"), &r, &err), ERR_NOT_FOUND,
          "nope");
    OK(ops_rename_block(d, STR("N"), STR("^id1"), STR("end"), &r, &err));
    place_commit("block", d);
    CHECK_STR("link", place_text(p, "L.md"), "[[N#One]] [[N#One#Two]] [[N#^end]]");
    CHECK("block", str_find(place_text(p, "N.md"), STR("text ^end\n")) != STR_NONE);
}

/* The note itself was edited a moment ago: the heading is still found. */
static void test_rename_in_edited(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "N.md", STR("# One\n"));
    place_start(p);
    place_put(p, "N.md", STR("# Zero\n\n# New\n"));
    struct draft *d = place_draft(p);
    OK(ops_rename_heading(d, STR("N.md"), STR("New"), 0, STR("Newer"), &r, &err));
    place_commit("edited", d);
    CHECK_STR("N", place_text(p, "N.md"), "# Zero\n\n# Newer\n");
}

static void test_rename_tag(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "A.md", STR("---\ntags: [old, Old/deep]\n---\n#old #older `#old`\n"));
    place_put(p, "B.md", STR("#OLD/deep\n"));
    place_start(p);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    FAILS(ops_rename_tag(d, STR("none"), STR("x"), &r, &err), ERR_NOT_FOUND, "none");
    FAILS(ops_rename_tag(d, STR("old"), STR("1"), &r, &err), ERR_INVALID, "1");
    OK(ops_rename_tag(d, STR("#old"), STR("new"), &r, &err));
    CHECK_INT("notes", r.rewrites, 2);
    struct draft_result made = place_commit("tag", d);
    CHECK_STR("A", place_text(p, "A.md"),
              "---\ntags: [new, new/deep]\n---\n#new #older `#old`\n");
    CHECK_STR("B", place_text(p, "B.md"), "#new/deep\n");
    CHECK("index", place_tagged(p, "new") && !place_tagged(p, "old"));
    place_undo(p, made.change);
    CHECK("undone", str_eq(before, place_tree(p)) && place_tagged(p, "old"));
}

/* --- deleting --- */

static struct ops_report delete_path(struct place *p, const char *path,
                                     struct ops_delete how, uint64_t *change)
{
    struct ops_report r = {0};
    struct draft *d = place_draft(p);
    OK(ops_delete(d, str_c(path), &how, &r, &err));
    *change = place_commit(path, d).change;
    return r;
}

static void test_delete(void **state)
{
    struct place *p = *state;
    uint64_t change;
    put_linked(p);
    place_put(p, "sub/Old.md", STR("another okapi"));
    place_start(p);
    str before = place_tree(p);
    struct ops_report r = delete_path(p, "sub/Old.md", (struct ops_delete){0}, &change);
    CHECK_STR("to", r.to, ".trash/sub/Old.md");
    CHECK_STR("kept", place_text(p, ".trash/sub/Old.md"), "another okapi");
    CHECK("gone", !place_has(p, "sub/Old.md") && place_hits(p, "okapi") == 0);
    place_put(p, "sub/Old.md", STR("third"));
    r = delete_path(p, "sub/Old.md", (struct ops_delete){0}, &change);
    CHECK_STR("numbered", r.to, ".trash/sub/Old 1.md");
    place_put(p, "sub/Old.md", STR("fourth"));
    vault_refresh(p->vault, NULL, 0);
    r = delete_path(p, "sub/old.md", (struct ops_delete){0}, &change);
    CHECK_STR("again, by another spelling", r.to, ".trash/sub/Old 2.md");
    CHECK_STR("real path", r.path, "sub/Old.md");
    place_undo(p, change);
    CHECK_STR("back", place_text(p, "sub/Old.md"), "fourth");
    unlinkat(p->fd, "sub/Old.md", 0);
    r = delete_path(p, "PIC.png", (struct ops_delete){0}, &change);
    CHECK_STR("attachment", r.to, ".trash/pic.png");
    place_undo(p, change);

    place_remove(p->fd, ".trash");
    place_put(p, "sub/Old.md", STR("another okapi"));
    CHECK("everything is as before", str_eq(before, place_tree(p)));
    r = delete_path(p, "Old.md", (struct ops_delete){.unlink = true}, &change);
    CHECK_STR("links are text", place_text(p, "A.md"), "Old and shown `[[Old]]`\r\n");
    CHECK_INT("a card stays", r.n_warnings, 1);
    CHECK("trashed", place_has(p, ".trash/Old.md") && !place_has(p, "Old.md"));
    place_undo(p, change);
    CHECK("undone", place_has(p, "Old.md") && !place_has(p, ".trash"));
}

/* Links that lead nowhere afterwards are counted in the vault's index: to make another one
 * takes as long as reading all names and links. */
static void test_delete_makes_no_index(void **state)
{
    static const struct ops_delete how[] = {
        {0}, {.unlink = true}, {.links_to = STR("sub/B.md")}};
    struct place *p = *state;
    struct ops_report r;
    put_linked(p);
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(how); i++) {
        struct draft *d = place_draft(p);
        OK(ops_delete(d, STR("Old.md"), &how[i], &r, &err));
        CHECK("none", d->after == NULL);
    }
}

static void test_delete_refused(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *path;
        struct ops_delete how;
        enum err_code code;
        const char *words;
    } rows[] = {
        {"", {.recursive = true}, ERR_DENIED, "vault itself"},
        {"/", {.recursive = true}, ERR_DENIED, "vault itself"},
        {"nowhere.md", {0}, ERR_NOT_FOUND, "File not found: nowhere.md"},
        {"sub", {0}, ERR_INVALID, "recursive"},
        {"sub", {.recursive = true, .unlink = true}, ERR_INVALID, "unlinked"},
        {".obsidian/app.json", {0}, ERR_DENIED, "hidden"},
        {".trash", {.recursive = true}, ERR_DENIED, "hidden"},
        {"../x", {0}, ERR_DENIED, "'..'"},
    };
    put_linked(p);
    place_start(p);
    str before = place_tree(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ops_report r;
        FAILS(ops_delete(place_draft(p), str_c(rows[i].path), &rows[i].how, &r, &err),
              rows[i].code, rows[i].words);
    }
    CHECK("nothing happened", str_eq(before, place_tree(p)));
}

static void test_delete_folder(void **state)
{
    struct place *p = *state;
    uint64_t change;
    struct ops_report r;
    place_put(p, "f/a.md", STR("zebra"));
    place_put(p, "f/deep/er/b.md", STR("zebra"));
    place_put(p, "f/pic.png", STR("\x89PNG\0"));
    place_folder(p, "f/none/at/all/");
    place_start(p);
    str before = place_tree(p);
    r = delete_path(p, "f", (struct ops_delete){.recursive = true}, &change);
    CHECK_STR("trash", r.to, ".trash/f");
    CHECK("gone", place_hits(p, "zebra") == 0 && !place_has(p, "f"));
    CHECK("all in the trash", place_has(p, ".trash/f/deep/er/b.md"));
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)) && place_hits(p, "zebra") == 2);
    r = delete_path(p, "f/", (struct ops_delete){.recursive = true, .forever = true},
                    &change);
    CHECK_INT("files", r.files, 3);
    CHECK("deleted permanently", !place_has(p, "f") && !place_has(p, ".trash"));
    place_undo(p, change);
    CHECK("undone, too", str_eq(before, place_tree(p)) && place_hits(p, "zebra") == 2);

    place_put(p, "f/deep/.DS_Store", STR("hidden"));
    before = place_tree(p);
    struct draft *d = place_draft(p);
    struct draft_result made;
    struct ops_delete how = {.recursive = true, .forever = true};
    OK(ops_delete(d, STR("f"), &how, &r, &err));
    FAILS(draft_commit(d, &(struct idempotency){0}, &made, &err), ERR_CONFLICT,
          "not empty");
    CHECK("nothing happened", str_eq(before, place_tree(p)));
}

static void test_delete_forever(void **state)
{
    struct place *p = *state;
    uint64_t change;
    place_put(p, ".obsidian/app.json", STR("{\"trashOption\": \"none\"}"));
    place_put(p, "a.md", STR("a"));
    place_put(p, "b.md", STR("b"));
    place_start(p);
    str before = place_tree(p);
    struct ops_report r = delete_path(p, "a.md", (struct ops_delete){0}, &change);
    CHECK("as the settings say", r.to.n == 0 && !place_has(p, ".trash"));
    place_undo(p, change);
    CHECK("undone", str_eq(before, place_tree(p)));
    place_put(p, ".obsidian/app.json", STR("{\"trashOption\": \"local\"}"));
    place_start(p);
    delete_path(p, "a.md", (struct ops_delete){0}, &change);
    CHECK("to the trash", place_has(p, ".trash/a.md"));
    delete_path(p, "b.md", (struct ops_delete){.forever = true}, &change);
    CHECK("not to the trash", !place_has(p, ".trash/b.md") && !place_has(p, "b.md"));
}

/* More than the journal should keep: the message says what to do instead. */
static void test_delete_much(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    struct ops_delete how = {.recursive = true, .forever = true};
    place_put(p, "f/film.mp4", STR("x"));
    int fd = openat(p->fd, "f/film.mp4", O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, OPS_FOREVER_MAX + 1), 0);
    close(fd);
    place_start(p);
    FAILS(ops_delete(place_draft(p), STR("f"), &how, &r, &err), ERR_LIMIT, "trash");
    FAILS(ops_delete(place_draft(p), STR("f/film.mp4"), &how, &r, &err), ERR_LIMIT, "");
    how.forever = false;
    struct draft *d = place_draft(p);
    OK(ops_delete(d, STR("f"), &how, &r, &err));
    place_commit("trash", d);
    CHECK("trash", place_has(p, ".trash/f/film.mp4"));
}

/* Several deletions in one draft see each other. */
static void test_delete_several(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "a.md", STR("a"));
    place_put(p, "a 1.md", STR("a 1"));
    place_put(p, ".trash/a.md", STR("old"));
    place_start(p);
    str before = place_tree(p);
    struct draft *d = place_draft(p);
    OK(ops_delete(d, STR("a.md"), &(struct ops_delete){0}, &r, &err));
    CHECK_STR("first", r.to, ".trash/a 1.md");
    OK(ops_delete(d, STR("a 1.md"), &(struct ops_delete){0}, &r, &err));
    CHECK_STR("second", r.to, ".trash/a 1 1.md");
    FAILS(ops_delete(d, STR("a.md"), &(struct ops_delete){0}, &r, &err), ERR_NOT_FOUND,
          "a.md");
    struct draft_result made = place_commit("several", d);
    CHECK_STR("a", place_text(p, ".trash/a 1.md"), "a");
    place_undo(p, made.change);
    CHECK("undone", str_eq(before, place_tree(p)));
}

static void test_restore(void **state)
{
    struct place *p = *state;
    uint64_t change;
    struct ops_report r;
    struct ops_trashed *trash;
    size_t n;
    place_put(p, "sub/a.md", STR("zebra"));
    place_put(p, "f/b.md", STR("zebra"));
    place_put(p, "what?.md", STR("?"));
    place_start(p);
    OK(ops_trash(p->vault, &p->arena, &trash, &n, &err));
    CHECK_INT("no trash", n, 0);
    delete_path(p, "sub/a.md", (struct ops_delete){0}, &change);
    delete_path(p, "f", (struct ops_delete){.recursive = true}, &change);
    delete_path(p, "what?.md", (struct ops_delete){0}, &change);
    place_put(p, ".trash/flat.md", STR("by Obsidian"));
    OK(ops_trash(p->vault, &p->arena, &trash, &n, &err));
    CHECK_INT("trash", n, 4);
    for (size_t i = 0; i < n; i++) {
        bool ours = !str_eq(trash[i].path, STR("flat.md"));
        CHECK("where it was", str_eq(trash[i].from, ours ? trash[i].path : STR("")));
        CHECK("when", trash[i].when > 0);
    }
    FAILS(ops_restore(place_draft(p), STR("sub/aa.md"), STR(""), &r, &err), ERR_NOT_FOUND,
          "did you mean 'sub/a.md'?");

    FAILS(ops_restore(place_draft(p), STR("x.md"), STR(""), &r, &err), ERR_NOT_FOUND,
          "'x.md' is not in the trash");
    FAILS(ops_restore(place_draft(p), STR(""), STR(""), &r, &err), ERR_NOT_FOUND,
          "trash");
    FAILS(ops_restore(place_draft(p), STR("sup"), STR(""), &r, &err), ERR_NOT_FOUND,
          "did you mean 'sub'?");
    place_put(p, ".trash/g/b.md", STR("another"));
    FAILS(ops_restore(place_draft(p), STR("B"), STR(""), &r, &err), ERR_INVALID,
          "several with the name 'B'");
    FAILS(ops_restore(place_draft(p), STR("../a.md"), STR(""), &r, &err), ERR_DENIED,
          "'..'");
    FAILS(ops_restore(place_draft(p), STR("sub/a.md"), STR("a:b.md"), &r, &err),
          ERR_INVALID, "'a:b.md'");
    place_put(p, "sub/A.md", STR("taken"));
    vault_refresh(p->vault, NULL, 0);
    FAILS(ops_restore(place_draft(p), STR("sub/a.md"), STR(""), &r, &err), ERR_EXISTS,
          "give another path");
    static const struct {
        const char *path, *to, *goes, *file;
    } rows[] = {
        {"sub/a.md", "back/", "back/a.md", "back/a.md"},
        {"F", "", "f", "f/b.md"},
        {"WHAT?", "", "what?.md", "what?.md"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct draft *d = place_draft(p);
        OK(ops_restore(d, str_c(rows[i].path), str_c(rows[i].to), &r, &err));
        CHECK_STR(rows[i].path, r.to, rows[i].goes);
        place_commit(rows[i].path, d);
        CHECK(rows[i].path, place_indexed(p, rows[i].file));
    }
    CHECK_INT("found again", place_hits(p, "zebra"), 2);
}

/* --- an outdated index --- */

/* Without a watcher, another program edits a file before or after the plan is made. */
static void test_stale_index(void **state)
{
    struct place *p = *state;
    struct draft_result made;
    struct ops_report r;
    uint64_t change;
    place_put(p, "Old.md", STR("old"));
    place_put(p, "A.md", STR("[[Old]]"));
    place_start(p);
    place_put(p, "A.md", STR("[[Old]] edited outside"));
    OK(move(p, "Old.md", "New.md", &r, &change, &err));
    CHECK_STR("both edits", place_text(p, "A.md"), "[[New]] edited outside");

    struct draft *d = place_draft(p);
    OK(ops_move(d, STR("New.md"), STR("Newer.md"), &r, &err));
    place_put(p, "A.md", STR("[[New]] edited again"));
    str before = place_tree(p);
    FAILS(draft_commit(d, &(struct idempotency){0}, &made, &err), ERR_CONFLICT, "'A.md'");
    CHECK("nothing happened", str_eq(before, place_tree(p)));

    place_put(p, "unseen.md", STR("new")); /* the file to move is not indexed yet */
    OK(move(p, "unseen.md", "seen.md", &r, &change, &err));
    CHECK("moved", place_indexed(p, "seen.md"));
}

static void test_no_state(void **state)
{
    struct place *p = *state;
    struct ops_report r;
    uint64_t change;
    put_linked(p);
    place_start_with(p, NULL);
    str before = place_tree(p);
    FAILS(move(p, "Old.md", "New.md", &r, &change, &err), ERR_DENIED, "read-only");
    CHECK("nothing happened", str_eq(before, place_tree(p)));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_move_note),
        PLACE_TEST(test_move_targets),
        PLACE_TEST(test_move_refused),
        PLACE_TEST(test_move_folder),
        PLACE_TEST(test_move_relative),
        PLACE_TEST(test_steps_edit_and_move),
        PLACE_TEST(test_steps_with_folders),
        PLACE_TEST(test_steps_refused),
        PLACE_TEST(test_rename_bare),
        PLACE_TEST(test_rename_heading),
        PLACE_TEST(test_rename_in_edited),
        PLACE_TEST(test_rename_tag),
        PLACE_TEST(test_delete),
        PLACE_TEST(test_delete_makes_no_index),
        PLACE_TEST(test_delete_refused),
        PLACE_TEST(test_delete_folder),
        PLACE_TEST(test_delete_forever),
        PLACE_TEST(test_delete_much),
        PLACE_TEST(test_delete_several),
        PLACE_TEST(test_restore),
        PLACE_TEST(test_stale_index),
        PLACE_TEST(test_no_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
