#include "vault/watch.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "watched.h"

/* --- one change, one hint --- */

static void test_changes(void **state)
{
    enum what { PUT, MOVE, REMOVE, FOLDER, LINK, SYMLINK, MODE, MOVE_IN, MOVE_OUT };
    static const struct {
        enum what what;
        const char *a, *b;
        const char *hint, *too; /* NULL: none */
    } steps[] = {
        {PUT, "new.md", NULL, "new.md", NULL},
        {PUT, "new.md", NULL, "new.md", NULL},
        {PUT, "a/b/old.md", NULL, "a/b/old.md", NULL},
        {PUT, "a/.tmp", NULL, NULL, NULL},
        {MOVE, "a/.tmp", "a/b/old.md", "a/b/old.md", NULL},
        {MOVE, "a/b/old.md", "a/moved.md", "a/b/old.md", "a/moved.md"},
        {MOVE, "a/moved.md", "a/.hidden", "a/moved.md", NULL},
        {MODE, "new.md", NULL, "new.md", NULL},
        {LINK, "new.md", "a/hard.md", "a/hard.md", NULL},
        {SYMLINK, "../new.md", "a/soft.md", "a/soft.md", NULL},
        {REMOVE, "new.md", NULL, "new.md", NULL},
        {REMOVE, "a/soft.md", NULL, "a/soft.md", NULL},
        {FOLDER, "c", NULL, "c", NULL},
        {PUT, "c/x.md", NULL, "c/x.md", NULL},
        {MOVE, "c", "a/c", "c", "a/c"},
        {PUT, "a/c/x.md", NULL, "a/c/x.md", NULL},
        {REMOVE, "a/c", NULL, "a/c", "a/c/x.md"},
        {MOVE_OUT, "a/hard.md", NULL, "a/hard.md", NULL},
        {MOVE_IN, "back.md", NULL, "back.md", NULL},
        {PUT, "caf\xC3\xA9 \xE2\x80\x94 x.md", NULL, "caf\xC3\xA9 \xE2\x80\x94 x.md",
         NULL},
    };

    struct place *p = *state;
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    put(p->fd, "a/b/old.md", "1");
    start_inotify(p);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const char *a = steps[i].a, *b = steps[i].b;
        forget_hints(p);
        switch (steps[i].what) {
        case PUT:
            put(p->fd, a, "text");
            break;
        case MOVE:
            move(p->fd, a, p->fd, b);
            break;
        case REMOVE:
            remove_tree(p->fd, a);
            break;
        case FOLDER:
            folder(p->fd, a);
            break;
        case LINK:
            assert_int_equal(linkat(p->fd, a, p->fd, b, 0), 0);
            break;
        case SYMLINK:
            assert_int_equal(symlinkat(a, p->fd, b), 0);
            break;
        case MODE:
            assert_int_equal(fchmodat(p->fd, a, 0600, 0), 0);
            break;
        case MOVE_OUT:
            move(p->fd, a, p->top_fd, "out/x");
            break;
        case MOVE_IN:
            move(p->top_fd, "out/x", p->fd, a);
            break;
        }
        if (steps[i].hint != NULL)
            expect(p, steps[i].hint);
        if (steps[i].too != NULL)
            expect(p, steps[i].too);
        sync_up(p);
        if (steps[i].too == NULL) /* and no other */
            CHECK_STR(a, hints(p), steps[i].hint);
    }
    CHECK_INT("everything", times_everything(p), 0);
}

/* A file that is written but not closed is reported each time. */
static void test_open_file(void **state)
{
    struct place *p = *state;
    put(p->fd, "log.md", "");
    start_inotify(p);
    AUTO_CLOSE int fd = openat(p->fd, "log.md", O_WRONLY | O_APPEND | O_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        forget_hints(p);
        assert_int_equal(write(fd, "x", 1), 1);
        expect(p, "log.md");
    }
}

static void *write_on(void *arg)
{
    struct place *p = arg;
    bool done = false;
    int fd = openat(p->fd, "log.md", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    while (!done && write(fd, "x", 1) == 1) {
        pthread_mutex_lock(&p->lock);
        done = p->calls >= 3;
        pthread_mutex_unlock(&p->lock);
    }
    close(fd);
    return NULL;
}

/* Continuous changes cannot delay the report forever. */
static void test_long_burst(void **state)
{
    struct place *p = *state;
    struct watch_config c = config(p);
    c.quiet_ms = 60000;
    c.burst_ms = 50;
    start(p, c);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_on, p), 0);
    size_t three = 3;
    CHECK("reports during the burst", wait_for(p, was_called, &three));
    pthread_join(writer, NULL);
    CHECK_STR("hints", hints(p), "log.md");
}

/* --- names --- */

static void test_hidden(void **state)
{
    struct place *p = *state;
    folder(p->fd, ".git");
    folder(p->fd, ".obsidian");
    folder(p->fd, ".obsidian/plugins");
    folder(p->fd, ".obsidian/plugins/x");
    folder(p->fd, ".obsidian/plugins/obsidian-tasks-plugin");
    folder(p->fd, "a");
    folder(p->fd, "a/.obsidian");
    start_inotify(p);
    expect_folders(p, 5);
    put(p->fd, ".git/index", "x");
    put(p->fd, ".note.md", "x");
    put(p->fd, "GIT~1", "x");
    put(p->fd, "a/.obsidian/app.json", "x");
    put(p->fd, ".obsidian/plugins/x/data.json", "x");
    put(p->fd, ".obsidian/.tmp", "x");
    folder(p->fd, ".obsidian/themes");
    put(p->fd, ".obsidian/themes/t.css", "x");
    folder(p->fd, ".trash");
    put(p->fd, ".trash/x.md", "x");
    sync_up(p);
    CHECK_STR("silence", hints(p), "");
    put(p->fd, ".obsidian/app.json", "x");
    sync_up(p);
    CHECK_STR("settings", hints(p), ".obsidian/app.json");
    forget_hints(p);
    put(p->fd, ".obsidian/plugins/obsidian-tasks-plugin/data.json", "x");
    expect(p, ".obsidian/plugins/obsidian-tasks-plugin/data.json");
    forget_hints(p);
    move(p->fd, ".obsidian", p->fd, "shown");
    expect(p, ".obsidian");
    expect(p, "shown");
    expect_folders(p, 7);
    put(p->fd, "shown/plugins/x/data.json", "y");
    expect(p, "shown/plugins/x/data.json");
    folder(p->fd, ".obsidian");
    put(p->fd, ".obsidian/app.json", "x");
    expect(p, ".obsidian");
    expect_folders(p, 8);
    forget_hints(p);
    put(p->fd, ".obsidian/app.json", "y");
    expect(p, ".obsidian/app.json");
}

/* Nothing below such a name is watched, but its folder is looked at again. */
static void test_unspellable(void **state)
{
    static const char *const names[] = {"\xFF", "a\nb",     "a\\b",
                                        "\xC3", "\x01\x02", "\xC2\x85"};
    struct place *p = *state;
    folder(p->fd, "before\xFF");
    folder(p->fd, "in");
    start_inotify(p);
    expect_folders(p, 2);
    put(p->fd, "before\xFF/x.md", "x");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        forget_hints(p);
        str path = arena_printf(&p->arena, "in/%s.md", names[i]);
        put(p->fd, path.p, "x");
        folder(p->fd, arena_printf(&p->arena, "in/%s", names[i]).p);
        put(p->fd, arena_printf(&p->arena, "in/%s/x.md", names[i]).p, "x");
        assert_int_equal(unlinkat(p->fd, path.p, 0), 0);
        expect(p, "in");
    }
    expect_folders(p, 2);
    move(p->fd, "before\xFF", p->fd, "good");
    expect_everything(p, 1); /* it was in the top folder */
    put(p->fd, "good/x.md", "y");
    expect(p, "good/x.md");
}

/* What the placeholder of iCloud is for is left out of its folder, so that is looked at. */
static void test_icloud(void **state)
{
    struct place *p = *state;
    folder(p->fd, "in");
    start_inotify(p);
    put(p->fd, "in/.Note.md.icloud", "x");
    expect(p, "in");
    forget_hints(p);
    assert_int_equal(unlinkat(p->fd, "in/.Note.md.icloud", 0), 0);
    expect(p, "in");
}

/* --- limits --- */

/* 0 if unknown. */
static int64_t queue_limit(void)
{
    char text[32];
    int64_t limit = 0;
    AUTO_CLOSE int fd =
        open("/proc/sys/fs/inotify/max_queued_events", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
    return n > 0 && str_to_int(str_trim_line((str){text, (size_t)n}), &limit) ? limit : 0;
}

static void test_SEC_113_overflow(void **state)
{
    struct place *p = *state;
    int64_t limit = queue_limit();
    if (limit == 0 || limit > 100000)
        SKIP("the queue of inotify is too long to fill");
    start_inotify(p);
    set_shut(p, true);
    put(p->fd, "first.md", "x");
    expect(p, "first.md"); /* and now changed() waits */
    for (int64_t i = 0; i < limit / 2 + 10; i++) {
        assert_int_equal(symlinkat("x", p->fd, "l"), 0);
        assert_int_equal(unlinkat(p->fd, "l", 0), 0);
    }
    make_nest(p); /* not reported */
    set_shut(p, false);
    expect_everything(p, 1);
    expect_folders(p, 4);
    put(p->fd, "a/b/c/f.md", "y");
    expect(p, "a/b/c/f.md");
}

static void test_SEC_113_many_paths(void **state)
{
    struct place *p = *state;
    start_inotify(p);
    set_shut(p, true);
    put(p->fd, "first.md", "x");
    expect(p, "first.md"); /* and now changed() waits, so that the rest is one report */
    for (int i = 0; i <= WATCH_PATHS_MAX; i++) {
        char name[32];
        snprintf(name, sizeof(name), "l%d", i);
        assert_int_equal(symlinkat("x", p->fd, name), 0);
    }
    set_shut(p, false);
    expect_everything(p, 1);
    sync_up(p);
}

/* In a child process with its own limit, which a user namespace can have. */
static int watch_with_few(struct place *p)
{
    if (unshare(CLONE_NEWUSER) < 0)
        return 77;
    int fd = open("/proc/sys/user/max_inotify_watches", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "3", 1) != 1)
        return 77;
    close(fd);
    struct watch_config c = config(p);
    struct err err;
    c.poll_ms = 10;
    if (!watch_start(&c, &p->watch, &err))
        return 1;
    if (watch_how(p->watch) != WATCH_EVENTS || watch_folders(p->watch) != 3)
        return 2;
    if (mkdirat(p->fd, "a/c", 0755) < 0 || mkdirat(p->fd, "a/c/d", 0755) < 0)
        return 3;
    size_t twice = 2;
    if (!wait_for(p, was_everything, &twice))
        return 4;
    if (watch_how(p->watch) != WATCH_POLL || watch_folders(p->watch) != 0)
        return 5;
    watch_stop(p->watch);
    if (!watch_start(&c, &p->watch, &err) || watch_how(p->watch) != WATCH_POLL)
        return 6;
    watch_stop(p->watch);
    return 0;
}

static void test_SEC_113_no_watches_left(void **state)
{
    struct place *p = *state;
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(watch_with_few(p));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        SKIP("no namespace to limit watches in");
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- looking at everything --- */

static void test_SEC_94_poll(void **state)
{
    struct place *p = *state;
    struct watch_config c = config(p);
    c.poll = true;
    c.poll_ms = 0; /* there is still a short pause */
    p->follow = true;
    make_nest(p);
    start(p, c);
    CHECK_INT("how", watch_how(p->watch), WATCH_POLL);
    CHECK_INT("folders", watch_folders(p->watch), 0);
    put(p->fd, "a/new.md", "x");
    CHECK("found", wait_for(p, is_found, "a/new.md"));
    expect_everything(p, 3);
    CHECK_STR("no paths", hints(p), "");
}

static void test_safety(void **state)
{
    struct place *p = *state;
    struct watch_config c = config(p);
    c.safety_ms = 20;
    make_nest(p);
    start(p, c);
    expect_everything(p, 3);
    put(p->fd, "a/b/c/f.md", "y");
    expect_everything(p, times_everything(p) + 2);
    CHECK_INT("how", watch_how(p->watch), WATCH_EVENTS);
}

static int run_program(const char *program, const char *a, const char *b)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execlp(program, program, a, b, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

/* A vault that is a FUSE mount, or has one in it. */
static void test_SEC_94_fuse(void **state)
{
    struct place *p = *state;
    if (access("/dev/fuse", R_OK | W_OK) < 0)
        SKIP("no FUSE here");
    str mount_point = arena_printf(&p->arena, "%s/vault/mnt", p->top);
    str source = arena_printf(&p->arena, "%s/out", p->top);
    folder(p->fd, "mnt");
    if (run_program("bindfs", source.p, mount_point.p) != 0)
        SKIP("bindfs cannot mount here");
    static const struct {
        const char *vault, *found;
    } cases[] = {{"vault/mnt", "behind.md"}, {"vault", "mnt/behind.md"}};
    bool polled[COUNT_OF(cases)], found[COUNT_OF(cases)];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err;
        struct watch_config c = config(p);
        c.poll_ms = 20;
        p->follow = true;
        fs_root_close(&p->root);
        str path = arena_printf(&p->arena, "%s/%s", p->top, cases[i].vault);
        assert_true(fs_root_open(&p->root, path.p, &err));
        start(p, c);
        polled[i] = watch_how(p->watch) == WATCH_POLL;
        put(p->top_fd, "out/behind.md", "x");
        found[i] = wait_for(p, is_found, cases[i].found);
        watch_stop(p->watch);
        p->watch = NULL;
    }
    fs_root_close(&p->root);
    assert_int_equal(umount2(mount_point.p, MNT_DETACH), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(cases[i].vault, polled[i]);
        CHECK(cases[i].vault, found[i]);
    }
}

/* --- the vault itself --- */

static void test_vault_renamed(void **state)
{
    struct place *p = *state;
    make_nest(p);
    start_inotify(p);
    move(p->top_fd, "vault", p->top_fd, "other");
    folder(p->top_fd, "vault");
    put(p->top_fd, "vault/none-of-ours.md", "x");
    put(p->top_fd, "other/a/b/c/f.md", "x");
    sync_up(p);
    CHECK_STR("it stays the vault", hints(p), "a/b/c/f.md");
}

static void test_vault_removed(void **state)
{
    struct place *p = *state;
    make_nest(p);
    struct watch_config c = config(p);
    c.quiet_ms = 5;
    c.safety_ms = 100;
    start(p, c);
    remove_tree(p->top_fd, "vault");
    expect(p, "a");
    expect_everything(p, 2); /* it continues, not faster than configured */
    pthread_mutex_lock(&p->lock);
    size_t calls = p->calls;
    uint64_t begin = clock_ms();
    pthread_mutex_unlock(&p->lock);
    expect_everything(p, times_everything(p) + 3);
    pthread_mutex_lock(&p->lock);
    CHECK("no storm of calls", p->calls - calls <= 1 + (clock_ms() - begin) / 100);
    pthread_mutex_unlock(&p->lock);
}

/* --- the end --- */

static void test_stop(void **state)
{
    struct place *p = *state;
    watch_stop(NULL);
    make_nest(p);
    for (int i = 0; i < 50; i++) {
        struct watch_config c = config(p);
        c.quiet_ms = (unsigned)i % 5;
        c.poll_ms = 10;
        c.poll = i % 4 == 3;
        start(p, c);
        put(p->fd, "a/b/c/f.md", "x");
        folder(p->fd, "a/d");
        assert_int_equal(unlinkat(p->fd, "a/d", AT_REMOVEDIR), 0);
        if (i % 3 == 0)
            usleep((unsigned)i * 200);
        watch_stop(p->watch);
        size_t calls = p->calls; /* no lock: there is no other thread */
        put(p->fd, "after.md", "x");
        CHECK_INT("calls after the end", p->calls, calls);
    }
    p->watch = NULL;
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        INOTIFY_TEST(test_changes),
        INOTIFY_TEST(test_open_file),
        INOTIFY_TEST(test_long_burst),
        INOTIFY_TEST(test_hidden),
        INOTIFY_TEST(test_unspellable),
        INOTIFY_TEST(test_icloud),
        INOTIFY_TEST(test_SEC_113_overflow),
        INOTIFY_TEST(test_SEC_113_many_paths),
        INOTIFY_TEST(test_SEC_113_no_watches_left),
        PLACE_TEST(test_SEC_94_poll),
        INOTIFY_TEST(test_safety),
        PLACE_TEST(test_SEC_94_fuse),
        INOTIFY_TEST(test_vault_renamed),
        INOTIFY_TEST(test_vault_removed),
        PLACE_TEST(test_stop),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
