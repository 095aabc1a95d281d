#include "base/os/self.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <tlhelp32.h>

#include "base/arena.h"
#include "base/os/bytes.h"
#include "base/os/file.h"
#include "base/os/ready.h"
#include "base/os/thread.h"
#include "base/os/windows/arguments.h"
#include "base/os/windows/console.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/pump.h"
#include "base/os/windows/wide.h"

/* The arguments that the C library has made of the command line are not in UTF-8, and some
 * libraries expand '*' in them. */
char **self_start(int *argc, char **argv)
{
    (void)argv;
    for (int fd = FILE_STDIN; fd <= FILE_STDERR; fd++)
        _setmode(fd, _O_BINARY);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX); /* no windows */
    console_begin();
    return arguments_split(GetCommandLineW(), argc);
}

int self_pid(void)
{
    return (int)GetCurrentProcessId();
}

/* --- variables --- */

/* What was returned once stays where it is. */
struct variable {
    struct variable *next;
    char *name, *value;
};

static struct mutex variables_lock = MUTEX_INIT;
static struct variable *variables;

static struct variable *find_variable(const char *name)
{
    struct variable *v = variables;
    while (v != NULL && strcmp(v->name, name) != 0)
        v = v->next;
    return v;
}

/* To be freed; NULL if there is none. */
static char *read_variable(const char *name)
{
    wchar_t *wide = wide_of(str_c(name));
    DWORD size = wide != NULL ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
    wchar_t *value = mem_alloc(((size_t)size + 1) * sizeof(*value));
    DWORD n = size > 0 ? GetEnvironmentVariableW(wide, value, size) : 0;
    char *text = size > 0 ? wide_text(value, n) : NULL;
    bytes_wipe(value, size * sizeof(*value));
    free(value);
    free(wide);
    return text;
}

const char *self_variable(const char *name)
{
    char *now = read_variable(name);
    if (now == NULL)
        return NULL;
    mutex_lock(&variables_lock);
    struct variable *v = find_variable(name);
    if (v == NULL || strcmp(v->value, now) != 0) {
        struct variable *changed = mem_alloc(sizeof(*changed));
        *changed = (struct variable){variables, mem_str(str_c(name)), now};
        variables = v = changed;
        now = NULL;
    }
    mutex_unlock(&variables_lock);
    free(now);
    return v->value;
}

void self_forget_variable(const char *name)
{
    wchar_t *wide = wide_of(str_c(name));
    mutex_lock(&variables_lock);
    for (struct variable *v = variables; v != NULL; v = v->next)
        if (strcmp(v->name, name) == 0)
            bytes_wipe(v->value, strlen(v->value));
    mutex_unlock(&variables_lock);
    if (wide != NULL)
        SetEnvironmentVariableW(wide, NULL);
    free(wide);
    char *copy = getenv(name); /* of the C library */
    if (copy != NULL)
        bytes_wipe(copy, strlen(copy));
    (void)_putenv_s(name, "");
}

/* "Path=" as "PATH=", which others look for. */
static char *variable_text(const wchar_t *variable)
{
    char *text = wide_text(variable, wcslen(variable));
    if (str_eq_nocase(str_slice(str_c(text), 0, 5), STR("PATH=")))
        memcpy(text, "PATH", 4);
    return text;
}

/* Those that begin with '=' are the current folders of drives. */
const char *const *self_environment(void)
{
    wchar_t *all = GetEnvironmentStringsW();
    size_t n = 0, max = 1;
    for (const wchar_t *at = all; *at != L'\0'; at += wcslen(at) + 1)
        max++;
    const char **list = mem_alloc(max * sizeof(*list));
    for (const wchar_t *at = all; *at != L'\0'; at += wcslen(at) + 1)
        if (*at != L'=')
            list[n++] = variable_text(at);
    list[n] = NULL;
    FreeEnvironmentStringsW(all);
    return list;
}

/* --- the process --- */

/* Handles are inherited one by one (child.h). */
void self_adopt(int first, int n)
{
    (void)first, (void)n;
}

_Noreturn void self_end(int code)
{
    pump_drain_all();
    _exit(code);
}

/* Only administrators and debuggers of the same user can, which no program can prevent. */
void self_hide_memory(void)
{
}

void self_init_if_first(void)
{
}

/* --- the parent --- */

static DWORD find_parent(void)
{
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    PROCESSENTRY32W entry = {.dwSize = sizeof(entry)};
    DWORD self = GetCurrentProcessId(), parent = 0;
    for (BOOL any = Process32FirstW(all, &entry); any; any = Process32NextW(all, &entry))
        if (entry.th32ProcessID == self)
            parent = entry.th32ParentProcessID;
    if (all != INVALID_HANDLE_VALUE)
        CloseHandle(all);
    return parent;
}

/* The number of a parent that has ended may be that of a process that is younger. */
static bool is_older(HANDLE process)
{
    FILETIME theirs, ours, ended, kernel, user;
    return GetProcessTimes(process, &theirs, &ended, &kernel, &user) &&
           GetProcessTimes(GetCurrentProcess(), &ours, &ended, &kernel, &user) &&
           CompareFileTime(&theirs, &ours) <= 0;
}

void parent_watch(struct parent *p)
{
    DWORD pid = find_parent();
    HANDLE process =
        pid != 0
            ? OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid)
            : NULL;
    *p = (struct parent){.fd = -1};
    if (process != NULL && is_older(process))
        *p = (struct parent){.fd = fd_add(FD_PROCESS, process), .pid = (int)pid};
    else if (process != NULL)
        CloseHandle(process);
}

/* One that may not be opened, or has ended before, is not known. */
bool parent_has_ended(const struct parent *p)
{
    return p->fd >= 0 && ready_to_read(p->fd);
}

void parent_forget(struct parent *p)
{
    file_close(p->fd);
    p->fd = -1;
}
