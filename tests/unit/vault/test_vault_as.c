/* One vault, several callers: what each can see and change. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>

#include "base/clock.h"
#include "ends.h"
#include "rounds.h"
#include "tree.h"
#include "vault/ops.h"
#include "vault_place.h"

static struct access access_of(struct place *p, const char *text)
{
    struct access x;
    struct err err = {0};
    if (!access_parse(&p->arena, str_c(text), &x, &err))
        fail_msg("%s: %s", text, err.msg);
    return x;
}

/* The vault as a caller with these rights sees it. */
static struct vault *as(struct place *p, const char *text)
{
    struct access x = access_of(p, text);
    return vault_as(p->vault, &p->arena, &x);
}

/* The vault with these rights for all callers. */
static void start_as(struct place *p, const char *text)
{
    struct err err = {0};
    struct access x = access_of(p, text);
    vault_close(p->vault);
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state, .access = &x});
    assert_true(vault_wait(p->vault, NULL, NULL, &err));
}

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("[[Secret plan]] [[Plan]] [[Work/Notes/Plan]] #open"));
    place_put(p, "Work/Plan.md", STR("alpha [[Home]] #work"));
    place_put(p, "Work/Notes/Plan.md", STR("alpha beta [[Secret plan]] #work/deep"));
    place_put(p, "Private/Secret plan.md", STR("alpha omega [[Home]] [[Plan]] #hidden"));
    place_put(p, "Private/Plan.md", STR("gamma"));
    place_put(p, "Private/deep/x.png", STR("\x89PNG\r\n\x1a\n"));
}

/* Every path in an index, and how often two words and two tags occur. */
static str seen_by(struct place *p, struct vault *v)
{
    static const char *const words[] = {"alpha", "omega"};
    struct sbuf b = SBUF_ON(&p->arena);
    const struct file **files;
    struct graph_counts counts;
    struct err err;
    const struct index *x = vault_lock(v);
    size_t n = index_sorted(x, &p->arena, &files);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, STR_FMT " ", STR_ARG(files[i]->path));
    graph_count(x->graph, &counts);
    sbuf_printf(&b, "| %zu links %zu nowhere |", counts.links, counts.unresolved);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        struct words_result r;
        assert_true(words_search_text(x->words, &p->arena, str_c(words[i]), 0, 9, NULL,
                                      NULL, &r, &err));
        sbuf_printf(&b, " %s %zu", words[i], r.total);
    }
    for (size_t i = 0; i < tags_count(x->tags); i++)
        sbuf_printf(&b, " #" STR_FMT, STR_ARG(tags_at(x->tags, i).name));
    vault_unlock(v);
    return arena_str(&p->arena, sbuf_str(&b));
}

#define NOT_PRIVATE                                                                      \
    "Home.md Work/Notes/Plan.md Work/Plan.md | 5 links 2 nowhere | alpha 2 omega 0 "     \
    "#open #work #work/deep"

static void test_views(void **state)
{
    struct place *p = *state;
    fill(p);
    place_start(p);
    struct vault *all = as(p, ""), *outside = as(p, "deny private\n");
    CHECK_STR("operator", seen_by(p, p->vault), seen_by(p, all));
    CHECK_STR("outside", seen_by(p, outside), NOT_PRIVATE);
    CHECK_STR("work", seen_by(p, as(p, "read Work\n")),
              "Work/Notes/Plan.md Work/Plan.md | 2 links 2 nowhere | alpha 2 omega 0 "
              "#work #work/deep");
    CHECK_STR("nothing", seen_by(p, as(p, "deny /\n")),
              "| 0 links 0 nowhere | alpha 0 omega 0");
    CHECK_STR(
        "joined",
        seen_by(p, vault_as(outside, &p->arena, &(struct access){.read_only = true})),
        NOT_PRIVATE);
    /* links resolve as if the hidden files did not exist */
    struct names_answer answer;
    const struct index *x = vault_lock(outside);
    names_resolve(x->names, NULL, STR("Secret plan"), STR("Home.md"), NO_FILE, &answer);
    CHECK("no such note", answer.file == NO_FILE);
    vault_unlock(outside);
}

/* The operator's settings apply to all callers, also after a restart from a snapshot. */
static void test_operator(void **state)
{
    struct place *p = *state;
    fill(p);
    place_start(p); /* its snapshot contains everything */
    start_as(p, "deny Private\n");
    CHECK_STR("first", seen_by(p, p->vault), NOT_PRIVATE);
    place_put(p, "Private/New.md", STR("omega #new"));
    str path = STR("Private/New.md");
    vault_refresh(p->vault, &path, 1);
    vault_refresh(p->vault, NULL, 0);
    path = STR("Private");
    vault_refresh(p->vault, &path, 1);
    CHECK_STR("then", seen_by(p, p->vault), NOT_PRIVATE);
    struct index_counts counts;
    index_count(vault_lock(p->vault), &counts);
    vault_unlock(p->vault);
    CHECK_INT("notes", counts.notes, 3);
    CHECK_INT("attachments", counts.attachments, 0);
    CHECK_INT("folders", counts.folders, 2);
    start_as(p, "");
    CHECK("all again", str_find(seen_by(p, p->vault), STR("omega 2")) != STR_NONE);
}

/* Views follow changes on disk, including views that were dropped in the meantime. */
static void test_follows(void **state)
{
    enum { PEOPLE = VAULT_VIEWS_MAX + 5 };
    struct place *p = *state;
    struct vault *people[PEOPLE];
    fill(p);
    place_start(p);
    struct vault *outside = as(p, "deny Private\n");
    for (int i = 0; i < PEOPLE; i++) {
        char text[64];
        snprintf(text, sizeof(text), "deny Private\ndeny n%d\n", i);
        people[i] = as(p, text);
        CHECK_STR(text, seen_by(p, people[i]), NOT_PRIVATE);
    }
    place_put(p, "Work/Secret plan.md", STR("omega #found"));
    place_put(p, "Private/Plan.md", STR("omega omega #found"));
    unlinkat(p->fd, "Work/Plan.md", 0);
    vault_refresh(p->vault, NULL, 0);
    static const char after[] =
        "Home.md Work/Notes/Plan.md Work/Secret plan.md | 4 links 0 nowhere | alpha 1 "
        "omega 1 #found #open #work #work/deep";
    CHECK_STR("outside", seen_by(p, outside), after);
    for (int i = 0; i < PEOPLE; i++)
        CHECK_STR("people", seen_by(p, people[i]), after);
}

/* --- the disk --- */

struct answers {
    struct err stat, bytes, list, read, walk;
    bool failed;
};

static struct answers ask(struct place *p, struct vault *v, const char *path)
{
    struct answers a = {0};
    struct fs_info info;
    str bytes;
    struct fs_list entries;
    struct vault_text text;
    struct walk w;
    bool ok = vault_stat(v, str_c(path), &info, &a.stat);
    ok = vault_bytes(v, &p->arena, str_c(path), 1000, &bytes, &a.bytes) || ok;
    ok = vault_entries(v, &p->arena, str_c(path), &entries, &a.list) || ok;
    ok = vault_read(v, &p->arena, str_c(path), 1, 0, &text, &a.read) || ok;
    if (vault_walk(v, str_c(path), &w, &a.walk)) {
        walk_release(&w);
        ok = true;
    }
    a.failed = !ok;
    return a;
}

static void check_missing(struct place *p, struct vault *v, const char *path)
{
    char want[200];
    snprintf(want, sizeof(want), "File not found: %s", path);
    struct answers a = ask(p, v, path);
    const struct err *all[] = {&a.stat, &a.bytes, &a.list, &a.read, &a.walk};
    CHECK(path, a.failed);
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        CHECK_STR(path, str_c(all[i]->msg), want);
        CHECK_INT(path, all[i]->name, E_FILE_NOT_FOUND);
        CHECK_INT(path, all[i]->code, ERR_NOT_FOUND);
        CHECK_STR(path, str_c(all[i]->detail), "");
    }
}

static void test_disk(void **state)
{
    struct place *p = *state;
    struct vault_listing list;
    struct err err;
    fill(p);
    place_start(p);
    static const char *const hidden[] = {
        "Private",      "Private/Plan.md",   "private/Plan.md", "Private/none.md",
        "Private/deep", "Private/Plan.md/x", "none.md",         "none/none.md"};
    struct vault *people[] = {as(p, "deny private\n"), as(p, "read Work\nread Home.md\n"),
                              as(p, "read **/Home.md\nread Wor[k]\n")};
    for (size_t k = 0; k < COUNT_OF(people); k++) {
        struct vault *v = people[k];
        for (size_t i = 0; i < COUNT_OF(hidden); i++)
            check_missing(p, v, hidden[i]);
        assert_true(vault_list(v, &p->arena, STR(""), &list, &err));
        CHECK_INT("root", list.n, 2);
        CHECK_STR("root", list.entries[0].name, "Home.md");
        CHECK_STR("root", list.entries[1].name, "Work");
        CHECK_INT("children", list.entries[1].children, 2);
        CHECK("seen", !ask(p, v, "Work/Plan.md").failed);
    }
    /* a folder above visible files shows nothing else */
    struct vault *deep = as(p, "read Work/Notes\n");
    assert_true(vault_list(deep, &p->arena, STR("Work"), &list, &err));
    CHECK_INT("one", list.n, 1);
    CHECK_STR("one", list.entries[0].name, "Notes");
    assert_true(vault_list(deep, &p->arena, STR(""), &list, &err));
    CHECK_INT("one", list.n, 1);
    check_missing(p, deep, "Work/Plan.md");
    check_missing(p, deep, "Home.md");
}

/* A symlink must not be a way around the restrictions. */
static void test_links(void **state)
{
    struct place *p = *state;
    fill(p);
    assert_int_equal(symlinkat("../Private/Plan.md", p->fd, "Work/way.md"), 0);
    assert_int_equal(symlinkat("../Private", p->fd, "Work/ways"), 0);
    place_start(p);
    CHECK("followed", !ask(p, p->vault, "Work/way.md").failed);
    struct vault *outside = as(p, "deny Private\n");
    CHECK_STR("index", seen_by(p, outside), NOT_PRIVATE);
    check_missing(p, outside, "Work/way.md");
    check_missing(p, outside, "Work/ways/Plan.md");
    struct err err = {0};
    struct actor by = {.tool = STR("test")};
    struct draft *d = place_keep(p, draft_create(outside, &p->arena, &by));
    CHECK("written",
          !draft_write(d, STR("Work/ways/n.md"), STR("x"), DRAFT_CREATE, &err));
    CHECK_INT("written", err.code, ERR_DENIED);
    start_as(p, "deny Private\n");
    CHECK_STR("operator", seen_by(p, p->vault), NOT_PRIVATE);
    check_missing(p, p->vault, "Work/way.md");
}

/* --- changes --- */

static bool write_as(struct place *p, struct vault *v, const char *path, struct err *err)
{
    struct actor by = {.tool = STR("test")};
    struct draft *d = place_keep(p, draft_create(v, &p->arena, &by));
    struct draft_result r;
    *err = (struct err){0};
    return draft_write(d, str_c(path), STR("new"), DRAFT_OVERWRITE, err) &&
           draft_commit(d, &(struct idempotency){0}, &r, err);
}

/* Nor a way to write where only reading is allowed, for any kind of change. */
static void test_links_and_writing(void **state)
{
    static const struct change_op ops[] = {
        {.kind = JOURNAL_WRITE, .path = STR("Work/way.md"), .text = STR("x")},
        {.kind = JOURNAL_WRITE, .path = STR("Work/ways/Plan.md"), .text = STR("x")},
        {.kind = JOURNAL_WRITE, .path = STR("Work/ways/New.md"), .text = STR("x")},
        {.kind = JOURNAL_WRITE, .path = STR("Work/ways/a/b/New.md"), .text = STR("x")},
        {.kind = JOURNAL_WRITE, .path = STR("Work/dangling.md"), .text = STR("x")},
        {.kind = JOURNAL_DELETE, .path = STR("Work/way.md")},
        {.kind = JOURNAL_DELETE, .path = STR("Work/ways/Plan.md")},
        {.kind = JOURNAL_MOVE,
         .path = STR("Work/ways/Plan.md"),
         .to = STR("Work/stolen.md")},
        {.kind = JOURNAL_MOVE, .path = STR("Work/Plan.md"), .to = STR("Work/ways/x.md")},
        {.kind = JOURNAL_MAKE_FOLDER, .path = STR("Work/ways/f")},
        {.kind = JOURNAL_REMOVE_FOLDER, .path = STR("Work/ways/f")},
        {.kind = JOURNAL_WRITE, .path = STR("Work/git/config"), .text = STR("x")},
        {.kind = JOURNAL_WRITE, .path = STR("Work/git/new"), .text = STR("x")},
    };
    struct place *p = *state;
    struct err err;
    fill(p);
    assert_int_equal(symlinkat("../Private/Plan.md", p->fd, "Work/way.md"), 0);
    assert_int_equal(symlinkat("../Private", p->fd, "Work/ways"), 0);
    assert_int_equal(symlinkat("../Private/none.md", p->fd, "Work/dangling.md"), 0);
    assert_int_equal(symlinkat("../.git", p->fd, "Work/git"), 0);
    assert_int_equal(symlinkat("Plan.md", p->fd, "Work/same.md"), 0);
    folder(p->fd, ".git");
    put(p->fd, ".git/config", "config");
    place_start(p);
    struct vault *v = as(p, "write Work\n");
    str before = tree_text(&p->arena, p->fd);
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        struct change_op op = ops[i];
        struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
        struct change_result made;
        CHECK(op.path.p, !vault_change(v, &p->arena, &change, &made, &err));
        CHECK_INT(op.path.p, err.name, E_PATH_NOT_ALLOWED);
        CHECK("unchanged", str_eq(tree_text(&p->arena, p->fd), before));
    }
    assert_true(write_as(p, v, "Work/same.md", &err));
    CHECK_STR("the target", content(&p->arena, p->fd, "Work/Plan.md"), "new");
    assert_true(write_as(p, p->vault, "Work/way.md", &err));
    CHECK_STR("all of it", content(&p->arena, p->fd, "Private/Plan.md"), "new");
    assert_false(write_as(p, vault_whole(p->vault), "Work/git/config", &err));
    CHECK_STR("never", content(&p->arena, p->fd, ".git/config"), "config");
}

/* The same message whether the path exists or not. */
static void test_write(void **state)
{
    static const struct {
        const char *access, *path, *error;
    } cases[] = {
        {"write Work\n", "Work/new.md", NULL},
        {"write Work\n", "Work/Plan.md", NULL},
        {"write Work\n", "Home.md", "'Home.md' may not be written: only in Work"},
        {"write Work\n", "none.md", "'none.md' may not be written: only in Work"},
        {"deny Private\n", "Private/Plan.md", "'Private/Plan.md' may not be written"},
        {"deny Private\n", "Private/none.md", "'Private/none.md' may not be written"},
        {"deny Private\n", "private/none.md", "'private/none.md' may not be written"},
        {"read Work\nread x\n", "y/none.md",
         "'y/none.md' may not be written: only in Work, x"},
        {"read-only\n", "Work/other.md",
         "this vault is read-only: nothing in it can be changed here"},
        {"read Work/Notes\n", "Work/Notes/a/b.md", NULL},
    };
    struct place *p = *state;
    fill(p);
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err;
        str before = place_tree(p);
        bool ok = write_as(p, as(p, cases[i].access), cases[i].path, &err);
        CHECK_INT(cases[i].path, ok, cases[i].error == NULL);
        if (ok)
            continue;
        CHECK_STR(cases[i].path, str_c(err.msg), cases[i].error);
        CHECK_INT(cases[i].path, err.code, ERR_DENIED);
        CHECK("untouched", str_eq(place_tree(p), before));
    }
}

static bool commit_move(struct place *p, struct vault *v, const char *from,
                        const char *to, bool links, struct err *err)
{
    struct actor by = {.tool = STR("move")};
    struct draft *d = place_keep(p, draft_create(v, &p->arena, &by));
    struct ops_report report;
    struct draft_result r;
    *err = (struct err){0};
    return ops_rename(d, str_c(from), str_c(to), links, &report, err) &&
           draft_commit(d, &(struct idempotency){0}, &r, err);
}

static void test_move(void **state)
{
    struct place *p = *state;
    struct err err;
    fill(p);
    place_start(p);
    struct vault *outside = as(p, "deny Private\n"), *work = as(p, "write Work\n");
    CHECK("hidden", !commit_move(p, outside, "Private/Plan.md", "x.md", true, &err));
    CHECK("hidden", err.name == E_FILE_NOT_FOUND && !strstr(err.msg, "'Private"));
    CHECK("into", !commit_move(p, outside, "Home.md", "Private/", true, &err));
    CHECK_STR("into", str_c(err.msg), "'Private/Home.md' may not be written");
    /* a note that may not be written links to it */
    CHECK("linked", !commit_move(p, work, "Work/Plan.md", "Work/Old.md", true, &err));
    CHECK_INT("linked", err.code, ERR_DENIED);
    CHECK(err.msg, str_find(str_c(err.msg), STR("'Home.md'")) != STR_NONE &&
                       str_find(str_c(err.msg), STR("keep_links")) != STR_NONE);
    CHECK("kept", commit_move(p, work, "Work/Plan.md", "Work/Old.md", false, &err));
    CHECK("text", str_find(place_text(p, "Home.md"), STR("[[Plan]]")) != STR_NONE);
    /* links in hidden notes stay, others are rewritten */
    CHECK("seen", commit_move(p, outside, "Home.md", "House.md", true, &err));
    CHECK("follows",
          str_find(place_text(p, "Work/Old.md"), STR("[[House]]")) != STR_NONE);
    CHECK("stays",
          str_find(place_text(p, "Private/Secret plan.md"), STR("[[Home]]")) != STR_NONE);
}

/* Hidden files are not moved or deleted with their folder, and it is not revealed whether
 * there are any. */
static void test_folder_with_secrets(void **state)
{
    struct place *p = *state;
    fill(p);
    place_start(p);
    const char *rights[] = {"deny Work/Notes\n", "deny Work/none\n"};
    for (size_t i = 0; i < COUNT_OF(rights); i++) {
        struct vault *v = as(p, rights[i]);
        struct actor by = {.tool = STR("test")};
        struct ops_report r;
        struct err err = {0};
        str before = place_tree(p);
        CHECK("move", !commit_move(p, v, "Work", "Play", true, &err));
        CHECK_STR("move", str_c(err.msg), "'Work' may not be written");
        for (int forever = 0; forever < 2; forever++) {
            struct draft *d = place_keep(p, draft_create(v, &p->arena, &by));
            struct ops_delete how = {.recursive = true, .forever = forever == 1};
            CHECK("delete", !ops_delete(d, STR("Work"), &how, &r, &err));
            CHECK_STR("delete", str_c(err.msg), "'Work' may not be written");
        }
        CHECK("untouched", str_eq(place_tree(p), before));
    }
    struct err err;
    CHECK("without any",
          commit_move(p, as(p, "deny Private\n"), "Work", "Play", true, &err));
}

static uint64_t delete_as(struct place *p, struct vault *v, const char *path)
{
    struct actor by = {.tool = STR("delete")};
    struct draft *d = place_keep(p, draft_create(v, &p->arena, &by));
    struct ops_report r;
    struct err err = {0};
    if (!ops_delete(d, str_c(path), &(struct ops_delete){.recursive = true}, &r, &err))
        fail_msg("%s: %s", path, err.msg);
    return place_commit(path, d).change;
}

static size_t trash_seen_by(struct place *p, struct vault *v)
{
    struct ops_trashed *trash;
    struct err err = {0};
    size_t n;
    if (!ops_trash(v, &p->arena, &trash, &n, &err))
        fail_msg("%s", err.msg);
    return n;
}

/* The trash and the journal contain everything, but do not reveal it. */
static void test_trash_and_undo(void **state)
{
    struct place *p = *state;
    struct actor by = {.tool = STR("test")};
    struct change undo = {.by = by};
    struct change_result undone;
    struct ops_report r;
    struct err err = {0};
    uint64_t number;
    fill(p);
    place_start(p);
    struct vault *outside = as(p, "deny Private\n"), *home = as(p, "write Home.md\n");
    uint64_t plan = delete_as(p, outside, "Work/Plan.md");
    uint64_t secret = delete_as(p, p->vault, "Private/Plan.md");
    CHECK_INT("trash", trash_seen_by(p, outside), 1);
    struct draft *d = place_keep(p, draft_create(outside, &p->arena, &by));
    CHECK("restore", !ops_restore(d, STR("Private/Plan.md"), STR("x.md"), &r, &err));
    CHECK_STR("restore", str_c(err.msg),
              "'Private/Plan.md' is not in the trash; did you mean 'Work/Plan.md'?");
    place_put(p, ".trash/Diary.md", STR("from Private, moved by Obsidian"));
    place_put(p, ".trash/Work/Old.md", STR("from Private/Work, moved by Obsidian"));
    CHECK_INT("what we moved", trash_seen_by(p, outside), 1);
    CHECK_INT("everything", trash_seen_by(p, p->vault), 4);
    CHECK("flat", !ops_restore(d, STR("Diary.md"), STR("x.md"), &r, &err));
    CHECK_STR("flat", str_c(err.msg), "'Diary.md' is not in the trash");
    CHECK("twin", !ops_restore(d, STR("Work/Old.md"), STR("x.md"), &r, &err));
    CHECK("ours", ops_restore(d, STR("Work/Plan.md"), STR(""), &r, &err));
    assert_true(vault_undoable(outside, &number, &err));
    CHECK_INT("latest seen", number, plan);
    assert_true(vault_undoable(p->vault, &number, &err));
    CHECK_INT("latest", number, secret);
    CHECK("undo", !vault_undo(outside, &p->arena, secret, &undo, &undone, &err));
    CHECK_INT("undo", err.name, E_CHANGE_NOT_FOUND);
    CHECK("undo", !vault_undo(home, &p->arena, plan, &undo, &undone, &err));
    CHECK_STR("undo", str_c(err_name_text(err.name)), "PATH_NOT_ALLOWED");
    CHECK("undo", vault_undo(outside, &p->arena, plan, &undo, &undone, &err));
    CHECK("back", place_has(p, "Work/Plan.md") && !place_has(p, "Private/Plan.md"));
}

static bool can_restore(struct place *p, struct vault *v, const char *path)
{
    struct actor by = {.tool = STR("restore")};
    struct ops_report r;
    struct err err = {0};
    return ops_restore(place_keep(p, draft_create(v, &p->arena, &by)), str_c(path),
                       STR("x.md"), &r, &err);
}

/* A note of ours was in the trash under this name, and is no longer: what is there now
 * came from anywhere. */
static void test_trash_that_was_left(void **state)
{
    struct place *p = *state;
    struct actor by = {.tool = STR("restore")};
    struct ops_report r;
    fill(p);
    place_put(p, "plan.md", STR("ours"));
    place_put(p, "gone.md", STR("ours"));
    place_start(p);
    struct vault *outside = as(p, "deny Private\n");
    delete_as(p, outside, "plan.md");
    uint64_t gone = delete_as(p, outside, "gone.md");
    CHECK_INT("ours", trash_seen_by(p, outside), 2);
    struct draft *d = place_keep(p, draft_create(outside, &p->arena, &by));
    OK(ops_restore(d, STR("plan.md"), STR(""), &r, &err));
    place_commit("restored", d);
    place_undo(p, gone);
    place_put(p, ".trash/plan.md", STR("from Private, moved by Obsidian"));
    place_put(p, ".trash/gone.md", STR("from Private, moved by Obsidian"));
    CHECK_INT("not ours", trash_seen_by(p, outside), 0);
    CHECK_INT("to others", trash_seen_by(p, p->vault), 2);
    CHECK("plan", !can_restore(p, outside, "plan.md"));
    CHECK("gone", !can_restore(p, outside, "gone.md"));
    assert_int_equal(unlinkat(p->fd, "plan.md", 0), 0);
    place_put(p, "plan.md", STR("ours again"));
    assert_int_equal(unlinkat(p->fd, ".trash/plan.md", 0), 0);
    delete_as(p, outside, "plan.md");
    CHECK_INT("ours again", trash_seen_by(p, outside), 1);
}

/* A change of some minutes ago moved a note to the trash. */
static void add_old_move(struct place *p)
{
    struct journal_op op = {
        .kind = JOURNAL_MOVE, .path = STR("plan.md"), .to = STR(".trash/plan.md")};
    struct journal_change c = {.time = clock_now() - 300, .ops = &op, .n = 1};
    struct journal *j;
    struct err err;
    DIR *dir = opendir(p->state);
    const struct dirent *d;
    while ((d = readdir(dir)) != NULL && strncmp(d->d_name, "changes", 7) != 0)
        continue;
    assert_non_null(d);
    str folder = arena_printf(&p->arena, "%s/%s", p->state, d->d_name);
    closedir(dir);
    assert_true(journal_open(folder.p, &j, &err));
    assert_true(journal_append(j, &c, &err));
    journal_end(j, c.number, JOURNAL_DONE);
    journal_close(j);
}

/* The trash was emptied by another program, and has another file of that name. */
static void test_trash_that_was_replaced(void **state)
{
    struct place *p = *state;
    fill(p);
    place_start(p);
    add_old_move(p);
    place_put(p, ".trash/plan.md", STR("from Private, moved by Obsidian"));
    struct vault *outside = as(p, "deny Private\n");
    CHECK_INT("not ours", trash_seen_by(p, outside), 0);
    CHECK("plan", !can_restore(p, outside, "plan.md"));
    CHECK_INT("to others", trash_seen_by(p, p->vault), 1);
}

/* A caller that cannot know what is in the trash gets an error. */
static void test_trash_while_locked(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    struct ops_trashed *trash;
    size_t n;
    fill(p);
    place_start(p);
    struct vault *outside = as(p, "deny Private\n");
    delete_as(p, outside, "Work/Plan.md");
    int holder = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    CHECK("busy", !ops_trash(outside, &p->arena, &trash, &n, &err));
    CHECK_INT("busy", err.name, E_BUSY);
    close(holder);
    CHECK_INT("free", trash_seen_by(p, outside), 1);
}

static void test_SEC_122_read_only(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    fill(p);
    start_as(p, "read-only\n");
    str before = place_tree(p);
    CHECK("reads", str_find(seen_by(p, p->vault), STR("omega 1")) != STR_NONE);
    CHECK("writes", !write_as(p, p->vault, "Home.md", &err));
    CHECK_INT("writes", err.name, E_READ_ONLY);
    CHECK("can", !vault_can_change(p->vault, &err));
    CHECK("can", !vault_can_change(as(p, "write Home.md\n"), &err));
    CHECK("untouched", str_eq(place_tree(p), before));
}

/* --- threads --- */

struct reader {
    struct place *p;
    struct vault *vault;
    atomic_bool *stop;
    atomic_bool leaked;
    pthread_t thread;
};

static void *read_on(void *arg)
{
    struct reader *r = arg;
    while (!atomic_load(r->stop)) {
        const struct index *x = vault_lock(r->vault);
        for (file_id i = 0; i < x->n; i++)
            if (x->files[i] != NULL && str_starts(x->files[i]->path, STR("Private/")))
                atomic_store(&r->leaked, true);
        vault_unlock(r->vault);
    }
    return NULL;
}

static void test_threads(void **state)
{
    enum { READERS = 3, ROUNDS = 20 };
    struct place *p = *state;
    struct reader readers[READERS] = {0};
    atomic_bool stop = false;
    fill(p);
    place_start(p);
    for (int i = 0; i < READERS; i++) {
        char text[64];
        snprintf(text, sizeof(text), "deny Private\ndeny r%d\n", i);
        readers[i] = (struct reader){.p = p, .vault = as(p, text), .stop = &stop};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]),
                         0);
    }
    for (int i = 0; i < rounds(ROUNDS); i++) {
        char path[64], text[64];
        snprintf(path, sizeof(path), "%s/%d.md", i % 2 ? "Private" : "Work", i % 7);
        place_put(p, path, STR("round #tag [[Home]]"));
        vault_refresh(p->vault, NULL, 0);
        snprintf(text, sizeof(text), "deny Private\ndeny w%d\n", i); /* evicts others */
        struct vault *v = as(p, text);
        vault_lock(v);
        vault_unlock(v);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        CHECK("leaked", !readers[i].leaked);
    }
}

static void stat_while_held(void *arg)
{
    struct fs_info info;
    struct err err;
    vault_lock(arg);
    (void)!vault_stat(arg, STR("Work"), &info, &err);
}

static void hold_twice(void *arg)
{
    vault_lock(arg);
    vault_lock(arg);
}

static void refresh_while_held(void *arg)
{
    vault_lock(arg);
    vault_refresh(arg, NULL, 0);
}

static void read_while_held(void *arg)
{
    struct arena a = {0};
    struct err err;
    str text;
    vault_lock(arg);
    (void)!fs_read(vault_root(arg), &a, STR("Work/Plan.md"), SIZE_MAX, &text, &err);
}

static void judge_while_held(void *arg)
{
    struct err err;
    vault_lock(arg);
    (void)!vault_may_write(arg, STR("Work/Notes/a.md"), &err);
}

static void judge_held(void *arg)
{
    struct err err;
    vault_lock(arg);
    (void)!vault_may_write_held(arg, STR("Work/Notes/a.md"), &err);
    vault_unlock(arg);
}

/* With a writer waiting, the second hold of a thread would wait forever. So it is never
 * taken, whether a writer waits or not. */
static void test_held(void **state)
{
    struct place *p = *state;
    fill(p);
    place_start(p);
    struct vault *v = as(p, "read Work/Notes\n");
    vault_lock(v); /* makes the view */
    vault_unlock(v);
    CHECK("hold twice", ends_with_bug(hold_twice, v));
    CHECK("look at the disk", ends_with_bug(stat_while_held, v));
    CHECK("also with all rights", ends_with_bug(stat_while_held, p->vault));
    CHECK("update", ends_with_bug(refresh_while_held, v));
    CHECK("open a file", ends_with_bug(read_while_held, p->vault));
    CHECK("see where a link leads", ends_with_bug(judge_while_held, p->vault));
    CHECK("judge a path", !ends_with_bug(judge_held, p->vault));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_views),
        PLACE_TEST(test_operator),
        PLACE_TEST(test_follows),
        PLACE_TEST(test_disk),
        PLACE_TEST(test_links),
        PLACE_TEST(test_links_and_writing),
        PLACE_TEST(test_write),
        PLACE_TEST(test_move),
        PLACE_TEST(test_folder_with_secrets),
        PLACE_TEST(test_trash_and_undo),
        PLACE_TEST(test_trash_that_was_left),
        PLACE_TEST(test_trash_that_was_replaced),
        PLACE_TEST(test_trash_while_locked),
        PLACE_TEST(test_SEC_122_read_only),
        PLACE_TEST(test_threads),
        PLACE_TEST(test_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
