/*
 * store_backend - private to src/state: what a database must be able to do for store.h.
 *
 * Each backend has a struct that begins with a struct store. Its functions keep the
 * contracts of store.h; several of them may be called at the same time.
 */
#pragma once

#include "state/store.h"

/* A statement with its values. */
struct store_call {
    const char *sql; /* prepared when it is first used, and kept by its text */
    const struct store_value *args;
    size_t n_args;
};

/* All rows of an answer. */
struct store_table {
    size_t columns, rows;
    struct store_value *values; /* columns * rows */
};

struct store_backend {
    void (*close)(struct store *s);
    bool (*run)(struct store *s, const struct store_call *call, int *changed,
                struct err *err);
    bool (*get)(struct store *s, struct arena *a, const struct store_call *call,
                struct store_value *out, size_t columns, struct err *err);
    bool (*peek)(struct store *s, struct arena *a, const struct store_call *call,
                 struct store_value *out, size_t columns, struct err *err);
    bool (*list)(struct store *s, struct arena *a, const struct store_call *call,
                 struct store_value **out, size_t columns, size_t *rows, struct err *err);
    /* Any statement in the words of SQLite, within a transaction (copy.h). */
    bool (*ask)(struct store *s, struct arena *a, const char *sql,
                const struct store_value *args, size_t n_args, struct store_table *out,
                struct err *err);
    bool (*begin)(struct store *s, const char *lock, struct err *err);
    bool (*commit)(struct store *s, struct err *err);
    void (*rollback)(struct store *s);
    uint64_t (*generation)(struct store *s);
    void (*revoked)(struct store *s);
    bool (*keep)(struct store *s, struct err *err);
    uint64_t (*away_ms)(struct store *s);
    bool is_shared;
};

struct store {
    const struct store_backend *backend;
};

/* store_version() steps. */
extern const char *const store_upgrades[];

/* path NULL: in memory. */
MUST_CHECK bool store_open_sqlite(const char *path, struct store **out, struct err *err);

/* For store_find(). */
MUST_CHECK bool store_find_sqlite(const char *path, struct store **out, struct err *err);

MUST_CHECK bool store_open_postgres(const char *url, struct store **out, struct err *err);

/* store_find() found no tables. False. */
bool store_is_missing(struct err *err);

/* A database has a newer version than ours. False. */
bool store_refuse_newer(int64_t version, struct err *err);
