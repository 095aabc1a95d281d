#include <errno.h>

#include "base/arena.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"

enum {
    STREAMS_BYTES = 16 << 10, /* of the list of streams */
    STREAM_MAX = 64 << 10,    /* a larger one is left behind */
    ALIKE = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_ARCHIVE |
            FILE_ATTRIBUTE_NOT_CONTENT_INDEXED,
};

/* Times and attributes that are 0 stay as they are. */
static bool set_basic(HANDLE handle, FILE_BASIC_INFO *info)
{
    HANDLE writer = nt_reopen(handle, FILE_WRITE_ATTRIBUTES, 0);
    if (writer == NULL)
        return false;
    bool ok = SetFileInformationByHandle(writer, FileBasicInfo, info, sizeof(*info)) ||
              failure();
    CloseHandle(writer);
    return ok;
}

static DWORD get_attributes(HANDLE handle)
{
    FILE_BASIC_INFO info = {0};
    GetFileInformationByHandleEx(handle, FileBasicInfo, &info, sizeof(info));
    return info.FileAttributes;
}

static bool set_attributes_of(HANDLE handle, DWORD attributes)
{
    FILE_BASIC_INFO info = {.FileAttributes =
                                attributes != 0 ? attributes : FILE_ATTRIBUTE_NORMAL};
    return set_basic(handle, &info);
}

/* Only whether it may be written to. What may not be is flushed while that is possible. */
bool file_set_mode(int fd, unsigned mode)
{
    const struct fd *f = fd_find(fd);
    if (f == NULL)
        return false;
    DWORD now = get_attributes(f->handle);
    bool fixed = (mode & 0200) == 0;
    if (fixed == ((now & FILE_ATTRIBUTE_READONLY) != 0) || f->kind != FD_FILE)
        return true;
    if (fixed)
        FlushFileBuffers(f->handle);
    return set_attributes_of(f->handle, now ^ FILE_ATTRIBUTE_READONLY);
}

/* A file belongs to whoever made it; others need a privilege to change that. */
void file_set_owner(int fd, const struct file_stat *like)
{
    (void)fd, (void)like;
}

void file_set_born(int fd, const struct file_stat *like)
{
    const struct fd *f = fd_find(fd);
    FILE_BASIC_INFO info = {.CreationTime.QuadPart = file_time_of(like->born_ns)};
    if (f != NULL && like->born_ns > 0)
        (void)!set_basic(f->handle, &info);
}

/* --- who may use it --- */

static void copy_access(HANDLE from, HANDLE to)
{
    PACL list = NULL;
    PSECURITY_DESCRIPTOR rules = NULL;
    SECURITY_DESCRIPTOR_CONTROL control;
    DWORD revision;
    if (GetSecurityInfo(from, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL,
                        &list, NULL, &rules) != ERROR_SUCCESS)
        return;
    bool own = GetSecurityDescriptorControl(rules, &control, &revision) &&
               (control & SE_DACL_PROTECTED) != 0;
    SetSecurityInfo(to, SE_FILE_OBJECT,
                    DACL_SECURITY_INFORMATION |
                        (own ? PROTECTED_DACL_SECURITY_INFORMATION
                             : UNPROTECTED_DACL_SECURITY_INFORMATION),
                    NULL, NULL, list, NULL);
    LocalFree(rules);
}

/* --- streams, such as the mark of a download --- */

static HANDLE open_stream(HANDLE file, wchar_t *name, USHORT bytes, ACCESS_MASK access,
                          ULONG disposition)
{
    UNICODE_STRING text = {.Buffer = name, .Length = bytes, .MaximumLength = bytes};
    OBJECT_ATTRIBUTES object;
    IO_STATUS_BLOCK io;
    HANDLE out = NULL;
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE, file, NULL);
    return NtCreateFile(&out, access | SYNCHRONIZE, &object, &io, NULL, 0, NT_SHARE_ALL,
                        disposition, FILE_SYNCHRONOUS_IO_NONALERT, NULL, 0) == NT_OK
               ? out
               : NULL;
}

static void copy_stream(HANDLE from, HANDLE to, FILE_STREAM_INFO *stream)
{
    USHORT size = (USHORT)stream->StreamNameLength;
    DWORD got = 0, put;
    char *bytes = mem_alloc(STREAM_MAX);
    HANDLE in = open_stream(from, stream->StreamName, size, FILE_READ_DATA, FILE_OPEN);
    HANDLE out = in != NULL ? open_stream(to, stream->StreamName, size, FILE_WRITE_DATA,
                                          FILE_OVERWRITE_IF)
                            : NULL;
    if (out != NULL && ReadFile(in, bytes, STREAM_MAX, &got, NULL))
        WriteFile(out, bytes, got, &put, NULL);
    if (in != NULL)
        CloseHandle(in);
    if (out != NULL)
        CloseHandle(out);
    free(bytes);
}

static bool is_main_stream(const FILE_STREAM_INFO *stream)
{
    return stream->StreamNameLength == 7 * sizeof(wchar_t) &&
           wmemcmp(stream->StreamName, L"::$DATA", 7) == 0;
}

static void copy_streams(HANDLE from, HANDLE to)
{
    char *list = mem_alloc(STREAMS_BYTES), *at = list;
    bool any = GetFileInformationByHandleEx(from, FileStreamInfo, list, STREAMS_BYTES);
    while (any) {
        FILE_STREAM_INFO *stream = (FILE_STREAM_INFO *)(void *)at;
        if (!is_main_stream(stream) && stream->StreamSize.QuadPart <= STREAM_MAX)
            copy_stream(from, to, stream);
        any = stream->NextEntryOffset != 0;
        at += stream->NextEntryOffset;
    }
    free(list);
}

void file_copy_attributes(int from, int to)
{
    const struct fd *a = fd_find(from), *b = fd_find(to);
    if (a == NULL || b == NULL)
        return;
    copy_access(a->handle, b->handle);
    copy_streams(a->handle, b->handle);
    DWORD attributes = get_attributes(a->handle) & ALIKE;
    (void)!set_attributes_of(b->handle, attributes);
}
