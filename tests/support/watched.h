/*
 * watched - a vault in a temporary folder, a watcher, and a receiver that records the
 * hints.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/watcher.h"
#include "base/path.h"
#include "check.h"
#include "fast_folder.h"
#include "systems.h"
#include "until.h"
#include "vault/watch.h"

enum { NAMES_MAX = 40000 };

/* Names that were reported, unordered. Protected by the place's lock. */
struct names {
    str list[NAMES_MAX];
    size_t n;
};

/* Each test gets an empty vault in "vault", and next to it the folder "out". */
struct place {
    struct arena arena;
    char top[256];
    int top_fd, fd; /* of the vault */
    struct fs_root root;
    struct watch *watch;
    bool follow; /* look at the hinted paths, and record the files in found */

    pthread_mutex_t lock;
    pthread_cond_t news;
    struct arena texts; /* of the names; protected by the lock */
    struct names hints, found;
    size_t calls, everything;
    bool shut;       /* changed() waits while this is set */
    const char *odd; /* what was wrong with a call */
};

/* --- files --- */

static inline void put(int dir, const char *path, const char *text)
{
    int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static inline void folder(int dir, const char *path)
{
    assert_int_equal(mkdirat(dir, path, 0755), 0);
}

static inline void move(int from, const char *old, int to, const char *now)
{
    assert_int_equal(renameat(from, old, to, now), 0);
}

static inline void remove_tree(int parent, const char *name)
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

/* --- the receiver --- */

static inline bool has(const struct names *names, str name)
{
    for (size_t i = 0; i < names->n; i++)
        if (str_eq(names->list[i], name))
            return true;
    return false;
}

static inline void remember(struct place *p, struct names *names, str name)
{
    if (!has(names, name) && names->n < NAMES_MAX)
        names->list[names->n++] = arena_str(&p->texts, name);
}

static inline void look(struct place *p, struct arena *a, str path)
{
    struct fs_info info;
    struct fs_list list;
    struct err err;
    if (!fs_stat(&p->root, path, &info, &err))
        return;
    if (info.type == FS_FILE) {
        pthread_mutex_lock(&p->lock);
        remember(p, &p->found, path);
        pthread_mutex_unlock(&p->lock);
        return;
    }
    if (fs_list(&p->root, a, path, &list, &err))
        for (size_t i = 0; i < list.n; i++)
            look(p, a, path_join(a, path, list.entries[i].name));
}

static inline void follow(struct place *p, const str *paths, size_t n)
{
    struct arena a = {0};
    if (n == 0)
        look(p, &a, STR(""));
    for (size_t i = 0; i < n; i++)
        look(p, &a, paths[i]);
    arena_release(&a);
}

static inline const char *judge(struct arena *a, const str *paths, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        str clean;
        struct err err;
        if (i > 0 && str_cmp(paths[i - 1], paths[i]) >= 0)
            return "not in order";
        str rest = paths[i];
        if (str_starts(rest, STR(".obsidian")))
            rest = str_skip(rest, 1);
        if (rest.n == 0 || !path_clean(a, rest, &clean, &err) || !str_eq(clean, rest))
            return "not clean";
    }
    return n > WATCH_PATHS_MAX ? "too many" : NULL;
}

static inline void changed(void *arg, const str *paths, size_t n)
{
    struct place *p = arg;
    if (p->follow)
        follow(p, paths, n);
    pthread_mutex_lock(&p->lock);
    p->calls++;
    p->everything += n == 0;
    const char *odd = judge(&p->texts, paths, n);
    if (odd != NULL)
        p->odd = odd;
    for (size_t i = 0; i < n; i++)
        remember(p, &p->hints, paths[i]);
    pthread_cond_broadcast(&p->news);
    while (p->shut)
        pthread_cond_wait(&p->news, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* --- waiting, in the test's thread --- */

typedef bool condition(struct place *p, const void *arg);

static inline bool wait_for(struct place *p, condition *is_met, const void *arg)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += UNTIL_S;
    pthread_mutex_lock(&p->lock);
    int late = 0;
    while (!is_met(p, arg) && late == 0)
        late = pthread_cond_timedwait(&p->news, &p->lock, &end);
    bool met = is_met(p, arg);
    pthread_mutex_unlock(&p->lock);
    return met;
}

static inline bool is_hinted(struct place *p, const void *path)
{
    return has(&p->hints, str_c(path));
}

static inline bool is_found(struct place *p, const void *path)
{
    return has(&p->found, str_c(path));
}

static inline bool was_everything(struct place *p, const void *times)
{
    return p->everything >= *(const size_t *)times;
}

static inline bool was_called(struct place *p, const void *times)
{
    return p->calls >= *(const size_t *)times;
}

static inline void expect(struct place *p, const char *path)
{
    if (!wait_for(p, is_hinted, path))
        fail_msg("no hint of '%s'", path);
}

static inline size_t times_everything(struct place *p)
{
    pthread_mutex_lock(&p->lock);
    size_t times = p->everything;
    pthread_mutex_unlock(&p->lock);
    return times;
}

static inline void expect_everything(struct place *p, size_t times)
{
    if (!wait_for(p, was_everything, &times))
        fail_msg("'everything' was hinted %zu times, not %zu", times_everything(p),
                 times);
}

/* When it returns, everything done before has been reported. */
static inline void sync_up(struct place *p)
{
    static int number;
    char name[32];
    snprintf(name, sizeof(name), "sync%d", number++);
    put(p->fd, name, "");
    expect(p, name);
}

static inline void forget_hints(struct place *p)
{
    pthread_mutex_lock(&p->lock);
    p->hints.n = 0;
    pthread_mutex_unlock(&p->lock);
}

static inline void set_shut(struct place *p, bool shut)
{
    pthread_mutex_lock(&p->lock);
    p->shut = shut;
    pthread_cond_broadcast(&p->news);
    pthread_mutex_unlock(&p->lock);
}

/* All hints except those of sync_up(): "a b c". */
static inline str hints(struct place *p)
{
    str all = STR("");
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->hints.n; i++)
        if (!str_starts(p->hints.list[i], STR("sync")))
            all = arena_printf(&p->arena, STR_FMT "%s" STR_FMT, STR_ARG(all),
                               all.n > 0 ? " " : "", STR_ARG(p->hints.list[i]));
    pthread_mutex_unlock(&p->lock);
    return all;
}

/* The count is updated before the paths are reported, so it is right after sync_up(). */
static inline void expect_folders(struct place *p, size_t n)
{
    sync_up(p);
    CHECK_INT("folders watched", watch_folders(p->watch), n);
}

/* --- the place --- */

static inline int make_place(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    /* Some tests make thousands of files, which may be slow on a disk. */
    snprintf(p->top, sizeof(p->top), "%s/vaultd-test-watch-XXXXXX", fast_folder());
    assert_non_null(mkdtemp(p->top));
    p->top_fd = open(p->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder(p->top_fd, "vault");
    folder(p->top_fd, "out");
    p->fd = openat(p->top_fd, "vault", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(
        fs_root_open(&p->root, arena_printf(&p->arena, "%s/vault", p->top).p, &err));
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->news, NULL);
    *state = p;
    return 0;
}

static inline int remove_place(void **state)
{
    struct place *p = *state;
    set_shut(p, false);
    watch_stop(p->watch);
    const char *odd = p->odd;
    fs_root_close(&p->root);
    close(p->fd);
    close(p->top_fd);
    remove_tree(AT_FDCWD, p->top);
    arena_release(&p->arena);
    arena_release(&p->texts);
    free(p);
    if (odd != NULL)
        print_error("paths were %s\n", odd);
    return odd != NULL;
}

static inline struct watch_config config(struct place *p)
{
    return (struct watch_config){WATCH_DEFAULTS, .root = &p->root, .changed = changed,
                                 .arg = p};
}

static inline void start(struct place *p, struct watch_config c)
{
    struct err err = {0};
    if (!watch_start(&c, &p->watch, &err))
        fail_msg("%s", err.msg);
}

static inline void start_inotify(struct place *p)
{
    struct watch_config c = config(p);
    c.quiet_ms = 5;
    start(p, c);
    CHECK_INT("events", watch_how(p->watch), WATCH_EVENTS);
}

/* A folder with three levels and a file. */
static inline void make_nest(struct place *p)
{
    folder(p->fd, "a");
    folder(p->fd, "a/b");
    folder(p->fd, "a/b/c");
    put(p->fd, "a/b/c/f.md", "x");
}

#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, make_place, remove_place)

static inline void skip_without_inotify(void **state)
{
    print_message("# skip %s: this build does not watch folders\n", (const char *)*state);
}

/* A test of what only a build with inotify can do. Wine does not report changes in folders
 * that exist already. */
#define INOTIFY_TEST(f)                                                                  \
    watcher_is_supported() && !UNDER_WINE ? (struct CMUnitTest)PLACE_TEST(f)             \
                                          : (struct CMUnitTest)                          \
    {                                                                                    \
        .name = #f, .test_func = skip_without_inotify,                                   \
        .initial_state = (void *)(uintptr_t) #f                                          \
    }
