#include "app/cli/config_file.h"

#include <errno.h>
#include <stdlib.h>

#include "app/cli/config_edit.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/self.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/system_path.h"

/* The target of path; path itself if it does not exist. */
static bool config_file_follow(struct arena *a, str path, str *out, struct err *err)
{
    struct file_stat st;
    const char *given = arena_str(a, path).p;
    char *real = file_real_path(given);
    if (real == NULL && errno != ENOENT)
        return err_sys(err, "cannot resolve '%s'", given);
    if (real == NULL && file_stat_at(FILE_CWD, given, FILE_NO_LINK, &st))
        return err_set(err, ERR_INVALID, "'%s' is a broken link", given);
    *out = arena_str(a, real != NULL ? str_c(real) : path);
    free(real);
    return true;
}

static bool open_place(struct arena *a, str path, struct fs_place *out, struct err *err)
{
    struct fs_root root;
    *out = (struct fs_place){.dir = -1};
    if (!fs_root_open(&root, arena_str(a, system_path_folder(path)).p, err))
        return false;
    bool ok = fs_place_open_named(&root, a, path_name(path), out, err);
    fs_root_close(&root);
    return ok;
}

/* Adds the whole path to the message of fs_edit.h: it is not a secret from the user. */
static bool about(struct err *err, str path)
{
    struct err why = *err;
    return err_set(err, why.code, STR_FMT ": %s%s%s%s", STR_ARG(path), why.msg,
                   why.detail[0] != '\0' ? " (" : "", why.detail,
                   why.detail[0] != '\0' ? ")" : "");
}

bool config_file_read(struct arena *a, str path, struct config_file *out, struct err *err)
{
    struct fs_place place;
    struct file_stat st;
    *out = (struct config_file){0};
    if (!config_file_follow(a, path, &out->path, err))
        return false;
    if (!file_stat_at(FILE_CWD, out->path.p, FILE_FOLLOW, &st))
        return errno == ENOENT || err_sys(err, STR_FMT " cannot be read", STR_ARG(path));
    bool ok = open_place(a, out->path, &place, err) &&
              fs_place_look(&place, CONFIG_MAX_BYTES, &out->seen, &out->text, a, err);
    fs_place_close(&place);
    return ok || about(err, path);
}

/* A copy next to the file. A second copy within the same second gets a number. */
static bool back_up(struct arena *a, const struct fs_place *place, str text, str *name,
                    struct err *err)
{
    enum { TRIES = 100 };
    char now[CLOCK_ISO_SIZE];
    struct sbuf stem = SBUF_ON(a);
    str when = clock_iso(clock_now(), now);
    sbuf_printf(&stem, "%s.backup-", place->name);
    for (size_t i = 0; i < when.n; i++)
        if (when.p[i] != ':' && when.p[i] != '-')
            sbuf_char(&stem, when.p[i]);
    for (int i = 1; i <= TRIES; i++) {
        *name = i == 1 ? arena_str(a, sbuf_str(&stem))
                       : arena_printf(a, STR_FMT ".%d", STR_ARG(sbuf_str(&stem)), i);
        if (fs_temp_write(place, name->p, text, 0, err))
            return fs_temp_sync(place, name->p, err);
        if (err->code != ERR_BUSY)
            return false;
    }
    return false;
}

/* A temporary file with any other content is what another program saved in the meantime
 * (fs_put), and then the backup is needed, too. */
static void clean_up(struct arena *a, const struct fs_place *place, str temp, str text,
                     str copy)
{
    struct fs_place there = *place;
    struct fs_seen seen;
    struct err ignored;
    str found;
    memcpy(there.name, temp.p, temp.n + 1);
    if (!fs_place_look(&there, CONFIG_MAX_BYTES, &seen, &found, a, &ignored) ||
        !seen.exists || !str_eq(found, text))
        return;
    fs_temp_drop(place, temp.p);
    if (copy.n > 0)
        fs_temp_drop(place, copy.p);
}

static bool replace(struct arena *a, const struct fs_place *place,
                    const struct config_file *file, str text, unsigned mode, str *copy,
                    struct err *err)
{
    str temp = arena_printf(a, ".vaultd-%d.tmp", self_pid());
    if ((file->seen.exists && !back_up(a, place, file->text, copy, err)) ||
        !fs_temp_write(place, temp.p, text, mode, err))
        return false;
    bool ok = fs_temp_sync(place, temp.p, err) &&
              fs_put(place, temp.p, &file->seen, err) && fs_place_sync(place, err);
    if (!ok)
        clean_up(a, place, temp, text, *copy);
    return ok;
}

bool config_file_write(struct arena *a, const struct config_file *file, str text,
                       unsigned mode, str *backup, struct err *err)
{
    struct fs_place place = {.dir = -1};
    str copy = {0}, folder = path_folder(file->path);
    *backup = STR("");
    bool ok = fs_make_folder(arena_str(a, folder).p, err) &&
              open_place(a, file->path, &place, err) &&
              replace(a, &place, file, text, mode, &copy, err);
    if (ok && copy.n > 0)
        *backup = path_join(a, folder, copy);
    fs_place_close(&place);
    return ok || about(err, file->path);
}
