#include "app/cli/keys.h"

#include "app/setup/reach.h"
#include "app/web/auth.h"
#include "base/clock.h"
#include "base/path.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "oauth/rights.h"
#include "state/store.h"

static bool usage(struct err *err)
{
    return err_set(
        err, ERR_INVALID,
        "usage: vaultd key add NAME [read|write] [FOLDER...], vaultd key list, "
        "vaultd key revoke NAME");
}

static bool read_rights(struct arena *a, const struct option_list *words,
                        struct oauth_rights *out, struct err *err)
{
    size_t from = 2;
    out->scopes = OAUTH_READ | OAUTH_WRITE;
    if (words->n > 2 && str_eq(words->items[2], STR("read")))
        out->scopes = OAUTH_READ;
    else if (words->n > 2 && !str_eq(words->items[2], STR("write")))
        return usage(err);
    if (words->n > 2)
        from = 3;
    out->n_folders = words->n - from;
    str *folders = ARENA_ARRAY(a, str, out->n_folders);
    for (size_t i = 0; i < out->n_folders; i++)
        if (words->items[from + i].n == 0)
            return usage(err); /* an unset variable, not the whole vault */
        else if (!path_clean(a, words->items[from + i], &folders[i], err))
            return false;
    out->folders = folders;
    return true;
}

static bool add_api_key(struct oauth *o, str name, const struct oauth_rights *rights,
                        struct sbuf *out, struct err *err)
{
    str key;
    if (!keys_add(o, out->arena, name, rights, &key, err))
        return false;
    sbuf_add(out, key);
    sbuf_char(out, '\n');
    return true;
}

static void print_keys(const struct oauth_key *keys, size_t n, struct sbuf *out)
{
    char made[CLOCK_ISO_SIZE], used[CLOCK_ISO_SIZE];
    for (size_t i = 0; i < n; i++) {
        str scopes = rights_print_scopes(out->arena, keys[i].rights.scopes);
        str when = keys[i].used > 0 ? clock_iso(keys[i].used, used) : STR("never");
        sbuf_printf(out, STR_FMT "\t" STR_FMT "\t", STR_ARG(keys[i].name),
                    STR_ARG(scopes));
        for (size_t j = 0; j < keys[i].rights.n_folders; j++)
            sbuf_printf(out, "%s" STR_FMT, j > 0 ? "," : "",
                        STR_ARG(keys[i].rights.folders[j]));
        str since = clock_iso(keys[i].created, made);
        sbuf_printf(out, "\tcreated " STR_FMT "\tused " STR_FMT "\n", STR_ARG(since),
                    STR_ARG(when));
    }
}

/* Creates nothing. */
static bool list_keys(const struct settings *s, struct sbuf *out, struct err *err)
{
    struct store *store;
    struct oauth_key *keys;
    size_t n;
    if (!store_find(reach_state(out->arena, s), &store, err))
        return err->code == ERR_NOT_FOUND;
    bool ok = keys_list(store, out->arena, &keys, &n, err);
    store_close(store);
    if (ok)
        print_keys(keys, n, out);
    return ok;
}

static bool has_keys(const struct settings *s, struct arena *a, struct err *err)
{
    struct store *store;
    if (store_find(reach_state(a, s), &store, err)) {
        store_close(store);
        return true;
    }
    return err->code != ERR_NOT_FOUND ? false
                                      : err_set(err, ERR_NOT_FOUND, "there are no keys");
}

bool keys_command(const struct settings *s, const struct option_list *words,
                  struct sbuf *out, struct err *err)
{
    struct oauth *o;
    struct oauth_rights rights = {0};
    str verb = words->n > 0 ? words->items[0] : STR("");
    bool adds = str_eq(verb, STR("add")) && words->n >= 2;
    bool revokes = str_eq(verb, STR("revoke")) && words->n == 2;
    if (str_eq(verb, STR("list")) && words->n == 1)
        return list_keys(s, out, err);
    if (!adds && !revokes)
        return usage(err);
    if ((adds && !read_rights(out->arena, words, &rights, err)) ||
        (revokes && !has_keys(s, out->arena, err)) || !auth_open_store(s, &o, err))
        return false;
    bool ok = adds ? add_api_key(o, words->items[1], &rights, out, err)
                   : keys_revoke(o, words->items[1], err);
    oauth_free(o);
    return ok;
}
