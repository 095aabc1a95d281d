/*
 * Both stores have the same tables with the same columns in the same order, because the
 * same steps made them. Only the numbers of new rows are kept differently, and must not be
 * given out again: refresh tokens name their grant by it.
 */
#include "state/copy.h"

#include "base/sbuf.h"
#include "state/store.h"
#include "state/store_backend.h"

enum { COLUMNS_MAX = 32 };

/* What differs: the names of the tables, and where each counts its rows. The tables that
 * only PostgreSQL has are about its connections. */
struct dialect {
    const char *tables, *counters, *forget, *set_counter;
    const char *snapshot,
        *lock; /* all reads see the same state; a table is not changed */
};

static const struct dialect sqlite = {
    .tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND "
              "name NOT LIKE 'sqlite%' ORDER BY name",
    .counters = "SELECT name, seq FROM sqlite_sequence ORDER BY name",
    .forget = "DELETE FROM sqlite_sequence WHERE name = ?",
    .set_counter = "INSERT INTO sqlite_sequence VALUES(?, ?)",
};

#define OURS "relnamespace = CAST(current_schema() AS regnamespace)"
#define COUNTER(table) "CAST(pg_get_serial_sequence(" table ", 'id') AS regclass)"
static const struct dialect postgres = {
    .tables = "SELECT CAST(relname AS text) FROM pg_class WHERE relkind = 'r' AND " OURS
              " AND relname NOT IN ('vaultd_version', 'revocations', 'duties', 'leases') "
              "ORDER BY 1",
    .counters =
        "SELECT CAST(relname AS text), "
        "coalesce(pg_sequence_last_value(" COUNTER(
            "CAST(relname AS text)") "), 0) "
                                     "FROM pg_class JOIN pg_attribute ON attrelid = "
                                     "pg_class.oid "
                                     "WHERE attidentity <> '' AND " OURS " ORDER BY 1",
    .set_counter = "SELECT setval(" COUNTER("?") ", ?)",
    .snapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    .lock = " IN EXCLUSIVE MODE",
};

static const struct dialect *dialect_of(const struct store *s)
{
    return store_is_shared(s) ? &postgres : &sqlite;
}

static bool copy_ask(struct store *s, struct arena *a, const char *sql,
                     const struct store_value *args, size_t n, struct store_table *out,
                     struct err *err)
{
    return s->backend->ask(s, a, sql, args, n, out, err);
}

static const char *about_table(struct arena *a, const char *before, str table,
                               const char *after)
{
    return arena_printf(a, "%s\"" STR_FMT "\"%s", before, STR_ARG(table), after).p;
}

static bool copy_is_empty(struct store *s, struct arena *a, str table, bool *out,
                          struct err *err)
{
    struct store_table t;
    if (!copy_ask(s, a, about_table(a, "SELECT count(*) FROM ", table, ""), STORE_NO_ARGS,
                  &t, err))
        return false;
    *out = t.rows == 1 && t.values[0].n == 0;
    return true;
}

static bool clear_table(struct store *to, struct arena *a, str table, bool replace,
                        struct err *err)
{
    struct store_table none;
    bool empty;
    const char *lock = dialect_of(to)->lock;
    if ((lock != NULL && !copy_ask(to, a, about_table(a, "LOCK TABLE ", table, lock),
                                   STORE_NO_ARGS, &none, err)) ||
        !copy_is_empty(to, a, table, &empty, err))
        return false;
    if (!empty && !replace)
        return err_set(err, ERR_EXISTS,
                       "the target is not empty: it has rows in '" STR_FMT
                       "'; add the word replace to remove all of them",
                       STR_ARG(table));
    return empty || copy_ask(to, a, about_table(a, "DELETE FROM ", table, ""),
                             STORE_NO_ARGS, &none, err);
}

static bool copy_rows(struct store *from, struct store *to, struct arena *a, str table,
                      size_t *rows, struct err *err)
{
    struct store_table t, none;
    struct sbuf insert = SBUF_ON(a);
    if (!copy_ask(from, a, about_table(a, "SELECT * FROM ", table, ""), STORE_NO_ARGS, &t,
                  err))
        return false;
    if (t.columns > COLUMNS_MAX)
        BUG("a table with %zu columns", t.columns);
    sbuf_add(&insert, str_c(about_table(a, "INSERT INTO ", table, " VALUES(")));
    for (size_t i = 0; i < t.columns; i++)
        sbuf_add(&insert, i == 0 ? STR("?") : STR(", ?"));
    sbuf_add(&insert, STR(")"));
    sbuf_char(&insert, '\0');
    for (size_t i = 0; i < t.rows; i++)
        if (!copy_ask(to, a, insert.p, t.values + i * t.columns, t.columns, &none, err))
            return false;
    *rows = t.rows;
    return true;
}

static int64_t counter_of(const struct store_table *counters, str table)
{
    for (size_t i = 0; i < counters->rows; i++) {
        const struct store_value *row = counters->values + i * counters->columns;
        if (str_eq(row[0].s, table))
            return row[1].n;
    }
    return 0;
}

/* Never lower than it was, on either side. */
static bool copy_counters(struct store *from, struct store *to, struct arena *a,
                          struct err *err)
{
    const struct dialect *d = dialect_of(to);
    struct store_table t, was, none;
    if (!copy_ask(from, a, dialect_of(from)->counters, STORE_NO_ARGS, &t, err) ||
        !copy_ask(to, a, d->counters, STORE_NO_ARGS, &was, err))
        return false;
    for (size_t i = 0; i < t.rows; i++) {
        const struct store_value *row = t.values + i * t.columns;
        int64_t before = counter_of(&was, row[0].s);
        const struct store_value set[] = {row[0],
                                          row[1].n > before ? row[1] : STORE_N(before)};
        if (set[1].n == 0)
            continue;
        if ((d->forget != NULL && !copy_ask(to, a, d->forget, set, 1, &none, err)) ||
            !copy_ask(to, a, d->set_counter, set, 2, &none, err))
            return false;
    }
    return true;
}

static bool copy_tables(const struct copy *c, struct arena *a, struct copied **out,
                        size_t *n, struct err *err)
{
    struct store *from = c->from, *to = c->to;
    const char *snapshot = dialect_of(from)->snapshot;
    struct store_table t;
    if ((snapshot != NULL && !copy_ask(from, a, snapshot, STORE_NO_ARGS, &t, err)) ||
        !copy_ask(from, a, dialect_of(from)->tables, STORE_NO_ARGS, &t, err))
        return false;
    *out = ARENA_ARRAY(a, struct copied, t.rows);
    *n = t.rows;
    for (size_t i = 0; i < t.rows; i++) {
        (*out)[i].table = t.values[i].s;
        if (!clear_table(to, a, t.values[i].s, c->replace, err) ||
            !copy_rows(from, to, a, t.values[i].s, &(*out)[i].rows, err))
            return false;
    }
    return copy_counters(from, to, a, err);
}

static bool copy_session(const struct copy *c, struct arena *a, struct err *err)
{
    struct store_table none;
    return c->session.n == 0 ||
           copy_ask(c->to, a,
                    "INSERT INTO secrets VALUES(?, ?) "
                    "ON CONFLICT(name) DO UPDATE SET value = excluded.value",
                    STORE_ARGS(STORE_S(STR(COPY_SESSION)),
                               STORE_B(c->session.p, c->session.n)),
                    &none, err);
}

bool store_copy(const struct copy *c, struct arena *a, struct copied **out, size_t *n,
                struct err *err)
{
    if (!store_begin(c->from, NULL, err))
        return false;
    if (!store_begin(c->to, STORE_LOCK_ACCESS, err)) {
        store_rollback(c->from);
        return false;
    }
    bool ok = copy_tables(c, a, out, n, err) && copy_session(c, a, err);
    store_rollback(c->from);
    return store_end(c->to, ok, err);
}
