/* What the owner says in the vault about clients: what they see of it, and can change. */
#include "vault/vault_policy.h"

#include <pthread.h>

#include "base/clock.h"
#include "tree.h"
#include "vault/change/journal.h"
#include "vault/ops.h"
#include "vault/policies.h"
#include "vault_place.h"

#define HIDDEN "---\nai: hidden\n---\n"
#define READ_ONLY "---\nai: read-only\n---\n"

static void policy_start(struct place *p)
{
    struct err err = {0};
    vault_close(p->vault);
    assert_true(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state,
                                                  .policy_property = STR("ai")});
    assert_true(vault_wait(p->vault, NULL, NULL, &err));
}

static struct vault *client(struct place *p)
{
    return vault_for_clients(p->vault, &p->arena, &(struct access){0});
}

static void refresh(struct place *p)
{
    vault_refresh(p->vault, NULL, 0);
}

/* Every path in the index of a caller. */
static str seen_by(struct place *p, struct vault *v)
{
    struct sbuf b = SBUF_ON(&p->arena);
    const struct file **files;
    const struct index *x = vault_lock(v);
    size_t n = index_sorted(x, &p->arena, &files);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(files[i]->path));
    vault_unlock(v);
    return arena_str(&p->arena, sbuf_str(&b));
}

static bool reads(struct place *p, struct vault *v, const char *path)
{
    struct vault_text text;
    struct fs_info info;
    struct err err = {0}, other = {0};
    bool is = vault_stat(v, str_c(path), &info, &err);
    bool ok = vault_read(v, &p->arena, str_c(path), 1, 0, &text, &other);
    CHECK_INT(path, is, ok);
    CHECK(path, ok || (err.name == E_FILE_NOT_FOUND && other.name == E_FILE_NOT_FOUND));
    return ok;
}

static bool change(struct place *p, struct vault *v, struct change_op op, struct err *err)
{
    struct change c = {.ops = &op, .n = 1, .by.tool = STR("test")};
    struct change_result made;
    *err = (struct err){0};
    return vault_change(v, &p->arena, &c, &made, err);
}

static bool writes(struct place *p, struct vault *v, const char *path, const char *text,
                   struct err *err)
{
    return change(p, v,
                  (struct change_op){
                      .kind = JOURNAL_WRITE, .path = str_c(path), .text = str_c(text)},
                  err);
}

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR("[[Diary]] [[Fixed]]"));
    place_put(p, "Diary.md", STR(HIDDEN "words #mine"));
    place_put(p, "Fixed.md", STR(READ_ONLY "[[Home]]"));
    place_put(p, "Vault/_policy.md", STR(HIDDEN));
    place_put(p, "Vault/x.png", STR("\x89PNG\r\n\x1a\n"));
    place_put(p, "Vault/deep/Note.md", STR("deep"));
    place_put(p, "Team/_policy.md", STR("---\nai: propose\n---\n"));
    place_put(p, "Team/Plan.md", STR("plan"));
}

#define SEEN "Fixed.md Home.md Team/Plan.md Team/_policy.md"
#define ALL                                                                              \
    "Diary.md Fixed.md Home.md Team/Plan.md Team/_policy.md Vault/_policy.md "           \
    "Vault/deep/Note.md Vault/x.png"

static void test_views(void **state)
{
    struct place *p = *state;
    fill(p);
    policy_start(p);
    for (int again = 0; again < 2; again++) { /* the second time from the snapshot */
        struct vault *v = client(p);
        CHECK_STR("client", seen_by(p, v), SEEN);
        CHECK_STR("owner", seen_by(p, p->vault), ALL);
        CHECK_STR("whole", seen_by(p, vault_whole(p->vault)), ALL);
        struct access home;
        struct err err;
        assert_true(access_parse(&p->arena, STR("deny Team\n"), &home, &err));
        CHECK_STR("restricted", seen_by(p, vault_as(v, &p->arena, &home)),
                  "Fixed.md Home.md");
        static const char *const hidden[] = {"Diary.md",           "Vault",
                                             "Vault/_policy.md",   "Vault/x.png",
                                             "Vault/deep/Note.md", "Vault/deep"};
        for (size_t i = 0; i < COUNT_OF(hidden); i++) {
            struct fs_info info;
            CHECK(hidden[i], !vault_may_read(v, str_c(hidden[i])));
            CHECK(hidden[i], !vault_stat(v, str_c(hidden[i]), &info, &err) &&
                                 err.name == E_FILE_NOT_FOUND);
            CHECK(hidden[i], vault_stat(p->vault, str_c(hidden[i]), &info, &err));
        }
        struct vault_listing list;
        struct walk w;
        assert_true(vault_list(v, &p->arena, STR(""), &list, &err));
        CHECK_INT("root", list.n, 3);
        assert_true(vault_walk(v, STR(""), &w, &err));
        CHECK_INT("walk", w.n, 4);
        walk_release(&w);
        policy_start(p);
    }
}

/* No view is made while nothing is hidden, and none is left when nothing is any more. */
static void test_no_view(void **state)
{
    struct place *p = *state;
    place_put(p, "Home.md", STR("x"));
    place_put(p, "Fixed.md", STR(READ_ONLY));
    policy_start(p);
    struct vault *v = client(p);
    refresh(p); /* from now on the index stays where it is */
    const struct index *own = vault_lock(p->vault);
    vault_unlock(p->vault);
    CHECK("one index", vault_lock(v) == own);
    vault_unlock(v);
    place_put(p, "Home.md", STR(HIDDEN "x"));
    refresh(p);
    CHECK_STR("hidden", seen_by(p, v), "Fixed.md");
    place_put(p, "Home.md", STR("x"));
    refresh(p);
    CHECK("one index", vault_lock(v) == own && own->views == NULL);
    vault_unlock(v);
}

/* What is on disk counts, whatever the index knows. */
static void test_stale(void **state)
{
    struct place *p = *state;
    struct err err;
    place_put(p, "Home.md", STR("x"));
    place_put(p, "Work/Plan.md", STR("x"));
    place_put(p, "Work/x.txt", STR("x"));
    policy_start(p);
    struct vault *v = client(p);
    CHECK("before", reads(p, v, "Home.md") && reads(p, v, "Work/Plan.md"));
    place_put(p, "Home.md", STR(HIDDEN "x"));
    CHECK("note", !reads(p, v, "Home.md"));
    CHECK("owner", reads(p, p->vault, "Home.md"));
    CHECK("write", !writes(p, v, "Home.md", "new", &err));
    CHECK_STR("write", str_c(err.msg), "'Home.md' may not be written");
    place_put(p, "Work/_policy.md", STR(HIDDEN));
    CHECK("folder", !reads(p, v, "Work/Plan.md") && !reads(p, v, "Work/x.txt"));
    CHECK("new", !writes(p, v, "Work/new.md", "new", &err));
    CHECK_STR("new", str_c(err.msg), "'Work/new.md' may not be written");
    place_put(p, "Home.md", STR("x"));
    place_put(p, "Other.md", STR(READ_ONLY));
    CHECK("read-only", reads(p, v, "Other.md") && !writes(p, v, "Other.md", "", &err));
}

/* A file that another program is writing stays hidden. */
static void test_being_written(void **state)
{
    static const char *const steps[] = {"", "---\n", "---\nai: hid", "---\nai: hidden\n"};
    struct place *p = *state;
    place_put(p, "Diary.md", STR(HIDDEN "x"));
    policy_start(p);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        place_put(p, "Diary.md", str_c(steps[i]));
        CHECK(steps[i], !reads(p, client(p), "Diary.md"));
        refresh(p);
        CHECK(steps[i], !reads(p, client(p), "Diary.md"));
        CHECK_STR(steps[i], seen_by(p, client(p)), "");
    }
    place_put(p, "Diary.md", STR("---\nx: 1\n---\n"));
    refresh(p);
    CHECK_STR("complete", seen_by(p, client(p)), "Diary.md");
}

/* A note that is too large to be read is judged by its beginning. */
static void test_large(void **state)
{
    struct place *p = *state;
    char *bytes = arena_zero(&p->arena, FILE_NOTE_MAX + 100);
    memset(bytes, 'x', FILE_NOTE_MAX + 100);
    memcpy(bytes, HIDDEN, sizeof(HIDDEN) - 1);
    place_put(p, "Large.md", (str){bytes, FILE_NOTE_MAX + 100});
    policy_start(p);
    CHECK_STR("client", seen_by(p, client(p)), "");
    CHECK_STR("owner", seen_by(p, p->vault), "Large.md");
    CHECK("disk", !reads(p, client(p), "Large.md"));
}

static void test_links(void **state)
{
    struct place *p = *state;
    struct err err;
    place_put(p, "Home.md", STR("x"));
    place_put(p, "Diary.md", STR(HIDDEN "x"));
    place_put(p, "Fixed.md", STR(READ_ONLY "x"));
    place_put(p, "Sub/Plan.md", STR("x"));
    assert_int_equal(symlinkat("Diary.md", p->fd, "to-diary.md"), 0);
    assert_int_equal(symlinkat("Home.md", p->fd, "to-home.md"), 0);
    assert_int_equal(symlinkat("Fixed.md", p->fd, "to-fixed.md"), 0);
    assert_int_equal(symlinkat("Sub", p->fd, "to-sub"), 0);
    assert_int_equal(linkat(p->fd, "Diary.md", p->fd, "also-diary.md", 0), 0);
    policy_start(p);
    struct vault *v = client(p);
    CHECK_STR("seen", seen_by(p, v),
              "Fixed.md Home.md Sub/Plan.md to-fixed.md to-home.md");
    CHECK("symlink", !reads(p, v, "to-diary.md") && reads(p, v, "to-home.md"));
    CHECK("hard link", !reads(p, v, "also-diary.md"));
    CHECK("write", !writes(p, v, "to-diary.md", "x", &err));
    CHECK("write", !writes(p, v, "to-fixed.md", "x", &err));
    CHECK("write", writes(p, v, "to-home.md", "y", &err));
    CHECK("folder", reads(p, v, "to-sub/Plan.md"));
    place_put(p, "Sub/_policy.md", STR(HIDDEN)); /* the index does not know it yet */
    CHECK("folder", !reads(p, v, "to-sub/Plan.md"));
    CHECK("folder", !writes(p, v, "to-sub/Plan.md", "x", &err));
    refresh(p); /* a folder is hidden: no link is followed */
    CHECK_STR("seen", seen_by(p, v), "Fixed.md Home.md");
    CHECK("none", !reads(p, v, "to-home.md"));
    CHECK("owner", reads(p, p->vault, "to-home.md"));
}

/* What clients cannot change, and that they cannot change what is said about them. */
static void test_changes(void **state)
{
    static const struct {
        const char *path, *text, *error; /* NULL: written */
    } cases[] = {
        {"Diary.md", "x", "'Diary.md' may not be written"},
        {"Vault/new.md", "x", "'Vault/new.md' may not be written"},
        {"Vault/x.png", "x", "'Vault/x.png' may not be written"},
        {"Fixed.md", "x",
         "'Fixed.md' is read-only: the owner of the vault lets no client change it"},
        {"_policy.md", HIDDEN,
         "'_policy.md' says what clients may do: only the owner of the vault changes it"},
        {"New/_Policy.MD", "x",
         "'New/_Policy.MD' says what clients may do: only the owner of the vault changes "
         "it"},
        {"Home.md", HIDDEN,
         "'Home.md' would say something else about clients: only the owner of the vault "
         "sets, changes or removes its property 'ai'; leave that as it is"},
        {"New.md", "---\nAI: [Read-Only]\n---\n",
         "'New.md' would say something else about clients: only the owner of the vault "
         "sets, changes or removes its property 'ai'; leave that as it is"},
        {"New.md", "---\nx: [\nai: hidden\n---\n",
         "'New.md' would say something else about clients: only the owner of the vault "
         "sets, changes or removes its property 'ai'; leave that as it is"},
        {"New.md", "---\nai: gpt-4\n---\n", NULL},
        {"Home.md", "x", NULL},
    };
    struct place *p = *state;
    struct err err;
    fill(p);
    policy_start(p);
    struct vault *v = client(p);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str before = place_tree(p);
        bool ok = writes(p, v, cases[i].path, cases[i].text, &err);
        CHECK_INT(cases[i].path, ok, cases[i].error == NULL);
        if (!ok) {
            CHECK_STR(cases[i].path, str_c(err.msg), cases[i].error);
            CHECK_INT(cases[i].path, err.code, ERR_DENIED);
            CHECK("untouched", str_eq(place_tree(p), before));
        }
    }
    CHECK("owner", writes(p, p->vault, "Home.md", HIDDEN, &err));
    CHECK("owner", writes(p, p->vault, "Diary.md", "x", &err));
    CHECK("owner", writes(p, p->vault, "Vault/_policy.md", "x", &err));
    CHECK("seen now", reads(p, v, "Diary.md") && reads(p, v, "Vault/x.png"));
    CHECK("hidden now", !reads(p, v, "Home.md"));
}

static bool moves(struct place *p, struct vault *v, const char *from, const char *to,
                  bool links, struct err *err)
{
    struct actor by = {.tool = STR("move")};
    struct draft *d = place_keep(p, draft_create(v, &p->arena, &by));
    struct ops_report report;
    struct draft_result r;
    *err = (struct err){0};
    return ops_rename(d, str_c(from), str_c(to), links, &report, err) &&
           draft_commit(d, &(struct idempotency){0}, &r, err);
}

static void test_moves(void **state)
{
    static const struct {
        const char *from, *to;
        enum err_name error;
    } cases[] = {
        {"Diary.md", "x.md", E_FILE_NOT_FOUND},
        {"Vault/x.png", "x.png", E_FILE_NOT_FOUND},
        {"Vault", "Other", E_FILE_NOT_FOUND},
        {"Fixed.md", "x.md", E_PATH_NOT_ALLOWED},
        {"Home.md", "Vault/x.md", E_PATH_NOT_ALLOWED},
        {"Home.md", "_policy.md", E_PATH_NOT_ALLOWED},
        {"Team", "Other", E_PATH_NOT_ALLOWED}, /* with its rule */
        {"Team/_policy.md", "x.md", E_PATH_NOT_ALLOWED},
        {"Sub", "Other", E_PATH_NOT_ALLOWED},
    };
    struct place *p = *state;
    struct err err;
    fill(p);
    place_put(p, "Sub/a.md", STR("a"));
    policy_start(p);
    struct vault *v = client(p);
    place_put(p, "Sub/deep/b.md", STR(HIDDEN "a")); /* the index does not know it yet */
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str before = place_tree(p);
        CHECK(cases[i].from, !moves(p, v, cases[i].from, cases[i].to, false, &err));
        CHECK_INT(cases[i].from, err.name, cases[i].error);
        CHECK("untouched", str_eq(place_tree(p), before));
    }
    /* a link in a note that clients may not change */
    CHECK("linked", !moves(p, v, "Home.md", "House.md", true, &err));
    CHECK(err.msg, strstr(err.msg, "'Fixed.md'") != NULL);
    CHECK("kept", moves(p, v, "Home.md", "House.md", false, &err));
    CHECK("owner", moves(p, p->vault, "Diary.md", "Sub/Diary.md", true, &err));
    CHECK("still hidden", !reads(p, v, "Sub/Diary.md"));
}

/* --- history --- */

static uint64_t last_change(struct place *p, struct vault *v)
{
    struct err err = {0};
    uint64_t number = 0;
    (void)!vault_undoable(v, &number, &err);
    return number;
}

static bool undoes(struct place *p, struct vault *v, uint64_t number, struct err *err)
{
    struct change undo = {.by.tool = STR("undo")};
    struct change_result r;
    *err = (struct err){0};
    return vault_undo(v, &p->arena, number, &undo, &r, err);
}

static void test_history(void **state)
{
    struct place *p = *state;
    struct err err;
    place_put(p, "Home.md", STR("x"));
    policy_start(p);
    struct vault *v = client(p);
    assert_true(writes(p, v, "Home.md", "y", &err));
    uint64_t made = last_change(p, v);
    CHECK("seen", made > 0);
    /* hidden afterwards: it was never changed */
    place_put(p, "Home.md", STR(HIDDEN "y"));
    CHECK("refused", !undoes(p, v, made, &err));
    refresh(p);
    CHECK_INT("none", last_change(p, v), 0);
    CHECK("refused", !undoes(p, v, made, &err) && err.name == E_CHANGE_NOT_FOUND);
    CHECK_INT("owner", last_change(p, p->vault), made);
    /* what the owner does with it is never known, also when it is gone */
    assert_true(writes(p, p->vault, "Home.md", HIDDEN "z", &err));
    assert_true(moves(p, p->vault, "Home.md", "Diary.md", true, &err));
    assert_true(writes(p, p->vault, "New.md", HIDDEN, &err));
    unlinkat(p->fd, "Diary.md", 0);
    unlinkat(p->fd, "New.md", 0);
    refresh(p);
    uint64_t last = last_change(p, p->vault);
    CHECK_INT("owner", last, made + 3);
    CHECK_INT("only its own", last_change(p, v), made);
}

/* Undo does not bring back what was said about clients, or take it away. */
static void test_undo_of_policy(void **state)
{
    struct place *p = *state;
    struct err err;
    place_put(p, "Team/Note.md", STR("---\nai: propose\n---\nx"));
    policy_start(p);
    struct vault *v = client(p);
    assert_true(writes(p, p->vault, "Team/Note.md", "x", &err));
    uint64_t number = last_change(p, v);
    CHECK("set", !undoes(p, v, number, &err));
    CHECK_INT("set", err.name, E_POLICY_NOT_ALLOWED);
    CHECK("owner", undoes(p, p->vault, number, &err));
}

static void test_trash(void **state)
{
    struct place *p = *state;
    struct err err;
    struct ops_trashed *items;
    size_t n;
    place_put(p, ".trash/Diary.md", STR(HIDDEN "x"));
    place_put(p, ".trash/Old.md", STR("x"));
    place_put(p, "Home.md", STR("x"));
    policy_start(p);
    struct vault *v = client(p);
    assert_true(ops_trash(v, &p->arena, &items, &n, &err));
    CHECK_INT("one", n, 1);
    CHECK_STR("one", items[0].path, "Old.md");
    assert_true(ops_trash(p->vault, &p->arena, &items, &n, &err));
    CHECK_INT("both", n, 2);
    CHECK("restore", !change(p, v,
                             (struct change_op){.kind = JOURNAL_MOVE,
                                                .path = STR(".trash/Diary.md"),
                                                .to = STR("Diary.md")},
                             &err));
    place_put(p, "Vault/_policy.md", STR(HIDDEN));
    refresh(p); /* now their folders count, which nobody knows */
    assert_true(ops_trash(v, &p->arena, &items, &n, &err));
    CHECK_INT("none", n, 0);
}

/* --- a race --- */

struct racing {
    struct place *p;
    atomic_bool over;
};

/* The note is hidden whenever its text is "secret". */
static void *write_in_turn(void *arg)
{
    struct racing *r = arg;
    char path[200];
    snprintf(path, sizeof(path), "%s/Note.md.new", r->p->folder);
    for (int i = 0; !atomic_load(&r->over); i++) {
        const char *text = i % 2 == 0 ? HIDDEN "secret" : "---\nai: public\n---\npublic";
        FILE *f = fopen(path, "w");
        fputs(text, f);
        fclose(f);
        renameat(AT_FDCWD, path, r->p->fd, "Note.md");
    }
    return NULL;
}

static void test_race(void **state)
{
    enum { READS = 3000 };
    struct place *p = *state;
    place_put(p, "Note.md", STR("---\nai: public\n---\npublic"));
    policy_start(p);
    struct racing r = {.p = p};
    struct vault *v = client(p);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_in_turn, &r), 0);
    for (int i = 0; i < READS; i++) {
        struct arena a = {0};
        struct vault_text text;
        struct err err;
        if (i % 100 == 0)
            refresh(p);
        if (vault_read(v, &a, STR("Note.md"), 1, 0, &text, &err))
            CHECK("public", str_find(text.content, STR("secret")) == STR_NONE);
        arena_release(&a);
    }
    atomic_store(&r.over, true);
    pthread_join(thread, NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_views),   PLACE_TEST(test_no_view),
        PLACE_TEST(test_stale),   PLACE_TEST(test_being_written),
        PLACE_TEST(test_large),   PLACE_TEST(test_links),
        PLACE_TEST(test_changes), PLACE_TEST(test_moves),
        PLACE_TEST(test_history), PLACE_TEST(test_undo_of_policy),
        PLACE_TEST(test_trash),   PLACE_TEST(test_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
