#include "oauth/users_file.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fs_edit.h"
#include "base/os/file.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/system_path.h"
#include "oauth/proof/secret.h"

/* The name of a line; empty for a comment. */
static str name_of(str line)
{
    size_t colon = str_find_char(line, ':');
    return line.n == 0 || line.p[0] == '#' || colon == STR_NONE
               ? STR("")
               : str_slice(line, 0, colon);
}

size_t users_file_names(struct arena *a, str text, str **out)
{
    str line, name;
    size_t n = 0;
    *out = NULL;
    while (text.n > 0 && str_next(&text, '\n', &line))
        if ((name = name_of(line)).n > 0)
            *ARRAY_ADD(a, *out, n) = name;
    return n;
}

bool users_file_has(str text, str name)
{
    str line;
    while (text.n > 0 && str_next(&text, '\n', &line))
        if (str_eq(name_of(line), name))
            return true;
    return false;
}

str users_file_replace(struct arena *a, str text, str name, str hash)
{
    struct sbuf out = SBUF_ON(a);
    str line, ours = hash.n == 0 ? STR("")
                                 : arena_printf(a, STR_FMT ":" STR_FMT "\n",
                                                STR_ARG(name), STR_ARG(hash));
    while (text.n > 0 && str_next(&text, '\n', &line)) {
        bool same = str_eq(name_of(line), name);
        if (!same)
            sbuf_printf(&out, STR_FMT "\n", STR_ARG(line));
        else
            sbuf_add(&out, ours);
        ours = same ? STR("") : ours;
    }
    sbuf_add(&out, ours);
    return sbuf_str(&out);
}

/* --- the file --- */

static bool open_users_place(struct arena *a, str path, struct fs_place *out,
                             struct err *err)
{
    struct fs_root root;
    char *real = file_real_path(arena_str(a, path).p);
    str target = real != NULL ? arena_str(a, str_c(real)) : path;
    free(real);
    *out = (struct fs_place){.dir = -1};
    if (!fs_root_open(&root, arena_str(a, system_path_folder(target)).p, err))
        return false;
    bool ok = fs_place_open_named(&root, a, path_name(target), out, err);
    fs_root_close(&root);
    return ok;
}

/* A temporary file that has become another one is what a program saved meanwhile (fs_put()). */
static void drop_users_temp(struct arena *a, const struct fs_place *place,
                            const char *temp, str text)
{
    struct fs_place there = *place;
    struct fs_seen seen;
    struct err ignored;
    str found;
    memcpy(there.name, temp, strlen(temp) + 1);
    if (fs_place_look(&there, USERS_FILE_MAX, &seen, &found, a, &ignored) &&
        seen.exists && str_eq(found, text))
        fs_temp_drop(place, temp);
}

static bool put_users(struct arena *a, const struct fs_place *place,
                      const struct fs_seen *seen, str text, struct err *err)
{
    const char *temp = arena_str(a, secret_new(a, STR(".vaultd-users-"))).p;
    if (!fs_temp_write(place, temp, text, 0600, err))
        return false;
    bool ok = fs_temp_sync(place, temp, err) && fs_put(place, temp, seen, err) &&
              fs_place_sync(place, err);
    if (!ok)
        drop_users_temp(a, place, temp, text);
    return ok;
}

bool users_file_change(struct arena *a, str path, str name, str hash, struct err *err)
{
    struct fs_place place;
    struct fs_seen seen;
    str text;
    bool ok = open_users_place(a, path, &place, err) &&
              fs_place_look(&place, USERS_FILE_MAX, &seen, &text, a, err);
    if (ok && (!seen.exists || !users_file_has(text, name)))
        ok = err_set(err, ERR_NOT_FOUND, "the users file has no such user any more");
    ok = ok && put_users(a, &place, &seen, users_file_replace(a, text, name, hash), err);
    fs_place_close(&place);
    return ok;
}
