#include "app/cli/state.h"

#include "app/setup/state_settings.h"
#include "base/fs.h"
#include "base/os/file.h"
#include "mcp/server.h"
#include "state/copy.h"
#include "state/postgres.h"
#include "state/store.h"

#define SESSION_FILE "session.key"

/* One end of the copy. */
struct end {
    const char *where;  /* for store_open() */
    const char *folder; /* NULL: a database */
    struct store *store;
};

static bool state_usage(struct err *err)
{
    return err_set(err, ERR_INVALID,
                   "usage: vaultd state copy FROM TO [replace], where FROM and TO are a "
                   "state folder, postgres://USER@HOST/DATABASE, or state-db for the "
                   "database of --state-db");
}

static bool find_end(struct arena *a, const struct settings *s, str word, struct end *out,
                     struct err *err)
{
    str text = arena_str(a, word);
    *out = (struct end){.where = text.p};
    if (str_eq(word, STR("state-db")))
        out->where = s->state_db.p;
    if (str_eq(word, STR("state-db")) && s->state_db.n == 0)
        return err_set(err, ERR_INVALID,
                       "state-db means the database of --state-db, STATE_DB or "
                       "--state-db-file: give one of them");
    if (store_is_url(out->where))
        return str_eq(word, STR("state-db")) || state_settings_check_argument(text, err);
    out->folder = text.p;
    out->where = arena_printf(a, STR_FMT "/oauth.db", STR_ARG(text)).p;
    return true;
}

static bool open_ends(struct end *from, struct end *to, struct err *err)
{
    if (from->folder != NULL && !file_exists(from->where))
        return err_set(err, ERR_NOT_FOUND,
                       "there are no sign-ins in %s: it has no oauth.db", from->folder);
    return store_open(from->where, &from->store, err) &&
           (to->folder == NULL || fs_make_folder(to->folder, err)) &&
           store_open(to->where, &to->store, err);
}

static str session_path(struct arena *a, const struct end *e)
{
    return arena_printf(a, "%s/" SESSION_FILE, e->folder);
}

/* The key of sessions is a file, unless it is in a database. */
static bool read_session(struct arena *a, const struct end *from, str *out,
                         struct err *err)
{
    *out = STR("");
    return from->folder == NULL || !file_exists(session_path(a, from).p) ||
           fs_read_file(a, session_path(a, from), MCP_KEY_SIZE, out, err);
}

static bool write_session(struct arena *a, const struct end *to, struct err *err)
{
    struct store_value v[1];
    if (to->folder == NULL)
        return true;
    if (!store_get(to->store, a, SQL_SECRET_GET, STORE_ARGS(STORE_S(STR(COPY_SESSION))),
                   v, 1, err))
        return err->code == ERR_NOT_FOUND;
    return fs_replace_file(session_path(a, to).p, v[0].s, err);
}

static bool copy_all(struct end *from, struct end *to, bool replace, struct sbuf *out,
                     struct err *err)
{
    struct arena *a = out->arena;
    struct copied *list;
    size_t n;
    struct copy copy = {.from = from->store, .to = to->store, .replace = replace};
    if (!read_session(a, from, &copy.session, err) ||
        !store_copy(&copy, a, &list, &n, err) || !write_session(a, to, err))
        return false;
    for (size_t i = 0; i < n; i++)
        sbuf_printf(out, STR_FMT "\t%zu\n", STR_ARG(list[i].table), list[i].rows);
    return true;
}

bool state_command(const struct settings *s, const struct option_list *words,
                   struct sbuf *out, struct err *err)
{
    struct end from = {0}, to = {0};
    bool replace = words->n == 4 && str_eq(words->items[3], STR("replace"));
    if ((words->n != 3 && !replace) || !str_eq(words->items[0], STR("copy")))
        return state_usage(err);
    bool ok = find_end(out->arena, s, words->items[1], &from, err) &&
              find_end(out->arena, s, words->items[2], &to, err) &&
              open_ends(&from, &to, err) && copy_all(&from, &to, replace, out, err);
    store_close(from.store);
    store_close(to.store);
    return ok;
}
