/*
 * Who was removed from the users, and who came back. The store has a line for each name:
 * "+stamp name" for a user, "-stamp name" for one who was removed but is still allowed to
 * use vaults. A name that comes back with the same password is the same user, such as
 * after an operator's mistake; with another one, it is another person, who inherits
 * nothing.
 */
#include "base/array.h"
#include "base/map.h"
#include "oauth/oauth.h"
#include "oauth/parts.h"
#include "oauth/sql.h"
#include "oauth/users.h"
#include "state/store.h"

#define PAST_FACT STR("users")

struct past {
    struct map names;
    struct users_entry *entries; /* by number in names */
    bool *removed;
};

static void read_past(struct past *p, struct arena *a, str text)
{
    str line;
    size_t n = 0, n_removed = 0;
    p->names.arena = a;
    while (text.n > 0 && str_next(&text, '\n', &line)) {
        size_t space = str_find_char(line, ' ');
        if (space == STR_NONE || !map_add_new(&p->names, str_skip(line, space + 1)))
            continue;
        *ARRAY_ADD(a, p->entries, n) =
            (struct users_entry){str_skip(line, space + 1), str_slice(line, 1, space)};
        *ARRAY_ADD(a, p->removed, n_removed) = line.p[0] == '-';
    }
}

static void print_past(struct sbuf *out, char sign, const struct users_entry *e)
{
    sbuf_printf(out, "%c" STR_FMT " " STR_FMT "\n", sign, STR_ARG(e->stamp),
                STR_ARG(e->name));
}

/* Within a transaction: the users now, as lines; *ended: how many names are other
 * people. */
static bool compare_users(struct oauth *o, struct arena *a, struct past *p,
                          struct sbuf *out, size_t *ended, struct err *err)
{
    struct users_entry *now;
    struct map present = {.arena = a};
    struct store_value allowed[1];
    size_t n = users_list(o->users, a, &now);
    for (size_t i = 0; i < n; i++) {
        uint32_t before = map_find(&p->names, now[i].name);
        map_add(&present, now[i].name);
        print_past(out, '+', &now[i]);
        if (before == MAP_NONE || !p->removed[before] ||
            str_eq(p->entries[before].stamp, now[i].stamp))
            continue;
        int changed = 0;
        if (!store_run(o->store, SQL_VAULT_USER_END, STORE_ARGS(STORE_S(now[i].name)),
                       &changed, err))
            return false;
        if (changed == 0)
            continue;
        audit(LOG_INFO, "oauth.user", STR(""), now[i].name, STR(""),
              "another user of this name inherits no vaults");
        ++*ended;
    }
    for (uint32_t i = 0; i < p->names.n; i++) {
        if (map_find(&present, p->entries[i].name) != MAP_NONE)
            continue;
        if (!store_get(o->store, a, SQL_VAULT_USER_COUNT,
                       STORE_ARGS(STORE_S(p->entries[i].name)), allowed, 1, err))
            return false;
        if (allowed[0].n > 0)
            print_past(out, '-', &p->entries[i]);
    }
    return true;
}

static bool update_past(struct oauth *o, struct arena *a, size_t *ended, struct err *err)
{
    struct store_value v[1] = {{0}};
    struct past p = {0};
    struct sbuf text = SBUF_ON(a);
    if (!store_get(o->store, a, SQL_FACT_GET, STORE_ARGS(STORE_S(PAST_FACT)), v, 1,
                   err) &&
        err->code != ERR_NOT_FOUND)
        return false;
    read_past(&p, a, v[0].s);
    if (!compare_users(o, a, &p, &text, ended, err))
        return false;
    return str_eq(sbuf_str(&text), v[0].s) ||
           store_run(o->store, SQL_FACT_PUT,
                     STORE_ARGS(STORE_S(PAST_FACT), STORE_S(sbuf_str(&text))), NULL, err);
}

bool oauth_note_users(struct oauth *o, struct err *err)
{
    struct arena a = {0};
    size_t ended = 0;
    uint64_t generation = users_generation(o->users) + 1;
    if (atomic_load(&o->users_noted) == generation)
        return true;
    bool ok = store_begin(o->store, STORE_LOCK_ACCESS, err) &&
              store_end(o->store, update_past(o, &a, &ended, err), err);
    if (ok && ended > 0)
        store_revoked(o->store);
    if (ok)
        atomic_store(&o->users_noted, generation);
    arena_release(&a);
    return ok;
}
