#include "base/os/terminal.h"

#include <errno.h>

#include "base/os/file.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"

enum { WIDTH_USUAL = 80, HEIGHT_USUAL = 24, NAME_UNITS = 260 };

/* Terminals of Git Bash and Cygwin are pipes: "\msys-1888ae32e00d56aa-pty0-to-master". */
static bool is_pty(HANDLE pipe)
{
    struct {
        FILE_NAME_INFO info;
        wchar_t more[NAME_UNITS];
    } name = {0};
    if (!GetFileInformationByHandleEx(pipe, FileNameInfo, &name,
                                      sizeof(name) - sizeof(wchar_t)))
        return false;
    const wchar_t *text = name.info.FileName;
    return (wcsncmp(text, L"\\msys-", 6) == 0 || wcsncmp(text, L"\\cygwin-", 8) == 0) &&
           wcsstr(text, L"-pty") != NULL;
}

bool terminal_is(int fd)
{
    const struct fd *f = fd_find(fd);
    return f != NULL &&
           (f->kind == FD_CONSOLE || (f->kind == FD_PIPE && is_pty(f->handle)));
}

size_t terminal_width(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    const struct fd *f = fd_find(fd);
    int width = f != NULL && GetConsoleScreenBufferInfo(f->handle, &info)
                    ? info.srWindow.Right - info.srWindow.Left + 1
                    : 0;
    return width > 0 ? (size_t)width : WIDTH_USUAL;
}

size_t terminal_height(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    const struct fd *f = fd_find(fd);
    int height = f != NULL && GetConsoleScreenBufferInfo(f->handle, &info)
                     ? info.srWindow.Bottom - info.srWindow.Top + 1
                     : 0;
    return height > 0 ? (size_t)height : HEIGHT_USUAL;
}

bool terminal_run(const char *command, const char *const *env, str input, int *code)
{
    errno = ENOSYS;
    return false;
}

/* Lines end with "\r\n" or '\n'. */
bool terminal_read_line(char *out, size_t size, size_t *n, bool *ended)
{
    char c = '\0', before = '\0';
    size_t got = 0;
    bool ok;
    *n = 0;
    for (; (ok = file_read(FILE_STDIN, &c, 1, &got)) && got == 1 && c != '\n'; before = c)
        if (*n < size)
            out[(*n)++] = c;
    *ended = got == 0;
    if (got == 1 && before == '\r' && *n > 0 && out[*n - 1] == '\r')
        (*n)--;
    return ok;
}

static void terminal_print(str text)
{
    (void)!file_write(FILE_STDERR, text);
}

/* Ctrl-C ends the process, and with it the mode of its console. */
bool terminal_read_secret(str prompt, char *out, size_t size, size_t *n)
{
    const struct fd *f = fd_find(FILE_STDIN);
    DWORD before;
    bool ended;
    if (f == NULL || !GetConsoleMode(f->handle, &before)) {
        errno = ENOTTY; /* also a terminal that is a pipe, whose echo is not ours */
        return false;
    }
    SetConsoleMode(f->handle, before & ~(DWORD)ENABLE_ECHO_INPUT);
    terminal_print(prompt);
    bool ok = terminal_read_line(out, size, n, &ended);
    int error = errno;
    terminal_print(STR("\n"));
    SetConsoleMode(f->handle, before);
    errno = error;
    return ok;
}

bool terminal_keys_begin(void)
{
    errno = ENOSYS;
    return false;
}

bool terminal_read_key(char out[TERMINAL_KEY_MAX], size_t *n)
{
    *n = 0;
    return false;
}

void terminal_keys_end(void)
{
}
