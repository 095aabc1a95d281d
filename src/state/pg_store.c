#include "state/pg_thread.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/bytes.h"
#include "state/postgres.h"
#include "state/schema.h"
#include "state/sql_text.h"
#include "state/store.h"
#include "state/store_backend.h"

/* An advisory lock is a number; PostgreSQL makes it from a name. */
#define LOCK_NAMED "SELECT pg_advisory_xact_lock(hashtextextended('vaultd %s', 0))"

enum { UPGRADE_MS = 60000, LOCK_SQL_MAX = 160 };

/* --- connections --- */

/*
 * A process that hangs must not hold the lock for long, nor lead: the server ends
 * its transaction, or its connection. What is answered is on disk (SEC-26).
 */
#define SESSION                                                                          \
    "SET statement_timeout = 5000; SET lock_timeout = 5000; "                            \
    "SET idle_in_transaction_session_timeout = 5000; "                                   \
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; "                    \
    "SET tcp_keepalives_count = 3; SET tcp_user_timeout = 20000; "                       \
    "SET client_min_messages = error; "                                                  \
    "SELECT set_config('synchronous_commit', 'on', false) "                              \
    "WHERE current_setting('synchronous_commit') = 'off'; "
_Static_assert(STORE_BUSY_MS == 5000, "SESSION says so, too");

static const char *const sessions[LINKS_N] = {
    [LINK_WRITE] = SESSION "SET default_transaction_read_only = off",
    [LINK_READ] = SESSION "SET default_transaction_read_only = on",
    [LINK_PEEK] = SESSION "SET default_transaction_read_only = on",
    [LINK_LISTEN] = SESSION "LISTEN vaultd",
};

static bool pg_store_read_number(struct pg *pg, const char *sql, int64_t *out,
                                 struct err *err)
{
    return pg_number(pg, sql, STORE_NO_ARGS, STORE_BUSY_MS, out, err);
}

/* 0: there are no tables yet. */
static bool read_version(struct pg *pg, int64_t *out, struct err *err)
{
    int64_t exists;
    *out = 0;
    return pg_store_read_number(pg,
                                "SELECT count(*) FROM pg_class "
                                "WHERE oid = to_regclass('vaultd_version')",
                                &exists, err) &&
           (exists == 0 ||
            pg_store_read_number(
                pg, "SELECT coalesce(max(version), 0) FROM vaultd_version", out, err));
}

static bool pg_store_run_step(struct pg *pg, int64_t step, struct err *err)
{
    struct arena a = {0};
    str text = sql_text_postgres(&a, str_c(store_upgrades[step]));
    bool ok = pg_script(pg, text.p, UPGRADE_MS, err);
    arena_release(&a);
    return ok;
}

static bool run_additions(struct pg *pg, int64_t before, struct err *err)
{
    static const struct {
        int64_t version;
        const char *text;
    } additions[] = {STORE_POSTGRES_ADDITIONS};
    for (size_t i = 0; i < COUNT_OF(additions); i++)
        if (before < additions[i].version &&
            !pg_script(pg, additions[i].text, UPGRADE_MS, err))
            return false;
    return true;
}

/* Within a transaction that has the lock: another process may have done it by now. */
static bool run_steps(struct pg *pg, struct err *err)
{
    const int64_t ours = store_version();
    int64_t version, before;
    char set[128];
    if (!read_version(pg, &version, err))
        return false;
    if (version > ours)
        return store_refuse_newer(version, err);
    before = version;
    for (; version < ours; version++)
        if (!pg_store_run_step(pg, version, err))
            return false;
    snprintf(set, sizeof(set),
             "DELETE FROM vaultd_version; INSERT INTO vaultd_version VALUES(%lld)",
             (long long)ours);
    return run_additions(pg, before, err) && pg_script(pg, set, UPGRADE_MS, err);
}

static bool postgres_upgrade(struct pg *pg, struct err *err)
{
    int64_t version;
    struct err ignored;
    if (!read_version(pg, &version, err))
        return false;
    if (version > store_version())
        return store_refuse_newer(version, err);
    if (version == store_version())
        return true;
    if (pg_script(pg,
                  "BEGIN; SET LOCAL lock_timeout = 60000; "
                  "SET LOCAL statement_timeout = 60000; "
                  "SELECT pg_advisory_xact_lock(hashtextextended('vaultd upgrade', 0))",
                  UPGRADE_MS, err) &&
        run_steps(pg, err) && pg_script(pg, "COMMIT", UPGRADE_MS, err))
        return true;
    (void)!pg_script(pg, "ROLLBACK", STORE_BUSY_MS, &ignored);
    return false;
}

bool store_look(const char *url, int64_t *version, struct err *err)
{
    struct pg *pg;
    if (!pg_connect(url, POSTGRES_CONNECT_MS, &pg, err))
        return false;
    bool ok = read_version(pg, version, err);
    pg_close(pg);
    return ok;
}

bool postgres_connect(struct postgres *p, enum postgres_link which, struct err *err)
{
    struct pg *pg;
    if (!pg_connect(p->url, POSTGRES_CONNECT_MS, &pg, err))
        return false;
    if (!pg_script(pg, sessions[which], STORE_BUSY_MS, err) ||
        (which == LINK_WRITE && !postgres_upgrade(pg, err))) {
        pg_close(pg);
        return false;
    }
    lock_take(&p->lock);
    p->links[which].pg = pg;
    p->links[which].number++;
    lock_drop(&p->lock);
    return true;
}

static bool postgres_is_away(struct err *err)
{
    return err_set(err, ERR_BUSY, "the sign-in database does not answer");
}

static bool pg_store_is_taken(const struct link *link)
{
    return link->owner != 0 && link->owner != thread_self();
}

/* A connection may hang for long while the database is away. Only its thread
 * waits then: it finds out whether the database is back. */
static bool may_wait(const struct postgres *p, enum postgres_link which)
{
    return which == LINK_LISTEN || atomic_load(&p->away) == 0;
}

bool postgres_take(struct postgres *p, enum postgres_link which, unsigned ms,
                   struct err *err)
{
    struct link *link = &p->links[which];
    uint64_t until = clock_ns() + ms * 1000000ULL;
    bool ok = true;
    lock_take(&p->lock);
    while (ok && pg_store_is_taken(link) && may_wait(p, which))
        ok = lock_wait_until(&p->lock, &p->freed, until);
    if (!ok)
        err_set(err, ERR_BUSY, "the sign-in database is busy");
    else if (pg_store_is_taken(link) || (link->owner == 0 && link->pg == NULL))
        ok = postgres_is_away(err);
    if (ok) {
        link->owner = thread_self();
        link->depth++;
    }
    lock_drop(&p->lock);
    return ok;
}

void postgres_give(struct postgres *p, enum postgres_link which)
{
    struct link *link = &p->links[which];
    struct pg *lost = NULL;
    lock_take(&p->lock);
    if (--link->depth == 0) {
        link->owner = 0;
        if (pg_is_lost(link->pg)) {
            lost = link->pg;
            link->pg = NULL;
        }
        cond_wake_all(&p->freed);
    }
    lock_drop(&p->lock);
    if (lost == NULL)
        return;
    pg_close(lost);
    pg_thread_wake(p);
}

/* --- statements --- */

/* Whether the calling thread is in a transaction. */
static bool in_transaction(struct postgres *p)
{
    lock_take(&p->lock);
    bool is = p->links[LINK_WRITE].owner == thread_self();
    lock_drop(&p->lock);
    return is;
}

/* Take a connection, run the statement and give it back. */
static bool postgres_query(struct postgres *p, enum postgres_link which, unsigned ms,
                           const struct pg_query *q, struct pg_rows **rows,
                           struct err *err)
{
    if (!postgres_take(p, which, ms, err))
        return false;
    bool ok = pg_query(p->links[which].pg, q, ms + POSTGRES_SLACK_MS, rows, err);
    postgres_give(p, which);
    return ok;
}

static struct pg_query query_of(const struct store_call *call)
{
    return (struct pg_query){
        .sql = call->sql, .args = call->args, .n_args = call->n_args};
}

/* For the functions of the backend, which get a store of theirs and no other. */
static struct postgres *of_backend(struct store *s)
{
    return (struct postgres *)(void *)s;
}

static bool postgres_run(struct store *s, const struct store_call *call, int *changed,
                         struct err *err)
{
    struct postgres *p = of_backend(s);
    struct pg_query q = query_of(call);
    struct pg_rows *rows;
    if (!postgres_query(p, LINK_WRITE, STORE_BUSY_MS, &q, &rows, err))
        return false;
    if (changed != NULL)
        *changed = pg_rows_changed(rows);
    pg_rows_free(rows);
    return true;
}

/* The first row, and no more of them. */
static bool pg_store_take_row(struct pg_rows *rows, struct arena *a,
                              struct store_value *out, size_t columns, struct err *err)
{
    bool found = pg_rows_count(rows) > 0;
    if (found)
        pg_rows_read(rows, 0, a, out, columns);
    pg_rows_free(rows);
    return found || err_set(err, ERR_NOT_FOUND, "not found");
}

static bool postgres_get(struct store *s, struct arena *a, const struct store_call *call,
                         struct store_value *out, size_t columns, struct err *err)
{
    struct postgres *p = of_backend(s);
    struct pg_query q = query_of(call);
    struct pg_rows *rows;
    return postgres_query(p, in_transaction(p) ? LINK_WRITE : LINK_READ, STORE_BUSY_MS,
                          &q, &rows, err) &&
           pg_store_take_row(rows, a, out, columns, err);
}

static bool postgres_peek(struct store *s, struct arena *a, const struct store_call *call,
                          struct store_value *out, size_t columns, struct err *err)
{
    struct postgres *p = of_backend(s);
    struct pg_query q = query_of(call);
    struct pg_rows *rows;
    uint64_t until = clock_ms() + STORE_PEEK_MS, now;
    if (!postgres_take(p, LINK_PEEK, STORE_PEEK_MS, err))
        return false;
    now = clock_ms();
    bool ok = pg_query(p->links[LINK_PEEK].pg, &q,
                       now < until ? (unsigned)(until - now) : 0, &rows, err);
    postgres_give(p, LINK_PEEK);
    return ok && pg_store_take_row(rows, a, out, columns, err);
}

static bool postgres_list(struct store *s, struct arena *a, const struct store_call *call,
                          struct store_value **out, size_t columns, size_t *n,
                          struct err *err)
{
    struct postgres *p = of_backend(s);
    struct pg_query q = query_of(call);
    struct pg_rows *rows;
    *out = NULL;
    *n = 0;
    if (!postgres_query(p, in_transaction(p) ? LINK_WRITE : LINK_READ, STORE_BUSY_MS, &q,
                        &rows, err))
        return false;
    size_t found = pg_rows_count(rows);
    *n = found < STORE_ROWS_MAX ? found : STORE_ROWS_MAX;
    *out = ARENA_ARRAY(a, struct store_value, size_mul(*n, columns));
    for (size_t i = 0; i < *n; i++)
        pg_rows_read(rows, i, a, *out + i * columns, columns);
    pg_rows_free(rows);
    return true;
}

static bool postgres_ask(struct store *s, struct arena *a, const char *sql,
                         const struct store_value *args, size_t n_args,
                         struct store_table *out, struct err *err)
{
    struct pg_rows *rows;
    struct pg_query q = {
        .text = sql_text_postgres(a, str_c(sql)).p, .args = args, .n_args = n_args};
    *out = (struct store_table){0};
    if (!postgres_query(of_backend(s), LINK_WRITE, STORE_BUSY_MS, &q, &rows, err))
        return false;
    *out = (struct store_table){.columns = pg_rows_columns(rows),
                                .rows = pg_rows_count(rows)};
    out->values = ARENA_ARRAY(a, struct store_value, size_mul(out->rows, out->columns));
    for (size_t i = 0; i < out->rows; i++)
        pg_rows_read(rows, i, a, out->values + i * out->columns, out->columns);
    pg_rows_free(rows);
    return true;
}

/* --- transactions --- */

static bool postgres_script(struct postgres *p, const char *sql, struct err *err)
{
    return pg_script(p->links[LINK_WRITE].pg, sql, STORE_BUSY_MS + POSTGRES_SLACK_MS,
                     err);
}

static bool postgres_begin(struct store *s, const char *lock, struct err *err)
{
    struct postgres *p = of_backend(s);
    char sql[LOCK_SQL_MAX] = "BEGIN";
    struct err ignored;
    if (lock != NULL)
        snprintf(sql, sizeof(sql), "BEGIN; " LOCK_NAMED, lock);
    if (!postgres_take(p, LINK_WRITE, STORE_BUSY_MS, err))
        return false;
    if (p->links[LINK_WRITE].depth > 1)
        BUG("a transaction in a transaction");
    if (postgres_script(p, sql, err))
        return true;
    (void)!postgres_script(p, "ROLLBACK", &ignored);
    postgres_give(p, LINK_WRITE);
    return false;
}

static void postgres_rollback(struct store *s)
{
    struct postgres *p = of_backend(s);
    struct err ignored;
    (void)!postgres_script(p, "ROLLBACK", &ignored);
    postgres_give(p, LINK_WRITE);
}

static bool postgres_commit(struct store *s, struct err *err)
{
    struct postgres *p = of_backend(s);
    if (pg_has_failed(p->links[LINK_WRITE].pg)) {
        postgres_rollback(s); /* which is what COMMIT would do, and call it a success */
        return err_set(err, ERR_BUSY, "a part of the change failed");
    }
    bool ok = postgres_script(p, "COMMIT", err);
    postgres_give(p, LINK_WRITE);
    return ok;
}

/* --- the generation --- */

static uint64_t postgres_generation(struct store *s)
{
    return atomic_load(&of_backend(s)->revoked);
}

static void postgres_revoked(struct store *s)
{
    struct postgres *p = of_backend(s);
    atomic_fetch_add(&p->revoked, 1);
    pg_thread_revoked(p);
}

static bool postgres_keep(struct store *s, struct err *err)
{
    return pg_thread_start(of_backend(s), err);
}

static uint64_t postgres_away_ms(struct store *s)
{
    uint64_t since = atomic_load(&of_backend(s)->away);
    return since == 0 ? 0 : clock_ms() - since + 1;
}

/* --- opening --- */

static void postgres_close(struct store *s)
{
    struct postgres *p = of_backend(s);
    pg_thread_stop(p);
    for (size_t i = 0; i < LINKS_N; i++)
        pg_close(p->links[i].pg);
    bytes_wipe(p->url, strlen(p->url));
    free(p->url);
    free(p->held);
    cond_destroy(&p->freed);
    cond_destroy(&p->received);
    lock_release(&p->lock);
    free(p);
}

static const struct store_backend backend = {
    .close = postgres_close,
    .run = postgres_run,
    .get = postgres_get,
    .peek = postgres_peek,
    .list = postgres_list,
    .ask = postgres_ask,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .generation = postgres_generation,
    .revoked = postgres_revoked,
    .keep = postgres_keep,
    .away_ms = postgres_away_ms,
    .is_shared = true,
};

struct postgres *postgres_of(struct store *s)
{
    return s != NULL && s->backend == &backend ? of_backend(s) : NULL;
}

bool store_open_postgres(const char *url, struct store **out, struct err *err)
{
    struct postgres *p = mem_zero(sizeof(*p));
    p->store.backend = &backend;
    p->url = mem_str(str_c(url));
    p->wake = (struct bell)BELL_NONE;
    lock_init(&p->lock, LOCK_LEAF);
    cond_init(&p->freed);
    cond_init(&p->received);
    bool ok = true;
    for (enum postgres_link i = 0; ok && i < LINKS_N; i++)
        ok = postgres_connect(p, i, err);
    if (ok) {
        *out = &p->store;
        return true;
    }
    postgres_close(&p->store);
    return false;
}
