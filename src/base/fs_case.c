/* Whether a file system distinguishes names that differ only in case. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/text.h"

/* The name with the case of its ASCII letters swapped; false if it has none. */
static bool swap_case(const char *name, char out[NAME_MAX + 1])
{
    bool swapped = false;
    size_t n = strlen(name);
    if (n > NAME_MAX)
        return false;
    for (size_t i = 0; i <= n; i++) {
        bool letter = is_alnum(name[i]) && !is_digit(name[i]);
        out[i] = letter ? (char)(name[i] ^ 0x20) : name[i];
        swapped |= letter;
    }
    return swapped;
}

/* Folders have no hard links, so two names of one folder are one entry. */
static bool has_two_names(int dir, const char *name, const char *other)
{
    struct stat a, b;
    return fstatat(dir, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(a.st_mode) &&
           fstatat(dir, other, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

static bool is_folder(int dir, const struct dirent *d)
{
    struct stat st;
    return d->d_type == DT_DIR ||
           (d->d_type == DT_UNKNOWN &&
            fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(st.st_mode));
}

bool fs_ignores_case(const struct fs_root *root)
{
    int fd = openat(root->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    char other[NAME_MAX + 1];
    bool found = false, same = false;
    for (const struct dirent *d; !found && dir != NULL && (d = readdir(dir)) != NULL;) {
        if (!is_folder(fd, d) || !swap_case(d->d_name, other))
            continue;
        found = true;
        same = has_two_names(fd, d->d_name, other);
    }
    if (dir != NULL)
        closedir(dir);
    return same;
}
