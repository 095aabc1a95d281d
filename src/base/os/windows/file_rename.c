/*
 * Names change as on POSIX where the file system can do that (NTFS since Windows 10): a file
 * that is open elsewhere can be replaced and removed, and its readers keep it. Others have
 * the older calls. What another program prevents for a moment is tried again.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/file_rename_wine.h"

/* Classes and flags that not every winternl.h has. */
enum {
    RENAME_OLD = 10,
    LINK_OLD = 11,
    REMOVE_OLD = 13,
    REMOVE_POSIX = 64,
    RENAME_POSIX = 65,
    FLAG_REPLACE = 1,
    FLAG_POSIX = 2,
    FLAG_READ_ONLY_TOO = 0x40,
    FLAGS_REMOVE = 0x13, /* the name at once, also of a read-only file */
};

/* FILE_RENAME_INFORMATION and FILE_LINK_INFORMATION. */
struct name_change {
    ULONG flags; /* of the older call: a BOOLEAN */
    HANDLE root;
    ULONG size;
    wchar_t name[];
};

static NTSTATUS set_name(HANDLE file, const struct nt_name *to, ULONG flags, int call)
{
    size_t bytes = sizeof(struct name_change) + to->text.Length; /* no less than that */
    struct name_change *c = mem_zero(bytes);
    IO_STATUS_BLOCK io;
    c->flags = flags;
    c->root = to->root;
    c->size = to->text.Length;
    memcpy(c->name, to->text.Buffer, to->text.Length);
    NTSTATUS status =
        NtSetInformationFile(file, &io, c, (ULONG)bytes, (FILE_INFORMATION_CLASS)call);
    free(c);
    return status;
}

static bool is_unknown(NTSTATUS status)
{
    return status == NT_NOT_IMPLEMENTED || status == NT_INVALID_INFO_CLASS ||
           status == NT_NOT_SUPPORTED || status == NT_INVALID_PARAMETER;
}

/* A scanner or an indexer has it open, or shows its pages. */
static bool is_passing(NTSTATUS status)
{
    return status == NT_SHARING_VIOLATION || status == NT_USER_MAPPED_FILE ||
           status == NT_ACCESS_DENIED || status == NT_CANNOT_DELETE;
}

static NTSTATUS rename_once(HANDLE file, const struct nt_name *to, bool replace)
{
    ULONG flags = FLAG_POSIX | FLAG_READ_ONLY_TOO | (replace ? FLAG_REPLACE : 0);
    NTSTATUS status = set_name(file, to, flags, RENAME_POSIX);
    if (is_unknown(status))
        status = set_name(file, to, replace ? 1 : 0, RENAME_OLD);
    return status;
}

/* Opens a name to change it: the link itself, if it is one. */
static bool open_to_change(int dir, const char *path, struct nt_file *out)
{
    const struct nt_how how = {.access = NT_DELETE,
                               .disposition = FILE_OPEN,
                               .options =
                                   FILE_OPEN_REPARSE_POINT | FILE_OPEN_FOR_BACKUP_INTENT};
    return nt_open(dir, path, &how, out);
}

/* Not to be tried again: what is in the way is a folder, or the new name is inside of it. */
static bool is_in_the_way(int to_dir, const char *to, const struct nt_file *from)
{
    struct file_stat there;
    bool moves_folder = (from->attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (!file_stat_at(to_dir, to, FILE_NO_LINK, &there) || there.type != FILE_FOLDER)
        return false;
    errno = moves_folder ? ENOTEMPTY : EISDIR;
    return true;
}

/* Also by two handles of the folder. */
static bool is_itself(int from_dir, const char *from, int to_dir, const char *to)
{
    struct file_stat a, b;
    return strcmp(from, to) == 0 &&
           (from_dir == to_dir ||
            (file_stat(from_dir, &a) && file_stat(to_dir, &b) && file_is_same(&a, &b)));
}

bool file_rename(int from_dir, const char *from, int to_dir, const char *to,
                 enum file_rename how)
{
    struct nt_patience patience = NT_PATIENCE(NT_NAME_MS);
    struct nt_name name;
    struct nt_file file;
    NTSTATUS status;
    if (how == FILE_EXCHANGE ||
        (how == FILE_NOREPLACE && is_itself(from_dir, from, to_dir, to))) {
        errno = how == FILE_EXCHANGE ? ENOTSUP : EEXIST; /* Windows would do nothing */
        return false;
    }
    if (!nt_name(to_dir, to, &name))
        return false;
    if (!open_to_change(from_dir, from, &file)) {
        nt_name_free(&name);
        return false;
    }
    bool stuck = false;
    do {
        status = rename_once(file.handle, &name, how == FILE_REPLACE);
        if (VAULTD_WINE)
            status = file_rename_wine(file.handle, &name, how, status);
        stuck = is_passing(status) && is_in_the_way(to_dir, to, &file);
    } while (is_passing(status) && !stuck && nt_wait(&patience));
    CloseHandle(file.handle);
    nt_name_free(&name);
    return !stuck && (status == NT_OK || failure_of(status));
}

bool file_add_name(int dir, const char *name, const char *added)
{
    struct nt_name to;
    struct nt_file file;
    const struct nt_how how = {.access = FILE_WRITE_ATTRIBUTES,
                               .disposition = FILE_OPEN,
                               .options = FILE_OPEN_REPARSE_POINT};
    if (!nt_name(dir, added, &to))
        return false;
    bool ok = nt_open(dir, name, &how, &file);
    if (ok) {
        NTSTATUS status = set_name(file.handle, &to, 0, LINK_OLD);
        CloseHandle(file.handle);
        ok = status == NT_OK || failure_of(status);
    }
    nt_name_free(&to);
    return ok;
}

/* --- removing --- */

/* The older call does not remove what is read-only, and the name stays while it is open. */
static NTSTATUS remove_old(HANDLE file)
{
    IO_STATUS_BLOCK io;
    BOOLEAN remove = TRUE;
    NTSTATUS status = NtSetInformationFile(file, &io, &remove, sizeof(remove),
                                           (FILE_INFORMATION_CLASS)REMOVE_OLD);
    HANDLE writer = status == NT_CANNOT_DELETE
                        ? nt_reopen(file, FILE_WRITE_ATTRIBUTES, FILE_OPEN_REPARSE_POINT)
                        : NULL;
    if (writer == NULL)
        return status;
    FILE_BASIC_INFO usual = {.FileAttributes = FILE_ATTRIBUTE_NORMAL};
    SetFileInformationByHandle(writer, FileBasicInfo, &usual, sizeof(usual));
    CloseHandle(writer);
    return NtSetInformationFile(file, &io, &remove, sizeof(remove),
                                (FILE_INFORMATION_CLASS)REMOVE_OLD);
}

static NTSTATUS remove_once(HANDLE file)
{
    IO_STATUS_BLOCK io;
    ULONG flags = FLAGS_REMOVE;
    NTSTATUS status = NtSetInformationFile(file, &io, &flags, sizeof(flags),
                                           (FILE_INFORMATION_CLASS)REMOVE_POSIX);
    return is_unknown(status) ? remove_old(file) : status;
}

bool file_remove_as(int dir, const char *path, bool folder)
{
    struct nt_patience patience = NT_PATIENCE(NT_NAME_MS);
    struct nt_file f;
    NTSTATUS status;
    if (!open_to_change(dir, path, &f))
        return false;
    bool is_folder = file_type_of(f.attributes, f.tag) == FILE_FOLDER;
    if (is_folder != folder) {
        CloseHandle(f.handle);
        errno = folder ? ENOTDIR : EISDIR;
        return false;
    }
    if (VAULTD_WINE && !folder)
        file_remove_wine(f.handle);
    do
        status = remove_once(f.handle);
    while (is_passing(status) && nt_wait(&patience));
    CloseHandle(f.handle);
    return status == NT_OK || failure_of(status);
}

bool file_remove(int dir, const char *path)
{
    return file_remove_as(dir, path, false);
}
