#include "base/process.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/pipe.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/spawn.h"
#include "base/system_path.h"
#include "base/text.h"

enum { POLL_MS = 50, PIPE_READ = 64 << 10, LINE_MAX_SIZE = 4 << 10 };

struct process_work {
    const struct process *p;
    struct arena *arena;
    struct child child;
    int in, out, errors;   /* our ends; -1 when closed */
    size_t written, taken; /* bytes sent to it, and received from it */
    struct sbuf text;
    char kept[PROCESS_ERRORS_KEPT];
    size_t n_kept;
    char line[LINE_MAX_SIZE];
    size_t n_line;
    uint64_t deadline;
    bool stays;        /* its stdin stays open for the next request */
    unsigned pause_ms; /* before the next look at a program whose pipes are closed */
    const char *why;   /* it is being killed: "time", "size" or "stop" */
};

/* --- all that run: global, because it is for the end of the process --- */

static atomic_int all_running[PROCESS_MAX];

static void process_enter(int pid)
{
    for (size_t i = 0; i < PROCESS_MAX; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&all_running[i], &none, pid))
            return;
    }
}

/* Before it is reaped, when its number may be given to another process. */
static void leave(int pid)
{
    for (size_t i = 0; i < PROCESS_MAX; i++) {
        int same = pid;
        if (atomic_compare_exchange_strong(&all_running[i], &same, 0))
            return;
    }
}

void process_kill_all(void)
{
    for (size_t i = 0; i < PROCESS_MAX; i++) {
        struct child c = {atomic_load(&all_running[i])};
        if (c.pid > 0)
            child_kill(&c);
    }
}

/* --- starting --- */

static bool make_pipes(int pipes[3][2], struct err *err)
{
    for (int i = 0; i < 3; i++)
        if (!pipe_open(pipes[i]))
            return err_sys(err, "cannot create a pipe for a program");
    return true;
}

static void close_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        pipe_close(&pipes[i][0]);
        pipe_close(&pipes[i][1]);
    }
}

static const char *const usual_path = "/usr/local/bin:/usr/bin:/bin";

const char *process_path(void)
{
    const char *path = self_variable("PATH");
    return path != NULL && path[0] != '\0' ? path : usual_path;
}

static const char *process_path_of(const char *const *env)
{
    for (; *env != NULL; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            return *env + 5;
    return usual_path;
}

str process_file_on(enum machine_system system, struct arena *a, str name)
{
    bool named = str_eq_nocase(path_extension(name), STR("exe"));
    return system == MACHINE_WINDOWS && !named
               ? arena_printf(a, STR_FMT ".exe", STR_ARG(name))
               : name;
}

const char *process_find(struct arena *a, const char *name, const char *path)
{
    if (strchr(name, '/') != NULL)
        return name;
    str rest = str_c(path), folder;
    while (system_path_next(a, &rest, &folder)) {
        str file = process_file_on(machine_system(), a, str_c(name));
        const char *full = path_join(a, folder, file).p;
        if (file_allows(FILE_CWD, full, FILE_MAY_RUN))
            return full;
    }
    return NULL;
}

static struct child_plan plan_of(const struct process *p, const char *program,
                                 int pipes[3][2])
{
    return (struct child_plan){.program = program,
                               .argv = p->argv,
                               .env = p->env,
                               .folder = p->folder,
                               .in = pipes[0][0],
                               .out = pipes[1][1],
                               .errors = pipes[2][1],
                               .nice = p->nice,
                               .memory = p->memory,
                               .cpu = p->cpu};
}

/* It has not seen its input yet, so it has done nothing that the limits are for. */
static bool set_limits(const struct process_work *r, const struct child_plan *plan,
                       struct err *err)
{
    if (child_limit(&r->child, plan))
        return true;
    err_sys(err, "%s cannot be limited", r->p->argv[0]);
    child_kill(&r->child);
    return false;
}

static bool start_failed(const struct process_work *r, struct err *err)
{
    const char *name = r->p->argv[0];
    return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "%s cannot be started in %s",
                                     name, r->p->folder)
                           : err_sys(err, "%s cannot be started", name);
}

static bool start_child(struct process_work *r, struct child_plan *plan, struct err *err)
{
    const char *name = r->p->argv[0];
    const char *program = process_find(r->arena, name, process_path_of(r->p->env));
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    if (program == NULL)
        return err_set(err, ERR_NOT_FOUND, "the program %s is not installed", name);
    bool ok = make_pipes(pipes, err);
    if (ok) {
        *plan = plan_of(r->p, program, pipes);
        ok = spawn_program(r->p->hostile ? SPAWN_READER : SPAWN_TOOL, plan, &r->child) ||
             start_failed(r, err);
    }
    if (!ok) {
        close_pipes(pipes);
        return false;
    }
    r->in = pipes[0][1];
    r->out = pipes[1][0];
    r->errors = pipes[2][0];
    pipe_close(&pipes[0][0]);
    pipe_close(&pipes[1][1]);
    pipe_close(&pipes[2][1]);
    pipe_never_wait(r->in);
    return true;
}

/* --- while it runs --- */

static void feed(struct process_work *r)
{
    size_t put = 0;
    bool ok = pipe_write(r->in, str_skip(r->p->input, r->written), &put);
    r->written += put;
    if ((!r->stays && r->written == r->p->input.n) || (!ok && errno != EAGAIN))
        pipe_close(&r->in);
}

static void take_out(struct process_work *r)
{
    size_t got;
    if (!file_read(r->out, sbuf_room(&r->text, PIPE_READ), PIPE_READ, &got) || got == 0)
        pipe_close(&r->out);
    sbuf_took(&r->text, got);
    r->taken += got;
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
    str got = {bytes, 0};
    if (!file_read(r->errors, bytes, sizeof(bytes), &got.n) || got.n == 0)
        pipe_close(&r->errors);
    r->taken += got.n;
    process_keep(r, got);
    if (r->p->on_line != NULL)
        take_lines(r, got);
}

/* Read and write what is possible now; waits briefly. */
static void pump(struct process_work *r)
{
    bool done = r->stays && r->written == r->p->input.n;
    struct ready ends[3] = {
        {.fd = done ? -1 : r->in, .write = true}, {.fd = r->out}, {.fd = r->errors}};
    if (!ready_wait(ends, COUNT_OF(ends), POLL_MS))
        return;
    if (ends[0].is)
        feed(r);
    if (ends[1].is)
        take_out(r);
    if (ends[2].is)
        take_errors(r);
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

/* A program closes its pipes when it exits, so it is usually gone a moment later. */
static void await_end(struct process_work *r)
{
    ready_pause(r->pause_ms);
    r->pause_ms = 2 * r->pause_ms < POLL_MS ? 2 * r->pause_ms : POLL_MS;
}

/* Ask the whole group to exit, then kill it. */
static void end_group(struct process_work *r)
{
    uint64_t until = clock_ms() + PROCESS_KILL_MS;
    child_ask_to_end(&r->child);
    while (!child_has_ended(&r->child) && clock_ms() < until) {
        bool open = r->out >= 0 || r->errors >= 0;
        pipe_close(&r->in);
        if (open)
            pump(r);
        else
            await_end(r);
    }
    child_kill(&r->child);
}

/* Its exit code. */
static int end_child(struct process_work *r)
{
    end_group(r);
    leave(r->child.pid);
    int code = child_reap(&r->child);
    pipe_close(&r->in);
    pipe_close(&r->out);
    pipe_close(&r->errors);
    return code;
}

static bool process_start(struct process_work *r, struct err *err)
{
    struct child_plan plan;
    if (!start_child(r, &plan, err))
        return false;
    process_enter(r->child.pid);
    if (set_limits(r, &plan, err))
        return true;
    (void)end_child(r);
    return false;
}

/* Until it has exited and the pipes are empty. It does not wait for children that it left
 * running and that keep the pipes open: they are killed with the group. */
static void drive(struct process_work *r)
{
    while (r->why == NULL) {
        bool ended = child_has_ended(&r->child);
        size_t before = r->taken;
        if (r->in >= 0 || r->out >= 0 || r->errors >= 0)
            pump(r);
        else if (!ended)
            await_end(r);
        if (ended && (r->taken == before || (r->out < 0 && r->errors < 0)))
            break;
        look_at_bounds(r);
    }
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

static struct process_work process_work_of(const struct process *p, struct arena *a)
{
    return (struct process_work){.p = p,
                                 .arena = a,
                                 .in = -1,
                                 .out = -1,
                                 .errors = -1,
                                 .text = SBUF_ON(a),
                                 .deadline = clock_ms() + p->ms,
                                 .pause_ms = 1};
}

bool process_run(struct arena *a, const struct process *p, struct process_result *out,
                 struct err *err)
{
    struct process_work r = process_work_of(p, a);
    if (!process_start(&r, err))
        return false;
    drive(&r);
    *out = (struct process_result){.code = end_child(&r), .out = sbuf_str(&r.text)};
    out->errors = arena_str(a, (str){r.kept, r.n_kept});
    return r.why == NULL || ended_by_us(&r, err);
}

/* --- programs that answer several requests --- */

struct process_session {
    struct process plan; /* its input is the current request */
    const char *name[2]; /* argv once it runs */
    struct arena arena;
    struct process_work work;
};

bool process_open(const struct process *p, struct process_session **out, struct err *err)
{
    struct process_session *s = mem_zero(sizeof(*s));
    s->plan = *p;
    s->work = process_work_of(&s->plan, &s->arena);
    s->work.stays = true;
    bool ok = process_start(&s->work, err);
    s->name[0] = p->argv[0];
    s->plan.argv = s->name;
    if (ok) {
        *out = s;
        return true;
    }
    arena_release(&s->arena);
    free(s);
    return false;
}

bool process_ask(struct process_session *s, struct arena *a, str request,
                 bool (*is_whole)(void *arg, str answer), void *arg, str *answer,
                 struct err *err)
{
    struct process_work *r = &s->work;
    s->plan.input = request;
    r->written = 0;
    r->text = SBUF_ON(a);
    r->deadline = clock_ms() + s->plan.ms;
    bool whole = false;
    while (!whole && r->why == NULL && (r->out >= 0 || r->errors >= 0)) {
        pump(r);
        whole = is_whole(arg, sbuf_str(&r->text));
        look_at_bounds(r);
    }
    *answer = sbuf_str(&r->text);
    if (whole)
        return true;
    return r->why != NULL
               ? ended_by_us(r, err)
               : err_set(err, ERR_BUSY, "%s ended before it answered", s->plan.argv[0]);
}

void process_close(struct process_session *s, struct arena *a, struct process_result *out)
{
    s->work.text = SBUF_ON(&s->arena); /* that of the last answer may be gone */
    int code = end_child(&s->work);
    str errors = {s->work.kept, s->work.n_kept};
    if (out != NULL)
        *out = (struct process_result){.code = code, .errors = arena_str(a, errors)};
    arena_release(&s->arena);
    free(s);
}
