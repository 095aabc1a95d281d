/*
 * store - persistent data: one SQLite file in WAL mode, the same in memory, or tables in
 * PostgreSQL.
 *
 * Statements are constants of the rooms that use them; only store_sqlite.c includes
 * SQLite, only postgres_lib.h knows libpq. Changes are on disk when the call, or
 * store_commit() in a transaction, returns true (SEC-26). Several processes may use the
 * file or the database.
 *
 * Calls are safe from any thread. They wait for each other, and up to STORE_BUSY_MS for
 * other processes (then ERR_BUSY). Only store_peek() never waits for a writer.
 *
 * A database that is not on this machine may go away. Then calls fail with ERR_BUSY,
 * within their deadline at first and at once afterwards. With store_keep(), it reconnects
 * automatically.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

enum {
    STORE_BUSY_MS = 5000,
    STORE_PEEK_MS = 500, /* of store_peek() as a whole, used where other requests wait */
    STORE_ROWS_MAX = 10000,
    STORE_AWAY_MAX_MS = 300000, /* how long what was read before may be relied on */
};

struct store;

/* Whether it is the URL of a PostgreSQL, by how it begins. */
bool store_is_url(const char *where);

/* The path of a file, the URL of a database (postgres://…), or NULL: in memory.
 * ERR_INVALID if it is from a newer vaultd, not a database, or not a URL; ERR_DENIED,
 * ERR_BUSY: the database refused us, or is not there. */
MUST_CHECK bool store_open(const char *where, struct store **out, struct err *err);
void store_close(struct store *s);

/*
 * The same for a query: opens only what exists, and neither creates nor upgrades
 * anything. ERR_NOT_FOUND: there is no database, or it has no tables. Tables of an older
 * vaultd are read from a copy in memory; those in PostgreSQL are refused (ERR_INVALID).
 */
MUST_CHECK bool store_find(const char *where, struct store **out, struct err *err);

/*
 * Start the thread that a database needs: it reconnects when connections were lost, and
 * subscribes to revocations by other processes, so that store_generation() never waits.
 * For a server, after the sandbox; may be called twice.
 */
MUST_CHECK bool store_keep(struct store *s, struct err *err);

/* The version of the tables that this program makes; it refuses newer ones. */
int64_t store_version(void);

/* The version of the tables in a PostgreSQL; 0: there are none. Changes nothing; fails as
 * store_open() does. */
MUST_CHECK bool store_look(const char *url, int64_t *version, struct err *err);

/* A value passed to or returned by a statement. */
enum store_type { STORE_NULL, STORE_INT, STORE_TEXT, STORE_BLOB };
struct store_value {
    enum store_type type;
    int64_t n;
    str s;
};

#define STORE_N(number) ((struct store_value){.type = STORE_INT, .n = (int64_t)(number)})
#define STORE_S(text) ((struct store_value){.type = STORE_TEXT, .s = (text)})
#define STORE_B(bytes, size)                                                             \
    ((struct store_value){.type = STORE_BLOB, .s = {(const char *)(bytes), (size)}})
#define STORE_ARGS(...)                                                                  \
    (const struct store_value[]){__VA_ARGS__},                                           \
        sizeof((const struct store_value[]){__VA_ARGS__}) / sizeof(struct store_value)
#define STORE_NO_ARGS NULL, 0

/*
 * A statement is a constant, known by its text; a list X(name, text) of a room declares
 * and defines its own (oauth/sql.h, replica/sql.h). SQLite and PostgreSQL run the same
 * ones, so they are written in what both know: ON CONFLICT instead of INSERT OR, CASE
 * instead of max(a, b), no LIMIT -1, a name for every subquery. sql_text.h translates
 * parameters and types.
 */
#define STORE_DECLARE(name, sql) extern const char(name)[];
#define STORE_DEFINE(name, sql) const char(name)[] = sql;

#define STORE_STATEMENTS(X)                                                              \
    X(SQL_SECRET_GET, "SELECT value FROM secrets WHERE name = ?")                        \
    X(SQL_SECRET_ADD, "INSERT INTO secrets VALUES(?, ?) ON CONFLICT DO NOTHING")         \
    X(SQL_FACT_GET, "SELECT value FROM facts WHERE name = ?")                            \
    X(SQL_FACT_PUT, "INSERT INTO facts VALUES(?, ?) "                                    \
                    "ON CONFLICT(name) DO UPDATE SET value = excluded.value")            \
    X(SQL_ACCESS_GIVEN, /* keys; whether a key or a sign-in was ever made */             \
      "SELECT (SELECT count(*) FROM keys), CASE WHEN EXISTS (SELECT 1 FROM keys) OR "    \
      "EXISTS (SELECT 1 FROM grants) OR EXISTS (SELECT 1 FROM facts "                    \
      "WHERE name = 'access') THEN 1 ELSE 0 END")

STORE_STATEMENTS(STORE_DECLARE)

/* Run a statement that returns no rows; *changed: how many rows it changed (changed may
 * be NULL). */
MUST_CHECK bool store_run(struct store *s, const char *sql,
                          const struct store_value *args, size_t n_args, int *changed,
                          struct err *err);

/* Read the first row into out[0..columns), its text in the arena. ERR_NOT_FOUND: no
 * row. Also for INSERT ... RETURNING, within a transaction. */
MUST_CHECK bool store_get(struct store *s, struct arena *a, const char *sql,
                          const struct store_value *args, size_t n_args,
                          struct store_value *out, size_t columns, struct err *err);

/*
 * The same without waiting for writers: reads what was last committed. At most
 * STORE_PEEK_MS; a database that has not answered by then is away, and no call waits for
 * it again until it answers.
 */
MUST_CHECK bool store_peek(struct store *s, struct arena *a, const char *sql,
                           const struct store_value *args, size_t n_args,
                           struct store_value *out, size_t columns, struct err *err);

/* All rows, one after the other, at most STORE_ROWS_MAX. */
MUST_CHECK bool store_list(struct store *s, struct arena *a, const char *sql,
                           const struct store_value *args, size_t n_args,
                           struct store_value **out, size_t columns, size_t *rows,
                           struct err *err);

/*
 * An atomic transaction; other threads wait until it ends. Transactions with the same
 * lock exclude each other, in all processes: what one reads cannot change until it ends.
 * Locks are names, one for each group of tables, so that changes of different groups do
 * not wait for each other; lock NULL: its statements are safe on their own. (SQLite has
 * one lock for all.) A single statement outside of a transaction is atomic and takes no
 * lock.
 *
 * After begin, always end it with commit or rollback, even if something failed; or with
 * store_end(): commit if ok, else roll back. True: it is committed.
 */
MUST_CHECK bool store_begin(struct store *s, const char *lock, struct err *err);
MUST_CHECK bool store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);
MUST_CHECK bool store_end(struct store *s, bool ok, struct err *err);

/* For transactions that may revoke something, and for the table of vaults: all of them
 * count it in the same row, so they take the same lock before. */
#define STORE_LOCK_ACCESS "access"

/*
 * A number that changes whenever something may have been revoked, in this or another
 * process: store it with cached data, and compare. Costs one load from shared memory;
 * once per second it also detects changes by processes that did not announce them.
 */
uint64_t store_generation(struct store *s);

/* Announce that something was revoked; call it after the commit. */
void store_revoked(struct store *s);

/* Whether processes on other machines may use it. */
bool store_is_shared(const struct store *s);

/*
 * For how long the database has not answered; 0: it answers. Up to STORE_AWAY_MAX_MS,
 * callers may rely on what they read before and the generation does not contradict.
 */
uint64_t store_away_ms(struct store *s);
