#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sbuf.h"
#include "base/spawn.h"
#include "base/text.h"

enum { POLL_MS = 50, PIPE_READ = 64 << 10, LINE_MAX_SIZE = 4 << 10 };

struct process_work {
    const struct process *p;
    struct arena *arena;
    pid_t pid;
    int in, out, errors;   /* our ends; -1 when closed */
    size_t written, taken; /* bytes sent to it, and received from it */
    struct sbuf text;
    char kept[PROCESS_ERRORS_KEPT];
    size_t n_kept;
    char line[LINE_MAX_SIZE];
    size_t n_line;
    uint64_t deadline;
    const char *why; /* it is being killed: "time", "size" or "stop" */
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* --- all that run: global, because it is for the end of the process --- */

static _Atomic(pid_t) all_running[PROCESS_MAX];

static void enter(pid_t pid)
{
    for (size_t i = 0; i < PROCESS_MAX; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&all_running[i], &none, pid))
            return;
    }
}

/* Before it is reaped, when its number may be given to another process. */
static void leave(pid_t pid)
{
    for (size_t i = 0; i < PROCESS_MAX; i++) {
        pid_t same = pid;
        if (atomic_compare_exchange_strong(&all_running[i], &same, 0))
            return;
    }
}

void process_kill_all(void)
{
    for (size_t i = 0; i < PROCESS_MAX; i++) {
        pid_t pid = atomic_load(&all_running[i]);
        if (pid > 0)
            kill(-pid, SIGKILL);
    }
}

/* --- starting --- */

static bool make_pipes(int pipes[3][2], struct err *err)
{
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0)
            return err_sys(err, "cannot create a pipe for a program");
    return true;
}

static void close_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        close_end(&pipes[i][0]);
        close_end(&pipes[i][1]);
    }
}

/* Reset the child's signals: we ignore some that programs rely on. */
static void set_signals(posix_spawnattr_t *attr)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &all);
    posix_spawnattr_setpgroup(attr, 0);
    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                       POSIX_SPAWN_SETPGROUP);
}

static const char *process_path_of(const char *const *env)
{
    for (; *env != NULL; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            return *env + 5;
    return "/usr/local/bin:/usr/bin:/bin";
}

/* posix_spawnp() would use our own PATH. */
static const char *find_program(struct arena *a, const char *name, const char *path)
{
    if (strchr(name, '/') != NULL)
        return name;
    str rest = str_c(path), folder;
    while (str_next(&rest, ':', &folder)) {
        const char *full = arena_printf(a, STR_FMT "/%s", STR_ARG(folder), name).p;
        if (folder.n > 0 && access(full, X_OK) == 0)
            return full;
    }
    return NULL;
}

static int spawn(struct process_work *r, const char *program, int pipes[3][2])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&actions, r->p->folder);
    set_signals(&attr);
    int code = spawn_program(r->p->hostile ? SPAWN_READER : SPAWN_TOOL, &r->pid, program,
                             &actions, &attr, (char *const *)r->p->argv,
                             (char *const *)r->p->env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static bool limit(const struct process_work *r, int what, rlim_t most)
{
    const struct rlimit hard = {most, most};
    return most == 0 || prlimit(r->pid, (__rlimit_resource_t)what, &hard, NULL) == 0 ||
           errno == ESRCH;
}

/* It has not seen its input yet, so it has done nothing that the limits are for. */
static bool set_limits(const struct process_work *r, struct err *err)
{
    if (limit(r, RLIMIT_AS, r->p->memory) && limit(r, RLIMIT_CPU, r->p->cpu))
        return true;
    kill(-r->pid, SIGKILL);
    return err_sys(err, "%s cannot be limited", r->p->argv[0]);
}

static bool start(struct process_work *r, struct err *err)
{
    const char *name = r->p->argv[0];
    const char *program = find_program(r->arena, name, process_path_of(r->p->env));
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    if (program == NULL)
        return err_set(err, ERR_NOT_FOUND, "the program %s is not installed", name);
    int code = make_pipes(pipes, err) ? spawn(r, program, pipes) : -1;
    if (code != 0) {
        close_pipes(pipes);
        errno = code;
        return code < 0 ? false
               : code == ENOENT
                   ? err_set(err, ERR_NOT_FOUND, "%s cannot be started in %s", name,
                             r->p->folder)
                   : err_sys(err, "%s cannot be started", name);
    }
    if (r->p->nice > 0) /* its children inherit it */
        (void)setpriority(PRIO_PROCESS, (id_t)r->pid, r->p->nice);
    r->in = pipes[0][1];
    r->out = pipes[1][0];
    r->errors = pipes[2][0];
    close(pipes[0][0]);
    close(pipes[1][1]);
    close(pipes[2][1]);
    fcntl(r->in, F_SETFL, O_NONBLOCK);
    return true;
}

/* --- while it runs --- */

/* Writing to a program that has closed its stdin must not kill us. */
static ssize_t write_quietly(int fd, str bytes)
{
    sigset_t pipe_only, before;
    struct timespec now = {0};
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t n = write(fd, bytes.p, bytes.n);
    int saved = errno;
    if (n < 0 && saved == EPIPE)
        sigtimedwait(&pipe_only, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return n;
}

static void feed(struct process_work *r)
{
    str rest = str_skip(r->p->input, r->written);
    ssize_t n = rest.n > 0 ? write_quietly(r->in, rest) : 0;
    if (n > 0)
        r->written += (size_t)n;
    bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
    if (r->written == r->p->input.n || (n < 0 && !later))
        close_end(&r->in);
}

static void take_out(struct process_work *r)
{
    char *room = sbuf_room(&r->text, PIPE_READ);
    ssize_t n = read(r->out, room, PIPE_READ);
    if (n > 0) {
        sbuf_took(&r->text, (size_t)n);
        r->taken += (size_t)n;
    } else if (n == 0 || errno != EINTR) {
        close_end(&r->out);
    }
    if (r->text.n > r->p->out_max && r->why == NULL)
        r->why = "size";
}

static void take_lines(struct process_work *r, str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        bool end = is_break(bytes.p[i]);
        if (!end && r->n_line < sizeof(r->line))
            r->line[r->n_line++] = bytes.p[i];
        if (end && r->n_line > 0) {
            r->p->on_line(r->p->arg, (str){r->line, r->n_line});
            r->n_line = 0;
        }
    }
}

/* The end of stderr is the most useful part. */
static void process_keep(struct process_work *r, str bytes)
{
    if (bytes.n > sizeof(r->kept))
        bytes = str_skip(bytes, bytes.n - sizeof(r->kept));
    size_t over =
        r->n_kept + bytes.n > sizeof(r->kept) ? r->n_kept + bytes.n - sizeof(r->kept) : 0;
    memmove(r->kept, r->kept + over, r->n_kept - over);
    memcpy(r->kept + r->n_kept - over, bytes.p, bytes.n);
    r->n_kept += bytes.n - over;
}

static void take_errors(struct process_work *r)
{
    char bytes[PROCESS_ERRORS_KEPT];
    ssize_t n = read(r->errors, bytes, sizeof(bytes));
    if (n <= 0) {
        if (n == 0 || errno != EINTR)
            close_end(&r->errors);
        return;
    }
    str got = {bytes, (size_t)n};
    r->taken += got.n;
    process_keep(r, got);
    if (r->p->on_line != NULL)
        take_lines(r, got);
}

/* Read and write what is possible now; waits briefly. */
static void pump(struct process_work *r)
{
    struct pollfd fds[3] = {
        {.fd = r->in, .events = POLLOUT},
        {.fd = r->out, .events = POLLIN},
        {.fd = r->errors, .events = POLLIN},
    };
    if (poll(fds, 3, POLL_MS) <= 0)
        return;
    if (fds[0].revents != 0)
        feed(r);
    if (fds[1].revents != 0)
        take_out(r);
    if (fds[2].revents != 0)
        take_errors(r);
}

static bool has_ended(const struct process_work *r)
{
    siginfo_t info = {
        0}; /* WNOWAIT: until we have reaped it, its group is ours to kill */
    return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == r->pid;
}

static void look_at_bounds(struct process_work *r)
{
    if (r->why != NULL)
        return;
    if (clock_ms() >= r->deadline)
        r->why = "time";
    else if (r->p->stop != NULL && atomic_load(r->p->stop))
        r->why = "stop";
}

/* Ask the whole group to exit, then kill it. */
static void end_group(struct process_work *r)
{
    uint64_t until = clock_ms() + PROCESS_KILL_MS;
    kill(-r->pid, SIGTERM);
    while (!has_ended(r) && clock_ms() < until) {
        bool open = r->out >= 0 || r->errors >= 0;
        close_end(&r->in);
        if (open)
            pump(r);
        else
            poll(NULL, 0, POLL_MS);
    }
    kill(-r->pid, SIGKILL);
}

/* Until it has exited and the pipes are empty. It does not wait for children that it left
 * running and that keep the pipes open: they are killed with the group. */
static void drive(struct process_work *r)
{
    while (r->why == NULL) {
        bool ended = has_ended(r);
        size_t before = r->taken;
        if (r->in >= 0 || r->out >= 0 || r->errors >= 0)
            pump(r);
        else if (!ended)
            poll(NULL, 0, POLL_MS);
        if (ended && (r->taken == before || (r->out < 0 && r->errors < 0)))
            break;
        look_at_bounds(r);
    }
    end_group(r);
}

static bool ended_by_us(const struct process_work *r, struct err *err)
{
    const char *name = r->p->argv[0];
    if (strcmp(r->why, "time") == 0)
        return err_named(err, E_TIMEOUT, "%s took longer than %u s", name,
                         r->p->ms / 1000);
    if (strcmp(r->why, "size") == 0)
        return err_set(err, ERR_LIMIT, "%s wrote more than %zu bytes", name,
                       r->p->out_max);
    return err_set(err, ERR_BUSY, "%s was stopped", name);
}

bool process_run(struct arena *a, const struct process *p, struct process_result *out,
                 struct err *err)
{
    struct process_work r = {.p = p,
                             .arena = a,
                             .in = -1,
                             .out = -1,
                             .errors = -1,
                             .text = SBUF_ON(a),
                             .deadline = clock_ms() + p->ms};
    if (!start(&r, err))
        return false;
    enter(r.pid);
    bool limited = set_limits(&r, err);
    drive(&r);
    leave(r.pid);
    int status = 0;
    while (waitpid(r.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close_end(&r.in);
    close_end(&r.out);
    close_end(&r.errors);
    *out = (struct process_result){
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .out = sbuf_str(&r.text),
        .errors = arena_str(a, (str){r.kept, r.n_kept}),
    };
    return limited && (r.why == NULL || ended_by_us(&r, err));
}
