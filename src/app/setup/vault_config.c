#include "app/setup/vault_config.h"

#include <stdlib.h>

#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "app/setup/state_settings.h"
#include "app/setup/user_config.h"
#include "base/fs.h"
#include "base/lock.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "state/store.h"
#include "state/vault_table.h"
#include "vault/vault.h"

enum { SHOWN_MAX = 100 }; /* bytes of user input shown in a message */

bool vault_config_is_name(str name, struct err *err)
{
    bool ok = name.n > 0 && name.n <= VAULT_NAME_MAX;
    for (size_t i = 0; ok && i < name.n; i++)
        ok = is_alnum(name.p[i]) || name.p[i] == '-' || name.p[i] == '_';
    return ok ||
           err_set(err, ERR_INVALID,
                   "vault name '" STR_FMT "' must be 1 to %d letters, digits, '-' or '_'",
                   STR_ARG(utf8_cut(name, SHOWN_MAX)), VAULT_NAME_MAX);
}

static const struct configured_vault *with_name(const struct configured_vaults *list,
                                                str name)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq_nocase(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

static bool read_configured_vault(struct arena *a, str given,
                                  const struct configured_vaults *before,
                                  struct configured_vault *out, struct err *err)
{
    str folder = given, name;
    bool both = str_find_char(given, '=') != STR_NONE && str_next(&folder, '=', &name);
    if (!both || folder.n == 0)
        return err_set(err, ERR_INVALID,
                       "vault '" STR_FMT "' is not NAME=FOLDER, for example "
                       "work=/home/me/Work (a folder with a comma in its name cannot be "
                       "one of several)",
                       STR_ARG(utf8_cut(given, SHOWN_MAX)));
    if (!vault_config_is_name(name, err))
        return false;
    if (with_name(before, name) != NULL)
        return err_set(err, ERR_INVALID, "there are two vaults named '" STR_FMT "'",
                       STR_ARG(name));
    *out = (struct configured_vault){name, arena_str(a, settings_path(a, folder))};
    return true;
}

static bool read_named(struct arena *a, const struct option_list *given,
                       struct configured_vaults *out, struct err *err)
{
    if (given->n > CONFIGURED_VAULTS_MAX)
        return err_set(err, ERR_INVALID, "there can be at most %d vaults",
                       CONFIGURED_VAULTS_MAX);
    struct configured_vaults list = {ARENA_ARRAY(a, struct configured_vault, given->n),
                                     0};
    for (; list.n < given->n; list.n++)
        if (!read_configured_vault(a, given->items[list.n], &list, &list.items[list.n],
                                   err))
            return false;
    *out = list;
    return true;
}

str vault_config_real(struct arena *a, str folder)
{
    lock_check_slow();
    char *real = file_real_path(arena_str(a, folder).p);
    str out = arena_str(a, real != NULL ? str_c(real) : folder);
    free(real);
    return out;
}

bool vault_config_is_in(str inner, str outer)
{
    if (str_eq(outer, STR("/")))
        return inner.n > 0;
    return outer.n > 0 && path_is_or_below(outer, inner);
}

bool vault_config_check_apart(struct arena *a, const struct configured_vaults *list,
                              struct err *err)
{
    str *real = ARENA_ARRAY(a, str, list->n);
    for (size_t i = 0; i < list->n; i++) {
        char *path = file_real_path(list->items[i].folder.p);
        real[i] = arena_str(a, str_c(path));
        free(path);
    }
    for (size_t i = 0; i < list->n; i++) {
        for (size_t k = 0; k < list->n; k++) {
            str one = list->items[i].name, other = list->items[k].name;
            if (i == k || !vault_config_is_in(real[i], real[k]))
                continue;
            return err_set(err, ERR_INVALID, "vaults '" STR_FMT "' and '" STR_FMT "' %s",
                           STR_ARG(one), STR_ARG(other),
                           str_eq(real[i], real[k])
                               ? "are the same folder"
                               : "overlap: one folder is in the other");
        }
    }
    return true;
}

/* --- which --- */

str vault_config_around(struct arena *a)
{
    str folder = vault_config_real(a, STR("."));
    for (;;) {
        str config = arena_printf(a, STR_FMT "/" VAULT_CONFIG, STR_ARG(folder));
        if (folder_exists(config.p))
            return folder;
        size_t slash = str_find_last(folder, '/');
        if (slash == STR_NONE || slash == 0)
            return (str){0};
        folder = str_slice(folder, 0, slash);
    }
}

struct vault_config vault_config_of(const struct settings *s)
{
    return (struct vault_config){.path = s->vault_path,
                                 .named = s->vaults,
                                 .dir = s->vaults_dir,
                                 .from = (enum option_source)s->vaults_from,
                                 .state_dir = s->state_dir,
                                 .state_db = s->state_db,
                                 .state_is_read = true,
                                 .no_default = s->profile > 0,
                                 .origin = s->vaults_origin};
}

void vault_config_apply(const struct vault_config *c, struct settings *s)
{
    s->vault_path = c->path;
    s->vaults = c->named;
    s->vaults_dir = c->dir;
    s->vaults_from = (int)c->from;
    s->vaults_origin = c->origin;
}

enum vault_config_kind vault_config_kind(const struct vault_config *c)
{
    return c->dir.n > 0     ? VAULTS_HOSTED
           : c->named.n > 0 ? VAULTS_NAMED
           : c->path.n > 0  ? VAULTS_ONE
                            : VAULTS_NONE;
}

bool vault_config_check(const struct vault_config *c, struct err *err)
{
    if (c->dir.n > 0 && (c->path.n > 0 || c->named.n > 0))
        return err_set(
            err, ERR_INVALID,
            "give vaults (--vault-path, --vault), or the folder of hosted ones "
            "(--vaults-dir), not both");
    return c->path.n == 0 || c->named.n == 0 ||
           err_set(err, ERR_INVALID,
                   "give one folder (--vault-path, VAULT_PATH), or vaults by name "
                   "(--vault, VAULTS), not both");
}

/* A word has the rank of a flag. */
static bool vault_config_add_word(struct vault_config *c, str word, struct err *err)
{
    struct vault_config given = *c;
    *c = (struct vault_config){.path = word,
                               .from = OPTION_BY_FLAG,
                               .state_dir = c->state_dir,
                               .state_db = c->state_db,
                               .state_db_file = c->state_db_file,
                               .state_is_read = c->state_is_read,
                               .no_default = c->no_default};
    if (given.from < OPTION_BY_FLAG)
        return true;
    c->named = given.named;
    c->dir = given.dir;
    return given.path.n == 0 ||
           err_set(err, ERR_INVALID,
                   "'" STR_FMT "' is a second vault (quote a path with spaces); to serve "
                   "several, give each a name: --vault NAME=FOLDER",
                   STR_ARG(utf8_cut(word, SHOWN_MAX)));
}

bool vault_config_add_default(struct arena *a, struct vault_config *c, struct err *err)
{
    struct user_config own;
    if (vault_config_kind(c) != VAULTS_NONE || c->no_default)
        return true;
    if (!user_config_read(a, &own, err))
        return false;
    c->path = own.path;
    c->named = own.named;
    c->dir = own.dir;
    if (vault_config_kind(c) != VAULTS_NONE)
        c->origin = user_config_file(a);
    return true;
}

bool vault_config_settle(struct arena *a, struct vault_config *c,
                         const struct option_list *words, struct err *err)
{
    static const char *const origins[] = {[OPTION_BY_DEFAULT] = "the profile",
                                          [OPTION_BY_ENVIRONMENT] = "the environment",
                                          [OPTION_BY_FLAG] = "the command line"};
    for (size_t i = 0; i < words->n; i++)
        if (!vault_config_add_word(c, words->items[i], err))
            return false;
    if (vault_config_kind(c) != VAULTS_NONE) {
        c->origin = str_c(origins[c->from]);
        return vault_config_check(c, err);
    }
    c->path = vault_config_around(a);
    if (c->path.n > 0)
        c->origin = STR("the current folder");
    return vault_config_add_default(a, c, err);
}

str vault_config_words(struct arena *a, const struct vault_config *c)
{
    struct sbuf out = SBUF_ON(a);
    if (c->dir.n > 0)
        sbuf_printf(&out, "hosted vaults in " STR_FMT, STR_ARG(c->dir));
    else if (c->path.n > 0)
        sbuf_add(&out, settings_path_shown(a, settings_path(a, c->path)));
    for (size_t i = 0; i < c->named.n; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(c->named.items[i]));
    if (out.n > 0 && c->origin.n > 0)
        sbuf_printf(&out, " (from " STR_FMT ")",
                    STR_ARG(settings_path_shown(a, c->origin)));
    return sbuf_str(&out);
}

static bool read_state_settings(struct arena *a, const struct vault_config *c,
                                struct settings *out, struct err *err)
{
    *out = (struct settings){.state_dir = c->state_dir,
                             .state_db = c->state_db,
                             .state_db_file = c->state_db_file};
    return c->state_is_read ||
           state_settings_read(a, &out->state_db, out->state_db_file, false, err);
}

bool vault_config_store(struct arena *a, const struct vault_config *c, struct store **out,
                        struct err *err)
{
    struct settings s;
    return read_state_settings(a, c, &s, err) &&
           fs_make_folder(settings_state_dir(a, s.state_dir).p, err) &&
           store_open(reach_state(a, &s), out, err);
}

bool vault_config_table(struct arena *a, const struct vault_config *c,
                        struct vault_table *out, struct err *err)
{
    struct settings s;
    struct store *store;
    *out = (struct vault_table){0};
    if (!read_state_settings(a, c, &s, err))
        return false;
    if (!store_find(reach_state(a, &s), &store, err))
        return err->code == ERR_NOT_FOUND;
    bool ok = vault_table_read(store, a, out, err);
    store_close(store);
    return ok;
}

/* The folder of --vaults-dir as the server calls it; empty: none. */
static str hosted_top(struct arena *a, const struct vault_config *c)
{
    str top = settings_path(a, c->dir);
    return top.n > 0 ? vault_config_real(a, top) : top;
}

str vault_config_folder(struct arena *a, const struct vault_config *c,
                        const struct vault_table_row *row)
{
    return row->folder.n > 0
               ? row->folder
               : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(hosted_top(a, c)),
                              STR_ARG(row->name));
}

static bool read_table(struct arena *a, const struct vault_config *c,
                       struct configured_vaults *out, struct err *err)
{
    struct vault_table all;
    if (!vault_config_table(a, c, &all, err))
        return false;
    *out = (struct configured_vaults){ARENA_ARRAY(a, struct configured_vault, all.n + 1),
                                      all.n};
    for (size_t i = 0; i < all.n; i++)
        out->items[i] = (struct configured_vault){
            all.rows[i].name, vault_config_folder(a, c, &all.rows[i]), all.rows[i].remote,
            all.rows[i].identity};
    return true;
}

static void read_path(struct arena *a, str path, struct configured_vaults *out)
{
    *out = (struct configured_vaults){ARENA_NEW(a, struct configured_vault), 1};
    *out->items =
        (struct configured_vault){.folder = arena_str(a, settings_path(a, path))};
}

bool vault_config_read(struct arena *a, const struct vault_config *c,
                       struct configured_vaults *out, struct err *err)
{
    *out = (struct configured_vaults){0};
    if (!vault_config_check(c, err))
        return false;
    if (c->path.n > 0)
        read_path(a, c->path, out);
    return c->dir.n > 0 ? read_table(a, c, out, err)
                        : c->named.n == 0 || read_named(a, &c->named, out, err);
}

/* Hosted vaults are too many to be listed. */
static bool no_vault_named(struct arena *a, const struct configured_vaults *list,
                           bool hosted, str name, struct err *err)
{
    struct sbuf names = SBUF_ON(a);
    str given = utf8_cut(name, SHOWN_MAX);
    if (hosted)
        return err_set(err, ERR_INVALID,
                       "there is no vault named '" STR_FMT
                       "': vaultd vault list shows all",
                       STR_ARG(given));
    for (size_t i = 0; i < list->n; i++)
        sbuf_printf(&names, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(list->items[i].name));
    return err_set(err, ERR_INVALID,
                   "there is no vault named '" STR_FMT "'; VAULTS names: " STR_FMT,
                   STR_ARG(given), STR_ARG(names.n > 0 ? sbuf_str(&names) : STR("none")));
}

bool vault_config_find(struct arena *a, const struct vault_config *c, str name,
                       struct configured_vault *out, struct err *err)
{
    struct configured_vaults list;
    struct vault_config named = *c;
    named.path = STR("");
    if (!vault_config_read(a, &named, &list, err))
        return false;
    const struct configured_vault *found = with_name(&list, name);
    if (found == NULL)
        return no_vault_named(a, &list, c->dir.n > 0, name, err);
    *out = *found;
    return true;
}

const char *vault_config_sync_state(struct arena *a, const struct vault_config *c)
{
    str state = settings_state_dir(a, c->state_dir);
    return c->dir.n > 0 ? vault_config_git_folder(a, state.p) : state.p;
}

const char *vault_config_git_folder(struct arena *a, const char *state_dir)
{
    return arena_printf(a, "%s/hosted", state_dir).p;
}
