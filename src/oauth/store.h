/*
 * store - what must survive: one SQLite file in WAL mode, or the same in memory.
 *
 * The statements are rows of store_sql.h and called by name; SQLite itself is included in
 * store.c only. What a call changed is on disk when it returns true, or when
 * store_commit() does (SEC-26). Several processes may have the file open.
 *
 * Calls are safe from any thread and wait for each other, and up to STORE_BUSY_MS for
 * other processes (then ERR_BUSY). store_peek() is apart: it waits for no writer.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "oauth/store_sql.h"

enum { STORE_BUSY_MS = 5000, STORE_ROWS_MAX = 10000 };

struct store;

/* path NULL: memory. A file of a newer vaultd, or no database at all, is ERR_INVALID. */
MUST_CHECK bool store_open(const char *path, struct store **out, struct err *err);
void store_close(struct store *s);

/* The user_version of files that this program makes; newer ones it refuses. */
int64_t store_version(void);

/* A value of a statement, in either direction. */
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

/* Run a statement that gives no rows; *changed (or NULL): how many rows it changed. */
MUST_CHECK bool store_run(struct store *s, enum store_statement q,
                          const struct store_value *args, size_t n_args, int *changed,
                          struct err *err);

/* The first row into out[0..columns), its text in the arena. ERR_NOT_FOUND: no row. */
MUST_CHECK bool store_get(struct store *s, struct arena *a, enum store_statement q,
                          const struct store_value *args, size_t n_args,
                          struct store_value *out, size_t columns, struct err *err);

/* The same beside all writers: what was last committed. */
MUST_CHECK bool store_peek(struct store *s, struct arena *a, enum store_statement q,
                           const struct store_value *args, size_t n_args,
                           struct store_value *out, size_t columns, struct err *err);

/* All rows, at most STORE_ROWS_MAX, one behind the other. */
MUST_CHECK bool store_list(struct store *s, struct arena *a, enum store_statement q,
                           const struct store_value *args, size_t n_args,
                           struct store_value **out, size_t columns, size_t *rows,
                           struct err *err);

/* The id that the last insert gave its row; within a transaction. */
int64_t store_last_id(struct store *s);

/*
 * A transaction that other processes see whole or not at all; other threads wait until
 * its end. After begin, end it with commit or rollback, also when something failed.
 */
MUST_CHECK bool store_begin(struct store *s, struct err *err);
MUST_CHECK bool store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);

/*
 * A number that changes whenever something that was good may be so no more, in this or
 * another process: remember it with what you cache, and compare. Costs one load of shared
 * memory; once per second it also notices changes of those who did not say so.
 */
uint64_t store_generation(struct store *s);

/* Say that something was revoked; after it was committed. */
void store_revoked(struct store *s);
