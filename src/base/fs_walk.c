/*
 * The walk for paths with symlinks, and without openat2. Each step opens one name in a
 * folder that is already open and follows no link, so the walk stays beneath the root
 * even if folders are moved.
 * The target of a symlink is inserted before the remaining path. '..' (in such targets)
 * starts again from the root, by the names walked so far, which are all real folders.
 */
#include "base/fs_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* symlinks, and '..' in their targets; the kernel stops at 40 links */
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
    int saved = errno;
    if (w->dir != w->root)
        close(w->dir);
    w->dir = dir;
    errno = saved;
}

/* The next name, or NULL when nothing is left. */
static const char *walk_name(struct fs_walk *w)
{
    while (w->left[w->at] != '\0') {
        char *name = w->left + w->at, *end = strchrnul(name, '/');
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
    if (target.n == 0 || target.n >= PATH_MAX_BYTES || target.p[0] == '/')
        return fail_errno(EXDEV);
    while (str_next(&target, '/', &name))
        if (path_is_hidden(name) && !str_eq(name, STR(".")) && !str_eq(name, STR("..")))
            return fail_errno(EXDEV);
    return true;
}

static bool walk_link(struct fs_walk *w, int link)
{
    char target[PATH_MAX_BYTES];
    ssize_t n = readlinkat(link, "", target, sizeof(target));
    if (n < 0 || !fs_walk_follows((str){target, (size_t)n}))
        return false;
    w->done->linked = true;
    return walk_prepend(w, target, (size_t)n);
}

/* True while the walk continues; at the end *out is the descriptor, or still -1. */
static bool walk_step(struct fs_walk *w, int flags, int *out)
{
    const char *name = walk_name(w);
    if (name == NULL) {
        *out = openat(w->dir, ".", flags | O_CLOEXEC);
        return false;
    }
    if (strcmp(name, "..") == 0)
        return walk_up(w);
    AUTO_CLOSE int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return false;
    if (S_ISLNK(st.st_mode))
        return (flags & O_NOFOLLOW) != 0 ? fail_errno(ELOOP) : walk_link(w, fd);
    if (S_ISDIR(st.st_mode))
        return walk_down(w, name, TAKE(fd));
    if (w->left[w->at] != '\0')
        return fail_errno(ENOTDIR);
    if ((flags & O_PATH) != 0)
        *out = TAKE(fd);
    else
        *out = openat(w->dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
    return false;
}

int fs_walk_open(int root, const char *path, int flags, struct fs_real *real)
{
    if (path[0] == '/') {
        errno = EXDEV;
        return -1;
    }
    struct fs_walk w;
    w.root = w.dir = root;
    w.done = real;
    w.done->n = w.at = 0;
    w.turns = 0;
    memcpy(w.left, path, strlen(path) + 1);
    int fd = -1;
    while (walk_step(&w, flags, &fd))
        continue;
    walk_to(&w, root);
    return fd;
}
