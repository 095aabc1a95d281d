/* Where a file is: its folder, held open, and its name; see fs_edit.h. */
#include <unistd.h>

#include "base/fs_edit.h"
#include "base/path.h"

enum { LINKS_MAX = 16 };

void fs_place_close(struct fs_place *p)
{
    fs_auto_close(&p->dir);
    p->dir = -1;
}

static bool set_name(struct fs_place *p, str name, struct err *err)
{
    if (name.n == 0 || name.n > FS_NAME_MAX || str_eq(name, STR(".")) ||
        str_eq(name, STR("..")) || str_find_char(name, '\0') != STR_NONE)
        return err_named(err, E_PATH_INVALID,
                         "a file name has 1 to %d bytes and is not '.' or '..'",
                         FS_NAME_MAX);
    memcpy(p->name, name.p, name.n);
    p->name[name.n] = '\0';
    return true;
}

/* The target of a symlink, relative to its folder. fs_open_folder() resolves "..", since
 * that folder may itself be reached through a symlink. */
static bool follow(const struct fs_root *root, struct arena *a, str *path, bool *link,
                   struct err *err)
{
    int fd;
    char target[PATH_MAX_BYTES];
    if (!fs_open_folder(root, path_folder(*path), true, &fd, err)) {
        *link = false;
        return err->code == ERR_NOT_FOUND;
    }
    AUTO_CLOSE int dir = fd;
    str name = arena_str(a, path_name(*path));
    ssize_t n = readlinkat(dir, name.p, target, sizeof(target));
    *link = n > 0;
    if (n <= 0)
        return true;
    if (target[0] == '/')
        return err_named(err, E_PATH_NOT_ALLOWED,
                         "a symbolic link leads outside the root folder");
    *path = path_join(a, path_folder(*path), arena_str(a, (str){target, (size_t)n}));
    return true;
}

bool fs_place_open(const struct fs_root *root, struct arena *a, str path,
                   struct fs_place *out, struct err *err)
{
    *out = (struct fs_place){.dir = -1};
    bool link = true;
    for (int i = 0; link; i++) {
        if (i > LINKS_MAX)
            return err_named(err, E_PATH_NOT_ALLOWED,
                             "'" STR_FMT "' is a symbolic link that loops",
                             STR_ARG(path));
        if (!follow(root, a, &path, &link, err))
            return false;
    }
    return fs_place_open_named(root, a, path, out, err);
}

bool fs_place_open_named(const struct fs_root *root, struct arena *a, str path,
                         struct fs_place *out, struct err *err)
{
    *out = (struct fs_place){.dir = -1};
    return set_name(out, path_name(path), err) &&
           fs_open_folder(root, path_folder(path), true, &out->dir, err);
}
