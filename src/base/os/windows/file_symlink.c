#include <errno.h>
#include <stddef.h>
#include <winioctl.h>

#include "base/arena.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/wide.h"

enum { REPARSE_BYTES = 16 << 10 }; /* as many as the system allows */

/* REPARSE_DATA_BUFFER of symlinks and junctions. */
struct reparse {
    ULONG tag;
    USHORT size, reserved;
    USHORT target_at, target_size, shown_at, shown_size; /* bytes, from names on */
};

/* Where a junction leads is absolute, and so is a symlink without the last flag. */
static const char *target_text(const struct reparse *r)
{
    bool symlink = r->tag == IO_REPARSE_TAG_SYMLINK;
    const char *names = (const char *)(r + 1) + (symlink ? sizeof(ULONG) : 0);
    return names + r->target_at;
}

/* "\??\C:\x" as "C:/x", which is absolute, and "..\x" as "../x". */
static bool print_target(const struct reparse *r, char *out, size_t size, str *target)
{
    size_t n = r->target_size / sizeof(wchar_t);
    wchar_t *wide = mem_alloc((n + 1) * sizeof(wchar_t));
    memcpy(wide, target_text(r), n * sizeof(wchar_t));
    wide[n] = L'\0';
    size_t cut = wcsncmp(wide, L"\\??\\", 4) == 0 ? 4 : 0;
    char *text = wide_text(wide + cut, n - cut);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\\' ? '/' : *c;
    size_t bytes = strlen(text);
    *target = (str){out, bytes < size ? bytes : size};
    memcpy(out, text, target->n);
    free(text);
    free(wide);
    return true;
}

bool file_read_symlink(int dir, const char *path, char *out, size_t size, str *target)
{
    const struct nt_how how = {.disposition = FILE_OPEN,
                               .options = FILE_OPEN_REPARSE_POINT};
    struct nt_file f;
    DWORD got = 0;
    if (!nt_open(dir, path, &how, &f))
        return false;
    struct reparse *r = mem_zero(REPARSE_BYTES);
    bool is_link = f.tag == IO_REPARSE_TAG_SYMLINK || f.tag == IO_REPARSE_TAG_MOUNT_POINT;
    bool ok = is_link && DeviceIoControl(f.handle, FSCTL_GET_REPARSE_POINT, NULL, 0, r,
                                         REPARSE_BYTES, &got, NULL);
    if (ok)
        ok = print_target(r, out, size, target);
    else
        errno = is_link ? failure_number(GetLastError()) : EINVAL;
    CloseHandle(f.handle);
    free(r);
    return ok;
}

/* Windows wants to know whether a link is one to a folder. */
static bool leads_to_folder(wchar_t *home, const char *target)
{
    char *text = wide_text(home, wcslen(home));
    struct file_stat st;
    size_t n = strlen(text), more = strlen(target);
    bool rooted = target[0] == '/' || (target[0] != '\0' && target[1] == ':');
    char *whole = mem_alloc(n + more + 2);
    memcpy(whole, text, n);
    whole[n] = '/';
    memcpy(whole + n + 1, target, more + 1);
    bool folder = file_stat_at(FILE_CWD, rooted ? target : whole, FILE_FOLLOW, &st) &&
                  st.type == FILE_FOLDER;
    free(whole);
    free(text);
    return folder;
}

/* The path of a name in an open folder, or of a path. */
static wchar_t *whole_path(const wchar_t *home, const wchar_t *name)
{
    size_t n = wcslen(home), more = wcslen(name);
    wchar_t *path = mem_alloc((n + more + 2) * sizeof(wchar_t));
    wmemcpy(path, home, n);
    path[n] = L'\\';
    wmemcpy(path + n + 1, name, more + 1);
    return path;
}

static wchar_t *symlink_home(int dir)
{
    const struct fd *f = dir == FILE_CWD ? NULL : fd_find(dir);
    if (dir != FILE_CWD)
        return f != NULL ? nt_path(f->handle) : NULL;
    DWORD n = GetCurrentDirectoryW(0, NULL);
    wchar_t *home = mem_alloc(((size_t)n + 1) * sizeof(wchar_t));
    GetCurrentDirectoryW(n + 1, home);
    return home;
}

/* Without Developer Mode, only administrators may make links. */
bool file_make_symlink(const char *target, int dir, const char *path)
{
    enum { FOLDER = 1, UNPRIVILEGED = 2 };
    struct nt_name name;
    if (!nt_name(dir, path, &name))
        return false;
    nt_name_free(&name);
    wchar_t *home = symlink_home(dir), *wide = wide_of(str_c(path)),
            *to = wide_of(str_c(target));
    bool ok = home != NULL && wide != NULL && to != NULL;
    bool rooted = ok && (wide[0] == L'/' || wide[1] == L':');
    wchar_t *whole = ok && !rooted ? whole_path(home, wide) : NULL;
    for (wchar_t *c = to; ok && *c != L'\0'; c++)
        *c = *c == L'/' ? L'\\' : *c;
    if (ok)
        ok = CreateSymbolicLinkW(rooted ? wide : whole, to,
                                 UNPRIVILEGED |
                                     (leads_to_folder(home, target) ? FOLDER : 0)) ||
             failure();
    free(home);
    free(wide);
    free(to);
    free(whole);
    return ok;
}
