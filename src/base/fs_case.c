/* Whether a file system distinguishes names that differ only in case. */
#include "base/fs.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"

/* The name with the case of its ASCII letters swapped; false if it has none. */
static bool swap_case(const char *name, char out[FILE_NAME_MAX + 1])
{
    bool swapped = false;
    size_t n = strlen(name);
    if (n > FILE_NAME_MAX)
        return false;
    for (size_t i = 0; i <= n; i++) {
        bool letter = is_alnum(name[i]) && !is_digit(name[i]);
        out[i] = letter ? (char)(name[i] ^ 0x20) : name[i];
        swapped |= letter;
    }
    return swapped;
}

static bool fs_case_is_listed(int dir, const char *name)
{
    struct folder_names names = folder_names(dir, ".");
    bool listed = false;
    for (const char *one; !listed && (one = folder_next(&names)) != NULL;)
        listed = strcmp(one, name) == 0;
    folder_end(&names);
    return listed;
}

/* Not by comparing inodes: a file system of FUSE may give each spelling its own. */
static bool is_found_only(int dir, const char *name)
{
    struct file_stat st;
    return file_stat_at(dir, name, FILE_NO_LINK, &st) && !fs_case_is_listed(dir, name);
}

bool fs_ignores_case(const struct fs_root *root)
{
    struct folder_names names = folder_names(root->fd, ".");
    char other[FILE_NAME_MAX + 1];
    bool found = false, same = false;
    for (const char *name; !found && (name = folder_next(&names)) != NULL;) {
        found = swap_case(name, other);
        same = found && is_found_only(names.fd, other);
    }
    folder_end(&names);
    return same;
}

bool fs_is_other_spelling(int dir, const char *name, const char *other)
{
    struct arena a = {0};
    bool same = strcmp(name, other) != 0 &&
                str_eq(utf8_fold(&a, str_c(name)), utf8_fold(&a, str_c(other))) &&
                is_found_only(dir, other);
    arena_release(&a);
    return same;
}

bool fs_is_short_alias(int dir, const char *name)
{
    return machine_system() == MACHINE_WINDOWS && path_is_short_form(str_c(name)) &&
           is_found_only(dir, name);
}

static void list_once(struct fs_spelling *s, str folder)
{
    struct err ignored;
    int fd;
    if (map_find(&s->folders, folder) != MAP_NONE ||
        !fs_open_folder(s->root, folder, true, &fd, &ignored))
        return;
    struct folder_names names = folder_names_of(fd);
    for (const char *name; (name = folder_next(&names)) != NULL;)
        map_add(&s->paths, path_join(s->a, folder, arena_str(s->a, str_c(name))));
    if (folder_end(&names))
        map_add(&s->folders, folder);
}

bool fs_is_spelled_so(struct fs_spelling *s, str path)
{
    s->folders.arena = s->paths.arena = s->a;
    path = arena_str(s->a, path);
    for (size_t i = 1; i <= path.n; i++) {
        str part = str_slice(path, 0, i), folder = path_folder(part);
        if (i < path.n && path.p[i] != '/')
            continue;
        list_once(s, folder);
        if (map_find(&s->paths, part) == MAP_NONE)
            return map_find(&s->folders, folder) == MAP_NONE;
    }
    return true;
}
