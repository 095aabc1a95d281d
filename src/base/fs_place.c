/* Where a file is: its folder, held open, and its name; see fs_edit.h. */
#include "base/fs_edit.h"
#include "base/fs_walk.h"
#include "base/path.h"

enum { LINKS_MAX = 16 };

void fs_place_close(struct fs_place *p)
{
    file_close(TAKE(p->dir));
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

/* Open the folder of path; *real is the path of what is in it. */
static bool place_at(const struct fs_root *root, str path, struct fs_place *out,
                     struct fs_real *real, struct err *err)
{
    fs_place_close(out);
    return set_name(out, path_name(path), err) &&
           fs_open_real(root, path_folder(path), &out->dir, real, err) &&
           (!fs_is_short_alias(out->dir, out->name) ||
            err_named(err, E_PATH_INVALID,
                      "'%s' is the short name of another file: use its full name",
                      out->name));
}

static bool place_refused(str path, struct err *err)
{
    return err_named(err, E_PATH_NOT_ALLOWED,
                     "'" STR_FMT "' goes through a symbolic link to a place that may not "
                     "be changed: use a path without the link",
                     STR_ARG(path));
}

/* A place that a symlink leads to may be one that the caller may not change. */
static bool place_check(const struct fs_root *root, struct arena *a, str path,
                        struct fs_place *p, const struct fs_real *real, struct err *err)
{
    if (!real->linked || root->may_change == NULL)
        return true;
    str is = path_join(a, (str){real->path, real->n}, str_c(p->name));
    if (root->may_change(root->may_change_arg, is))
        return true;
    fs_place_close(p);
    return place_refused(path, err);
}

bool fs_place_open(const struct fs_root *root, struct arena *a, str path,
                   struct fs_place *out, struct err *err)
{
    FS_SCRATCH struct fs_real real;
    FS_SCRATCH char text[PATH_MAX_BYTES];
    str at = path, target;
    *out = (struct fs_place){.dir = -1};
    real.linked = false;
    for (int i = 0; i <= LINKS_MAX; i++) {
        if (!place_at(root, at, out, &real, err))
            return false;
        if (!file_read_symlink(out->dir, out->name, text, sizeof(text), &target))
            return place_check(root, a, path, out, &real, err);
        if (root->no_links || !fs_walk_follows(target))
            break;
        real.linked = true;
        at = path_join(a, (str){real.path, real.n}, target);
    }
    fs_place_close(out);
    return err_named(err, E_PATH_NOT_ALLOWED,
                     "'" STR_FMT
                     "' is a symbolic link that leads outside the root folder, "
                     "to a hidden name or in a circle",
                     STR_ARG(path));
}

bool fs_place_open_named(const struct fs_root *root, struct arena *a, str path,
                         struct fs_place *out, struct err *err)
{
    FS_SCRATCH struct fs_real real;
    *out = (struct fs_place){.dir = -1};
    real.linked = false;
    return place_at(root, path, out, &real, err) &&
           place_check(root, a, path, out, &real, err);
}
