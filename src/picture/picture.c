#include "picture/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/os/sandbox.h"
#include "base/sbuf.h"
#include "picture/picture_parts.h"

enum { CHILD_MEMORY = 768 << 20 };

bool picture_fits(const struct picture *p, size_t size)
{
    return size <= PICTURE_SENT_MAX && p->width <= PICTURE_SIDE_MAX &&
           p->height <= PICTURE_SIDE_MAX;
}

/* --- the child --- */

static void set_limit(int what, rlim_t most)
{
    (void)setrlimit((__rlimit_resource_t)what, &(struct rlimit){most, most});
}

/* The memory that it has now, as our copy, and some more. */
static void limit_memory(void)
{
#if !VAULTD_SANITIZED
    char text[64] = {0};
    unsigned long long pages = 0;
    AUTO_CLOSE int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
        pages = strtoull(text, NULL, 10);
    if (pages > 0)
        set_limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + CHILD_MEMORY);
#endif
}

/* Nothing is left but memory, time and the pipe, which is its stdout; and it ends with
 * us. */
static bool confine_child(int pipe)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit_memory();
    set_limit(RLIMIT_CPU, PICTURE_CPU_S);
    set_limit(RLIMIT_CORE, 0);
    if (dup2(pipe, STDOUT_FILENO) < 0 || close_range(STDERR_FILENO, ~0U, 0) != 0)
        return false;
    close(STDIN_FILENO);
    return sandbox_only_compute();
}

/* The kind of the copy in one byte, then the copy; nothing if that fails. The threads of
 * our process are not in the child; the C library keeps its memory usable there. */
static void run_child(int pipe, str bytes, const struct picture *p)
{
    str copy;
    enum picture_kind kind;
    char first;
    if (!confine_child(pipe) || !picture_scale(bytes, p, &copy, &kind))
        _exit(1);
    first = (char)kind;
    _exit(fs_write_all(STDOUT_FILENO, (str){&first, 1}) &&
                  fs_write_all(STDOUT_FILENO, copy)
              ? 0
              : 1);
}

/* --- the parent --- */

static bool took_too_long(struct err *err)
{
    return err_named(err, E_TIMEOUT, "making a smaller copy took too long");
}

/* What the parent knows of a child. */
struct decoder {
    pid_t pid;
    int pipe;
    uint64_t began, cpu_ns; /* cpu_ns: at the last look */
    bool stuck;
};

/* A child has only the thread that forked. If another one held a lock of the C library or
 * of a decoder at that moment, it is held in the child for ever: it sleeps and uses no
 * processor time. */
static bool is_stuck(struct decoder *d)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(d->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return false;
    uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    bool same = now == d->cpu_ns;
    d->cpu_ns = now;
    return same;
}

/* Everything that the child writes, until it ends or its time is over. */
static bool read_all(struct decoder *d, struct sbuf *out, struct err *err)
{
    enum { CHUNK = 64 << 10, LOOK_MS = 3000 };
    for (;;) {
        uint64_t spent = clock_ms() - d->began;
        struct pollfd wait = {.fd = d->pipe, .events = POLLIN};
        if (spent >= PICTURE_MS || out->n > PICTURE_SENT_MAX + 1)
            return took_too_long(err);
        int ready = poll(&wait, 1, LOOK_MS);
        if (ready == 0 && (d->stuck = is_stuck(d)))
            return took_too_long(err);
        if (ready <= 0)
            continue;
        ssize_t n = read(d->pipe, sbuf_room(out, CHUNK), CHUNK);
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return err_sys(err, "the copy of a picture cannot be read");
        sbuf_took(out, n > 0 ? (size_t)n : 0);
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
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return err_sys(err, "cannot create a pipe");
    *d = (struct decoder){.pid = fork(), .pipe = pipes[0], .began = clock_ms()};
    if (d->pid == 0)
        run_child(pipes[1], bytes, p);
    close(pipes[1]);
    if (d->pid > 0)
        return true;
    err_sys(err, "cannot start a process for a picture");
    close(d->pipe);
    return false;
}

static bool run_confined(struct arena *a, str bytes, const struct picture *p,
                         struct decoder *d, str *out, enum picture_kind *kind,
                         struct err *err)
{
    struct sbuf all = SBUF_ON(a);
    if (!start_decoder(d, bytes, p, err))
        return false;
    bool ok = read_all(d, &all, err);
    int status = 0;
    kill(d->pid, SIGKILL); /* one that has closed the pipe is about to end by itself */
    close(d->pipe);
    while (waitpid(d->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (ok && all.n == 0 && WIFSIGNALED(status) &&
        (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
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
