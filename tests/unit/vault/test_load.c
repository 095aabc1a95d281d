/* Files are added, removed and changed between two starts: the result must be the same as
 * that of a fresh scan. */
#include "vault/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "index_told.h"

enum { FOLDERS = 4, NAMES = 25, STARTS = 4, CHANGES = 12 };

struct place {
    char folder[64], snapshot[96];
    struct fs_root root;
    struct pool *pool;
    struct obsidian *obsidian;
    unsigned random;
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    snprintf(p->folder, sizeof(p->folder), "/tmp/vaultd-test-load-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->snapshot, sizeof(p->snapshot), "%s/.snapshot", p->folder);
    assert_true(fs_root_open(&p->root, p->folder, &err));
    p->pool = pool_create(2, 64);
    p->obsidian = obsidian_open(&p->root, STR(".obsidian"));
    p->random = 7;
    *state = p;
    return 0;
}

static unsigned pick(struct place *p, unsigned n)
{
    p->random = p->random * 1103515245 + 12345;
    return (p->random >> 16) % n;
}

static void path_of(char out[64], unsigned folder, unsigned name)
{
    if (folder == 0)
        snprintf(out, 64, "n%u.md", name);
    else
        snprintf(out, 64, "f%u/n%u.md", folder, name);
}

static int teardown(void **state)
{
    struct place *p = *state;
    char path[64];
    for (unsigned folder = 0; folder < FOLDERS; folder++) {
        for (unsigned name = 0; name < NAMES; name++) {
            path_of(path, folder, name);
            unlinkat(p->root.fd, path, 0);
        }
        snprintf(path, sizeof(path), "f%u", folder);
        unlinkat(p->root.fd, path, AT_REMOVEDIR);
    }
    unlink(p->snapshot);
    assert_int_equal(rmdir(p->folder), 0);
    pool_free(p->pool);
    fs_root_close(&p->root);
    obsidian_free(p->obsidian);
    free(p);
    return 0;
}

static void write_note(struct place *p, const char *path)
{
    static const char *const words[] = {"alpha", "beta", "gamma", "\u90FD"};
    int fd = openat(p->root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    dprintf(fd, "---\ntags: [t%u/x, T%u]\n---\n%s %s [[n%u]] [[f%u/N%u]] #t%u [[%s%u]]\n",
            pick(p, 4), pick(p, 4), words[pick(p, 4)], words[pick(p, 4)], pick(p, NAMES),
            pick(p, FOLDERS), pick(p, NAMES), pick(p, 9), pick(p, 2) ? "no" : "No",
            pick(p, 3));
    close(fd);
}

static void change_something(struct place *p)
{
    char path[64];
    unsigned folder = pick(p, FOLDERS);
    snprintf(path, sizeof(path), "f%u", folder);
    if (folder > 0)
        mkdirat(p->root.fd, path, 0755);
    path_of(path, folder, pick(p, NAMES));
    if (pick(p, 4) == 0)
        unlinkat(p->root.fd, path, 0);
    else
        write_note(p, path);
}

static struct index *start(struct place *p, const char *snapshot, struct snapshot **old,
                           atomic_size_t *read)
{
    struct index *x = index_create();
    struct err err = {0};
    const struct access everything = {0};
    const struct load l = {.root = &p->root,
                           .access = &everything,
                           .pool = p->pool,
                           .obsidian = p->obsidian,
                           .memory_max = 1 << 20,
                           .done = read};
    if (!load_all(&l, snapshot, x, old, &err))
        fail_msg("%s", err.msg);
    return x;
}

static void check_restart(struct place *p, size_t changed)
{
    struct arena a = {0};
    struct snapshot *old, *none;
    struct err err;
    atomic_size_t read = 0, all = 0;
    struct index *x = start(p, p->snapshot, &old, &read);
    struct index *fresh = start(p, NULL, &none, &all);
    str is = told(&a, x), want = told(&a, fresh);
    if (!str_eq(is, want))
        fail_msg(STR_FMT "\n--- want:\n" STR_FMT, STR_ARG(is), STR_ARG(want));
    CHECK("only changed files", old == NULL || atomic_load(&read) <= changed);
    CHECK_INT("a fresh scan reads all", atomic_load(&all), fresh->count);
    assert_true(snapshot_save(p->snapshot, x, &err));
    index_free(fresh);
    index_free(x);
    snapshot_close(old);
    arena_release(&a);
}

/* A file that changed within a second before a snapshot is always read again, so let time
 * pass. */
static void wait_until_settled(void)
{
    nanosleep(&(struct timespec){1, 100000000}, NULL);
}

/* The index has a file as it was before it changed again within one tick of a coarse clock:
 * its size and times are the same. The next look may come much later, as when polling a
 * large vault; what counts is when it was read. */
static void test_changed_twice_in_a_tick(void **state)
{
    struct place *p = *state;
    struct snapshot *none;
    atomic_size_t read = 0;
    struct fs_info info;
    struct err err;
    const struct access all = {0};
    struct arena a = {0};
    write_note(p, "n0.md");
    struct index *x = start(p, NULL, &none, &read);
    assert_true(fs_stat(&p->root, STR("n0.md"), &info, &err));
    index_put(x, file_make(&a, STR("n0.md"), &info, STR("what it was\n")), false);
    const struct load l = {
        .root = &p->root, .access = &all, .obsidian = p->obsidian, .memory_max = 1 << 20};
    wait_until_settled();
    const int64_t read_ns[] = {clock_wall_ns(), info.changed_ns};
    for (size_t i = 0; i < COUNT_OF(read_ns); i++) {
        struct load_changes c;
        str everything = {0};
        load_look(&l, x, &everything, 1, read_ns[i], &c);
        CHECK_INT(i == 0 ? "read long after" : "read at once", c.n_put, i);
        while (load_apply(&l, x, &c))
            continue;
    }
    CHECK("read", !str_eq(index_find(x, STR("n0.md"))->text, STR("what it was\n")));
    index_free(x);
    arena_release(&a);
}

/* Each new path asks what is below it: all files are sorted if many do, and only then,
 * because a note that is edited should not cost that. */
static void test_looks_at_many(void **state)
{
    struct place *p = *state;
    const struct access all = {0};
    str paths[LOAD_LOOK_MANY];
    struct arena a = {0};
    write_note(p, "n0.md");
    const struct load l = {
        .root = &p->root, .access = &all, .obsidian = p->obsidian, .memory_max = 1 << 20};
    for (unsigned i = 0; i < LOAD_LOOK_MANY; i++)
        paths[i] = arena_printf(&a, "New %u.md", i);
    for (size_t n = LOAD_LOOK_MANY - 1; n <= LOAD_LOOK_MANY; n++) {
        struct snapshot *none;
        atomic_size_t read = 0;
        struct load_changes c;
        struct index *x = start(p, NULL, &none, &read);
        CHECK("not sorted yet", !index_is_sorted(x));
        load_look(&l, x, paths, n, clock_wall_ns(), &c);
        CHECK_INT("sorted", index_is_sorted(x), n == LOAD_LOOK_MANY);
        while (load_apply(&l, x, &c))
            continue;
        index_free(x);
    }
    arena_release(&a);
}

/* A vault that is closed while files are read has not lost them. */
static void test_stopped_look(void **state)
{
    struct place *p = *state;
    struct snapshot *none;
    struct load_changes c;
    atomic_size_t read = 0;
    atomic_bool stop = true;
    str everything = {0};
    const struct access all = {0};
    write_note(p, "n0.md");
    struct index *x = start(p, NULL, &none, &read);
    write_note(p, "n0.md");
    write_note(p, "n1.md");
    const struct load l = {.root = &p->root,
                           .access = &all,
                           .obsidian = p->obsidian,
                           .memory_max = 1 << 20,
                           .stop = &stop};
    load_look(&l, x, &everything, 1, clock_wall_ns(), &c);
    CHECK_INT("nothing was removed", c.n_removed, 0);
    CHECK_INT("nothing was read", c.n_put, 0);
    while (load_apply(&l, x, &c))
        continue;
    CHECK("as before", index_find(x, STR("n0.md")) != NULL && x->count == 1);
    index_free(x);
}

static void put_file(struct place *p, const char *path)
{
    int fd = openat(p->root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "text\n", 5), 5);
    close(fd);
}

/* Placeholders of OneDrive and iCloud: to read one is to download it. */
static void test_in_cloud(void **state)
{
    static const struct {
        const char *path, *text;
        bool in_cloud, is_left;
    } rows[] = {
        {"board.canvas", "text\n", .in_cloud = true},
        {"here.md", "text\n"},
        {"here.txt", "text\n"},
        {"note.md", "text\n", .in_cloud = true},
        {"paper.pdf", "", .in_cloud = true, .is_left = true},
        {"table.csv", "", .in_cloud = true, .is_left = true},
    };
    struct place *p = *state;
    const struct load l = {.root = &p->root,
                           .pool = p->pool,
                           .obsidian = p->obsidian,
                           .memory_max = 1 << 20};
    struct walk w = {0};
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        put_file(p, rows[i].path);
    assert_true(walk_below(&p->root, p->pool, STR(""), &w, &err));
    CHECK_INT("files", w.n, COUNT_OF(rows));
    for (size_t i = 0; i < w.n; i++)
        w.files[i].info.in_cloud = rows[i].in_cloud;
    struct index *x = load_early_index(&l, &w, STR("text"), NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct file *f = index_find(x, str_c(rows[i].path));
        assert_non_null(f);
        CHECK_STR(rows[i].path, f->text, rows[i].text);
        CHECK_INT(rows[i].path,
                  str_find(f->problem, STR("only in the cloud")) != STR_NONE,
                  rows[i].is_left);
        CHECK(rows[i].path, !file_is_unpaged(f));
        unlinkat(p->root.fd, rows[i].path, 0);
    }
    index_free(x);
    walk_release(&w);
}

static void test_restarts(void **state)
{
    struct place *p = *state;
    for (int i = 0; i < 2 * NAMES * FOLDERS; i++)
        change_something(p);
    wait_until_settled();
    check_restart(p, 0);
    for (int round = 0; round < STARTS; round++) {
        for (int i = 0; i < CHANGES; i++)
            change_something(p);
        if (round % 2 == 0)
            wait_until_settled();
        check_restart(p, 2 * CHANGES); /* the previous changes were too recent */
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_restarts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changed_twice_in_a_tick, setup, teardown),
        cmocka_unit_test_setup_teardown(test_looks_at_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stopped_look, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_cloud, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
