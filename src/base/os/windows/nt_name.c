#include "base/os/windows/nt_name.h"

#include <errno.h>

#include "base/arena.h"
#include "base/os/file.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/wide.h"

enum { NAME_UNITS = 255, SHORT_UNITS = 12 }; /* of UTF-16 in a name, and in 8.3 */

/* --- one name --- */

static bool name_equals(const wchar_t *a, size_t n, const wchar_t *b)
{
    return n == wcslen(b) &&
           CompareStringOrdinal(a, (int)n, b, (int)n, TRUE) == CSTR_EQUAL;
}

/* Devices have their names in every folder, with any extension. */
static bool name_is_device(const wchar_t *name, size_t n)
{
    static const wchar_t *const devices[] = {L"CON", L"PRN",    L"AUX",
                                             L"NUL", L"CONIN$", L"CONOUT$"};
    static const wchar_t digits[] = L"0123456789\u00b9\u00b2\u00b3";
    size_t base = 0;
    while (base < n && name[base] != L'.')
        base++;
    while (base > 0 && name[base - 1] == L' ')
        base--;
    for (size_t i = 0; i < COUNT_OF(devices); i++)
        if (name_equals(name, base, devices[i]))
            return true;
    return base == 4 && wcschr(digits, name[3]) != NULL &&
           (name_equals(name, 3, L"COM") || name_equals(name, 3, L"LPT"));
}

static bool name_is_usual(const wchar_t *name, size_t n)
{
    if (n == 0 || n > NAME_UNITS || name[n - 1] == L'.' || name[n - 1] == L' ')
        return false;
    for (size_t i = 0; i < n; i++)
        if (name[i] < L' ' || wcschr(L"\"*/:<>?\\|", name[i]) != NULL)
            return false;
    return !name_is_device(name, n);
}

static bool name_looks_short(const wchar_t *name, size_t n)
{
    for (size_t i = 0; n <= SHORT_UNITS && i + 1 < n; i++)
        if (name[i] == L'~' && name[i + 1] >= L'0' && name[i + 1] <= L'9')
            return true;
    return false;
}

static bool name_is_dots(const wchar_t *name, size_t n)
{
    return n > 0 && n <= 2 && name[0] == L'.' && name[n - 1] == L'.';
}

static bool no_such_name(void)
{
    errno = ENOENT;
    return false;
}

/* One that is too long is an error of its own. */
static bool name_is_refused(size_t n)
{
    errno = n > NAME_UNITS ? ENAMETOOLONG : ENOENT;
    return false;
}

/* --- below a folder --- */

/* The names of path, with '\' between them, in out; "." is left out. No name leads out of the
 * folder: not "..", no drive, no slash at the beginning. */
static bool name_join(const wchar_t *path, struct nt_name *out)
{
    size_t at = 0;
    if (path[0] == L'/')
        return no_such_name();
    for (size_t n; *path != L'\0'; path += n + (path[n] != L'\0')) {
        n = wcscspn(path, L"/");
        if (n == 0 || (n == 1 && path[0] == L'.'))
            continue;
        if (!name_is_usual(path, n))
            return name_is_refused(n);
        out->looks_short |= name_looks_short(path, n);
        if (at > 0)
            out->below[at++] = L'\\';
        wmemcpy(out->below + at, path, n);
        at += n;
    }
    out->text = (UNICODE_STRING){.Buffer = out->below,
                                 .Length = (USHORT)(at * sizeof(wchar_t)),
                                 .MaximumLength = (USHORT)(at * sizeof(wchar_t))};
    return true;
}

static bool name_below(int dir, const wchar_t *path, size_t n, struct nt_name *out)
{
    const struct fd *folder = fd_find(dir);
    if (folder == NULL)
        return false;
    if (folder->kind != FD_FOLDER) {
        errno = ENOTDIR;
        return false;
    }
    *out = (struct nt_name){.root = folder->handle,
                            .below = mem_alloc((n + 1) * sizeof(wchar_t))};
    if (name_join(path, out))
        return true;
    nt_name_free(out);
    return false;
}

/* --- paths of the machine --- */

static bool name_is_letter(wchar_t c)
{
    return (c >= L'A' && c <= L'Z') || (c >= L'a' && c <= L'z');
}

static bool name_is_slash(wchar_t c)
{
    return c == L'/' || c == L'\\';
}

/* How much of a path is "C:", "\\?\C:" or the "\\" of a server. */
static size_t name_prefix(const wchar_t *path)
{
    size_t at = wcsncmp(path, L"\\\\?\\", 4) == 0 ? 4 : 0;
    if (name_is_letter(path[at]) && path[at + 1] == L':')
        return at + 2;
    return at == 0 && name_is_slash(path[0]) && name_is_slash(path[1]) ? 2 : 0;
}

static bool name_all_usual(const wchar_t *path)
{
    path += name_prefix(path);
    for (size_t n; *path != L'\0'; path += n + (path[n] != L'\0')) {
        n = wcscspn(path, L"/\\");
        if (n > 0 && !name_is_dots(path, n) && !name_is_usual(path, n))
            return name_is_refused(n);
    }
    return true;
}

/* ".." goes up by the letters of the path, as everywhere on Windows. */
static bool name_of_machine(wchar_t *path, struct nt_name *out)
{
    *out = (struct nt_name){0};
    for (wchar_t *c = path; *c != L'\0'; c++)
        if (*c == L'/')
            *c = L'\\';
    if (!name_all_usual(path))
        return false;
    return RtlDosPathNameToNtPathName_U(path, &out->text, NULL, NULL) || no_such_name();
}

bool nt_name(int dir, const char *path, struct nt_name *out)
{
    str text = str_c(path);
    wchar_t *wide = text.n > 0 ? wide_of(text) : NULL;
    if (wide == NULL)
        return no_such_name();
    bool ok = dir == FILE_CWD ? name_of_machine(wide, out)
                              : name_below(dir, wide, wcslen(wide), out);
    free(wide);
    return ok;
}

void nt_name_free(struct nt_name *name)
{
    if (name->below == NULL && name->text.Buffer != NULL)
        RtlFreeUnicodeString(&name->text);
    free(name->below);
}

/* --- what is open --- */

wchar_t *nt_path(HANDLE handle)
{
    DWORD size = GetFinalPathNameByHandleW(handle, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *path = mem_alloc(((size_t)size + 1) * sizeof(*path));
    DWORD n =
        size > 0 ? GetFinalPathNameByHandleW(handle, path, size + 1, FILE_NAME_NORMALIZED)
                 : 0;
    if (n == 0 || n > size) {
        free(path);
        failure();
        return NULL;
    }
    bool share = wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0;
    size_t cut = share ? 6 : wcsncmp(path, L"\\\\?\\", 4) == 0 ? 4 : 0;
    wmemmove(path, path + cut, n + 1 - cut);
    if (share)
        path[0] = L'\\';
    return path;
}

bool nt_name_is_whole(const struct nt_name *name, HANDLE handle)
{
    wchar_t *path = name->below != NULL ? nt_path(handle) : NULL;
    if (path == NULL)
        return true; /* a path of the machine, or a file system that does not say it */
    size_t n = name->text.Length / sizeof(wchar_t), all = wcslen(path);
    bool same = all > n && path[all - n - 1] == L'\\' &&
                CompareStringOrdinal(path + all - n, (int)n, name->below, (int)n, TRUE) ==
                    CSTR_EQUAL;
    free(path);
    return same;
}
