#include <errno.h>

#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"

enum { TICKS = 10000000 };                         /* in a second */
static const int64_t EPOCH = 116444736000000000LL; /* 1970 */

int64_t file_ns_of(int64_t time)
{
    int64_t ns;
    return time > 0 && !__builtin_mul_overflow(time - EPOCH, 100, &ns) ? ns : 0;
}

int64_t file_time_of(int64_t ns)
{
    return ns / 100 + EPOCH;
}

enum file_type file_type_of(DWORD attributes, DWORD tag)
{
    switch (tag) {
    case 0:
        break;
    case 0x80000023: /* IO_REPARSE_TAG_AF_UNIX */
        return FILE_SOCKET;
    case 0x80000024: /* IO_REPARSE_TAG_LX_FIFO and devices */
    case 0x80000025:
    case 0x80000026:
    case 0x8000001B: /* IO_REPARSE_TAG_APPEXECLINK */
        return FILE_ODD;
    default:
        if (nt_is_link(tag))
            return FILE_SYMLINK;
    }
    return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FILE_FOLDER : FILE_REGULAR;
}

/* OneDrive and its kin set RECALL_ON_DATA_ACCESS, archives and older ones OFFLINE. */
bool file_is_placeholder(DWORD attributes)
{
    enum { RECALL_ON_OPEN = 0x40000, RECALL_ON_DATA_ACCESS = 0x400000 };
    return (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0 &&
           (attributes &
            (FILE_ATTRIBUTE_OFFLINE | RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS)) != 0;
}

/* There are no modes: whoever runs this may use the file, or only read it. */
static unsigned mode_of(DWORD attributes)
{
    bool is_folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    bool fixed = !is_folder && (attributes & FILE_ATTRIBUTE_READONLY) != 0;
    return is_folder ? 0700 : fixed ? 0400 : 0600;
}

/* ReFS has numbers of 128 bits, of which the upper half is usually 0. */
static bool read_identity(HANDLE handle, struct file_stat *out)
{
    FILE_ID_INFO id;
    BY_HANDLE_FILE_INFORMATION old;
    uint64_t halves[2];
    if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof(id))) {
        memcpy(halves, &id.FileId, sizeof(halves));
        out->inode = halves[0] ^ halves[1] * 0x9E3779B97F4A7C15u;
        out->device = id.VolumeSerialNumber;
        return true;
    }
    if (!GetFileInformationByHandle(handle, &old))
        return failure();
    out->inode = (uint64_t)old.nFileIndexHigh << 32 | old.nFileIndexLow;
    out->device = old.dwVolumeSerialNumber;
    return true;
}

bool file_stat_of(const struct nt_file *f, struct file_stat *out)
{
    FILE_BASIC_INFO basic;
    FILE_STANDARD_INFO standard;
    if (!GetFileInformationByHandleEx(f->handle, FileBasicInfo, &basic, sizeof(basic)) ||
        !GetFileInformationByHandleEx(f->handle, FileStandardInfo, &standard,
                                      sizeof(standard)))
        return failure();
    int64_t modified = basic.LastWriteTime.QuadPart, changed = basic.ChangeTime.QuadPart;
    *out = (struct file_stat){
        .type = file_type_of(basic.FileAttributes, f->tag),
        .mode = mode_of(basic.FileAttributes),
        .size = standard.EndOfFile.QuadPart,
        .mtime = (modified - EPOCH) / TICKS,
        .modified_ns = file_ns_of(modified),
        .changed_ns = file_ns_of(changed != 0 ? changed : modified), /* FAT has none */
        /* Wine's is the older of two other times, which change. */
        .born_ns = VAULTD_WINE ? 0 : file_ns_of(basic.CreationTime.QuadPart),
        .names = standard.DeletePending ? 0 : standard.NumberOfLinks,
        .in_cloud = file_is_placeholder(basic.FileAttributes),
    };
    return read_identity(f->handle, out);
}

/* What has no name in a file system. */
static bool stat_stream(enum fd_kind kind, struct file_stat *out)
{
    *out = (struct file_stat){.type = kind == FD_PIPE     ? FILE_PIPE
                                      : kind == FD_SOCKET ? FILE_SOCKET
                                                          : FILE_ODD,
                              .mode = 0600};
    return true;
}

bool file_stat(int fd, struct file_stat *out)
{
    const struct fd *f = fd_find(fd);
    if (f == NULL)
        return false;
    if (f->kind != FD_FILE && f->kind != FD_FOLDER)
        return stat_stream(f->kind, out);
    return file_stat_of(&(struct nt_file){.handle = f->handle}, out);
}

bool file_stat_at(int dir, const char *path, enum file_end end, struct file_stat *out)
{
    const struct nt_how how = {.disposition = FILE_OPEN,
                               .options = end == FILE_NO_LINK ? FILE_OPEN_REPARSE_POINT |
                                                                    FILE_OPEN_NO_RECALL
                                                              : 0};
    struct nt_file f;
    if (!nt_open(dir, path, &how, &f))
        return false;
    bool ok = file_stat_of(&f, out);
    CloseHandle(f.handle);
    return ok;
}

bool file_is_same(const struct file_stat *a, const struct file_stat *b)
{
    return a->inode == b->inode && a->device == b->device;
}

bool file_exists(const char *path)
{
    struct file_stat st;
    return file_stat_at(FILE_CWD, path, FILE_FOLLOW, &st);
}

bool file_is_read_only(int fd)
{
    const struct fd *f = fd_find(fd);
    DWORD flags = 0;
    return f != NULL &&
           GetVolumeInformationByHandleW(f->handle, NULL, 0, NULL, NULL, &flags, NULL,
                                         0) &&
           (flags & FILE_READ_ONLY_VOLUME) != 0;
}

bool file_allows(int dir, const char *path, unsigned rights)
{
    const struct nt_how how = {
        .access = ((rights & FILE_MAY_READ) != 0 ? FILE_READ_DATA : 0) |
                  ((rights & FILE_MAY_WRITE) != 0 ? FILE_WRITE_DATA : 0) |
                  ((rights & FILE_MAY_RUN) != 0 ? FILE_EXECUTE : 0),
        .disposition = FILE_OPEN,
        .options = FILE_OPEN_NO_RECALL};
    struct nt_file f;
    if (!nt_open(dir, path, &how, &f))
        return false;
    CloseHandle(f.handle);
    return true;
}
