#include "sync/tree_path.h"

#include "base/chars.h"
#include "base/path.h"
#include "base/utf8.h"
#include "sync/git.h"

bool tree_is_file(unsigned mode)
{
    return mode == GIT_FILE || mode == GIT_PROGRAM;
}

/* Names with a leading dot are synced (.obsidian, .gitignore), except those that mean
 * .git on some systems. */
static bool is_odd_hidden(str name)
{
    if (!path_is_hidden(name))
        return false;
    if (name.p[0] != '.' || str_eq_nocase(str_slice(name, 0, 4), STR(".git")))
        return !str_eq(name, STR(".gitignore")) && !str_eq(name, STR(".gitattributes")) &&
               !str_eq(name, STR(".gitkeep")) && !str_eq(name, STR(".github"));
    for (size_t i = 0; i < name.n; i++)
        if ((uint8_t)name.p[i] >= 0x80)
            return true; /* characters that some systems ignore */
    return false;
}

const char *tree_path_problem(str path)
{
    str name, rest = path;
    if (path.n == 0 || path.n > PATH_MAX_BYTES)
        return "its path is too long";
    if (!utf8_valid(path))
        return "its name is not valid UTF-8";
    while (str_next(&rest, '/', &name)) {
        if (name.n == 0 || str_eq(name, STR(".")) || str_eq(name, STR("..")))
            return "its path leaves the vault";
        if (!path_is_spellable(name))
            return "its name contains characters that are not allowed";
        if (is_odd_hidden(name))
            return "its name is reserved";
    }
    return NULL;
}

bool tree_path_is_noise(str path)
{
    str name = path_name(path);
    if (str_starts(name, STR(".vaultd-")) && str_ends(name, STR(".tmp")))
        return true;
    if (str_starts(path, STR(".trash/")))
        return true;
    return str_starts(path, STR(".obsidian/workspace")) && path_folder(path).n == 9 &&
           (path_extension(path).n == 0 || str_eq(path_extension(path), STR("json")));
}

/* Equal on a file system that ignores case, some characters, and dots and spaces at the
 * end. */
static bool tree_path_same(str name, const char *want)
{
    size_t at = 0;
    while (name.n > 0 && strchr(". ", name.p[name.n - 1]) != NULL)
        name.n--;
    for (size_t i = 0; i < name.n; i++) {
        if ((uint8_t)name.p[i] >= 0x80)
            continue;
        if (want[at] == '\0' || to_lower(name.p[i]) != want[at++])
            return false;
    }
    return want[at] == '\0';
}

bool tree_path_is_code(str path)
{
    str name;
    bool hidden = false;
    while (str_next(&path, '/', &name)) {
        if (hidden && (tree_path_same(name, "plugins") ||
                       tree_path_same(name, "community-plugins.json")))
            return true;
        hidden = path_is_hidden(name);
    }
    return false;
}
