#include "app/cli/client_file.h"

#include "base/os/folder.h"
#include "base/os/self.h"
#include "base/path.h"
#include "base/system_path.h"

/* --- the folders of a user --- */

/* A folder that a variable names, else its usual place below the home folder. */
static const struct folder_variable {
    str place;
    const char *variable, *usual;
} folders[] = {
    {{".config/", 8}, "XDG_CONFIG_HOME", ".config"},
    {{"%APPDATA%/", 10}, "APPDATA", "AppData/Roaming"},
    {{"%LOCALAPPDATA%/", 15}, "LOCALAPPDATA", "AppData/Local"},
};

static str folder_named(struct arena *a, const struct folder_variable *f)
{
    str given = system_path(a, str_c(self_variable(f->variable)));
    return system_path_is_absolute(given)
               ? given
               : path_join(a, machine_home(a), str_c(f->usual));
}

static str expand(struct arena *a, str place)
{
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        if (str_starts(place, folders[i].place))
            return path_join(a, folder_named(a, &folders[i]),
                             str_skip(place, folders[i].place.n));
    return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(machine_home(a)), STR_ARG(place));
}

/* --- packages of Windows --- */

static bool is_there(struct arena *a, str path)
{
    return file_exists(arena_str(a, path).p);
}

/* Of two files, the one that exists; else the one whose path is first. */
static str better(struct arena *a, str one, str other)
{
    if (one.n == 0 || is_there(a, one) != is_there(a, other))
        return one.n > 0 && is_there(a, one) ? one : other;
    return str_cmp(one, other) <= 0 ? one : other;
}

static str expand_star(struct arena *a, str path, size_t star)
{
    str before = str_slice(path, 0, star), after = str_skip(path, star + 2);
    str folder = path_folder(before), found = {0};
    struct folder_names names = folder_names(FILE_CWD, arena_str(a, folder).p);
    for (const char *name; (name = folder_next(&names)) != NULL;)
        if (str_starts(str_c(name), path_name(before)) &&
            folder_type(&names, name) == FILE_FOLDER)
            found = better(
                a, found,
                path_join(a, path_join(a, folder, arena_str(a, str_c(name))), after));
    folder_end(&names);
    return found;
}

str client_file_place(struct arena *a, const char *place)
{
    str path = expand(a, str_c(place));
    size_t star = str_find_char(path, '*');
    return star == STR_NONE ? path : expand_star(a, path, star);
}

/* --- clients --- */

static const char *const *places_of(enum machine_system system, const struct client *c)
{
    return system == MACHINE_MACOS && c->mac_files[0] != NULL     ? c->mac_files
           : system == MACHINE_WINDOWS && c->win_files[0] != NULL ? c->win_files
                                                                  : c->files;
}

str client_file_on(enum machine_system system, struct arena *a, const struct client *c)
{
    const char *const *places = places_of(system, c);
    str folder = {0}, first = {0};
    if (c->folder_variable != NULL)
        folder = system_path(a, str_c(self_variable(c->folder_variable)));
    if (system_path_is_absolute(folder))
        return path_join(a, folder, str_c(c->file_there));
    for (size_t i = 0; i < CLIENT_FILES && places[i] != NULL; i++) {
        str path = client_file_place(a, places[i]);
        if (path.n > 0 && (strchr(places[i], '*') != NULL || is_there(a, path)))
            return path;
        first = first.n > 0 ? first : path;
    }
    return first;
}

str client_file(struct arena *a, const struct client *c)
{
    return client_file_on(machine_system(), a, c);
}
