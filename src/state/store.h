/*
 * store - persistent data: one SQLite file in WAL mode, or the same in memory.
 *
 * The statements are rows of store_sql.h, called by name; only store_sqlite.c includes
 * SQLite. Changes are on disk when the call, or store_commit() in a transaction, returns true
 * (SEC-26). Several processes may have the file open.
 *
 * Calls are safe from any thread. They wait for each other, and up to STORE_BUSY_MS for
 * other processes (then ERR_BUSY). Only store_peek() never waits for a writer.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "state/store_sql.h"

enum { STORE_BUSY_MS = 5000, STORE_ROWS_MAX = 10000 };

struct store;

/* path NULL: in memory. ERR_INVALID if the file is from a newer vaultd or not a
 * database. */
MUST_CHECK bool store_open(const char *path, struct store **out, struct err *err);
void store_close(struct store *s);

/* The user_version of files that this program creates; it refuses newer ones. */
int64_t store_version(void);

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

/* Run a statement that returns no rows; *changed: how many rows it changed (changed may
 * be NULL). */
MUST_CHECK bool store_run(struct store *s, enum store_statement q,
                          const struct store_value *args, size_t n_args, int *changed,
                          struct err *err);

/* Read the first row into out[0..columns), its text in the arena. ERR_NOT_FOUND: no
 * row. Also for INSERT ... RETURNING, within a transaction. */
MUST_CHECK bool store_get(struct store *s, struct arena *a, enum store_statement q,
                          const struct store_value *args, size_t n_args,
                          struct store_value *out, size_t columns, struct err *err);

/* The same without waiting for writers: reads what was last committed. */
MUST_CHECK bool store_peek(struct store *s, struct arena *a, enum store_statement q,
                           const struct store_value *args, size_t n_args,
                           struct store_value *out, size_t columns, struct err *err);

/* All rows, one after the other, at most STORE_ROWS_MAX. */
MUST_CHECK bool store_list(struct store *s, struct arena *a, enum store_statement q,
                           const struct store_value *args, size_t n_args,
                           struct store_value **out, size_t columns, size_t *rows,
                           struct err *err);

/*
 * An atomic transaction; other threads wait until it ends. After begin, always end it
 * with commit or rollback, even if something failed.
 */
MUST_CHECK bool store_begin(struct store *s, struct err *err);
MUST_CHECK bool store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);

/*
 * A number that changes whenever something may have been revoked, in this or another
 * process: store it with cached data, and compare. Costs one load from shared memory;
 * once per second it also detects changes by processes that did not announce them.
 */
uint64_t store_generation(struct store *s);

/* Announce that something was revoked; call it after the commit. */
void store_revoked(struct store *s);
