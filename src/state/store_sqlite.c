/*
 * Two connections: one writes, under a lock that is held during a transaction; one only
 * reads, so that looking up a token never waits for an fsync. An in-memory database has
 * only one.
 *
 * The generation is a counter in a small file next to the database that all processes
 * map. If a process dies between its commit and the increment, data_version shows it,
 * which SQLite changes for every commit of another connection; reading it costs system
 * calls, so that happens at most once per CHECK_MS, and on a thread after store_keep().
 */
#include <errno.h>
#include <sqlite3.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/os/file.h"
#include "base/os/memory.h"
#include "base/os/thread.h"
#include "base/periodic.h"
#include "state/store_backend.h"

enum { CHECK_MS = 1000 };

struct side {
    sqlite3 *db;
    struct mutex lock;
    struct map texts;          /* of the statements that are prepared */
    sqlite3_stmt **statements; /* by number in texts */
    size_t n_statements;
};

struct sqlite {
    struct store store;
    struct side writer, reader; /* reader.db NULL: memory, use the writer */
    _Atomic uint64_t *shared;   /* the counter: mapped, or on the heap */
    _Atomic uint64_t own;       /* changes that data_version showed; see check_others() */
    atomic_int_fast64_t checked; /* when, in ms */
    int64_t data_version;        /* the last one seen */
    struct periodic watch;       /* sqlite_keep(): checks, so that no caller has to */
};

static bool store_fail(sqlite3 *db, struct err *err)
{
    int code = db != NULL ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        err_set(err, ERR_BUSY, "the sign-in database is busy");
        break;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        err_set(err, ERR_INVALID, "the sign-in database is damaged or not from vaultd");
        break;
    case SQLITE_FULL:
        err_named(err, E_STORE_FULL,
                  "no space left for the database of sign-ins and "
                  "proposals");
        break;
    default:
        err_set(err, ERR_INTERNAL, "the sign-in database cannot be used");
    }
    snprintf(err->detail, sizeof(err->detail), "sqlite: %s",
             db != NULL ? sqlite3_errmsg(db) : "no memory");
    return false;
}

/* --- opening --- */

static bool script(struct side *side, const char *sql, struct err *err)
{
    return sqlite3_exec(side->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
           store_fail(side->db, err);
}

static bool sqlite_number(struct side *side, const char *sql, int64_t *out,
                          struct err *err)
{
    sqlite3_stmt *st = NULL;
    bool ok = sqlite3_prepare_v2(side->db, sql, -1, &st, NULL) == SQLITE_OK &&
              sqlite3_step(st) == SQLITE_ROW;
    if (ok)
        *out = sqlite3_column_int64(st, 0);
    else
        store_fail(side->db, err);
    sqlite3_finalize(st);
    return ok;
}

static bool open_side(struct side *side, const char *path, int flags, struct err *err)
{
    mutex_init_nested(&side->lock);
    flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    if (sqlite3_open_v2(path, &side->db, flags, NULL) != SQLITE_OK)
        return store_fail(side->db, err);
    sqlite3_busy_timeout(side->db, STORE_BUSY_MS);
    return script(side, "PRAGMA trusted_schema = OFF", err);
}

/* Another process may be upgrading at the same time: check again while holding the
 * lock. */
static bool upgrade(struct side *side, struct err *err)
{
    int64_t version;
    const int64_t ours = store_version();
    if (!sqlite_number(side, "PRAGMA user_version", &version, err))
        return false;
    if (version == ours)
        return true;
    if (version < 0 || version > ours)
        return store_refuse_newer(version, err);
    bool ok = script(side, "BEGIN IMMEDIATE", err) &&
              sqlite_number(side, "PRAGMA user_version", &version, err);
    for (; ok && version < ours; version++)
        ok = script(side, store_upgrades[version], err);
    char set[64];
    snprintf(set, sizeof(set), "PRAGMA user_version = %lld; COMMIT", (long long)ours);
    ok = ok && script(side, set, err);
    if (!ok)
        sqlite3_exec(side->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

/* SQLite gives its other files the mode of the database: readable only by us. */
static bool make_private(const char *path, struct err *err)
{
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, path, FILE_KEPT);
    struct file_stat st;
    if (fd < 0 || !file_stat(fd, &st))
        return err_sys(err, "the sign-in database cannot be opened");
    return (st.mode & 077) == 0 || file_set_mode(fd, 0600) ||
           err_sys(err, "the sign-in database cannot be made private");
}

/* The bytes are written, not only promised by the file's size: else using them would end the
 * process (SIGBUS) once the disk is full. */
static bool fill_generation(int fd)
{
    static const char zeros[sizeof(uint64_t)];
    struct file_stat st;
    return file_stat(fd, &st) && (st.size >= (int64_t)sizeof(zeros) ||
                                  file_write_at(fd, (str){zeros, sizeof(zeros)}, 0));
}

static bool map_generation(struct sqlite *s, const char *path, struct err *err)
{
    struct arena a = {0};
    str name = arena_printf(&a, "%s-generation", path);
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, name.p, FILE_KEPT);
    arena_release(&a);
    if (fd >= 0 && fill_generation(fd))
        s->shared = memory_map(fd, sizeof(uint64_t), MEMORY_SHARED, 0);
    return s->shared != NULL ||
           err_sys(err, "the file beside the sign-in database cannot be mapped");
}

static bool open_file(struct sqlite *s, const char *path, struct err *err)
{
    return make_private(path, err) &&
           open_side(&s->writer, path, SQLITE_OPEN_READWRITE, err) &&
           script(&s->writer, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
                  err) &&
           upgrade(&s->writer, err) &&
           open_side(&s->reader, path, SQLITE_OPEN_READWRITE, err) &&
           script(&s->reader, "PRAGMA query_only = ON", err) &&
           map_generation(s, path, err);
}

static bool open_memory(struct sqlite *s, const char *path, struct err *err)
{
    s->shared = mem_zero(sizeof(*s->shared));
    return open_side(&s->writer, ":memory:",
                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY,
                     err) &&
           upgrade(&s->writer, err);
}

/* Older tables are upgraded in memory. */
static bool copy_to_memory(struct side *side, struct err *err)
{
    struct side copy = {0};
    bool ok = open_side(
        &copy,
        ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, err);
    sqlite3_backup *backup =
        ok ? sqlite3_backup_init(copy.db, "main", side->db, "main") : NULL;
    if (backup != NULL)
        sqlite3_backup_step(backup, -1);
    if (ok && sqlite3_backup_finish(backup) != SQLITE_OK)
        ok = store_fail(copy.db, err);
    sqlite3 *file = side->db;
    side->db = copy.db;
    sqlite3_close(file);
    return ok && upgrade(side, err);
}

static bool open_found(struct sqlite *s, const char *path, struct err *err)
{
    int64_t version;
    if (!file_exists(path) && (errno == ENOENT || errno == ENOTDIR))
        return store_is_missing(err);
    s->shared = mem_zero(sizeof(*s->shared));
    if (!open_side(&s->writer, path, SQLITE_OPEN_READWRITE, err) ||
        !sqlite_number(&s->writer, "PRAGMA user_version", &version, err))
        return false;
    if (version > store_version())
        return store_refuse_newer(version, err);
    return (version == store_version() || copy_to_memory(&s->writer, err)) &&
           script(&s->writer, "PRAGMA query_only = ON", err);
}

static void close_side(struct side *side)
{
    if (side->db == NULL)
        return;
    for (size_t i = 0; i < side->n_statements; i++)
        sqlite3_finalize(side->statements[i]);
    free((void *)side->statements);
    map_release(&side->texts);
    sqlite3_close(side->db);
    mutex_destroy(&side->lock);
}

static struct sqlite *sqlite_of(struct store *s)
{
    return (struct sqlite *)(void *)s;
}

static void sqlite_close(struct store *store)
{
    struct sqlite *s = sqlite_of(store);
    periodic_release(&s->watch);
    if (s->shared != NULL && s->reader.db != NULL)
        memory_unmap((const void *)s->shared, sizeof(uint64_t));
    else
        free((void *)s->shared);
    close_side(&s->reader);
    close_side(&s->writer);
    free(s);
}

/* --- statements --- */

static void bind(sqlite3_stmt *st, int at, const struct store_value *v)
{
    const char *p = v->s.p != NULL ? v->s.p : "";
    switch (v->type) {
    case STORE_NULL:
        sqlite3_bind_null(st, at);
        break;
    case STORE_INT:
        sqlite3_bind_int64(st, at, v->n);
        break;
    case STORE_TEXT:
        sqlite3_bind_text64(st, at, p, v->s.n, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case STORE_BLOB:
        sqlite3_bind_blob64(st, at, p, v->s.n, SQLITE_STATIC);
        break;
    }
}

static bool find_prepared(struct side *side, const char *sql, sqlite3_stmt **out,
                          struct err *err)
{
    uint32_t number = map_find(&side->texts, str_c(sql));
    if (number != MAP_NONE) {
        *out = side->statements[number];
        return true;
    }
    if (sqlite3_prepare_v3(side->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) !=
        SQLITE_OK)
        return store_fail(side->db, err);
    (void)map_add(&side->texts, str_c(sql));
    *ARRAY_ADD(NULL, side->statements, side->n_statements) = *out;
    return true;
}

static bool store_prepare(struct side *side, const struct store_call *call,
                          sqlite3_stmt **out, struct err *err)
{
    if (!find_prepared(side, call->sql, out, err))
        return false;
    if ((size_t)sqlite3_bind_parameter_count(*out) != call->n_args)
        BUG("%s takes %d values", call->sql, sqlite3_bind_parameter_count(*out));
    for (size_t i = 0; i < call->n_args; i++)
        bind(*out, (int)i + 1, &call->args[i]);
    return true;
}

static void done(sqlite3_stmt *st)
{
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
}

static void read_row(struct arena *a, sqlite3_stmt *st, struct store_value *out,
                     size_t columns)
{
    if ((size_t)sqlite3_column_count(st) != columns)
        BUG("%s gives %d columns", sqlite3_sql(st), sqlite3_column_count(st));
    for (int i = 0; i < (int)columns; i++) {
        int type = sqlite3_column_type(st, i);
        out[i] = (struct store_value){STORE_NULL};
        if (type == SQLITE_INTEGER)
            out[i] = STORE_N(sqlite3_column_int64(st, i));
        if (type != SQLITE_TEXT && type != SQLITE_BLOB)
            continue;
        const void *p = sqlite3_column_blob(st, i);
        str s = {p, (size_t)sqlite3_column_bytes(st, i)};
        out[i].type = type == SQLITE_TEXT ? STORE_TEXT : STORE_BLOB;
        out[i].s = arena_str(a, s);
    }
}

static bool sqlite_run(struct store *s, const struct store_call *call, int *changed,
                       struct err *err)
{
    struct side *side = &sqlite_of(s)->writer;
    sqlite3_stmt *st;
    mutex_lock(&side->lock);
    bool ok = store_prepare(side, call, &st, err);
    if (ok) {
        ok = sqlite3_step(st) == SQLITE_DONE || store_fail(side->db, err);
        done(st);
    }
    if (ok && changed != NULL)
        *changed = sqlite3_changes(side->db);
    mutex_unlock(&side->lock);
    return ok;
}

static bool sqlite_get_row(struct side *side, struct arena *a,
                           const struct store_call *call, struct store_value *out,
                           size_t columns, struct err *err)
{
    sqlite3_stmt *st;
    mutex_lock(&side->lock);
    bool ok = store_prepare(side, call, &st, err);
    if (ok) {
        int got = sqlite3_step(st);
        ok = got == SQLITE_ROW;
        if (ok)
            read_row(a, st, out, columns);
        else if (got == SQLITE_DONE)
            err_set(err, ERR_NOT_FOUND, "not found");
        else
            store_fail(side->db, err);
        done(st);
    }
    mutex_unlock(&side->lock);
    return ok;
}

static bool sqlite_get(struct store *s, struct arena *a, const struct store_call *call,
                       struct store_value *out, size_t columns, struct err *err)
{
    return sqlite_get_row(&sqlite_of(s)->writer, a, call, out, columns, err);
}

static bool sqlite_peek(struct store *store, struct arena *a,
                        const struct store_call *call, struct store_value *out,
                        size_t columns, struct err *err)
{
    struct sqlite *s = sqlite_of(store);
    struct side *side = s->reader.db != NULL ? &s->reader : &s->writer;
    return sqlite_get_row(side, a, call, out, columns, err);
}

static bool sqlite_list(struct store *s, struct arena *a, const struct store_call *call,
                        struct store_value **out, size_t columns, size_t *rows,
                        struct err *err)
{
    struct side *side = &sqlite_of(s)->writer;
    sqlite3_stmt *st;
    struct store_value *all = NULL;
    size_t n = 0;
    mutex_lock(&side->lock);
    bool ok = store_prepare(side, call, &st, err);
    if (ok) {
        int got;
        while ((got = sqlite3_step(st)) == SQLITE_ROW && n < STORE_ROWS_MAX) {
            if (array_is_full(n))
                all = array_grow(a, all, n, columns * sizeof(*all));
            read_row(a, st, all + columns * n++, columns);
        }
        ok = got == SQLITE_DONE || got == SQLITE_ROW || store_fail(side->db, err);
        done(st);
    }
    mutex_unlock(&side->lock);
    *out = all;
    *rows = ok ? n : 0;
    return ok;
}

static bool sqlite_ask(struct store *s, struct arena *a, const char *sql,
                       const struct store_value *args, size_t n_args,
                       struct store_table *out, struct err *err)
{
    sqlite3 *db = sqlite_of(s)->writer.db;
    sqlite3_stmt *st = NULL;
    *out = (struct store_table){0};
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_fail(db, err);
    for (size_t i = 0; i < n_args; i++)
        bind(st, (int)i + 1, &args[i]);
    out->columns = (size_t)sqlite3_column_count(st);
    int got;
    while ((got = sqlite3_step(st)) == SQLITE_ROW) {
        if (array_is_full(out->rows))
            out->values = array_grow(a, out->values, out->rows,
                                     out->columns * sizeof(*out->values));
        read_row(a, st, out->values + out->columns * out->rows++, out->columns);
    }
    bool ok = got == SQLITE_DONE || store_fail(db, err);
    sqlite3_finalize(st);
    return ok;
}

/* --- transactions --- */

static bool sqlite_begin(struct store *store, const char *lock, struct err *err)
{
    struct side *side = &sqlite_of(store)->writer;
    mutex_lock(&side->lock);
    if (script(side, "BEGIN IMMEDIATE", err))
        return true;
    mutex_unlock(&side->lock);
    return false;
}

static void sqlite_rollback(struct store *store)
{
    struct side *side = &sqlite_of(store)->writer;
    /* SQLite may already have rolled back. */
    sqlite3_exec(side->db, "ROLLBACK", NULL, NULL, NULL);
    mutex_unlock(&side->lock);
}

static bool sqlite_commit(struct store *store, struct err *err)
{
    struct side *side = &sqlite_of(store)->writer;
    if (!script(side, "COMMIT", err)) {
        sqlite_rollback(store);
        return false;
    }
    mutex_unlock(&side->lock);
    return true;
}

/* --- the generation --- */

static void check_others(struct sqlite *s)
{
    struct side *side = &s->reader;
    int64_t version = 0;
    struct err err;
    mutex_lock(&side->lock);
    if (!sqlite_number(side, "PRAGMA data_version", &version, &err) ||
        version != s->data_version)
        atomic_fetch_add(&s->own, 1);
    s->data_version = version;
    mutex_unlock(&side->lock);
}

static void check_if_due(struct sqlite *s)
{
    int64_t now = (int64_t)clock_ms();
    int64_t checked = atomic_load(&s->checked);
    if (now - checked < CHECK_MS ||
        !atomic_compare_exchange_strong(&s->checked, &checked, now))
        return;
    lock_check_slow();
    check_others(s);
}

static uint64_t sqlite_generation(struct store *store)
{
    struct sqlite *s = sqlite_of(store);
    if (s->reader.db != NULL && !periodic_is_started(&s->watch))
        check_if_due(s);
    return atomic_load(s->shared) + (atomic_load(&s->own) << 32);
}

static void sqlite_revoked(struct store *s)
{
    atomic_fetch_add(sqlite_of(s)->shared, 1);
}

static void watch_others(void *arg)
{
    check_others(arg);
}

static bool sqlite_keep(struct store *store, struct err *err)
{
    struct sqlite *s = sqlite_of(store);
    return s->reader.db == NULL ||
           periodic_start(&s->watch, "state-watch", CHECK_MS, watch_others, s, err);
}

static uint64_t sqlite_away_ms(struct store *s)
{
    return 0;
}

static const struct store_backend backend = {
    .close = sqlite_close,
    .run = sqlite_run,
    .get = sqlite_get,
    .peek = sqlite_peek,
    .list = sqlite_list,
    .ask = sqlite_ask,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .generation = sqlite_generation,
    .revoked = sqlite_revoked,
    .keep = sqlite_keep,
    .away_ms = sqlite_away_ms,
};

typedef bool (*opener)(struct sqlite *s, const char *path, struct err *err);

static bool open_with(opener how, const char *path, struct store **out, struct err *err)
{
    struct sqlite *s = mem_zero(sizeof(*s));
    s->store.backend = &backend;
    periodic_init(&s->watch);
    if (how(s, path, err)) {
        *out = &s->store;
        return true;
    }
    sqlite_close(&s->store);
    return false;
}

bool store_open_sqlite(const char *path, struct store **out, struct err *err)
{
    return open_with(path != NULL ? open_file : open_memory, path, out, err);
}

bool store_find_sqlite(const char *path, struct store **out, struct err *err)
{
    return open_with(open_found, path, out, err);
}
