/*
 * FSEvents of macOS, and Windows, report the paths of what changes in a folder and everything
 * below it, through libuv. So there is one stream, for the folder that is added first: the others are below
 * it, and add() only gives them a number. A thread runs the loop of libuv and puts paths into
 * a queue; a bell makes the reader look there.
 */
#include "base/os/watcher.h"

#include <stdio.h>
#include <uv.h>

#include "base/map.h"
#include "base/os/file.h"
#include "base/os/ready.h"
#include "base/os/thread.h"
#include "base/os/uv/watcher_own.h"
#include "base/path.h"

enum {
    QUEUE_BYTES = 256 << 10, /* some thousand paths; then events are lost */
    PATH_BYTES = 4096,
};

struct watcher_own {
    uv_loop_t loop;
    uv_fs_event_t stream;
    uv_async_t stop;
    struct thread thread;
    struct bell bell;
    struct arena arena;
    struct map folders; /* by path below root; "" is root itself */
    str root;
    struct mutex lock; /* of what follows */
    bool lost;
    size_t queued;
    char queue[QUEUE_BYTES]; /* 'n' (names) or 'c' (contents), the path, '\0' */
};

bool watcher_is_supported(void)
{
    return true;
}

bool watcher_limit(int64_t *out)
{
    return false;
}

/* --- the thread of libuv --- */

static void on_change(uv_fs_event_t *stream, const char *path, int events, int status)
{
    struct watcher_own *o = stream->data;
    size_t n = path != NULL ? strlen(path) + 1 : 0;
    mutex_lock(&o->lock);
    if (status != 0 || path == NULL || n + 1 > sizeof(o->queue) - o->queued) {
        o->lost = true;
    } else {
        o->queue[o->queued] = (events & UV_RENAME) != 0 ? 'n' : 'c';
        memcpy(o->queue + o->queued + 1, path, n);
        watcher_clean(o->queue + o->queued + 1);
        o->queued += n + 1;
    }
    mutex_unlock(&o->lock);
    bell_ring(&o->bell);
}

static void on_stop(uv_async_t *stop)
{
    struct watcher_own *o = stop->data;
    uv_close((uv_handle_t *)&o->stream, NULL);
    uv_close((uv_handle_t *)&o->stop, NULL);
}

static void *run_loop(void *arg)
{
    struct watcher_own *o = arg;
    uv_run(&o->loop, UV_RUN_DEFAULT);
    return NULL;
}

static bool watcher_prepare(struct watcher_own *o)
{
    o->stream.data = o->stop.data = o;
    return uv_loop_init(&o->loop) == 0 &&
           uv_async_init(&o->loop, &o->stop, on_stop) == 0 &&
           uv_fs_event_init(&o->loop, &o->stream) == 0;
}

static bool watcher_start(struct watcher_own *o, struct err *err)
{
    if (uv_fs_event_start(&o->stream, on_change, o->root.p, UV_FS_EVENT_RECURSIVE) != 0 ||
        !thread_start(&o->thread, "watcher", run_loop, o))
        return err_set(err, ERR_INVALID, "%s cannot watch the folder", watcher_name());
    return true;
}

/* --- opening and closing --- */

bool watcher_open(struct watcher *w, struct err *err)
{
    struct bell bell;
    w->fd = -1;
    if (!bell_open(&bell))
        return err_sys(err, "no descriptors for watching folders");
    w->fd = bell.fd;
    w->own = mem_zero(sizeof(*w->own));
    w->own->bell = bell;
    mutex_init(&w->own->lock);
    if (!watcher_prepare(w->own))
        BUG("libuv has no loop");
    return true;
}

void watcher_close(struct watcher *w)
{
    struct watcher_own *o = w->own;
    if (w->fd < 0)
        return;
    bool started = o->root.n > 0;
    if (started)
        uv_async_send(&o->stop);
    else
        on_stop(&o->stop);
    if (started)
        thread_join(&o->thread);
    else
        uv_run(&o->loop, UV_RUN_DEFAULT);
    uv_loop_close(&o->loop);
    bell_close(&o->bell);
    w->fd = -1;
    mutex_destroy(&o->lock);
    map_release(&o->folders);
    arena_release(&o->arena);
    free(o);
}

/* --- folders --- */

/* The part of a path below the root. */
static bool cut_root(const struct watcher_own *o, str path, str *below)
{
    *below = str_skip(path, o->root.n + 1);
    return path_is_or_below(o->root, path);
}

static bool set_root(struct watcher_own *o, const char *path, struct err *err)
{
    o->root = arena_str(&o->arena, str_c(path));
    if (watcher_start(o, err))
        return true;
    o->root = (str){0};
    return false;
}

bool watcher_add(struct watcher *w, int fd, int *folder, struct err *err)
{
    struct watcher_own *o = w->own;
    char path[PATH_BYTES];
    str below;
    if (!file_find_path(fd, path, sizeof(path)))
        return err_sys(err, "the folder cannot be watched");
    if (!watcher_is_local(fd))
        return err_set(err, ERR_INVALID, "the file system does not report changes");
    if (o->root.n == 0 && !set_root(o, path, err))
        return false;
    if (!cut_root(o, str_c(path), &below))
        return err_set(err, ERR_INVALID, "the folder is not below the one watched first");
    uint32_t number = map_find(&o->folders, below);
    if (number == MAP_NONE)
        number = map_add(&o->folders, arena_str(&o->arena, below));
    *folder = (int)number;
    return true;
}

/* A folder that comes back keeps its number, so it stays. */
void watcher_remove(struct watcher *w, int folder)
{
}

/* --- events --- */

typedef bool watcher_each(void *arg, const struct watcher_event *e, struct err *err);

static int find_folder(const struct watcher_own *o, str path)
{
    uint32_t number = map_find(&o->folders, path);
    return number != MAP_NONE ? (int)number : -1;
}

/* Of something that is gone, no event says what it was. */
static unsigned look_at(const struct watcher_own *o, str path, bool *gone)
{
    char full[PATH_BYTES];
    struct file_stat st;
    snprintf(full, sizeof(full), STR_FMT "/" STR_FMT, STR_ARG(o->root), STR_ARG(path));
    *gone = !file_stat_at(FILE_CWD, full, FILE_NO_LINK, &st);
    bool is_folder = *gone ? find_folder(o, path) >= 0 : st.type == FILE_FOLDER;
    return is_folder ? WATCHER_FOLDER : 0;
}

/* An event of the folder that has it, and of the folder itself if it is gone. */
static bool report(const struct watcher_own *o, char kind, str path, watcher_each *each,
                   void *arg, struct err *err)
{
    bool gone;
    unsigned what = look_at(o, path, &gone) | (kind == 'n' ? WATCHER_NAMES : 0);
    const char *slash = path.n > 0 ? strrchr(path.p, '/') : NULL;
    size_t name = slash != NULL ? (size_t)(slash - path.p) + 1 : 0;
    struct watcher_event e = {
        .folder = find_folder(o, str_slice(path, 0, name > 0 ? name - 1 : 0)),
        .what = what,
        .name = str_skip(path, name)};
    if (path.n > 0 && e.folder >= 0 && !each(arg, &e, err))
        return false;
    struct watcher_event end = {.folder = find_folder(o, path), .what = WATCHER_ENDED};
    return !gone || end.folder < 0 || each(arg, &end, err);
}

/* Take what is in the queue into out, which is as large. */
static size_t take_queue(struct watcher_own *o, char *out, bool *lost)
{
    mutex_lock(&o->lock);
    size_t n = o->queued;
    memcpy(out, o->queue, n);
    *lost = o->lost;
    o->queued = 0;
    o->lost = false;
    mutex_unlock(&o->lock);
    return n;
}

bool watcher_read(struct watcher *w, watcher_each *each, void *arg, struct err *err)
{
    char *paths = mem_alloc(QUEUE_BYTES);
    bool lost, ok = true;
    bell_clear(&w->own->bell);
    size_t n = take_queue(w->own, paths, &lost);
    if (lost)
        ok = each(arg, &(struct watcher_event){.folder = -1, .what = WATCHER_LOST}, err);
    for (size_t at = 0; ok && at < n;) {
        str path = str_c(paths + at + 1);
        ok = report(w->own, paths[at], path, each, arg, err);
        at += path.n + 2;
    }
    free(paths);
    return ok;
}
