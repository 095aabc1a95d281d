#include "base/system_path.h"

#include "base/chars.h"
#include "base/path.h"

static bool is_windows(enum machine_system system)
{
    return system == MACHINE_WINDOWS;
}

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool has_drive(str path)
{
    return path.n >= 2 && is_letter(path.p[0]) && path.p[1] == ':';
}

/* --- as it enters --- */

static str without_quotes(str s)
{
    bool quoted = s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
    return quoted ? str_slice(s, 1, s.n - 1) : s;
}

/* What shells want to have escaped in a name. On Windows "\\" is followed by the next name,
 * which may begin with all of these but a space. */
static bool is_escaped(enum machine_system system, char c)
{
    return c == ' ' || (!is_windows(system) && c != '\0' &&
                        strchr("!\"#$&'()*;<=>?@[\\]^`{|}~", c) != NULL);
}

str system_path_unescaped_on(enum machine_system system, struct arena *a, str given)
{
    str path = without_quotes(given);
    bool quoted = path.n < given.n;
    char *copy = arena_alloc(a, path.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++) {
        bool escape = !quoted && path.p[i] == '\\' && i + 1 < path.n &&
                      is_escaped(system, path.p[i + 1]);
        i += escape;
        copy[n++] = path.p[i];
    }
    copy[n] = '\0';
    return (str){copy, n};
}

/* The prefixes that turn off the rules for paths: all rules hold here. */
static str without_prefix(struct arena *a, str s)
{
    if (str_starts(s, STR("//?/UNC/")))
        return arena_printf(a, "//" STR_FMT, STR_ARG(str_skip(s, 8)));
    return str_starts(s, STR("//?/")) || str_starts(s, STR("//./")) ? str_skip(s, 4) : s;
}

static str with_drive(struct arena *a, str s)
{
    bool bash = s.n >= 2 && s.p[0] == '/' && is_letter(s.p[1]) &&
                (s.n == 2 || s.p[2] == '/'); /* "/c/Users" */
    if (!bash && !has_drive(s))
        return s;
    char letter = (char)(s.p[bash] & ~0x20); /* upper case */
    str rest = str_skip(s, 2);
    bool root = bash && rest.n == 0;
    return arena_printf(a, "%c:%s" STR_FMT, letter, root ? "/" : "", STR_ARG(rest));
}

str system_path_on(enum machine_system system, struct arena *a, str given)
{
    if (!is_windows(system) || given.n == 0)
        return given;
    str path = system_path_unescaped_on(system, a, given);
    char *copy = memcpy(arena_alloc(a, path.n + 1), path.p, path.n);
    copy[path.n] = '\0';
    for (size_t i = 0; i < path.n; i++)
        copy[i] = is_slash(copy[i]) ? '/' : copy[i];
    return with_drive(a, without_prefix(a, (str){copy, path.n}));
}

str system_path_shown_on(enum machine_system system, struct arena *a, str path)
{
    if (!is_windows(system) || path.n == 0)
        return path;
    char *copy = memcpy(arena_alloc(a, path.n + 1), path.p, path.n);
    copy[path.n] = '\0';
    for (size_t i = 0; i < path.n; i++)
        copy[i] = copy[i] == '/' ? '\\' : copy[i];
    return (str){copy, path.n};
}

/* --- what it is --- */

bool system_path_is_absolute_on(enum machine_system system, str path)
{
    if (!is_windows(system))
        return str_starts(path, STR("/"));
    return (has_drive(path) && path.n >= 3 && is_slash(path.p[2])) ||
           (path.n >= 3 && is_slash(path.p[0]) && is_slash(path.p[1]) &&
            !is_slash(path.p[2]));
}

/* "C:" or "//server/share": what a path begins with, without the slash of the root. */
static str volume_of(str path)
{
    str rest = str_skip(path, 2), server, share;
    if (has_drive(path))
        return str_slice(path, 0, 2);
    bool shared = str_starts(path, STR("//")) && str_next(&rest, '/', &server) &&
                  str_next(&rest, '/', &share);
    return shared ? str_slice(path, 0, 3 + server.n + share.n) : STR("");
}

str system_path_from_on(enum machine_system system, struct arena *a, str cwd, str path)
{
    if (system_path_is_absolute_on(system, path))
        return path;
    if (is_windows(system) &&
        has_drive(path)) /* "C:a": its current folder is not known */
        return path_join(a, str_slice(path, 0, 2), str_skip(path, 2));
    if (is_windows(system) && str_starts(path, STR("/")))
        return path_join(a, volume_of(cwd), str_skip(path, 1));
    return path_join(a, cwd, path);
}

bool system_path_leaves_on(enum machine_system system, str target)
{
    if (!is_windows(system))
        return str_starts(target, STR("/"));
    return (target.n > 0 && is_slash(target.p[0])) ||
           str_find_char(target, ':') != STR_NONE;
}

str system_path_of_url_on(enum machine_system system, str url)
{
    bool is_url = str_starts(url, STR("file://"));
    str path = str_skip(url, is_url ? 7 : 0);
    if (is_windows(system) && is_url && has_drive(str_skip(path, 1)))
        path = str_skip(path, 1); /* "file:///C:/a" */
    return system_path_is_absolute_on(system, path) ? path : STR("");
}

bool system_path_is_root_on(enum machine_system system, str path)
{
    if (!is_windows(system))
        return str_eq(path, STR("/"));
    if (has_drive(path))
        return path.n == 2 || (path.n == 3 && is_slash(path.p[2]));
    str rest = str_skip(path, 2), server, share;
    return str_starts(path, STR("//")) && str_next(&rest, '/', &server) &&
           str_next(&rest, '/', &share) && server.n > 0 && share.n > 0 && rest.n == 0;
}

str system_path_folder(str path)
{
    size_t slash = str_find_last(path, '/');
    if (slash == STR_NONE)
        return STR(".");
    bool root = slash == 0 || system_path_is_root(str_slice(path, 0, slash + 1));
    return str_slice(path, 0, slash + root);
}

bool system_path_next_on(enum machine_system system, struct arena *a, str *list,
                         str *folder)
{
    while (str_next(list, is_windows(system) ? ';' : ':', folder)) {
        *folder = system_path_on(system, a, *folder);
        if (system_path_is_absolute_on(system, *folder))
            return true;
    }
    return false;
}

/* --- on this system --- */

str system_path(struct arena *a, str given)
{
    return system_path_on(machine_system(), a, given);
}

str system_path_unescaped(struct arena *a, str given)
{
    return system_path_unescaped_on(machine_system(), a, given);
}

str system_path_shown(struct arena *a, str path)
{
    return system_path_shown_on(machine_system(), a, path);
}

bool system_path_is_absolute(str path)
{
    return system_path_is_absolute_on(machine_system(), path);
}

str system_path_from(struct arena *a, str cwd, str path)
{
    return system_path_from_on(machine_system(), a, cwd, path);
}

str system_path_of_url(str url)
{
    return system_path_of_url_on(machine_system(), url);
}

bool system_path_leaves(str target)
{
    return system_path_leaves_on(machine_system(), target);
}

bool system_path_is_root(str path)
{
    return system_path_is_root_on(machine_system(), path);
}

bool system_path_next(struct arena *a, str *list, str *folder)
{
    return system_path_next_on(machine_system(), a, list, folder);
}
