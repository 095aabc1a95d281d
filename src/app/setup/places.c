#include "app/setup/places.h"

#include "app/setup/reach.h"
#include "app/setup/served.h"
#include "app/setup/settings.h"
#include "app/setup/state_settings.h"
#include "app/setup/vaults.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "state/store.h"
#include "state/vault_table.h"

enum { SHOWN_MAX = 100 }; /* bytes of user input shown in a message */

bool places_are_hosted(const struct places *p)
{
    return p->vaults.n == 0 && p->vaults_dir.n > 0;
}

static bool places_state(struct arena *a, const struct places *p, struct settings *out,
                         struct err *err)
{
    *out = (struct settings){.state_dir = p->state_dir,
                             .state_db = p->state_db,
                             .state_db_file = p->state_db_file};
    return state_settings_read(a, &out->state_db, out->state_db_file, false, err);
}

bool places_store(struct arena *a, const struct places *p, struct store **out,
                  struct err *err)
{
    struct settings s;
    return places_state(a, p, &s, err) &&
           fs_make_folder(settings_state_dir(a, s.state_dir).p, err) &&
           store_open(reach_state(a, &s), out, err);
}

bool places_table(struct arena *a, const struct places *p, struct vault_table *out,
                  struct err *err)
{
    struct settings s;
    struct store *store;
    *out = (struct vault_table){0};
    if (!places_state(a, p, &s, err))
        return false;
    if (!store_find(reach_state(a, &s), &store, err))
        return err->code == ERR_NOT_FOUND;
    bool ok = vault_table_read(store, a, out, err);
    store_close(store);
    return ok;
}

/* The folder of --vaults-dir as the server calls it; empty: none. */
static str places_top(struct arena *a, const struct places *p)
{
    str top = settings_expand_home(a, p->vaults_dir);
    return top.n > 0 ? served_real(a, top) : top;
}

str places_folder(struct arena *a, const struct places *p,
                  const struct vault_table_row *row)
{
    return row->folder.n > 0
               ? row->folder
               : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(places_top(a, p)),
                              STR_ARG(row->name));
}

static bool read_table(struct arena *a, const struct places *p, struct served_list *out,
                       struct err *err)
{
    struct vault_table all;
    if (!places_table(a, p, &all, err))
        return false;
    *out = (struct served_list){ARENA_ARRAY(a, struct served, all.n + 1), all.n};
    for (size_t i = 0; i < all.n; i++)
        out->items[i] =
            (struct served){all.rows[i].name, places_folder(a, p, &all.rows[i]),
                            all.rows[i].remote, all.rows[i].identity};
    return true;
}

bool places_read(struct arena *a, const struct places *p, struct served_list *out,
                 struct err *err)
{
    return places_are_hosted(p) ? read_table(a, p, out, err)
                                : served_read(a, &p->vaults, out, err);
}

bool places_find(struct arena *a, const struct places *p, str name, struct served *out,
                 struct err *err)
{
    struct served_list list;
    const struct served *found;
    if (!places_read(a, p, &list, err))
        return false;
    if (places_are_hosted(p)) {
        struct err ignored; /* it would name all of them */
        found = served_find(a, &list, name, &ignored);
        if (found == NULL)
            return err_set(err, ERR_INVALID,
                           "there is no vault named '" STR_FMT
                           "': vaultd vault list shows all",
                           STR_ARG(utf8_cut(name, SHOWN_MAX)));
    } else {
        found = served_find(a, &list, name, err);
    }
    if (found != NULL)
        *out = *found;
    return found != NULL;
}

const char *places_sync_state(struct arena *a, const struct places *p)
{
    str state = settings_state_dir(a, p->state_dir);
    return places_are_hosted(p) ? vaults_git_folder(a, state.p) : state.p;
}
