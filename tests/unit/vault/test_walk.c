#include "vault/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"
#include "fast_folder.h"
#include "rounds.h"

struct place {
    struct arena arena;
    char top[64];
    int fd;
    struct fs_root root;
    struct pool *pool;
};

static int make_place(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    snprintf(p->top, sizeof(p->top), "/tmp/vaultd-test-walk-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    p->fd = open(p->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fs_root_open(&p->root, p->top, &err));
    p->pool = pool_create(3, 64);
    *state = p;
    return 0;
}

static void remove_tree(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0)
        return;
    DIR *dir = fdopendir(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    assert_non_null(dir);
    const struct dirent *d;
    while ((d = readdir(dir)) != NULL)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            remove_tree(dirfd(dir), d->d_name);
    closedir(dir);
    assert_int_equal(unlinkat(parent, name, AT_REMOVEDIR), 0);
}

static int remove_place(void **state)
{
    struct place *p = *state;
    pool_free(p->pool);
    fs_root_close(&p->root);
    close(p->fd);
    remove_tree(AT_FDCWD, p->top);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static void put(struct place *p, const char *path, const char *text)
{
    int fd = openat(p->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void folder(struct place *p, const char *path)
{
    assert_int_equal(mkdirat(p->fd, path, 0755), 0);
}

/* The paths of a walk, one after the other. */
static str listed(struct place *p, const struct walk *w)
{
    struct sbuf b = SBUF_ON(&p->arena);
    for (size_t i = 0; i < w->n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? "|" : "", STR_ARG(w->files[i].path));
    return sbuf_str(&b);
}

static void test_order(void **state)
{
    struct place *p = *state;
    struct walk w;
    struct err err;
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_INT("empty", w.n, 0);
    walk_release(&w);
    folder(p, "a");
    folder(p, "a/b");
    folder(p, "a b");
    folder(p, "empty");
    folder(p, ".obsidian");
    put(p, ".obsidian/app.json", "{}");
    put(p, ".hidden.md", "x");
    put(p, "a/b/c.md", "123");
    put(p, "a/z.md", "");
    put(p, "a b/y.md", "");
    put(p, "a.md", "");
    put(p, "Z.md", "");
    put(p, "\u00e4.md", "");
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_STR("by bytes of the path", listed(p, &w),
              "Z.md|a b/y.md|a.md|a/b/c.md|a/z.md|\u00e4.md");
    CHECK_INT("folders", w.folders, 4);
    CHECK_INT("size", w.files[3].info.size, 3);
    CHECK("nothing wrong", w.n_left == 0 && !w.limited);
    walk_release(&w);
    walk_release(&w);
    assert_true(walk_below(&p->root, NULL, STR("a"), &w, &err));
    CHECK_STR("below a folder, without a pool", listed(p, &w), "a/b/c.md|a/z.md");
    CHECK_INT("folders", w.folders, 1);
    walk_release(&w);
}

static void test_no_folder(void **state)
{
    struct place *p = *state;
    put(p, "file.md", "x");
    static const char *const paths[] = {"none", "file.md", "file.md/x", ".."};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct walk w;
        struct err err = {0};
        CHECK(paths[i], !walk_below(&p->root, p->pool, str_c(paths[i]), &w, &err));
        CHECK(paths[i], err.code != ERR_NONE && err.msg[0] != '\0');
        walk_release(&w);
    }
}

static void test_links(void **state)
{
    struct place *p = *state;
    folder(p, "real");
    folder(p, "real/in");
    put(p, "real/note.md", "x");
    put(p, "real/in/deep.md", "x");
    static const char *const links[][2] = {
        {"real", "linked"},
        {".", "self"},
        {"..", "up"},
        {"../real", "real/me"},
        {"../..", "real/in/u"},
        {"loop-b", "loop-a"},
        {"loop-a", "loop-b"},
        {"/etc", "etc"},
        {"/etc/passwd", "passwd.md"},
        {"nowhere", "dangling"},
        {"real/note.md", "link.md"},
    };
    for (size_t i = 0; i < COUNT_OF(links); i++)
        assert_int_equal(symlinkat(links[i][0], p->fd, links[i][1]), 0);
    struct walk w;
    struct err err;
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_STR("each once", listed(p, &w), "link.md|real/in/deep.md|real/note.md");
    CHECK_INT("folders", w.folders, 2);
    CHECK_INT("all readable", w.n_unreadable, 0);
    walk_release(&w);
    assert_true(walk_below(&p->root, p->pool, STR("linked"), &w, &err));
    CHECK_STR("the first one may be a link", listed(p, &w),
              "linked/in/deep.md|linked/note.md");
    walk_release(&w);
}

static void test_SEC_83_special_files(void **state)
{
    struct place *p = *state;
    put(p, "note.md", "x");
    assert_int_equal(mkfifoat(p->fd, "fifo.md", 0644), 0);
    assert_int_equal(symlinkat("fifo.md", p->fd, "fifo-link.md"), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket.md", p->top);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    struct walk w;
    struct err err;
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_STR("only the note", listed(p, &w), "note.md");
    walk_release(&w);
}

static void test_SEC_81_names(void **state)
{
    struct place *p = *state;
    folder(p, "bad\xff");
    put(p, "bad\xff/inside.md", "x");
    static const char *const names[] = {"\xc3.md", "back\\slash.md", "line\nbreak.md",
                                        "tab\t.md", "fine \u00e9 [x]#^|?.md"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(p, names[i], "x");
    struct walk w;
    struct err err;
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_STR("names that clients can write", listed(p, &w), "fine \u00e9 [x]#^|?.md");
    CHECK_INT("named", w.n_left, 5);
    CHECK_INT("not entered", w.folders, 0);
    walk_release(&w);
}

/* Files of which iCloud has left a placeholder; only where the caller may read. */
static void test_icloud(void **state)
{
    struct place *p = *state;
    folder(p, "in");
    folder(p, "closed");
    put(p, "in/.Far away.md.icloud", "bplist00");
    put(p, "in/..icloud", "x");
    put(p, "in/..hidden.icloud", "x");
    put(p, "closed/.Secret.md.icloud", "x");
    put(p, "here.md", "x");
    struct access access = {0};
    struct walk w;
    struct err err;
    str deny = STR("closed");
    struct access_request request = {.deny = &deny, .n_deny = 1};
    assert_true(access_make(&p->arena, &request, &access, &err));
    assert_true(walk_seen(&p->root, p->pool, STR(""), &access, &w, &err));
    CHECK_STR("files", listed(p, &w), "here.md");
    CHECK_INT("named", w.n_left, 1);
    CHECK_STR("as it will be called", w.left[0].path, "in/Far away.md");
    CHECK_STR("why", w.left[0].why, SKIPPED_IN_ICLOUD);
    walk_release(&w);
}

/* Root may read everything. This thread drops that right, so it walks without a pool. */
static void test_SEC_92_no_permission(void **state)
{
    struct place *p = *state;
    folder(p, "closed");
    put(p, "closed/inner.md", "x");
    folder(p, "open");
    put(p, "open/note.md", "x");
    assert_int_equal(fchmodat(p->fd, "closed", 0, 0), 0);
    assert_int_equal(fchmodat(AT_FDCWD, p->top, 0755, 0), 0);
    uid_t me = geteuid();
    if (me == 0)
        setfsuid(65534);
    struct walk w, closed;
    struct err err, closed_err = {0};
    bool ok = walk_below(&p->root, NULL, STR(""), &w, &err);
    bool inside = walk_below(&p->root, NULL, STR("closed"), &closed, &closed_err);
    setfsuid(me);
    assert_int_equal(fchmodat(p->fd, "closed", 0755, 0), 0);
    assert_true(ok);
    CHECK_STR("the rest", listed(p, &w), "open/note.md");
    CHECK_INT("named", w.n_unreadable, 1);
    CHECK_STR("named", w.left[0].path, "closed");
    CHECK("with why", w.left[0].why.n > 0);
    CHECK("that itself", !inside);
    CHECK_INT("that itself", closed_err.name, E_FORBIDDEN);
    walk_release(&w);
    walk_release(&closed);
}

static void deepen(struct place *p, const char *first, int levels)
{
    folder(p, first);
    int dir = openat(p->fd, first, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 1; i < levels; i++) {
        assert_int_equal(mkdirat(dir, "d", 0755), 0);
        int next = openat(dir, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(dir);
        dir = next;
    }
    int fd = openat(dir, "x.md", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
    close(dir);
}

static void test_deep(void **state)
{
    struct place *p = *state;
    deepen(p, "just", WALK_DEPTH_MAX);
    deepen(p, "too", WALK_DEPTH_MAX + 1);
    deepen(p, "also", WALK_DEPTH_MAX + 20);
    struct walk w;
    struct err err;
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_INT("one is deep enough", w.n, 1);
    CHECK("that", str_starts(w.files[0].path, STR("just/d/")));
    CHECK_INT("the others are named", w.n_unreadable, 2);
    CHECK("each", str_starts(w.left[0].path, STR("also/")));
    CHECK("each", str_starts(w.left[1].path, STR("too/")));
    CHECK_INT("entered", w.folders, 3 * WALK_DEPTH_MAX);
    CHECK("files are missing", w.limited);
    walk_release(&w);
}

static void test_SEC_86_many(void **state)
{
    struct place *p = *state;
    enum { MANY = 20000, FOLDERS = 50 };
    folder(p, "many");
    put(p, "many/one.md", "x");
    for (int i = 0; i < MANY; i++) { /* hard links, because they are fast to make */
        char name[48];
        snprintf(name, sizeof(name), "many/note %d.md", i);
        assert_int_equal(linkat(p->fd, "many/one.md", p->fd, name, 0), 0);
    }
    for (int i = 0; i < FOLDERS; i++) {
        char name[48];
        snprintf(name, sizeof(name), "f%d", i);
        folder(p, name);
        snprintf(name, sizeof(name), "f%d/note.md", i);
        put(p, name, "x");
    }
    struct walk w;
    struct err err;
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_INT("files", w.n, MANY + 1 + FOLDERS);
    for (size_t i = 1; i < w.n; i++)
        CHECK("order", str_cmp(w.files[i - 1].path, w.files[i].path) < 0);
    walk_release(&w);
}

static void check_one_too_many(struct place *p, int many)
{
    struct walk w;
    struct err err = {0};
    assert_int_equal(linkat(many, "one.md", many, "one too many.md", 0), 0);
    assert_true(walk_below(&p->root, NULL, STR(""), &w, &err));
    CHECK_INT("the others", w.n, 1);
    CHECK_INT("named", w.n_unreadable, 1);
    CHECK("says why", str_find(w.left[0].why, STR("more than")) != STR_NONE);
    walk_release(&w);
}

/* A million entries in one folder are listed; with one more, the folder is skipped. That many only with a
 * ROUNDS_FACTOR: to make and remove them takes most of a minute with sanitizers. */
static void test_million(void **state)
{
    int all = rounds_up_to(FS_LIST_MAX / 20, FS_LIST_MAX);
    char top[64];
    snprintf(top, sizeof(top), "%s/vaultd-test-million-XXXXXX", fast_folder());
    assert_non_null(mkdtemp(top));
    struct place p = {.fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct err err = {0};
    assert_true(fs_root_open(&p.root, top, &err));
    folder(&p, "many");
    put(&p, "many/one.md", "x");
    put(&p, "beside.md", "x");
    int many = openat(p.fd, "many", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[32];
    for (int i = 1; i < all; i++) {
        snprintf(name, sizeof(name), "%d.md", i);
        assert_int_equal(linkat(many, "one.md", many, name, 0), 0);
    }
    struct walk w;
    assert_true(walk_below(&p.root, NULL, STR(""), &w, &err));
    CHECK_INT("all", w.n, all + 1);
    walk_release(&w);
    if (all == FS_LIST_MAX)
        check_one_too_many(&p, many);
    close(many);
    fs_root_close(&p.root);
    close(p.fd);
    remove_tree(AT_FDCWD, top);
}

#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, make_place, remove_place)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_order),
        PLACE_TEST(test_no_folder),
        PLACE_TEST(test_links),
        PLACE_TEST(test_SEC_83_special_files),
        PLACE_TEST(test_SEC_81_names),
        PLACE_TEST(test_icloud),
        PLACE_TEST(test_SEC_92_no_permission),
        PLACE_TEST(test_deep),
        PLACE_TEST(test_SEC_86_many),
        cmocka_unit_test(test_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
