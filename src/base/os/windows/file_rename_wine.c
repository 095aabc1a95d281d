#include "base/os/windows/file_rename_wine.h"

#if VAULTD_WINE
#include <stdio.h>
#include <stdlib.h>

#include "base/os/rand.h"
#include "base/os/windows/failure.h"

enum { RENAME_OLD = 10, ASIDE_UNITS = 40 };

struct wine_name {
    BOOLEAN replace;
    HANDLE root;
    ULONG size;
    wchar_t name[1024];
};

static NTSTATUS wine_rename(HANDLE file, HANDLE root, const wchar_t *name, size_t units)
{
    struct wine_name c = {.root = root, .size = (ULONG)(units * sizeof(wchar_t))};
    IO_STATUS_BLOCK io;
    wmemcpy(c.name, name, units);
    return NtSetInformationFile(file, &io, &c, sizeof(c),
                                (FILE_INFORMATION_CLASS)RENAME_OLD);
}

static NTSTATUS wine_open(const struct nt_name *name, HANDLE *out)
{
    OBJECT_ATTRIBUTES object;
    IO_STATUS_BLOCK io;
    UNICODE_STRING text = name->text;
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE, name->root, NULL);
    return NtCreateFile(out, NT_DELETE | FILE_READ_ATTRIBUTES | SYNCHRONIZE, &object, &io,
                        NULL, 0, NT_SHARE_ALL, FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT,
                        NULL, 0);
}

/* A name beside the other one, which nobody has. */
static size_t wine_aside(const struct nt_name *to, wchar_t *out)
{
    size_t n = to->text.Length / sizeof(wchar_t);
    unsigned long long random;
    rand_bytes(&random, sizeof(random));
    while (n > 0 && to->text.Buffer[n - 1] != L'\\')
        n--;
    wmemcpy(out, to->text.Buffer, n);
    return n + (size_t)swprintf(out + n, ASIDE_UNITS, L".wine-%llx", random);
}

/* Whether it is listed with exactly that name. */
static bool wine_is_spelled(HANDLE file, const struct nt_name *to)
{
    wchar_t *path = nt_path(file);
    size_t n = to->text.Length / sizeof(wchar_t), at = n;
    while (at > 0 && to->text.Buffer[at - 1] != L'\\')
        at--;
    size_t all = path != NULL ? wcslen(path) : 0;
    bool same =
        all > n - at && wmemcmp(path + all - (n - at), to->text.Buffer + at, n - at) == 0;
    free(path);
    return same || all == 0;
}

/* Another case of its own name: by way of a third one. */
static NTSTATUS wine_respell(HANDLE file, const struct nt_name *to)
{
    wchar_t aside[1024];
    size_t n = wine_aside(to, aside);
    NTSTATUS status = wine_rename(file, to->root, aside, n);
    return status != NT_OK ? status
                           : wine_rename(file, to->root, to->text.Buffer,
                                         to->text.Length / sizeof(wchar_t));
}

/* The old file gets another name, and is removed when its readers close it. */
static NTSTATUS wine_replace(HANDLE file, HANDLE old, const struct nt_name *to)
{
    wchar_t aside[1024];
    BOOLEAN remove = TRUE;
    IO_STATUS_BLOCK io;
    size_t n = wine_aside(to, aside);
    NTSTATUS status = wine_rename(old, to->root, aside, n);
    if (status == NT_OK)
        status = wine_rename(file, to->root, to->text.Buffer,
                             to->text.Length / sizeof(wchar_t));
    if (status == NT_OK)
        NtSetInformationFile(old, &io, &remove, sizeof(remove),
                             (FILE_INFORMATION_CLASS)13);
    return status;
}

NTSTATUS file_rename_wine(HANDLE file, const struct nt_name *to, enum file_rename how,
                          NTSTATUS status)
{
    HANDLE there;
    bool refused = status == NT_ACCESS_DENIED && how == FILE_REPLACE;
    if (status == NT_OK && !wine_is_spelled(file, to))
        return wine_respell(file, to);
    if (!refused || wine_open(to, &there) != NT_OK)
        return status;
    struct file_stat st;
    bool is_folder =
        file_stat_of(&(struct nt_file){.handle = there}, &st) && st.type == FILE_FOLDER;
    if (!is_folder)
        status = wine_replace(file, there, to);
    CloseHandle(there);
    return status;
}

/* Into the folder above, so that its own can be removed while it is open elsewhere. */
void file_remove_wine(HANDLE file)
{
    wchar_t aside[1024], *path = nt_path(file);
    unsigned long long random;
    size_t n = path != NULL ? wcslen(path) : 0;
    rand_bytes(&random, sizeof(random));
    for (int slashes = 0; n > 0 && slashes < 2;)
        slashes += path[--n] == L'\\';
    if (n > 0 && n < 900) {
        n = (size_t)swprintf(aside, 1024, L"\\??\\%.*ls\\.wine-%llx", (int)n, path,
                             random);
        (void)wine_rename(file, NULL, aside, n);
    }
    free(path);
}
#endif
