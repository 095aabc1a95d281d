/* Whether a file system distinguishes names that differ only in case. */
#include <limits.h>

#include "base/fs.h"
#include "base/os/folder.h"
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
    struct file_stat a, b;
    return file_stat_at(dir, name, FILE_NO_LINK, &a) && a.type == FILE_FOLDER &&
           file_stat_at(dir, other, FILE_NO_LINK, &b) && file_is_same(&a, &b);
}

bool fs_ignores_case(const struct fs_root *root)
{
    struct folder_names names = folder_names(root->fd, ".");
    char other[NAME_MAX + 1];
    bool found = false, same = false;
    for (const char *name; !found && (name = folder_next(&names)) != NULL;) {
        if (folder_type(&names, name) != FILE_FOLDER || !swap_case(name, other))
            continue;
        found = true;
        same = has_two_names(names.fd, name, other);
    }
    folder_end(&names);
    return same;
}
