/*
 * The walk for paths with symlinks, and without openat2. Each step opens one name in a
 * folder that is already open and follows no link, so the walk stays beneath the root
 * even if folders are moved.
 * The target of a symlink is inserted before the remaining path. '..' (in such targets)
 * starts again from the root, by the names walked so far, which are all real folders.
 */
#include "base/fs_walk.h"

#include <errno.h>

#include "base/os/folder.h"
#include "base/system_path.h"

/* symlinks, '..' in their targets, and names that were replaced meanwhile; the kernel stops
 * at 40 links */
enum { TURNS_MAX = 200 };

struct fs_walk {
    int root, dir;                 /* dir: the current folder */
    struct fs_real *done;          /* the path of dir */
    char left[2 * PATH_MAX_BYTES]; /* from at: the remaining path */
    size_t at;
    int turns;
};

static bool fail_errno(int number)
{
    errno = number;
    return false;
}

static void walk_to(struct fs_walk *w, int dir)
{
    if (w->dir != w->root)
        file_close(w->dir);
    w->dir = dir;
}

/* The next name, or NULL when nothing is left. */
static const char *walk_name(struct fs_walk *w)
{
    while (w->left[w->at] != '\0') {
        char *name = w->left + w->at, *end = name + strcspn(name, "/");
        w->at += (size_t)(end - name) + (*end == '/');
        *end = '\0';
        if (*name != '\0' && strcmp(name, ".") != 0)
            return name;
    }
    return NULL;
}

/* Insert text before the remaining path. */
static bool walk_prepend(struct fs_walk *w, const char *text, size_t n)
{
    size_t n_left = strlen(w->left + w->at), slash = n_left > 0;
    if (++w->turns > TURNS_MAX || n + slash + n_left >= sizeof(w->left))
        return fail_errno(ELOOP);
    memmove(w->left + n + slash, w->left + w->at, n_left + 1);
    memcpy(w->left, text, n);
    if (slash)
        w->left[n] = '/';
    w->at = 0;
    return true;
}

static bool walk_up(struct fs_walk *w)
{
    if (w->done->n == 0)
        return fail_errno(EXDEV);
    size_t n = path_folder((str){w->done->path, w->done->n}).n;
    w->done->n = 0;
    walk_to(w, w->root);
    return walk_prepend(w, w->done->path, n);
}

static bool walk_down(struct fs_walk *w, const char *name, int dir)
{
    walk_to(w, dir);
    size_t n = strlen(name), slash = w->done->n > 0;
    if (w->done->n + slash + n > sizeof(w->done->path))
        return fail_errno(ENAMETOOLONG);
    if (slash)
        w->done->path[w->done->n++] = '/';
    memcpy(w->done->path + w->done->n, name, n);
    w->done->n += n;
    return true;
}

bool fs_walk_follows(str target)
{
    str name;
    if (target.n == 0 || target.n >= PATH_MAX_BYTES || system_path_leaves(target))
        return fail_errno(EXDEV);
    while (str_next(&target, '/', &name))
        if (path_is_hidden(name) && !str_eq(name, STR(".")) && !str_eq(name, STR("..")))
            return fail_errno(EXDEV);
    return true;
}

/* If a call failed because another program has just replaced a name by something of
 * another type, the name is worth another look. */
static bool walk_fail(bool replaced)
{
    return replaced ? fail_errno(EAGAIN) : false;
}

static bool walk_link(struct fs_walk *w, const char *name)
{
    FS_SCRATCH char text[PATH_MAX_BYTES];
    str target;
    if (!file_read_symlink(w->dir, name, text, sizeof(text), &target))
        return walk_fail(errno == EINVAL);
    if (!fs_walk_follows(target))
        return false;
    w->done->linked = true;
    return walk_prepend(w, target.p, target.n);
}

static bool walk_enter(struct fs_walk *w, const char *name)
{
    int dir = folder_enter(w->dir, name);
    return dir >= 0 ? walk_down(w, name, dir)
                    : walk_fail(errno == ENOTDIR || errno == ELOOP);
}

/* Open what the walk has reached: name in the current folder. */
static bool walk_open(const struct fs_walk *w, const char *name, struct fs_find *f)
{
    if (f->want == FILE_LIST)
        f->fd = folder_open(w->dir, name);
    else
        f->fd = file_open(w->dir, name, FILE_NO_LINK);
    return f->fd >= 0 && (f->want == FILE_LIST || file_stat(f->fd, &f->stat));
}

/* Nothing is left: the current folder is what was sought. */
static bool walk_end_at_folder(const struct fs_walk *w, struct fs_find *f)
{
    return f->want == FILE_LOOK ? file_stat_at(w->dir, ".", FILE_NO_LINK, &f->stat)
                                : walk_open(w, ".", f);
}

/* Follow the name, or find it if it is the last. */
static bool walk_take(struct fs_walk *w, const char *name, struct fs_find *f, bool *found)
{
    if (!file_stat_at(w->dir, name, FILE_NO_LINK, &f->stat))
        return false;
    if (fs_is_short_alias(w->dir, name))
        return fail_errno(ENOENT);
    if (f->stat.type == FILE_SYMLINK)
        return f->no_links ? fail_errno(ELOOP) : walk_link(w, name);
    if (f->stat.type == FILE_FOLDER)
        return walk_enter(w, name);
    if (w->left[w->at] != '\0' || f->want == FILE_LIST)
        return fail_errno(ENOTDIR);
    *found = f->want == FILE_LOOK || walk_open(w, name, f);
    return *found || walk_fail(errno == ELOOP);
}

/* True while the walk continues; at the end *found says whether it was there. */
static bool walk_step(struct fs_walk *w, struct fs_find *f, bool *found)
{
    const char *name = walk_name(w);
    if (name == NULL) {
        *found = walk_end_at_folder(w, f);
        return false;
    }
    if (strcmp(name, "..") == 0)
        return walk_up(w);
    bool taken;
    do
        taken = walk_take(w, name, f, found);
    while (!taken && errno == EAGAIN && ++w->turns <= TURNS_MAX);
    return taken && !*found;
}

bool fs_walk(int root, const char *path, struct fs_find *f, struct fs_real *real)
{
    if (system_path_leaves(str_c(path)))
        return fail_errno(EXDEV);
    FS_SCRATCH struct fs_walk w;
    w.root = w.dir = root;
    w.done = real;
    w.done->n = w.at = 0;
    w.turns = 0;
    memcpy(w.left, path, strlen(path) + 1);
    bool found = false;
    while (walk_step(&w, f, &found))
        continue;
    walk_to(&w, root);
    return found;
}
