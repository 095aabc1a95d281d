/*
 * One name after the other, each in the folder that is open, and none through a link: what
 * fs_walk.h does, with one call for each name. OBJ_DONT_REPARSE would do it at once, but also
 * refuses the placeholders of clouds.
 */
#include <errno.h>

#include "base/os/folder.h"
#include "base/os/windows/file_parts.h"

enum { BENEATH_MAX = 4096 }; /* bytes of a path */

static bool beneath_fail(int number)
{
    errno = number;
    return false;
}

/* Enter the folders of path, and cut them off: what is left is its last name. */
static bool beneath_enter(int root, char **path, int *dir)
{
    *dir = root;
    for (char *slash; (slash = strchr(*path, '/')) != NULL; *path = slash + 1) {
        *slash = '\0';
        int next = folder_enter(*dir, **path != '\0' ? *path : ".");
        if (*dir != root)
            file_close(*dir);
        *dir = next;
        if (next < 0)
            return false;
    }
    return true;
}

static bool beneath_open(int dir, const char *name, enum file_want want, int *fd,
                         struct file_stat *out)
{
    if (want == FILE_LOOK)
        return file_stat_at(dir, name, FILE_NO_LINK, out) &&
               (out->type != FILE_SYMLINK || beneath_fail(ELOOP));
    int got =
        want == FILE_LIST ? folder_enter(dir, name) : file_open(dir, name, FILE_NO_LINK);
    if (got < 0)
        return false;
    if (want == FILE_READ && !file_stat(got, out)) {
        file_close(got);
        return false;
    }
    *fd = got;
    return true;
}

bool file_beneath(int root, const char *path, enum file_want want, int *fd,
                  struct file_stat *out)
{
    char copy[BENEATH_MAX], *left = copy;
    size_t n = strlen(path);
    str rest = {path, n}, name;
    int dir;
    if (n >= sizeof(copy))
        return beneath_fail(ENAMETOOLONG);
    if (path[0] == '/')
        return beneath_fail(EXDEV);
    while (str_next(&rest, '/', &name))
        if (str_eq(name, STR("..")))
            return beneath_fail(EXDEV);
    memcpy(copy, path, n + 1);
    bool ok = beneath_enter(root, &left, &dir) &&
              beneath_open(dir, *left != '\0' ? left : ".", want, fd, out);
    if (dir != root)
        file_close(dir);
    return ok;
}
