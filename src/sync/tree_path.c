#include "sync/tree_path.h"

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
