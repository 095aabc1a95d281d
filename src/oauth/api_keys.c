#include "base/clock.h"
#include "base/text.h"
#include "base/utf8.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/rights.h"
#include "oauth/sql.h"
#include "state/store.h"

enum { KEY_NAME_MAX = 128 };

static bool is_key_name(str name)
{
    return name.n > 0 && name.n <= KEY_NAME_MAX && utf8_valid(name) &&
           text_is_printable(name);
}

bool keys_add(struct oauth *o, struct arena *a, str name,
              const struct oauth_rights *rights, str *key, struct err *err)
{
    if (!is_key_name(name))
        return err_set(err, ERR_INVALID, "a key name must have 1 to %d bytes of text",
                       KEY_NAME_MAX);
    str text = secret_new(a, STR("vk_"));
    uint8_t hash[HASH_SIZE];
    int added = 0;
    hash_sha256(text, hash);
    if (!store_begin(o->store, STORE_LOCK_ACCESS, err))
        return false;
    bool ok =
        store_run(o->store, SQL_KEY_ADD,
                  STORE_ARGS(STORE_B(hash, HASH_SIZE), STORE_S(name),
                             STORE_N(rights->scopes), STORE_S(rights_print(a, rights)),
                             STORE_N(clock_now())),
                  &added, err) &&
        access_remember(o, err);
    if (!store_end(o->store, ok, err))
        return false;
    if (added == 0)
        return err_set(err, ERR_EXISTS, "key '" STR_FMT "' already exists",
                       STR_ARG(name));
    audit(LOG_INFO, "oauth.key", STR("key"), name, text, "added");
    *key = text;
    return true;
}

bool keys_list(struct store *s, struct arena *a, struct oauth_key **out, size_t *n,
               struct err *err)
{
    struct store_value *v;
    *n = 0;
    *out = NULL;
    if (!store_list(s, a, SQL_KEY_LIST, STORE_NO_ARGS, &v, 5, n, err))
        return false;
    *out = ARENA_ARRAY(a, struct oauth_key, *n);
    for (size_t i = 0; i < *n; i++, v += 5) {
        (*out)[i] = (struct oauth_key){.name = v[0].s,
                                       .rights = rights_read(a, v[1].n, v[2].s),
                                       .created = v[3].n,
                                       .used = v[4].n};
    }
    return true;
}

/* What is before the last '/', so that a name has one owner. */
static str key_owner(str name)
{
    size_t slash = str_find_last(name, '/');
    return slash == STR_NONE ? STR("") : str_slice(name, 0, slash);
}

size_t keys_of_user(struct oauth *o, struct arena *a, str user, struct oauth_key **out)
{
    struct err ignored; /* the page shows none */
    size_t n, kept = 0;
    if (!keys_list(o->store, a, out, &n, &ignored))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (str_eq(key_owner((*out)[i].name), user))
            (*out)[kept++] = (*out)[i];
    return kept;
}

/* Within a transaction: the key, and what the table of vaults allows it by its name, which
 * the next key of that name must not inherit; unless a user of that name has signed in. */
static bool drop_key(struct oauth *o, str name, struct err *err)
{
    int changed = 0;
    if (!store_run(o->store, SQL_KEY_DROP, STORE_ARGS(STORE_S(name)), &changed, err))
        return false;
    if (changed == 0)
        return err_set(err, ERR_NOT_FOUND, "no such key '" STR_FMT "'", STR_ARG(name));
    return store_run(o->store, SQL_VAULT_KEY_DROP, STORE_ARGS(STORE_S(name)), NULL, err);
}

bool keys_revoke(struct oauth *o, str name, struct err *err)
{
    if (!store_begin(o->store, STORE_LOCK_ACCESS, err) ||
        !store_end(o->store, drop_key(o, name, err), err))
        return false;
    store_revoked(o->store);
    audit(LOG_INFO, "oauth.key", STR("key"), name, STR(""), "revoked");
    return true;
}
