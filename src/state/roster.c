#include "state/roster.h"

#include "base/array.h"
#include "base/chars.h"
#include "base/clock.h"
#include "base/map.h"
#include "state/store.h"

enum { PEOPLE_AT_ONCE = 1000 };

static str roster_id(struct arena *a, str name)
{
    char *id = arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++)
        id[i] = to_lower(name.p[i]);
    id[name.n] = '\0';
    return (str){id, name.n};
}

/* --- reading --- */

static void roster_put_person(struct arena *a, struct roster *r, const struct map *ids,
                              str id, str person)
{
    uint32_t i = map_find(ids, id);
    if (i != MAP_NONE)
        *ARRAY_ADD(a, r->rows[i].people, r->rows[i].n_people) = person;
}

static bool read_people(struct store *s, struct arena *a, struct roster *r,
                        const struct map *ids, struct err *err)
{
    str vault = STR(""), person = STR("");
    for (;;) {
        struct store_value *rows;
        size_t n;
        if (!store_list(
                s, a, SQL_VAULT_USERS,
                STORE_ARGS(STORE_S(vault), STORE_S(person), STORE_N(PEOPLE_AT_ONCE)),
                &rows, 2, &n, err))
            return false;
        for (size_t i = 0; i < n; i++) {
            vault = rows[2 * i].s;
            person = rows[2 * i + 1].s;
            roster_put_person(a, r, ids, vault, person);
        }
        if (n < PEOPLE_AT_ONCE)
            return true;
    }
}

bool roster_read(struct store *s, struct arena *a, struct roster *out, struct err *err)
{
    enum { COLUMNS = 5 };
    struct store_value *values;
    size_t n;
    if (!store_list(s, a, SQL_VAULT_LIST, STORE_NO_ARGS, &values, COLUMNS, &n, err))
        return false;
    *out = (struct roster){ARENA_ARRAY(a, struct roster_row, n), n};
    struct map ids = {.arena = a};
    for (size_t i = 0; i < n; i++) {
        const struct store_value *v = &values[COLUMNS * i];
        (void)map_add(&ids, v[0].s);
        out->rows[i] = (struct roster_row){
            .name = v[1].s, .folder = v[2].s, .remote = v[3].s, .created = v[4].n};
    }
    return read_people(s, a, out, &ids, err);
}

/* --- changing --- */

static bool no_such(struct err *err, str name)
{
    return err_set(err, ERR_NOT_FOUND, "there is no vault named '" STR_FMT "'",
                   STR_ARG(name));
}

/* Run a statement; *changed: how many rows it changed. Then everyone who caches the table
 * reads it again. */
static bool roster_run(struct store *s, enum store_statement q,
                       const struct store_value *args, size_t n, int *changed,
                       struct err *err)
{
    if (!store_run(s, q, args, n, changed, err))
        return false;
    store_revoked(s);
    return true;
}

static bool roster_has_room(struct store *s, struct arena *a, struct err *err)
{
    struct store_value count;
    if (!store_get(s, a, SQL_VAULT_COUNT, STORE_NO_ARGS, &count, 1, err))
        return false;
    return count.n < ROSTER_MAX ||
           err_set(err, ERR_LIMIT, "there can be at most %d vaults", ROSTER_MAX);
}

static bool roster_fits(const struct roster_row *row, struct err *err)
{
    return (row->folder.n <= ROSTER_TEXT_MAX && row->remote.n <= ROSTER_TEXT_MAX) ||
           err_set(err, ERR_LIMIT, "a folder or URL can have at most %d bytes",
                   ROSTER_TEXT_MAX);
}

/* What callers have seen of an earlier vault of that name, whose changes have the same
 * numbers. */
static bool roster_forget(struct store *s, str name, struct err *err)
{
    return store_run(s, SQL_MARK_FORGET, STORE_ARGS(STORE_S(name)), NULL, err) &&
           store_run(s, SQL_HEAD_FORGET, STORE_ARGS(STORE_S(name)), NULL, err);
}

/* Within a transaction. */
static bool add_row(struct store *s, const struct roster_row *row, struct err *err)
{
    struct arena a = {0};
    int added = 0;
    bool ok = roster_has_room(s, &a, err) &&
              store_run(s, SQL_VAULT_ADD,
                        STORE_ARGS(STORE_S(roster_id(&a, row->name)), STORE_S(row->name),
                                   STORE_S(row->folder), STORE_S(row->remote),
                                   STORE_N(clock_now())),
                        &added, err) &&
              (added > 0 ||
               err_set(err, ERR_EXISTS, "there is already a vault named '" STR_FMT "'",
                       STR_ARG(row->name))) &&
              roster_forget(s, row->name, err);
    arena_release(&a);
    return ok;
}

bool roster_add(struct store *s, const struct roster_row *row, struct err *err)
{
    if (!roster_fits(row, err) || !store_begin(s, err))
        return false;
    if (!add_row(s, row, err)) {
        store_rollback(s);
        return false;
    }
    if (!store_commit(s, err))
        return false;
    store_revoked(s);
    return true;
}

/* First those who may use it, so that a crash in between leaves a vault without users. */
bool roster_remove(struct store *s, str name, struct err *err)
{
    struct arena a = {0};
    str id = roster_id(&a, name);
    int removed = 0;
    bool ok = roster_run(s, SQL_VAULT_USERS_DROP, STORE_ARGS(STORE_S(id)), NULL, err) &&
              roster_run(s, SQL_VAULT_DROP, STORE_ARGS(STORE_S(id)), &removed, err);
    arena_release(&a);
    return ok && (removed > 0 || no_such(err, name));
}

static bool roster_knows(struct store *s, struct arena *a, str id, str name,
                         struct err *err)
{
    struct store_value ignored;
    return store_get(s, a, SQL_VAULT_GET, STORE_ARGS(STORE_S(id)), &ignored, 1, err) ||
           (err->code == ERR_NOT_FOUND && no_such(err, name));
}

bool roster_allow(struct store *s, str name, str person, struct err *err)
{
    struct arena a = {0};
    str id = roster_id(&a, name);
    bool fits = person.n > 0 && person.n <= ROSTER_PERSON_MAX;
    bool ok = (fits || err_set(err, ERR_INVALID, "a user's name has 1 to %d bytes",
                               ROSTER_PERSON_MAX)) &&
              roster_knows(s, &a, id, name, err) &&
              roster_run(s, SQL_VAULT_USER_ADD, STORE_ARGS(STORE_S(id), STORE_S(person)),
                         NULL, err);
    arena_release(&a);
    return ok;
}

bool roster_deny(struct store *s, str name, str person, struct err *err)
{
    struct arena a = {0};
    str id = roster_id(&a, name);
    int denied = 0;
    bool ok = roster_knows(s, &a, id, name, err) &&
              roster_run(s, SQL_VAULT_USER_DROP, STORE_ARGS(STORE_S(id), STORE_S(person)),
                         &denied, err);
    arena_release(&a);
    return ok &&
           (denied > 0 || err_set(err, ERR_NOT_FOUND,
                                  "'" STR_FMT "' was not allowed to use '" STR_FMT "'",
                                  STR_ARG(person), STR_ARG(name)));
}
