#include "picture/picture.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/os/child.h"
#include "base/os/file.h"
#include "base/os/pipe.h"
#include "base/os/ready.h"
#include "base/sbuf.h"
#include "picture/picture_parts.h"

enum { CHILD_MEMORY = 768 << 20 };

bool picture_fits(const struct picture *p, size_t size)
{
    return size <= PICTURE_SENT_MAX && p->width <= PICTURE_SIDE_MAX &&
           p->height <= PICTURE_SIDE_MAX;
}

/* --- the child --- */

struct scaling {
    str bytes;
    const struct picture *picture;
};

/* The kind of the copy in one byte, then the copy; nothing if that fails. The threads of
 * our process are not in the child; the C library keeps its memory usable there. */
static int scale(void *arg, int out)
{
    const struct scaling *s = arg;
    str copy;
    enum picture_kind kind;
    if (!picture_scale(s->bytes, s->picture, &copy, &kind))
        return 1;
    char first = (char)kind;
    return file_write(out, (str){&first, 1}) && file_write(out, copy) ? 0 : 1;
}

/* --- the parent --- */

static bool took_too_long(struct err *err)
{
    return err_named(err, E_TIMEOUT, "making a smaller copy took too long");
}

/* What the parent knows of a child. */
struct decoder {
    struct child child;
    int pipe;
    uint64_t began, cpu_ns; /* cpu_ns: at the last look */
    bool stuck;
};

/* A child has only the thread that forked. If another one held a lock of the C library or
 * of a decoder at that moment, it is held in the child for ever: it sleeps and uses no
 * processor time. */
static bool is_stuck(struct decoder *d)
{
    uint64_t before = d->cpu_ns;
    return child_time(&d->child, &d->cpu_ns) && d->cpu_ns == before;
}

/* Everything that the child writes, until it ends or its time is over. */
static bool read_all(struct decoder *d, struct sbuf *out, struct err *err)
{
    enum { CHUNK = 64 << 10, LOOK_MS = 3000 };
    for (;;) {
        uint64_t spent = clock_ms() - d->began;
        size_t got;
        if (spent >= PICTURE_MS || out->n > PICTURE_SENT_MAX + 1)
            return took_too_long(err);
        if (!ready_wait(&(struct ready){.fd = d->pipe}, 1, LOOK_MS)) {
            if ((d->stuck = is_stuck(d)))
                return took_too_long(err);
            continue;
        }
        if (!file_read(d->pipe, sbuf_room(out, CHUNK), CHUNK, &got))
            return err_sys(err, "the copy of a picture cannot be read");
        if (got == 0)
            return true;
        sbuf_took(out, got);
    }
}

static bool take_copy(str all, str *out, enum picture_kind *kind, struct err *err)
{
    struct picture copy;
    if (all.n < 2 || !picture_read(str_skip(all, 1), &copy) ||
        copy.kind != (enum picture_kind)all.p[0] || !picture_fits(&copy, all.n - 1))
        return err_named(err, E_NOT_TEXT,
                         "the picture is damaged, or cannot be decoded: nothing to show");
    *kind = copy.kind;
    *out = str_skip(all, 1);
    return true;
}

static bool start_decoder(struct decoder *d, str bytes, const struct picture *p,
                          struct err *err)
{
    static const struct child_bounds bounds = {CHILD_MEMORY, PICTURE_CPU_S};
    struct scaling scaling = {bytes, p};
    *d = (struct decoder){.began = clock_ms()};
    return child_compute(&bounds, scale, &scaling, &d->child, &d->pipe) ||
           err_sys(err, "cannot start a process for a picture");
}

static bool run_confined(struct arena *a, str bytes, const struct picture *p,
                         struct decoder *d, str *out, enum picture_kind *kind,
                         struct err *err)
{
    struct sbuf all = SBUF_ON(a);
    if (!start_decoder(d, bytes, p, err))
        return false;
    bool ok = read_all(d, &all, err);
    child_kill(&d->child); /* one that has closed the pipe is about to end by itself */
    pipe_close(&d->pipe);
    bool stopped = child_was_stopped(child_reap(&d->child));
    if (ok && all.n == 0 && stopped)
        return took_too_long(err);
    return ok && take_copy(sbuf_str(&all), out, kind, err);
}

static bool run_until_it_works(struct arena *a, str bytes, const struct picture *p,
                               str *out, enum picture_kind *kind, struct err *err)
{
    enum { ATTEMPTS = 3 };
    struct decoder d = {0};
    bool ok = false;
    for (int i = 0; i < ATTEMPTS && !ok && (i == 0 || d.stuck); i++)
        ok = run_confined(a, bytes, p, &d, out, kind, err);
    return ok;
}

/* Children need much memory; the count is global, because it is for the machine. */
static bool run_one_of_few(struct arena *a, str bytes, const struct picture *p, str *out,
                           enum picture_kind *kind, struct err *err)
{
    static atomic_int running;
    bool free_place = atomic_fetch_add(&running, 1) < PICTURE_AT_ONCE;
    bool ok = free_place
                  ? run_until_it_works(a, bytes, p, out, kind, err)
                  : err_named(err, E_BUSY,
                              "other pictures are being scaled down: try again later");
    atomic_fetch_sub(&running, 1);
    return ok;
}

bool picture_copy(struct arena *a, str bytes, const struct picture *p, str *out,
                  enum picture_kind *kind, struct err *err)
{
    if (bytes.n > PICTURE_FILE_MAX || (uint64_t)p->width * p->height > PICTURE_PIXELS_MAX)
        return err_named(err, E_FILE_TOO_LARGE,
                         "the picture has %u x %u pixels and %zu bytes: more than %d "
                         "million pixels or %d MiB are not decoded",
                         p->width, p->height, bytes.n, PICTURE_PIXELS_MAX / 1000000,
                         PICTURE_FILE_MAX >> 20);
    return picture_load(err) && run_one_of_few(a, bytes, p, out, kind, err);
}
