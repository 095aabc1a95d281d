/*
 * A child is in a job, which is its group: it ends with us, unless it stays, and can be
 * ended as a whole. It inherits three handles and nothing else.
 */
#include "base/os/child.h"

#include <errno.h>
#include <signal.h>

#include "base/arena.h"
#include "base/os/pipe.h"
#include "base/os/thread.h"
#include "base/os/windows/arguments.h"
#include "base/os/windows/child_environment.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/stop_event.h"
#include "base/os/windows/wide.h"

enum {
    CHILDREN_MAX = 256,
    KILLED = CHILD_KILLED + 9,     /* SIGKILL, as elsewhere */
    CRASHED = CHILD_KILLED + 11,   /* SIGSEGV */
    TIMED_OUT = CHILD_KILLED + 24, /* SIGXCPU */
    TICKS = 10000000,              /* in a second */
};

/* --- those that are not reaped --- */

struct running {
    int pid; /* 0: free */
    HANDLE process, job;
};

static struct mutex children_lock = MUTEX_INIT;
static struct running children[CHILDREN_MAX];

/* Numbers are not given to others while the handle is open. The lock is held. */
static struct running *find_child(int pid)
{
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        if (children[i].pid == pid)
            return &children[i];
    return NULL;
}

static bool keep_child(const struct running *r)
{
    mutex_lock(&children_lock);
    struct running *place = find_child(0);
    if (place != NULL)
        *place = *r;
    mutex_unlock(&children_lock);
    errno = EAGAIN;
    return place != NULL;
}

static struct running child_of(const struct child *c)
{
    mutex_lock(&children_lock);
    const struct running *found = c->pid > 0 ? find_child(c->pid) : NULL;
    struct running out = found != NULL ? *found : (struct running){0};
    mutex_unlock(&children_lock);
    return out;
}

/* --- limits --- */

static DWORD priority_of(int nice)
{
    return nice >= 15 ? IDLE_PRIORITY_CLASS
           : nice > 0 ? BELOW_NORMAL_PRIORITY_CLASS
                      : NORMAL_PRIORITY_CLASS;
}

static HANDLE make_job(const struct child_plan *p)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    JOBOBJECT_BASIC_LIMIT_INFORMATION *basic = &limits.BasicLimitInformation;
    basic->LimitFlags = (p->stays ? 0 : JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) |
                        (p->memory > 0 ? JOB_OBJECT_LIMIT_PROCESS_MEMORY : 0) |
                        (p->cpu > 0 ? JOB_OBJECT_LIMIT_PROCESS_TIME : 0) |
                        (p->nice > 0 ? JOB_OBJECT_LIMIT_PRIORITY_CLASS : 0) |
                        JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    basic->PriorityClass = priority_of(p->nice);
    basic->PerProcessUserTimeLimit.QuadPart = (LONGLONG)p->cpu * TICKS;
    limits.ProcessMemoryLimit = p->memory;
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (job != NULL && SetInformationJobObject(job, JobObjectExtendedLimitInformation,
                                               &limits, sizeof(limits)))
        return job;
    failure();
    if (job != NULL)
        CloseHandle(job);
    return NULL;
}

/* --- starting --- */

enum { HANDLES = 3 };

/* Copies that can be inherited. */
static bool copy_handles(const struct child_plan *p, HANDLE out[HANDLES])
{
    const int fds[HANDLES] = {p->in, p->out, p->errors};
    HANDLE self = GetCurrentProcess();
    for (int i = 0; i < HANDLES; i++) {
        const struct fd *f = fd_find(fds[i]);
        if (f == NULL)
            return false;
        if (!DuplicateHandle(self, f->handle, self, &out[i], 0, TRUE,
                             DUPLICATE_SAME_ACCESS))
            return failure();
    }
    return true;
}

static bool create(const struct child_plan *p, wchar_t *const text[3],
                   wchar_t *environment, HANDLE handles[HANDLES],
                   PROCESS_INFORMATION *out)
{
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    LPPROC_THREAD_ATTRIBUTE_LIST list = mem_alloc(size);
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof(start),
                                            .dwFlags = STARTF_USESTDHANDLES,
                                            .hStdInput = handles[0],
                                            .hStdOutput = handles[1],
                                            .hStdError = handles[2]},
                            .lpAttributeList = list};
    bool ok =
        InitializeProcThreadAttributeList(list, 1, 0, &size) &&
        UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles,
                                  HANDLES * sizeof(*handles), NULL, NULL) &&
        CreateProcessW(text[0], text[1], NULL, NULL, TRUE,
                       EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED |
                           CREATE_UNICODE_ENVIRONMENT | CREATE_NEW_PROCESS_GROUP |
                           (p->stays ? DETACHED_PROCESS : CREATE_NO_WINDOW),
                       environment, text[2], &start.StartupInfo, out);
    if (!ok)
        failure();
    int error = errno;
    DeleteProcThreadAttributeList(list);
    free(list);
    errno = error;
    return ok;
}

static wchar_t *path_of(const char *path)
{
    wchar_t *wide = path != NULL ? wide_of(str_c(path)) : NULL;
    for (wchar_t *c = wide; c != NULL && *c != L'\0'; c++)
        *c = *c == L'/' ? L'\\' : *c;
    return wide;
}

/* Suspended, and in the job that is returned; NULL and errno. */
static HANDLE create_in_job(const struct child_plan *p, HANDLE handles[HANDLES],
                            PROCESS_INFORMATION *out)
{
    wchar_t *text[3] = {path_of(p->program), arguments_join(p->argv), path_of(p->folder)};
    wchar_t *environment = child_environment(p->env);
    HANDLE job =
        text[0] != NULL && text[1] != NULL && environment != NULL ? make_job(p) : NULL;
    bool ok = job != NULL && create(p, text, environment, handles, out);
    if (ok && !AssignProcessToJobObject(job, out->hProcess)) {
        failure();
        TerminateProcess(out->hProcess, 1);
        CloseHandle(out->hProcess);
        CloseHandle(out->hThread);
        ok = false;
    }
    int error = errno;
    for (int i = 0; i < 3; i++)
        free(text[i]);
    free(environment);
    if (!ok && job != NULL)
        CloseHandle(job);
    errno = error;
    return ok ? job : NULL;
}

/* cmd.exe, which runs them, reads arguments in its own way: they could run anything. */
static bool is_batch(const char *program)
{
    str name = str_c(program), end = str_skip(name, name.n > 4 ? name.n - 4 : 0);
    return str_eq_nocase(end, STR(".bat")) || str_eq_nocase(end, STR(".cmd"));
}

bool child_start(const struct child_plan *plan, struct child *out)
{
    HANDLE handles[HANDLES] = {NULL, NULL, NULL};
    PROCESS_INFORMATION info;
    out->pid = 0;
    if (is_batch(plan->program)) {
        errno = ENOEXEC;
        return false;
    }
    HANDLE job = copy_handles(plan, handles) ? create_in_job(plan, handles, &info) : NULL;
    int error = errno;
    for (int i = 0; i < HANDLES; i++)
        if (handles[i] != NULL)
            CloseHandle(handles[i]);
    errno = error;
    if (job == NULL)
        return false;
    struct running r = {(int)info.dwProcessId, info.hProcess, job};
    bool kept = keep_child(&r);
    if (kept)
        ResumeThread(info.hThread);
    CloseHandle(info.hThread);
    if (!kept) {
        TerminateJobObject(job, KILLED);
        CloseHandle(info.hProcess);
        CloseHandle(job);
        errno = EAGAIN;
    }
    out->pid = kept ? r.pid : 0;
    return kept;
}

bool child_limit(const struct child *c, const struct child_plan *plan)
{
    (void)c, (void)plan;
    return true; /* since it was started */
}

/* Windows cannot copy a process. */
bool child_compute(const struct child_bounds *bounds, int (*body)(void *arg, int out),
                   void *arg, struct child *out, int *pipe)
{
    (void)bounds, (void)body, (void)arg;
    out->pid = 0;
    *pipe = -1;
    errno = ENOSYS;
    return false;
}

/* --- until it is reaped --- */

bool child_time(const struct child *c, uint64_t *ns)
{
    FILETIME born, ended, kernel, user;
    struct running r = child_of(c);
    if (r.pid == 0 || !GetProcessTimes(r.process, &born, &ended, &kernel, &user))
        return false;
    *ns = 100 * (((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                 ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime));
    return true;
}

bool child_has_ended(const struct child *c)
{
    struct running r = child_of(c);
    return r.pid != 0 && WaitForSingleObject(r.process, 0) == WAIT_OBJECT_0;
}

/* A program without a console can be asked only if it waits for that, as this one does. */
void child_ask_to_end(const struct child *c)
{
    struct running r = child_of(c);
    HANDLE stop = r.pid != 0 ? stop_event_open((DWORD)r.pid, SIGNAL_STOP) : NULL;
    if (stop == NULL)
        return;
    SetEvent(stop);
    CloseHandle(stop);
}

void child_kill(const struct child *c)
{
    struct running r = child_of(c);
    if (r.pid != 0)
        TerminateJobObject(r.job, KILLED);
}

/* Faults of a program are codes of the kernel. */
static int exit_code(DWORD code)
{
    if (code == ERROR_NOT_ENOUGH_QUOTA)
        return TIMED_OUT;
    if (code >= 0xC0000000)
        return CRASHED;
    return code <= 255 ? (int)code : 255;
}

int child_reap(struct child *c)
{
    struct running r = child_of(c);
    DWORD code = KILLED;
    mutex_lock(&children_lock);
    struct running *place = r.pid != 0 ? find_child(r.pid) : NULL;
    mutex_unlock(&children_lock);
    c->pid = 0;
    if (place == NULL)
        return KILLED;
    WaitForSingleObject(r.process, INFINITE);
    GetExitCodeProcess(r.process, &code);
    mutex_lock(&children_lock);
    *place = (struct running){0};
    mutex_unlock(&children_lock);
    CloseHandle(r.process);
    CloseHandle(r.job);
    return exit_code(code);
}

bool child_was_stopped(int code)
{
    return code == TIMED_OUT || code == KILLED;
}
