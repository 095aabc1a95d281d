#include <sys/fsuid.h>
#include <sys/mount.h>

#include "vault/watch.h"
#include "watched.h"

static void test_new_folders(void **state)
{
    struct place *p = *state;
    p->follow = true;
    start_inotify(p);
    enum { ROUNDS = 100 };
    for (int i = 0; i < ROUNDS; i++) {
        static const char *const parts[] = {"", "/b", "/b/c"};
        for (size_t k = 0; k < COUNT_OF(parts); k++)
            folder(p->fd, arena_printf(&p->arena, "n%d%s", i, parts[k]).p);
        put(p->fd, arena_printf(&p->arena, "n%d/b/c/f.md", i).p, "x");
    }
    for (int i = 0; i < ROUNDS; i++) {
        str path = arena_printf(&p->arena, "n%d/b/c/f.md", i);
        CHECK(path.p, wait_for(p, is_found, path.p));
    }
    expect_folders(p, 1 + 3 * ROUNDS);
    forget_hints(p);
    for (int i = 0; i < ROUNDS; i++) {
        str path = arena_printf(&p->arena, "n%d/b/c/f.md", i);
        put(p->fd, path.p, "y");
        expect(p, path.p);
        remove_tree(p->fd, arena_printf(&p->arena, "n%d", i).p);
    }
    expect_folders(p, 1);
}

static void test_renamed_folder(void **state)
{
    struct place *p = *state;
    make_nest(p);
    start_inotify(p);
    move(p->fd, "a", p->fd, "z");
    put(p->fd, "z/b/c/at-once.md", "x");
    expect(p, "a");
    expect(p, "z");
    expect_folders(p, 4);
    forget_hints(p);
    put(p->fd, "z/b/c/f.md", "y");
    sync_up(p);
    CHECK_STR("the new path only", hints(p), "z/b/c/f.md");
    for (int i = 0; i < 20; i++) {
        move(p->fd, "z/b", p->fd, "b");
        move(p->fd, "z", p->fd, "b/z");
        move(p->fd, "b/z", p->fd, "z");
        move(p->fd, "b", p->fd, "z/b");
    }
    expect_folders(p, 4);
    forget_hints(p);
    put(p->fd, "z/b/c/f.md", "z");
    sync_up(p);
    CHECK_STR("to and fro", hints(p), "z/b/c/f.md");
}

static void test_moved_out(void **state)
{
    struct place *p = *state;
    make_nest(p);
    start_inotify(p);
    move(p->fd, "a", p->top_fd, "out/a");
    expect(p, "a");
    expect_folders(p, 1);
    forget_hints(p);
    put(p->top_fd, "out/a/b/c/f.md", "y");
    folder(p->top_fd, "out/a/d");
    sync_up(p);
    CHECK_STR("silence", hints(p), "");
    move(p->top_fd, "out/a", p->fd, "in");
    expect(p, "in");
    expect_folders(p, 5);
    put(p->fd, "in/b/c/f.md", "z");
    put(p->fd, "in/d/g.md", "z");
    expect(p, "in/b/c/f.md");
    expect(p, "in/d/g.md");
}

static void test_exchanged(void **state)
{
    struct place *p = *state;
    make_nest(p);
    folder(p->fd, "x");
    folder(p->fd, "x/y");
    put(p->fd, "file", "x");
    start_inotify(p);
    assert_int_equal(renameat2(p->fd, "a/b", p->fd, "x", RENAME_EXCHANGE), 0);
    assert_int_equal(renameat2(p->fd, "a", p->fd, "file", RENAME_EXCHANGE), 0);
    expect_folders(p, 6);
    put(p->fd, "x/c/f.md", "y");
    put(p->fd, "file/b/y/g.md", "y");
    expect(p, "x/c/f.md");
    expect(p, "file/b/y/g.md");
    folder(p->fd, "over");
    move(p->fd, "x", p->fd, "over"); /* in place of an empty folder */
    expect_folders(p, 6);
    put(p->fd, "over/c/f.md", "z");
    expect(p, "over/c/f.md");
}

static void test_linked_folders(void **state)
{
    struct place *p = *state;
    make_nest(p);
    assert_int_equal(symlinkat("a", p->fd, "link"), 0);
    assert_int_equal(symlinkat("../out", p->fd, "out"), 0);
    assert_int_equal(symlinkat(".", p->fd, "self"), 0);
    start_inotify(p);
    expect_folders(p, 4);
    put(p->fd, "link/b/c/f.md", "y");
    put(p->fd, "out/x.md", "y");
    sync_up(p);
    CHECK_STR("by its true path", hints(p), "a/b/c/f.md");
    /* a folder is replaced by a link to another */
    move(p->fd, "a/b", p->fd, "b");
    assert_int_equal(symlinkat("../b", p->fd, "a/b"), 0);
    expect_folders(p, 4);
    forget_hints(p);
    put(p->fd, "a/b/c/f.md", "z");
    sync_up(p);
    CHECK_STR("by its true path again", hints(p), "b/c/f.md");
}

static bool is_hinted_somewhere(struct place *p, const void *end)
{
    for (size_t i = 0; i < p->hints.n; i++)
        if (str_ends(p->hints.list[i], str_c(end)))
            return true;
    return false;
}

/* A folder that is mounted inside itself, and at a second path. */
static void test_mounted_twice(void **state)
{
    struct place *p = *state;
    make_nest(p);
    folder(p->fd, "z");
    str a = arena_printf(&p->arena, "%s/vault/a", p->top);
    str inside = arena_printf(&p->arena, "%s/b/c", a.p);
    str beside = arena_printf(&p->arena, "%s/vault/z", p->top);
    if (mount(a.p, inside.p, NULL, MS_BIND, NULL) < 0)
        SKIP("may not mount here");
    bool mounted = mount(inside.p, beside.p, NULL, MS_BIND, NULL) == 0;
    start_inotify(p);
    put(p->fd, "a/new.md", "x");
    bool told = wait_for(p, is_hinted_somewhere, "/new.md");
    watch_stop(p->watch);
    p->watch = NULL;
    umount2(beside.p, MNT_DETACH);
    assert_int_equal(umount2(inside.p, MNT_DETACH), 0);
    assert_true(mounted);
    assert_true(told);
}

static int open_next(int dir, const char *name)
{
    folder(dir, name);
    int next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(next >= 0);
    close(dir);
    return next;
}

static void test_deep(void **state)
{
    struct place *p = *state;
    char name[PATH_MAX_COMPONENT + 1];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    start_inotify(p);
    int narrow = open_next(dup(p->fd), "d"), wide = open_next(dup(p->fd), "w");
    for (int i = 0; i < 300; i++)
        narrow = open_next(narrow, "d");
    for (int i = 0; i < 20; i++)
        wide = open_next(wide, name);
    put(narrow, "x.md", "x");
    put(wide, "x.md", "x");
    close(narrow);
    close(wide);
    /* 16 of the long names make a path of 4,017 bytes; one more does not fit. */
    expect_folders(p, 1 + WATCH_DEPTH_MAX + 17);
    CHECK_INT("events", watch_how(p->watch), WATCH_EVENTS);
    remove_tree(p->fd, "d");
    remove_tree(p->fd, "w");
    expect_folders(p, 1);
}

static void test_no_permission(void **state)
{
    struct place *p = *state;
    make_nest(p);
    uid_t me = geteuid();
    assert_int_equal(fchmod(p->top_fd, 0755), 0);
    assert_int_equal(fchmodat(p->fd, "a", 0, 0), 0);
    if (me == 0)
        setfsuid(65534); /* the watcher's thread inherits it */
    struct watch_config c = config(p);
    struct err err;
    bool ok = watch_start(&c, &p->watch, &err);
    setfsuid(me);
    assert_true(ok);
    expect_folders(p, 1);
    assert_int_equal(fchmodat(p->fd, "a", 0755, 0), 0);
    expect(p, "a");
    expect_folders(p, 4);
    put(p->fd, "a/b/c/f.md", "y");
    expect(p, "a/b/c/f.md");
}

/* The true paths of all folders, found by walking; "" is the vault. */
static void walk(struct place *p, str path, struct names *out)
{
    struct fs_list list;
    struct err err;
    assert_true(fs_list(&p->root, &p->arena, path, &list, &err));
    out->list[out->n++] = path;
    for (size_t i = 0; i < list.n; i++)
        if (list.entries[i].info.type == FS_FOLDER)
            walk(p, path_join(&p->arena, path, list.entries[i].name), out);
}

static const char *random_place(struct place *p, unsigned *seed)
{
    str path = STR("");
    int depth = 1 + rand_r(seed) % 3;
    for (int i = 0; i < depth; i++)
        path = path_join(&p->arena, path, (str){&"abc"[rand_r(seed) % 3], 1});
    return path.p;
}

/*
 * Folders are made, moved, exchanged and removed at random, faster than the watcher can
 * follow. Then it must know exactly the existing folders, by their true paths.
 */
static void test_turmoil(void **state)
{
    struct place *p = *state;
    start_inotify(p);
    struct names *folders = mem_alloc(sizeof(*folders));
    for (unsigned seed = 1; seed <= 30; seed++) {
        unsigned s = seed;
        for (int i = 0; i < 300; i++) {
            const char *a = random_place(p, &s), *b = random_place(p, &s);
            switch (rand_r(&s) % 6) {
            case 0:
            case 1:
                (void)!mkdirat(p->fd, a, 0755);
                break;
            case 2:
                (void)!unlinkat(p->fd, a, AT_REMOVEDIR);
                break;
            case 3:
                (void)!renameat2(p->fd, a, p->fd, b, RENAME_EXCHANGE);
                break;
            case 4:
                (void)!renameat(p->fd, a, p->top_fd, "out/x");
                break;
            default:
                (void)!renameat(p->fd, a, p->fd, b);
                break;
            }
        }
        folders->n = 0;
        walk(p, STR(""), folders);
        expect_folders(p, folders->n);
        forget_hints(p);
        for (size_t i = 0; i < folders->n; i++) {
            str file = path_join(&p->arena, folders->list[i], STR("f.md"));
            put(p->fd, file.p, "x");
        }
        for (size_t i = 0; i < folders->n; i++) {
            str file = path_join(&p->arena, folders->list[i], STR("f.md"));
            expect(p, file.p);
            assert_int_equal(unlinkat(p->fd, file.p, 0), 0);
        }
        if (faccessat(p->top_fd, "out/x", F_OK, 0) == 0)
            remove_tree(p->top_fd, "out/x");
    }
    free(folders);
    CHECK_INT("everything", times_everything(p), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        INOTIFY_TEST(test_new_folders),    INOTIFY_TEST(test_renamed_folder),
        INOTIFY_TEST(test_moved_out),      INOTIFY_TEST(test_exchanged),
        INOTIFY_TEST(test_linked_folders), INOTIFY_TEST(test_mounted_twice),
        INOTIFY_TEST(test_deep),           INOTIFY_TEST(test_no_permission),
        INOTIFY_TEST(test_turmoil),
    };
    return cmocka_run_group_tests_name("watch_folders", tests, NULL, NULL);
}
