#include "vault/change/change.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "tree.h"
#include "vault/change/change_parts.h"

static struct changes *open_changes(struct tree *t)
{
    struct changes *c;
    struct err err;
    if (!changes_open(&t->root, t->state, &c, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return c;
}

#define OP_WRITE(p, t)                                                                   \
    {                                                                                    \
        .kind = JOURNAL_WRITE, .path = STR(p), .text = STR(t)                            \
    }
#define OP_NEW(p, t)                                                                     \
    {                                                                                    \
        .kind = JOURNAL_WRITE, .path = STR(p), .text = STR(t), .expects = CHANGE_NEW     \
    }
#define OP_MOVE(p, t)                                                                    \
    {                                                                                    \
        .kind = JOURNAL_MOVE, .path = STR(p), .to = STR(t)                               \
    }
#define OP_DELETE(p)                                                                     \
    {                                                                                    \
        .kind = JOURNAL_DELETE, .path = STR(p)                                           \
    }
#define OP_MAKE(p)                                                                       \
    {                                                                                    \
        .kind = JOURNAL_MAKE_FOLDER, .path = STR(p)                                      \
    }
#define OP_REMOVE(p)                                                                     \
    {                                                                                    \
        .kind = JOURNAL_REMOVE_FOLDER, .path = STR(p)                                    \
    }

static bool make_ops(struct tree *t, struct changes *c, struct change_op *ops, size_t n,
                     struct change_result *out, struct err *err)
{
    struct change change = {.ops = ops, .n = n, .by.tool = STR("test")};
    return changes_make(c, &t->arena, &change, out, err);
}

#define MAKE(t, c, out, ...)                                                             \
    do {                                                                                 \
        struct change_op ops_[] = {__VA_ARGS__};                                         \
        struct err err_;                                                                 \
        if (!make_ops(t, c, ops_, COUNT_OF(ops_), out, &err_))                           \
            fail_msg("%s (%s)", err_.msg, err_.detail);                                  \
    } while (0)

/* It fails, and the tree is as before. */
#define REFUSED(row, t, c, want, ...)                                                    \
    do {                                                                                 \
        struct change_op ops_[] = {__VA_ARGS__};                                         \
        struct err err_;                                                                 \
        struct change_result out_;                                                       \
        str tree_ = tree_text(&(t)->arena, (t)->fd);                                     \
        CHECK(row, !make_ops(t, c, ops_, COUNT_OF(ops_), &out_, &err_));                 \
        if (err_.code != (want))                                                         \
            fail_msg("%s: %s, %s", row, err_code_name(err_.code), err_.msg);             \
        CHECK_TREE(row, t, tree_);                                                       \
    } while (0)

static bool undo(struct tree *t, struct changes *c, uint64_t number,
                 struct change_result *out, struct err *err)
{
    return changes_undo(c, &t->arena, number, &(struct change){.by.tool = STR("undo")},
                        out, err);
}

static uint64_t undo_well(struct tree *t, struct changes *c, uint64_t number)
{
    struct change_result out;
    struct err err;
    if (!undo(t, c, number, &out, &err))
        fail_msg("undo of %d: %s (%s)", (int)number, err.msg, err.detail);
    return out.number;
}

static void fill(struct tree *t)
{
    put(t->fd, "a.md", "alpha");
    put(t->fd, "b.md", "beta");
    put(t->fd, "c.md", "");
    folder(t->fd, "dir");
    folder(t->fd, "dir/sub");
    folder(t->fd, "empty");
    put(t->fd, "dir/x.md", "x");
    put(t->fd, "dir/sub/y.md", "y");
    put_bytes(t->fd, "odd.md", STR("\xff\0\r\n"));
    assert_int_equal(fchmodat(t->fd, "b.md", 0600, 0), 0);
    assert_int_equal(fchmodat(t->fd, "empty", 0700, 0), 0);
}

/* --- one operation --- */

static void test_operations(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    fill(t);
    MAKE(t, c, &r, OP_WRITE("a.md", "new"));
    assert_int_equal(r.number, 1);
    assert_int_equal(r.n_paths, 1);
    CHECK_STR("paths", r.paths[0], "a.md");
    CHECK_STR("write", content(&t->arena, t->fd, "a.md"), "new");
    MAKE(t, c, &r, OP_NEW("p/q/n.md", "n"));
    CHECK_STR("create", content(&t->arena, t->fd, "p/q/n.md"), "n");
    assert_int_equal(r.n_paths, 3);
    MAKE(t, c, &r, OP_MOVE("dir/x.md", "far/away/z.md"));
    CHECK_STR("move", content(&t->arena, t->fd, "far/away/z.md"), "x");
    assert_false(there(t->fd, "dir/x.md"));
    MAKE(t, c, &r, OP_MOVE("dir", "far/dir"));
    CHECK_STR("folder", content(&t->arena, t->fd, "far/dir/sub/y.md"), "y");
    MAKE(t, c, &r, OP_DELETE("b.md"));
    assert_false(there(t->fd, "b.md"));
    MAKE(t, c, &r, OP_MAKE("m/n"));
    assert_true(there(t->fd, "m/n"));
    MAKE(t, c, &r, OP_REMOVE("empty"));
    assert_false(there(t->fd, "empty"));
    MAKE(t, c, &r, OP_WRITE("c.md", ""));
    assert_int_equal(r.number, 0); /* nothing to do */
    assert_int_equal(r.n_paths, 0);
    assert_true(make_ops(t, c, NULL, 0, &r, NULL));
    assert_int_equal(r.number, 0);
    changes_close(c);
}

static void test_expectations(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    fill(t);
    struct hash_content alpha = hash_content(STR("alpha"));
    REFUSED("new", t, c, ERR_EXISTS, OP_NEW("a.md", "n"));
    REFUSED("new folder", t, c, ERR_EXISTS, OP_MAKE("dir"));
    REFUSED("same", t, c, ERR_CONFLICT,
            {JOURNAL_WRITE, STR("b.md"), .expects = CHANGE_SAME, .was = alpha});
    REFUSED("gone", t, c, ERR_NOT_FOUND,
            {JOURNAL_WRITE, STR("z.md"), .expects = CHANGE_SAME, .was = alpha});
    REFUSED("delete", t, c, ERR_NOT_FOUND, OP_DELETE("z.md"));
    REFUSED("delete other", t, c, ERR_CONFLICT,
            {JOURNAL_DELETE, STR("b.md"), .expects = CHANGE_SAME, .was = alpha});
    REFUSED("delete folder", t, c, ERR_INVALID, OP_DELETE("dir"));
    REFUSED("write folder", t, c, ERR_INVALID, OP_WRITE("dir", "x"));
    REFUSED("move onto", t, c, ERR_EXISTS, OP_MOVE("a.md", "b.md"));
    REFUSED("move onto folder", t, c, ERR_EXISTS, OP_MOVE("a.md", "dir"));
    REFUSED("move onto itself", t, c, ERR_EXISTS, OP_MOVE("a.md", "a.md"));
    REFUSED("move nothing", t, c, ERR_NOT_FOUND, OP_MOVE("z.md", "y.md"));
    REFUSED("move other", t, c, ERR_CONFLICT,
            {JOURNAL_MOVE, STR("b.md"), .to = STR("y.md"), .expects = CHANGE_SAME,
             .was = alpha});
    REFUSED("move what is gone", t, c, ERR_NOT_FOUND,
            {JOURNAL_MOVE, STR("z.md"), .to = STR("y.md"), .expects = CHANGE_SAME,
             .was = alpha});
    REFUSED("move into itself", t, c, ERR_INVALID, OP_MOVE("dir", "dir/in/it"));
    REFUSED("remove full", t, c, ERR_CONFLICT, OP_REMOVE("dir"));
    REFUSED("remove nothing", t, c, ERR_NOT_FOUND, OP_REMOVE("nope"));
    REFUSED("beneath a file", t, c, ERR_INVALID, OP_WRITE("a.md/x.md", "x"));
    static const char long_name[] = "0123456789012345678901234567890123456789012345678901"
                                    "23456789012345678901234567890"
                                    "0123456789012345678901234567890123456789012345678901"
                                    "23456789012345678901234567890"
                                    "0123456789012345678901234567890123456789012345678901"
                                    "23456789012345678901234567890"
                                    "01234567890123456789/x.md";
    REFUSED("name too long", t, c, ERR_LIMIT,
            {JOURNAL_MOVE, {long_name, sizeof(long_name) - 1}, .to = STR("y.md")});
    REFUSED("to name too long", t, c, ERR_LIMIT,
            {JOURNAL_MOVE, STR("a.md"), .to = {long_name, sizeof(long_name) - 1}});
    REFUSED("all or nothing", t, c, ERR_NOT_FOUND, OP_WRITE("a.md", "n"),
            OP_NEW("p/q.md", "q"), OP_DELETE("b.md"), OP_MOVE("z.md", "y.md"));
    REFUSED("twice", t, c, ERR_CONFLICT, OP_WRITE("a.md", "n"), OP_WRITE("a.md", "m"));
    REFUSED("last fails", t, c, ERR_CONFLICT, OP_WRITE("a.md", "n"),
            OP_MOVE("dir", "dir2"), OP_MAKE("made"), OP_REMOVE("dir2"));
    MAKE(t, c, &r,
         {JOURNAL_MOVE, STR("a.md"), .to = STR("y.md"), .expects = CHANGE_SAME,
          .was = alpha});
    MAKE(t, c, &r, OP_MOVE("y.md", "a.md"));
    MAKE(t, c, &r,
         {JOURNAL_WRITE, STR("a.md"), .text = STR("n"), .expects = CHANGE_SAME,
          .was = alpha});
    CHECK_STR("same", content(&t->arena, t->fd, "a.md"), "n");
    assert_true(fchmodat(t->fd, "b.md", 0640, 0) == 0);
    MAKE(t, c, &r, OP_WRITE("b.md", "more"));
    struct stat st;
    assert_int_equal(fstatat(t->fd, "b.md", &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    changes_close(c);
}

static void test_links(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    struct err err;
    fill(t);
    folder(t->top_fd, "outside");
    put(t->top_fd, "outside/secret.md", "SECRET");
    assert_int_equal(symlinkat("dir/x.md", t->fd, "link.md"), 0);
    assert_int_equal(symlinkat("../outside/secret.md", t->fd, "out.md"), 0);
    assert_int_equal(symlinkat("../outside", t->fd, "outdir"), 0);
    assert_int_equal(symlinkat("/etc/passwd", t->fd, "abs.md"), 0);
    str before = tree_text(&t->arena, t->fd);
    MAKE(t, c, &r, OP_WRITE("link.md", "through"));
    CHECK_STR("target", content(&t->arena, t->fd, "dir/x.md"), "through");
    undo_well(t, c, r.number);
    CHECK_TREE("undone", t, before);
    REFUSED("out", t, c, ERR_DENIED, OP_WRITE("out.md", "x"));
    REFUSED("absolute", t, c, ERR_DENIED, OP_WRITE("abs.md", "x"));
    REFUSED("out of a folder", t, c, ERR_DENIED, OP_NEW("outdir/new.md", "x"));
    REFUSED("folder outside", t, c, ERR_DENIED, OP_NEW("outdir/f/new.md", "x"));
    REFUSED("moved out", t, c, ERR_DENIED, OP_MOVE("a.md", "outdir/a.md"));
    REFUSED("moved in", t, c, ERR_DENIED, OP_MOVE("outdir/secret.md", "s.md"));
    CHECK_STR("secret", content(&t->arena, t->top_fd, "outside/secret.md"), "SECRET");
    /* a link is moved as a link, even a dangling one */
    assert_int_equal(symlinkat("nowhere.md", t->fd, "dangling.md"), 0);
    before = tree_text(&t->arena, t->fd);
    MAKE(t, c, &r, OP_MOVE("out.md", "sub2/out.md"),
         OP_MOVE("dangling.md", "sub2/dangling.md"));
    undo_well(t, c, r.number);
    CHECK_TREE("links are back", t, before);
    assert_false(undo(t, c, r.number, &r, &err));
    changes_close(c);
}

/* --- undo --- */

static void test_SEC_123_undo_of_each(void **state)
{
    static const struct {
        const char *name;
        struct change_op ops[6];
    } rows[] = {
        {"write", {OP_WRITE("odd.md", "n")}},
        {"create", {OP_NEW("p/q/r.md", "n")}},
        {"delete", {OP_DELETE("b.md")}},
        {"delete odd", {OP_DELETE("odd.md")}},
        {"make", {OP_MAKE("p/q")}},
        {"remove", {OP_REMOVE("empty")}},
        {"move", {OP_MOVE("a.md", "p/a.md")}},
        {"move with rewrites",
         {OP_MOVE("a.md", "p/a2.md"), OP_WRITE("a.md", "1"), OP_WRITE("b.md", "2"),
          OP_WRITE("dir/x.md", "3")}},
        {"folder with rewrites inside",
         {OP_MOVE("dir", "p/dir2"), OP_WRITE("dir/x.md", "1"),
          OP_WRITE("dir/sub/y.md", "2"), OP_NEW("dir/new.md", "3")}},
        {"deleted in a moved folder", {OP_MOVE("dir", "dir2"), OP_DELETE("dir/x.md")}},
        {"file out of a moved folder",
         {OP_MOVE("dir/x.md", "x.md"), OP_MOVE("dir", "dir2")}},
        {"file within a moved folder",
         {OP_MOVE("dir", "dir2"), OP_MOVE("dir2/x.md", "dir2/z.md")}},
        {"one after the other", {OP_MOVE("b.md", "b2.md"), OP_MOVE("a.md", "b.md")}},
        {"twice", {OP_MOVE("a.md", "t.md"), OP_MOVE("t.md", "u.md")}},
        {"swapped",
         {OP_MOVE("a.md", "t.md"), OP_MOVE("b.md", "a.md"), OP_MOVE("t.md", "b.md"),
          OP_WRITE("a.md", "was a")}},
        {"emptied and removed", {OP_MOVE("dir/sub/y.md", "y.md"), OP_REMOVE("dir/sub")}},
    };
    struct tree *t = *state;
    fill(t);
    str before = tree_text(&t->arena, t->fd);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct changes *c = open_changes(t);
        struct change_result r;
        struct err err;
        size_t n = 0;
        while (n < 6 && rows[i].ops[n].path.n > 0)
            n++;
        if (!make_ops(t, c, (struct change_op *)rows[i].ops, n, &r, &err))
            fail_msg("%s: %s", rows[i].name, err.msg);
        str after = tree_text(&t->arena, t->fd);
        uint64_t number = r.number;
        for (int again = 0; again < 3; again++) {
            number = undo_well(t, c, number);
            CHECK_TREE(rows[i].name, t, before);
            number = undo_well(t, c, number);
            CHECK_TREE(rows[i].name, t, after);
        }
        undo_well(t, c, number);
        CHECK_TREE(rows[i].name, t, before);
        changes_close(c);
    }
}

/* --- what a file has beside its text --- */

/* rw- for the owner, r-- for user 1234 and the group, as the system stores it. */
static const unsigned char access_list[] = {
    2,    0, 0, 0,                         /* version */
    1,    0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* the owner */
    2,    0, 4, 0, 0xd2, 0x04, 0,    0,    /* user 1234 */
    4,    0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* the group */
    0x10, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* the mask */
    0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* others */
};

struct attributes {
    mode_t mode;
    uid_t owner;
    ssize_t n_tag, n_list;
    char tag[16];
    unsigned char list[64];
};

static struct attributes attributes_of(struct tree *t, const char *path)
{
    struct attributes a = {0};
    struct stat st;
    int fd = openat(t->fd, path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &st), 0);
    a.mode = st.st_mode;
    a.owner = st.st_uid;
    a.n_tag = fgetxattr(fd, "user.tag", a.tag, sizeof(a.tag));
    a.n_list = fgetxattr(fd, "system.posix_acl_access", a.list, sizeof(a.list));
    close(fd);
    return a;
}

#define CHECK_ATTRIBUTES(row, t, path, want)                                             \
    do {                                                                                 \
        struct attributes got_ = attributes_of(t, path);                                 \
        CHECK(row, memcmp(&got_, want, sizeof(got_)) == 0);                              \
    } while (0)

/* Mode, owner, extended attributes and access lists survive edits, moves and undo. */
static void test_attributes_stay(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    put(t->fd, "a.md", "alpha");
    int fd = openat(t->fd, "a.md", O_RDONLY | O_CLOEXEC);
    (void)!fchown(fd, 1234, 2345); /* root may */
    (void)!fchmod(fd, 0640);
    if (!VAULTD_PORTABLE) { /* not every file system has them */
        (void)!fsetxattr(fd, "user.tag", "red", 3, 0);
        (void)!fsetxattr(fd, "system.posix_acl_access", access_list, sizeof(access_list),
                         0);
    }
    close(fd);
    struct attributes want = attributes_of(t, "a.md");
    MAKE(t, c, &r, OP_WRITE("a.md", "new"));
    CHECK_ATTRIBUTES("edited", t, "a.md", &want);
    undo_well(t, c, r.number);
    CHECK_STR("undone", content(&t->arena, t->fd, "a.md"), "alpha");
    CHECK_ATTRIBUTES("undone", t, "a.md", &want);
    MAKE(t, c, &r, OP_MOVE("a.md", "dir/b.md"), OP_WRITE("a.md", "moved"));
    CHECK_ATTRIBUTES("moved and edited", t, "dir/b.md", &want);
    undo_well(t, c, r.number);
    CHECK_ATTRIBUTES("moved back", t, "a.md", &want);
    MAKE(t, c, &r, OP_MOVE("a.md", ".trash/a.md"));
    undo_well(t, c, r.number);
    CHECK_ATTRIBUTES("out of the trash", t, "a.md", &want);
    changes_close(c);
}

/* A symlink that leads nowhere is moved as it is, and nothing is written through it. */
static void test_dangling_link(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    char to[16] = {0};
    assert_int_equal(symlinkat("nowhere.md", t->fd, "link.md"), 0);
    MAKE(t, c, &r, OP_MOVE("link.md", "dir/link.md"));
    assert_int_equal(readlinkat(t->fd, "dir/link.md", to, sizeof(to) - 1), 10);
    CHECK_STR("target", str_c(to), "nowhere.md");
    undo_well(t, c, r.number);
    assert_int_equal(readlinkat(t->fd, "link.md", to, sizeof(to) - 1), 10);
    changes_close(c);
}

static void test_undo_refused(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r, again;
    struct err err;
    fill(t);
    MAKE(t, c, &r, OP_WRITE("a.md", "1"), OP_WRITE("b.md", "2"), OP_DELETE("c.md"),
         OP_MOVE("dir", "dir2"), OP_WRITE("dir/x.md", "3"));
    put(t->fd, "a.md", "mine");
    put(t->fd, "c.md", "again");
    put(t->fd, "dir2/x.md", "touched");
    str tree = tree_text(&t->arena, t->fd);
    assert_false(undo(t, c, r.number, &again, &err));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_non_null(strstr(err.msg, "'a.md'"));
    assert_non_null(strstr(err.msg, "'c.md'"));
    assert_non_null(strstr(err.msg, "'dir2/x.md'"));
    assert_null(strstr(err.msg, "b.md"));
    CHECK_TREE("refused", t, tree);
    put(t->fd, "a.md", "1");
    assert_int_equal(unlinkat(t->fd, "c.md", 0), 0);
    put(t->fd, "dir2/x.md", "3");
    folder(t->fd, "dir"); /* the old path is taken */
    assert_false(undo(t, c, r.number, &again, &err));
    assert_int_equal(unlinkat(t->fd, "dir", AT_REMOVEDIR), 0);
    undo_well(t, c, r.number);
    assert_false(undo(t, c, r.number, &again, &err));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_false(undo(t, c, 999, &again, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    changes_close(c);
}

/* Change 2 undoes 1, and 3 undoes 2: then 1 counts again and can be undone. */
static void test_undo_counts_again(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    struct err err;
    fill(t);
    str before = tree_text(&t->arena, t->fd);
    MAKE(t, c, &r, OP_WRITE("a.md", "1"));
    uint64_t back = undo_well(t, c, r.number), redo = undo_well(t, c, back);
    changes_close(c);
    c = open_changes(t);
    assert_false(undo(t, c, back, &r, &err));
    undo_well(t, c, 1);
    CHECK_TREE("again", t, before);
    assert_false(undo(t, c, redo, &r, &err));
    changes_close(c);
}

static void test_undo_keeps_used_folders(void **state)
{
    static const char *const used[] = {"p/q/theirs.md", "p/theirs.md", "p/q/.hidden",
                                       "p/q/r/s.md"};
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    for (size_t i = 0; i < COUNT_OF(used); i++) {
        struct change_result r;
        MAKE(t, c, &r, OP_NEW("p/q/n.md", "n"));
        if (i == 3)
            folder(t->fd, "p/q/r");
        put(t->fd, used[i], "t");
        undo_well(t, c, r.number);
        CHECK(used[i], !there(t->fd, "p/q/n.md"));
        CHECK_STR(used[i], content(&t->arena, t->fd, used[i]), "t");
        CHECK(used[i], there(t->fd, "p/q") == (i != 1));
        remove_tree(t->fd, "p");
    }
    changes_close(c);
}

/* --- repeated calls --- */

static bool make_keyed(struct tree *t, struct changes *c, const char *key,
                       const char *request, const char *text, struct change_result *out,
                       struct err *err)
{
    struct change_op op = {
        .kind = JOURNAL_WRITE, .path = STR("a.md"), .text = str_c(text)};
    struct change change = {.ops = &op,
                            .n = 1,
                            .once.key = str_c(key),
                            .once.request = str_c(request),
                            .once.answer = str_c(text)};
    return changes_make(c, &t->arena, &change, out, err);
}

static void test_keys(void **state)
{
    struct tree *t = *state;
    struct change_result r;
    struct err err;
    for (int again = 0; again < 2; again++) {
        struct changes *c = open_changes(t);
        assert_true(make_keyed(t, c, "k", "one", "1", &r, &err));
        assert_int_equal(r.number, 1);
        assert_int_equal(r.repeated, again);
        CHECK_STR("answer", r.answer, "1");
        put(t->fd, "a.md", "since");
        assert_true(make_keyed(t, c, "k", "one", "other", &r, &err));
        assert_true(r.repeated);
        CHECK_STR("the old answer", r.answer, "1");
        CHECK_STR("not made again", content(&t->arena, t->fd, "a.md"), "since");
        assert_false(make_keyed(t, c, "k", "two", "2", &r, &err));
        assert_int_equal(err.name, E_KEY_REUSED);
        changes_close(c);
    }
}

static void test_failed_key_may_be_tried_again(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    struct err err;
    struct change_op ops[] = {OP_NEW("n.md", "n"), OP_MOVE("x.md", "y.md")};
    struct change change = {
        .ops = ops, .n = 2, .once.key = STR("k"), .once.request = STR("r")};
    assert_false(changes_make(c, &t->arena, &change, &r, &err));
    put(t->fd, "x.md", "x");
    assert_true(changes_make(c, &t->arena, &change, &r, &err));
    assert_false(r.repeated);
    CHECK_STR("moved", content(&t->arena, t->fd, "y.md"), "x");
    changes_close(c);
}

static void test_undo_with_key(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r, again;
    struct err err;
    put(t->fd, "a.md", "a");
    MAKE(t, c, &r, OP_WRITE("a.md", "b"));
    struct change as = {
        .once.key = STR("u"), .once.request = STR("undo 1"), .once.answer = STR("ok")};
    assert_true(changes_undo(c, &t->arena, 1, &as, &r, &err));
    assert_false(r.repeated);
    if (!changes_undo(c, &t->arena, 1, &as, &again, &err))
        fail_msg("%s", err.msg);
    assert_true(again.repeated);
    assert_int_equal(again.number, r.number);
    changes_close(c);
}

/* --- at the same time --- */

/* Read the number in the file and write the next one; true if it was written. */
static bool count_one(struct tree *t, struct changes *c, struct arena *a,
                      const char *path)
{
    struct err err;
    str old;
    if (!fs_read(&t->root, a, str_c(path), 100, &old, &err))
        return false;
    struct change_op op = {
        .kind = JOURNAL_WRITE,
        .path = str_c(path),
        .text = arena_printf(a, "%d", (int)strtol(arena_str(a, old).p, NULL, 10) + 1),
        .expects = CHANGE_SAME,
        .was = hash_content(old)};
    struct change_result r;
    bool ok = changes_make(c, a, &(struct change){.ops = &op, .n = 1}, &r, &err);
    if (!ok && err.code != ERR_CONFLICT)
        fail_msg("%s (%s)", err.msg, err.detail);
    return ok;
}

static int count_many(struct tree *t, struct changes *c, int n)
{
    int done = 0;
    while (done < n) {
        struct arena a = {0};
        done += count_one(t, c, &a, "counter.md");
        arena_release(&a);
    }
    return done;
}

struct counter {
    struct tree *t;
    struct changes *c;
    int n;
};

static void *count_in_thread(void *p)
{
    struct counter *own = p;
    count_many(own->t, own->c, own->n);
    return NULL;
}

/* Eight threads in two processes: 240 edits, none lost. */
static void test_SEC_110_no_lost_edit(void **state)
{
    enum { PROCESSES = 2, THREADS = 4, EACH = 30 };
    struct tree *t = *state;
    put(t->fd, "counter.md", "0");
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        pthread_t threads[THREADS];
        struct counter own = {t, open_changes(t), EACH};
        for (int k = 0; k < THREADS; k++)
            pthread_create(&threads[k], NULL, count_in_thread, &own);
        for (int k = 0; k < THREADS; k++)
            pthread_join(threads[k], NULL);
        changes_close(own.c);
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    CHECK_STR("count", content(&t->arena, t->fd, "counter.md"), "240");
    struct changes *c = open_changes(t);
    struct journal *j;
    struct err err;
    size_t n;
    assert_true(changes_lock_all(c, &j, &err));
    assert_true(journal_verify(j, &n, &err));
    assert_int_equal(n, 240);
    changes_unlock(c);
    changes_close(c);
}

static void test_SEC_110_one_create_wins(void **state)
{
    enum { PROCESSES = 8, ROUNDS = 10 };
    struct tree *t = *state;
    for (int round = 0; round < ROUNDS; round++) {
        int winners = 0;
        char path[32];
        snprintf(path, sizeof(path), "f%d/new.md", round);
        for (int i = 0; i < PROCESSES; i++) {
            if (fork() != 0)
                continue;
            struct changes *c = open_changes(t);
            struct change_op op = {.kind = JOURNAL_WRITE,
                                   .path = str_c(path),
                                   .text = arena_printf(&t->arena, "%d", i),
                                   .expects = CHANGE_NEW};
            struct change_result r;
            struct err err;
            bool ok = make_ops(t, c, &op, 1, &r, &err);
            _exit(ok ? 100 + i : err.code == ERR_EXISTS ? 0 : 1);
        }
        int winner = -1;
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            assert_true(wait(&status) > 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
            winners += WEXITSTATUS(status) >= 100;
            winner = WEXITSTATUS(status) >= 100 ? WEXITSTATUS(status) - 100 : winner;
        }
        assert_int_equal(winners, 1);
        CHECK_STR("winner", content(&t->arena, t->fd, path),
                  arena_printf(&t->arena, "%d", winner).p);
    }
}

/* Two processes with different state folders: they share only the files. */
static void test_no_lost_edit_between_states(void **state)
{
    enum { EACH = 60 };
    struct tree *t = *state;
    put(t->fd, "counter.md", "0");
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            snprintf(t->state, sizeof(t->state), "%s/state%d", t->top, i);
            struct changes *c = open_changes(t);
            int done = 0, tries = 0;
            for (; done < EACH && tries < 100 * EACH; tries++) {
                struct arena a = {0};
                struct err err;
                str old;
                struct change_result r;
                assert_true(fs_read(&t->root, &a, STR("counter.md"), 99, &old, &err));
                struct change_op op = {
                    .kind = JOURNAL_WRITE,
                    .path = STR("counter.md"),
                    .text = arena_printf(&a, "%d",
                                         (int)strtol(arena_str(&a, old).p, NULL, 10) + 1),
                    .expects = CHANGE_SAME,
                    .was = hash_content(old)};
                done += make_ops(t, c, &op, 1, &r, &err);
                arena_release(&a);
            }
            changes_close(c);
            _exit(done == EACH ? 0 : 1);
        }
    for (int i = 0; i < 2; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    str count = content(&t->arena, t->fd, "counter.md");
    CHECK_STR("count", count, "120");
    struct dirent **names;
    int n = scandirat(t->fd, ".", &names, NULL, tree_by_name);
    assert_int_equal(n, 3);
    while (n > 0)
        free(names[--n]);
    free(names);
}

/* A process died in the middle of a change; another process that is already running rolls
 * it back before its own next change. */
static void test_others_crash(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct change_result r;
    fill(t);
    struct journal *j;
    struct err err;
    struct journal_op ops[] = {
        {.kind = JOURNAL_WRITE,
         .path = STR("a.md"),
         .existed = true,
         .before = hash_content(STR("alpha")),
         .after = hash_content(STR("half")),
         .old = STR("alpha")},
        {.kind = JOURNAL_MOVE, .path = STR("a.md"), .to = STR("moved.md")},
    };
    struct journal_change dead = {
        .time = clock_now(), .key = STR("k"), .request = STR("r"), .ops = ops, .n = 2};
    assert_true(journal_open(t->state, &j, &err));
    assert_true(journal_lock(j, NULL, &err));
    assert_true(journal_append(j, &dead, &err));
    journal_close(j); /* this releases the lock, as the end of a process does */
    put(t->fd, "a.md", "half");
    MAKE(t, c, &r, OP_WRITE("b.md", "later"));
    CHECK_STR("rolled back", content(&t->arena, t->fd, "a.md"), "alpha");
    assert_true(changes_lock_all(c, &j, &err));
    assert_int_equal(journal_find(j, dead.number)->state, JOURNAL_ABORTED);
    assert_null(journal_with_key(j, STR("k"), 0));
    changes_unlock(c);
    changes_close(c);
}

/* An open change whose record is damaged cannot be rolled back, and blocks nothing. */
static void test_open_and_damaged(void **state)
{
    struct tree *t = *state;
    struct journal *j;
    struct change_result r;
    struct err err;
    fill(t);
    struct journal_op op = {.kind = JOURNAL_WRITE,
                            .path = STR("a.md"),
                            .existed = true,
                            .before = hash_content(STR("alpha")),
                            .after = hash_content(STR("x")),
                            .old = STR("other")};
    struct journal_change dead = {.time = clock_now(), .ops = &op, .n = 1};
    assert_true(journal_open(t->state, &j, &err));
    assert_true(journal_append(j, &dead, &err));
    journal_close(j);
    str before = tree_text(&t->arena, t->fd);
    struct changes *c = open_changes(t);
    CHECK_TREE("untouched", t, before);
    assert_false(undo(t, c, 1, &r, &err));
    MAKE(t, c, &r, OP_WRITE("b.md", "later"));
    changes_close(c);
}

/* --- locks of other programs --- */

struct waiter {
    struct changes *c;
    struct err err;
    bool ok;
};

static void *wait_for_lock(void *arg)
{
    struct waiter *w = arg;
    struct journal *j;
    w->ok = changes_lock_all(w->c, &j, &w->err);
    if (w->ok)
        changes_unlock(w->c);
    return NULL;
}

/* Another program has the lock: waiting is visible, and ends when it goes or we do. */
static void check_blocked(struct tree *t, int holder, const char *who, bool goes)
{
    struct changes *c = open_changes(t);
    struct waiter w = {.c = c};
    pthread_t thread;
    uint64_t ms;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool file = strcmp(who, "another vaultd") == 0;
    CHECK("free", changes_blocked(c, &ms) == NULL);
    assert_int_equal(file ? fcntl(holder, F_OFD_SETLK, &lock) : flock(holder, LOCK_EX),
                     0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &w), 0);
    const char *seen = NULL;
    while (seen == NULL)
        seen = changes_blocked(c, &ms);
    if (!goes)
        changes_stop(c);
    lock.l_type = F_UNLCK;
    if (goes)
        assert_int_equal(
            file ? fcntl(holder, F_OFD_SETLK, &lock) : flock(holder, LOCK_UN), 0);
    pthread_join(thread, NULL);
    CHECK_STR("who", str_c(seen), who);
    CHECK("got it if the other went", w.ok == goes);
    CHECK("else BUSY", goes || w.err.name == E_BUSY);
    CHECK("and says who", goes || strstr(w.err.msg, who) != NULL);
    CHECK("visible as long as it lasts", (changes_blocked(c, &ms) == NULL) == goes);
    if (file)
        fcntl(holder, F_OFD_SETLK, &lock);
    else
        flock(holder, LOCK_UN);
    changes_close(c);
}

static void test_blocked(void **state)
{
    struct tree *t = *state;
    char path[512];
    changes_close(open_changes(t));
    snprintf(path, sizeof(path), "%s/lock", t->state);
    int journal = open(path, O_RDWR | O_CLOEXEC);
    int folder = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(journal >= 0 && folder >= 0);
    check_blocked(t, folder, "another program", true);
    check_blocked(t, folder, "another program", false);
    check_blocked(t, journal, "another vaultd", true);
    check_blocked(t, journal, "another vaultd", false);
    close(journal);
    close(folder);
}

/* A lock that was not seen for long is forgotten: the next one is waited for. */
static void test_blocked_long_ago(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    struct waiter w = {.c = c};
    pthread_t thread;
    uint64_t ms;
    atomic_store(&c->blocker, "another program");
    atomic_store(&c->blocked, 1);
    atomic_store(&c->seen, clock_ms());
    CHECK("a moment ago", changes_blocked(c, &ms) != NULL);
    atomic_store(&c->seen, clock_ms() - CHANGE_LOCK_MS - 1);
    CHECK("long ago", changes_blocked(c, &ms) == NULL);
    int folder = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(folder, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &w), 0);
    while (changes_blocked(c, &ms) == NULL)
        continue;
    CHECK("anew", ms < CHANGE_LOCK_MS);
    close(folder);
    pthread_join(thread, NULL);
    CHECK("waited", w.ok);
    changes_close(c);
}

/* A vault that is locked at the start can be opened, and changed later. */
static void test_opened_while_locked(void **state)
{
    struct tree *t = *state;
    struct change_result r;
    int folder = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(folder, LOCK_EX), 0);
    struct changes *c = open_changes(t);
    uint64_t ms;
    CHECK("blocked", changes_blocked(c, &ms) != NULL);
    close(folder);
    MAKE(t, c, &r, OP_WRITE("b.md", "later"));
    CHECK("free", changes_blocked(c, &ms) == NULL);
    changes_close(c);
}

/* --- any sequence --- */

static unsigned seed;

static unsigned pick(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static str any_path(struct arena *a)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    str path = str_c(names[pick(4)]);
    for (unsigned depth = pick(3); depth > 0; depth--)
        path = path_join(a, path, str_c(names[pick(4)]));
    return path;
}

static struct change_op any_op(struct arena *a)
{
    struct change_op op = {.kind = (enum journal_kind)pick(5), .path = any_path(a)};
    if (op.kind == JOURNAL_MOVE)
        op.to = any_path(a);
    if (op.kind == JOURNAL_WRITE)
        op.text = arena_printf(a, "%u", pick(1000));
    op.expects = op.kind == JOURNAL_WRITE && pick(4) == 0 ? CHANGE_NEW : CHANGE_ANY;
    return op;
}

static bool nested(str a, str b)
{
    str shorter = a.n < b.n ? a : b, longer = a.n < b.n ? b : a;
    return shorter.n > 0 && str_starts(longer, shorter) &&
           (longer.n == shorter.n || longer.p[shorter.n] == '/');
}

/* Removing what the same change makes or moves, or moving what it makes, makes no sense
 * and cannot be undone (change.h). */
static bool is_odd(struct tree *t, const struct change_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            bool removes =
                ops[i].kind == JOURNAL_DELETE || ops[i].kind == JOURNAL_REMOVE_FOLDER;
            str made = ops[k].kind == JOURNAL_MOVE ? ops[k].to : ops[k].path;
            bool moves_new = ops[i].kind == JOURNAL_MOVE && str_eq(ops[i].path, made) &&
                             !there(t->fd, arena_str(&t->arena, made).p);
            if (i != k && (moves_new || (removes && nested(ops[i].path, made))))
                return true;
        }
    return false;
}

static str describe(struct tree *t, struct changes *c, uint64_t number)
{
    struct sbuf out = SBUF_ON(&t->arena);
    struct journal *j;
    struct journal_change change;
    struct err err;
    assert_true(changes_lock_all(c, &j, &err));
    assert_true(journal_read(j, &t->arena, number, false, &change, &err));
    changes_unlock(c);
    for (size_t i = 0; i < change.n; i++)
        sbuf_printf(&out, "%d " STR_FMT " " STR_FMT "\n", change.ops[i].kind,
                    STR_ARG(change.ops[i].path), STR_ARG(change.ops[i].to));
    return sbuf_str(&out);
}

/* Undoing any sequence of changes in reverse gives the original tree; refused changes
 * have no effect. */
static void test_any_sequence(void **state)
{
    enum { SEQUENCES = 80, CHANGES = 40, OPS = 4 };
    struct tree *t = *state;
    for (unsigned s = 1; s <= SEQUENCES; s++) {
        struct changes *c = open_changes(t);
        uint64_t numbers[CHANGES];
        str trees[CHANGES];
        size_t n = 0;
        seed = s * 7919;
        for (int i = 0; i < CHANGES; i++) {
            struct change_op ops[OPS];
            struct change_result r;
            struct err err;
            size_t n_ops = 1 + pick(OPS);
            for (size_t k = 0; k < n_ops; k++)
                ops[k] = any_op(&t->arena);
            str before = tree_text(&t->arena, t->fd);
            char row[64];
            snprintf(row, sizeof(row), "sequence %u, change %d", s, i);
            if (is_odd(t, ops, n_ops))
                continue;
            if (!make_ops(t, c, ops, n_ops, &r, &err)) {
                CHECK_TREE(row, t, before);
                CHECK(row, err.code != ERR_INTERNAL);
                continue;
            }
            if (r.number == 0)
                continue;
            trees[n] = before;
            numbers[n++] = r.number;
        }
        while (n-- > 0) {
            char row[64];
            struct change_result r;
            struct err err;
            snprintf(row, sizeof(row), "sequence %u, undo of %d", s, (int)numbers[n]);
            if (!undo(t, c, numbers[n], &r, &err))
                fail_msg("%s: %s\n" STR_FMT, row, err.msg,
                         STR_ARG(describe(t, c, numbers[n])));
            CHECK_TREE(row, t, trees[n]);
        }
        changes_close(c);
        arena_reset(&t->arena);
    }
}

static void test_limits(void **state)
{
    struct tree *t = *state;
    struct changes *c = open_changes(t);
    char *big = mem_zero(CHANGE_FILE_MAX + 1);
    REFUSED("too large", t, c, ERR_LIMIT,
            {JOURNAL_WRITE, STR("n.md"), .text = {big, CHANGE_FILE_MAX + 1}});
    int fd = openat(t->fd, "sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(ftruncate(fd, (off_t)20 << 30), 0);
    close(fd);
    struct change_op op = OP_WRITE("sparse", "x");
    struct change_result r;
    struct err err;
    assert_false(make_ops(t, c, &op, 1, &r, &err));
    assert_int_equal(err.name, E_FILE_TOO_LARGE);
    assert_int_equal(unlinkat(t->fd, "sparse", 0), 0);
    free(big);
    changes_close(c);
}

TEST_MAIN(argc, argv)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_operations),
        TREE_TEST(test_expectations),
        TREE_TEST(test_links),
        TREE_TEST(test_SEC_123_undo_of_each),
        TREE_TEST(test_attributes_stay),
        TREE_TEST(test_dangling_link),
        TREE_TEST(test_undo_refused),
        TREE_TEST(test_undo_counts_again),
        TREE_TEST(test_undo_keeps_used_folders),
        TREE_TEST(test_keys),
        TREE_TEST(test_failed_key_may_be_tried_again),
        TREE_TEST(test_undo_with_key),
        TREE_TEST(test_SEC_110_no_lost_edit),
        TREE_TEST(test_SEC_110_one_create_wins),
        TREE_TEST(test_no_lost_edit_between_states),
        TREE_TEST(test_others_crash),
        TREE_TEST(test_open_and_damaged),
        TREE_TEST(test_blocked),
        TREE_TEST(test_blocked_long_ago),
        TREE_TEST(test_opened_while_locked),
        TREE_TEST(test_any_sequence),
        TREE_TEST(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
