#include "state/vault_table.h"

#include "base/array.h"
#include "base/chars.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/map.h"
#include "base/os/rand.h"
#include "state/store.h"
#include "state/vault_table_sql.h"

enum { PEOPLE_AT_ONCE = 1000, IDENTITY_BYTES = 16 };

static str name_id(struct arena *a, str name)
{
    char *id = arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++)
        id[i] = to_lower(name.p[i]);
    id[name.n] = '\0';
    return (str){id, name.n};
}

/* --- reading --- */

static void put_person(struct arena *a, struct vault_table *r,
                       const struct map *identities, str identity,
                       struct vault_table_person person)
{
    uint32_t i = map_find(identities, identity);
    if (i != MAP_NONE)
        *ARRAY_ADD(a, r->rows[i].people, r->rows[i].n_people) = person;
}

static bool read_people(struct store *s, struct arena *a, struct vault_table *r,
                        const struct map *identities, struct err *err)
{
    enum { COLUMNS = 3 };
    str vault = STR(""), person = STR("");
    for (;;) {
        struct store_value *rows;
        size_t n;
        if (!store_list(
                s, a, SQL_VAULT_USERS,
                STORE_ARGS(STORE_S(vault), STORE_S(person), STORE_N(PEOPLE_AT_ONCE)),
                &rows, COLUMNS, &n, err))
            return false;
        for (size_t i = 0; i < n; i++) {
            const struct store_value *v = &rows[COLUMNS * i];
            vault = v[0].s;
            person = v[1].s;
            put_person(a, r, identities, vault,
                       (struct vault_table_person){person, v[2].n});
        }
        if (n < PEOPLE_AT_ONCE)
            return true;
    }
}

bool vault_table_read(struct store *s, struct arena *a, struct vault_table *out,
                      struct err *err)
{
    enum { COLUMNS = 5 };
    struct store_value *values;
    size_t n;
    if (!store_list(s, a, SQL_VAULT_LIST, STORE_NO_ARGS, &values, COLUMNS, &n, err))
        return false;
    *out = (struct vault_table){ARENA_ARRAY(a, struct vault_table_row, n), n};
    struct map identities = {.arena = a};
    for (size_t i = 0; i < n; i++) {
        const struct store_value *v = &values[COLUMNS * i];
        (void)map_add(&identities, v[0].s);
        out->rows[i] = (struct vault_table_row){.identity = v[0].s,
                                                .name = v[1].s,
                                                .folder = v[2].s,
                                                .remote = v[3].s,
                                                .created = v[4].n};
    }
    return read_people(s, a, out, &identities, err);
}

/* --- changing --- */

static bool no_such(struct err *err, str name)
{
    return err_set(err, ERR_NOT_FOUND, "there is no vault named '" STR_FMT "'",
                   STR_ARG(name));
}

static bool table_has_room(struct store *s, struct arena *a, struct err *err)
{
    struct store_value count;
    if (!store_get(s, a, SQL_VAULT_COUNT, STORE_NO_ARGS, &count, 1, err))
        return false;
    return count.n < VAULT_TABLE_MAX ||
           err_set(err, ERR_LIMIT, "there can be at most %d vaults", VAULT_TABLE_MAX);
}

static bool row_fits(const struct vault_table_row *row, struct err *err)
{
    return (row->folder.n <= VAULT_TABLE_TEXT_MAX &&
            row->remote.n <= VAULT_TABLE_TEXT_MAX) ||
           err_set(err, ERR_LIMIT, "a folder or URL can have at most %d bytes",
                   VAULT_TABLE_TEXT_MAX);
}

static str make_identity(struct arena *a)
{
    char bytes[IDENTITY_BYTES];
    rand_bytes(bytes, sizeof(bytes));
    return encode_hex(a, (str){bytes, sizeof(bytes)});
}

bool vault_table_taken(str name, struct err *err)
{
    return err_set(err, ERR_EXISTS, "there is already a vault named '" STR_FMT "'",
                   STR_ARG(name));
}

/* Within a transaction. */
static bool vault_table_add_row(struct store *s, struct arena *a,
                                const struct vault_table_row *row, struct err *err)
{
    int added = 0;
    return table_has_room(s, a, err) &&
           store_run(s, SQL_VAULT_ADD,
                     STORE_ARGS(STORE_S(name_id(a, row->name)), STORE_S(row->name),
                                STORE_S(row->folder), STORE_S(row->remote),
                                STORE_N(clock_now()), STORE_S(make_identity(a))),
                     &added, err) &&
           (added > 0 || vault_table_taken(row->name, err));
}

/* End a transaction. Then everyone who caches the table reads it again. */
static bool end_table_change(struct store *s, bool ok, struct err *err)
{
    if (!store_end(s, ok, err))
        return false;
    store_revoked(s);
    return true;
}

bool vault_table_add(struct store *s, const struct vault_table_row *row, struct err *err)
{
    struct arena a = {0};
    bool ok = row_fits(row, err) && store_begin(s, STORE_LOCK_ACCESS, err) &&
              end_table_change(s, vault_table_add_row(s, &a, row, err), err);
    arena_release(&a);
    return ok;
}

static bool identity_of(struct store *s, struct arena *a, str name, str *out,
                        struct err *err)
{
    struct store_value identity;
    if (!store_get(s, a, SQL_VAULT_GET, STORE_ARGS(STORE_S(name_id(a, name))), &identity,
                   1, err))
        return err->code == ERR_NOT_FOUND && no_such(err, name);
    *out = identity.s;
    return true;
}

static bool drop_row(struct store *s, struct arena *a, str name, struct err *err)
{
    static const char *const tables[] = {SQL_VAULT_USERS_DROP, SQL_MARK_FORGET,
                                         SQL_HEAD_FORGET, SQL_PROPOSALS_FORGET,
                                         SQL_VAULT_DROP};
    str identity = {0};
    bool ok = identity_of(s, a, name, &identity, err);
    for (size_t i = 0; ok && i < COUNT_OF(tables); i++)
        ok = store_run(s, tables[i], STORE_ARGS(STORE_S(identity)), NULL, err);
    return ok;
}

bool vault_table_remove(struct store *s, str name, struct err *err)
{
    struct arena a = {0};
    bool ok = store_begin(s, STORE_LOCK_ACCESS, err) &&
              end_table_change(s, drop_row(s, &a, name, err), err);
    arena_release(&a);
    return ok;
}

/* Run a statement about a vault and a person; *changed: how many rows it changed. */
static bool run_for_person(struct store *s, const char *sql, str name, str person,
                           int *changed, struct err *err)
{
    struct arena a = {0};
    str identity = {0};
    bool ok = store_begin(s, STORE_LOCK_ACCESS, err) &&
              end_table_change(
                  s,
                  identity_of(s, &a, name, &identity, err) &&
                      store_run(s, sql, STORE_ARGS(STORE_S(identity), STORE_S(person)),
                                changed, err),
                  err);
    arena_release(&a);
    return ok;
}

bool vault_table_allow(struct store *s, str name, str person, struct err *err)
{
    bool fits = person.n > 0 && person.n <= VAULT_TABLE_PERSON_MAX;
    return (fits || err_set(err, ERR_INVALID, "a user's name has 1 to %d bytes",
                            VAULT_TABLE_PERSON_MAX)) &&
           run_for_person(s, SQL_VAULT_USER_ADD, name, person, NULL, err);
}

bool vault_table_deny(struct store *s, str name, str person, struct err *err)
{
    int denied = 0;
    return run_for_person(s, SQL_VAULT_USER_DROP, name, person, &denied, err) &&
           (denied > 0 || err_set(err, ERR_NOT_FOUND,
                                  "'" STR_FMT "' was not allowed to use '" STR_FMT "'",
                                  STR_ARG(person), STR_ARG(name)));
}

bool vault_table_forget(struct store *s, str person, int *denied, struct err *err)
{
    return store_begin(s, STORE_LOCK_ACCESS, err) &&
           end_table_change(s,
                            store_run(s, SQL_VAULT_PERSON_DROP,
                                      STORE_ARGS(STORE_S(person)), denied, err),
                            err);
}
