#include "base/os/folder.h"

#include <errno.h>

#include "base/arena.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/wide.h"

enum {
    LIST_BYTES = 64 << 10, /* of names, for one call */
    LIST_FULL = 2,         /* FileFullDirectoryInformation */
    RIGHTS = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES,
};

/* FILE_FULL_DIR_INFORMATION; more is the tag of a reparse point. */
struct listed {
    ULONG next, index;
    LARGE_INTEGER created, used, modified, changed, size, room;
    ULONG attributes, name_size, more;
    wchar_t name[];
};

struct listing {
    HANDLE handle;
    char *name;        /* that was returned last */
    struct listed *at; /* NULL: the next ones are to be read */
    uint64_t bytes[LIST_BYTES / sizeof(uint64_t)];
};

/* --- opening --- */

static int folder_open_as(int dir, const char *path, enum file_end end)
{
    const struct nt_how how = {
        .access = RIGHTS, .disposition = FILE_OPEN, .options = FILE_DIRECTORY_FILE};
    return file_open_as(dir, path, &how, end);
}

int folder_open(int dir, const char *path)
{
    return folder_open_as(dir, path, FILE_FOLLOW);
}

int folder_enter(int dir, const char *name)
{
    return folder_open_as(dir, name, FILE_NO_LINK);
}

bool folder_exists(const char *path)
{
    struct file_stat st;
    return file_stat_at(FILE_CWD, path, FILE_FOLLOW, &st) && st.type == FILE_FOLDER;
}

bool folder_make(int dir, const char *path, unsigned mode)
{
    const struct nt_how how = {.access = FILE_LIST_DIRECTORY,
                               .disposition = FILE_CREATE,
                               .options = FILE_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT,
                               .attributes = FILE_ATTRIBUTE_NORMAL,
                               .secret = mode != 0 && (mode & 077) == 0};
    struct nt_file f;
    if (!nt_open(dir, path, &how, &f))
        return false;
    CloseHandle(f.handle);
    return true;
}

bool folder_remove(int dir, const char *path)
{
    return file_remove_as(dir, path, true);
}

/* --- names --- */

struct folder_names folder_names_of(int fd)
{
    const struct fd *f = fd >= 0 ? fd_find(fd) : NULL;
    struct folder_names out = {.fd = fd, .error = f == NULL ? errno : 0};
    if (f != NULL && f->kind != FD_FOLDER) {
        out.error = ENOTDIR;
        file_close(fd);
    } else if (f != NULL) {
        struct listing *l = mem_alloc(sizeof(*l));
        l->handle = f->handle;
        l->name = NULL;
        l->at = NULL;
        out.os = l;
    }
    return out;
}

struct folder_names folder_names(int dir, const char *path)
{
    return folder_names_of(folder_open(dir, path));
}

static bool listing_read(struct listing *l, int *error)
{
    IO_STATUS_BLOCK io;
    NTSTATUS status =
        NtQueryDirectoryFile(l->handle, NULL, NULL, NULL, &io, l->bytes, sizeof(l->bytes),
                             (FILE_INFORMATION_CLASS)LIST_FULL, FALSE, NULL, FALSE);
    bool ended = status == NT_NO_MORE_FILES || status == NT_NO_SUCH_FILE;
    *error = status == NT_OK || ended ? 0 : failure_status(status);
    l->at = status == NT_OK ? (struct listed *)(void *)l->bytes : NULL;
    return status == NT_OK;
}

static bool listed_is_dots(const struct listed *e)
{
    size_t n = e->name_size / sizeof(wchar_t);
    return e->name[0] == L'.' && (n == 1 || (n == 2 && e->name[1] == L'.'));
}

/* The tag of a reparse point is known without a look at it. */
static enum file_type listed_type(const struct listed *e)
{
    bool special = (e->attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    return file_type_of(e->attributes, special ? e->more : 0);
}

const char *folder_next(struct folder_names *f)
{
    struct listing *l = f->os;
    const struct listed *e = NULL;
    while (l != NULL && e == NULL && (l->at != NULL || listing_read(l, &f->error))) {
        e = listed_is_dots(l->at) ? NULL : l->at;
        l->at = l->at->next != 0 ? (struct listed *)(void *)((char *)l->at + l->at->next)
                                 : NULL;
    }
    if (e == NULL)
        return NULL;
    free(l->name);
    l->name = wide_text(e->name, e->name_size / sizeof(wchar_t));
    f->type = listed_type(e);
    return l->name;
}

bool folder_end(struct folder_names *f)
{
    struct listing *l = f->os;
    if (l != NULL) {
        free(l->name);
        free(l);
        file_close(f->fd);
    }
    f->os = NULL;
    errno = f->error;
    return f->error == 0;
}

enum file_type folder_type(const struct folder_names *f, const char *name)
{
    (void)name;
    return f->type;
}
