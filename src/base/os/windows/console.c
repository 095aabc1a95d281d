#include "base/os/windows/console.h"

#include <stdlib.h>

#include "base/os/thread.h"
#include "base/os/windows/wide.h"

enum { LINE_UNITS = 1024, CTRL_Z = 26 };

/* --- how it shows text --- */

static UINT shown_before;
static DWORD mode_before;

static void console_restore(void)
{
    SetConsoleOutputCP(shown_before);
    if (mode_before != 0)
        SetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), mode_before);
}

void console_begin(void)
{
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
    DWORD mode;
    shown_before = GetConsoleOutputCP();
    if (shown_before == 0)
        return; /* there is none */
    SetConsoleOutputCP(CP_UTF8);
    if (GetConsoleMode(out, &mode)) {
        SetConsoleMode(out, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        mode_before = mode;
    }
    atexit(console_restore);
}

/* --- what is typed --- */

/* A line that was typed, of which not all was read. A process has one console. */
static struct mutex typed_lock = MUTEX_INIT;
static char *typed;
static size_t typed_at, typed_n;

/* "\r\n" is '\n'; a line that begins with Ctrl-Z is the end. */
static bool console_type(HANDLE handle)
{
    wchar_t line[LINE_UNITS];
    DWORD n = 0;
    if (!ReadConsoleW(handle, line, LINE_UNITS, &n, NULL))
        return false;
    if (n > 0 && line[0] == CTRL_Z)
        n = 0;
    size_t kept = 0;
    for (DWORD i = 0; i < n; i++)
        if (line[i] != L'\r')
            line[kept++] = line[i];
    free(typed);
    typed = wide_text(line, kept);
    typed_at = 0;
    typed_n = strlen(typed);
    return true;
}

bool console_read(HANDLE handle, void *out, size_t size, size_t *got)
{
    mutex_lock(&typed_lock);
    bool ok = typed_at < typed_n || console_type(handle);
    size_t left = ok ? typed_n - typed_at : 0;
    *got = left < size ? left : size;
    if (*got > 0)
        memcpy(out, typed + typed_at, *got);
    typed_at += *got;
    mutex_unlock(&typed_lock);
    return ok;
}
