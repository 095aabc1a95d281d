#include <errno.h>
#include <stdlib.h>

#include "base/os/windows/file_parts.h"
#include "base/os/windows/wide.h"

/* "C:\x" as "C:/x". */
static char *path_text(wchar_t *path)
{
    if (path == NULL)
        return NULL;
    for (wchar_t *c = path; *c != L'\0'; c++)
        if (*c == L'\\')
            *c = L'/';
    if (path[0] >= L'a' && path[0] <= L'z' && path[1] == L':')
        path[0] = (wchar_t)(path[0] - L'a' + L'A');
    char *text = wide_text(path, wcslen(path));
    free(path);
    return text;
}

bool file_find_path(int fd, char *out, size_t size)
{
    const struct fd *f = fd_find(fd);
    char *text = f != NULL ? path_text(nt_path(f->handle)) : NULL;
    if (text == NULL)
        return false;
    size_t n = strlen(text);
    bool fits = n < size;
    if (fits)
        memcpy(out, text, n + 1);
    else
        errno = ENAMETOOLONG;
    free(text);
    return fits;
}

char *file_real_path(const char *path)
{
    const struct nt_how how = {.disposition = FILE_OPEN, .options = FILE_OPEN_NO_RECALL};
    struct nt_file f;
    if (!nt_open(FILE_CWD, path, &how, &f))
        return NULL;
    char *text = path_text(nt_path(f.handle));
    CloseHandle(f.handle);
    return text;
}
