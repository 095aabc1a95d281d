#include "app/setup/vault_state.h"

#include "app/setup/vault_config.h"
#include "base/array.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "state/vault_table.h"

enum { ROOTS_BYTES_MAX = 64 << 10 };

/* A folder that is or was at a path: "KEY INODE BIRTH". */
struct root {
    str key, id; /* id: "INODE BIRTH"; empty: unknown */
};

struct roots {
    const char *path; /* of their file */
    struct root *items;
    size_t n;
};

static str hash_key(struct arena *a, str text)
{
    return arena_printf(a, "%016llx", (unsigned long long)hash_content(text).high);
}

static str root_id(struct arena *a, str folder)
{
    struct file_stat st;
    if (!file_stat_at(FILE_CWD, folder.p, FILE_FOLLOW, &st) || st.born_ns == 0)
        return STR("");
    return arena_printf(a, "%llu %lld", (unsigned long long)st.inode,
                        (long long)st.born_ns);
}

/* An empty folder may be a mount point without its file system. */
static bool is_empty_state(str folder)
{
    struct folder_names names = folder_names(FILE_CWD, folder.p);
    bool empty = folder_next(&names) == NULL;
    return folder_end(&names) && empty;
}

static struct roots read_roots(struct arena *a, const char *state_dir, str folder)
{
    str text = STR(""), line, key;
    struct err ignored; /* none yet */
    struct roots r = {.path = arena_printf(a, "%s/roots-" STR_FMT, state_dir,
                                           STR_ARG(hash_key(a, folder)))
                                  .p};
    if (!fs_read_file(a, str_c(r.path), ROOTS_BYTES_MAX, &text, &ignored))
        return r;
    while (str_next(&text, '\n', &line) && line.n > 0)
        if (str_next(&line, ' ', &key))
            *ARRAY_ADD(a, r.items, r.n) = (struct root){key, line};
    return r;
}

static void write_roots(struct arena *a, const struct roots *r)
{
    struct sbuf out = SBUF_ON(a);
    struct err err;
    size_t first = r->n > VAULT_STATE_ROOTS_MAX ? r->n - VAULT_STATE_ROOTS_MAX : 0;
    for (size_t i = first; i < r->n; i++)
        sbuf_printf(&out, STR_FMT " " STR_FMT "\n", STR_ARG(r->items[i].key),
                    STR_ARG(r->items[i].id));
    if (!fs_replace_file(r->path, sbuf_str(&out), &err))
        log_event(LOG_WARN, "vault_state_not_kept", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

/* The latest that is this folder; NULL: none. */
static const struct root *find_root(const struct roots *r, str id)
{
    for (size_t i = r->n; i-- > 0;)
        if (str_eq(r->items[i].id, id))
            return &r->items[i];
    return NULL;
}

/* The first folder at a path has the hash of the path: also the state of vaults from before
 * there were keys. */
static str own_key(struct arena *a, const struct roots *r, str folder, str id)
{
    const struct root *known = find_root(r, id);
    if (known != NULL)
        return known->key;
    if (r->n == 0)
        return hash_key(a, folder);
    return id.n == 0 ? r->items[r->n - 1].key
                     : hash_key(a, arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(folder),
                                                STR_ARG(id)));
}

static str find_state_key(struct arena *a, const struct roots *r, str folder, str id,
                          str identity)
{
    if (identity.n == 0)
        return own_key(a, r, folder, id);
    return str_starts(identity, STR(VAULT_TABLE_EARLIER)) ? hash_key(a, folder)
                                                          : identity;
}

static void remember_root(struct arena *a, struct roots *r, str folder, struct root root)
{
    const struct root *known = find_root(r, root.id);
    if ((known != NULL && str_eq(known->key, root.key)) || is_empty_state(folder))
        return;
    if (r->n > 0 && known == NULL)
        log_event(LOG_WARN, "vault_state_new", LOG_STR("folder", folder),
                  LOG_STR("why", STR("the folder at this path was replaced by another "
                                     "one, which gets a new history")),
                  LOG_STR("key", root.key), LOG_STR("before", r->items[r->n - 1].key),
                  LOG_STR("file", str_c(r->path)));
    *ARRAY_ADD(a, r->items, r->n) = root;
    write_roots(a, r);
}

static str state_key(struct arena *a, const char *state_dir, str folder, str identity,
                     bool remember)
{
    str real = vault_config_real(a, folder), id = root_id(a, real);
    struct roots r = read_roots(a, state_dir, real);
    struct root root = {find_state_key(a, &r, real, id, identity), id};
    if (remember)
        remember_root(a, &r, real, root);
    return arena_str(a, root.key);
}

str vault_state_of_path(struct arena *a, str folder)
{
    return hash_key(a, vault_config_real(a, folder));
}

str vault_state_key(struct arena *a, const char *state_dir, str folder, str identity)
{
    return state_key(a, state_dir, folder, identity, true);
}

str vault_state_look(struct arena *a, const char *state_dir, str folder, str identity)
{
    return state_key(a, state_dir, folder, identity, false);
}
