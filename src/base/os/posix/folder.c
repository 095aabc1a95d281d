#include "base/os/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/posix/at.h"

int folder_open(int dir, const char *path)
{
    return openat(at(dir), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool folder_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool folder_make(int dir, const char *path, unsigned mode)
{
    if (mkdirat(at(dir), path, mode != 0 ? mode & 0777 : 0777) != 0)
        return false;
    if (mode != 0) /* mkdir() applies the umask */
        (void)!fchmodat(at(dir), path, mode & 07777, AT_SYMLINK_NOFOLLOW);
    return true;
}

bool folder_remove(int dir, const char *path)
{
    return unlinkat(at(dir), path, AT_REMOVEDIR) == 0;
}

struct folder_names folder_names_of(int fd)
{
    struct folder_names f = {.fd = fd, .os = fd >= 0 ? fdopendir(fd) : NULL};
    f.error = f.os == NULL ? errno : 0;
    if (f.os == NULL)
        file_close(fd);
    return f;
}

struct folder_names folder_names(int dir, const char *path)
{
    return folder_names_of(folder_open(dir, path));
}

static enum file_type folder_type_of(const struct dirent *d)
{
    switch (d->d_type) {
    case DT_REG:
        return FILE_REGULAR;
    case DT_DIR:
        return FILE_FOLDER;
    case DT_LNK:
        return FILE_SYMLINK;
    case DT_FIFO:
        return FILE_PIPE;
    case DT_SOCK:
        return FILE_SOCKET;
    case DT_UNKNOWN:
        return FILE_UNSEEN;
    default:
        return FILE_ODD;
    }
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

const char *folder_next(struct folder_names *f)
{
    const struct dirent *d = NULL;
    do
        d = f->os != NULL ? (errno = 0, readdir(f->os)) : NULL;
    while (d != NULL && is_dots(d->d_name));
    if (d == NULL) {
        f->error = f->os != NULL ? errno : f->error;
        return NULL;
    }
    f->type = folder_type_of(d);
    return d->d_name;
}

bool folder_end(struct folder_names *f)
{
    if (f->os != NULL)
        closedir(f->os);
    f->os = NULL;
    errno = f->error;
    return f->error == 0;
}

enum file_type folder_type(const struct folder_names *f, const char *name)
{
    struct file_stat st;
    if (f->type != FILE_UNSEEN)
        return f->type;
    return file_stat_at(f->fd, name, FILE_NO_LINK, &st) ? st.type : FILE_UNSEEN;
}
