#include "base/os/watcher.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/ready.h"
#include "check.h"

struct place {
    char folder[64];
    int fd;
    struct watcher watcher;
    int id;
    struct watcher_event last;
    char name[64];
    size_t n;
};

static bool keep(void *arg, const struct watcher_event *e, struct err *err)
{
    struct place *p = arg;
    p->last = *e;
    snprintf(p->name, sizeof(p->name), STR_FMT, STR_ARG(e->name));
    p->n++;
    return true;
}

static void read_events(struct place *p)
{
    struct err err = {0};
    p->n = 0;
    assert_true(ready_wait(&(struct ready){.fd = p->watcher.fd}, 1, 60000));
    CHECK("read", watcher_read(&p->watcher, keep, p, &err));
}

static void open_place(struct place *p)
{
    struct err err = {0};
    snprintf(p->folder, sizeof(p->folder), "/tmp/vaultd-test-watcher-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    p->fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(err.msg, watcher_open(&p->watcher, &err));
    CHECK(err.msg, watcher_add(&p->watcher, p->fd, &p->id, &err));
}

static void close_place(struct place *p)
{
    watcher_close(&p->watcher);
    CHECK_INT("closed", p->watcher.fd, -1);
    watcher_close(&p->watcher);
    close(p->fd);
    rmdir(p->folder);
}

static void test_names(void **state)
{
    struct place p = {.watcher.fd = -1};
    struct err err = {0};
    int again;
    if (!watcher_is_supported())
        SKIP("this build does not watch folders");
    open_place(&p);
    assert_true(watcher_add(&p.watcher, p.fd, &again, &err));
    CHECK_INT("the same folder", again, p.id);
    assert_int_equal(mkdirat(p.fd, "new", 0700), 0);
    read_events(&p);
    CHECK_INT("folder", p.last.folder, p.id);
    CHECK_STR("name", str_c(p.name), "new");
    CHECK_INT("made", p.last.what, WATCHER_FOLDER | WATCHER_NAMES);
    assert_int_equal(unlinkat(p.fd, "new", AT_REMOVEDIR), 0);
    read_events(&p);
    CHECK_INT("removed", p.last.what, WATCHER_FOLDER | WATCHER_NAMES);
    watcher_remove(&p.watcher, p.id);
    read_events(&p);
    CHECK_INT("ended", p.last.what, WATCHER_ENDED);
    CHECK_STR("itself", str_c(p.name), "");
    close_place(&p);
}

/* One that cannot watch says so, and does nothing else. */
static void test_unsupported(void **state)
{
    struct watcher w;
    struct err err = {0};
    if (watcher_is_supported())
        SKIP("this build watches folders");
    assert_false(watcher_open(&w, &err));
    CHECK_INT("code", err.code, ERR_INVALID);
    watcher_close(&w);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
