#include "state/store.h"

#include "base/lock.h"
#include "state/schema.h"
#include "state/store_backend.h"

STORE_STATEMENTS(STORE_DEFINE)

const char *const store_upgrades[] = {STORE_UPGRADES};

bool store_is_url(const char *where)
{
    str s = str_c(where);
    return str_starts(s, STR("postgres://")) || str_starts(s, STR("postgresql://"));
}

bool store_open(const char *where, struct store **out, struct err *err)
{
    return store_is_url(where) ? store_open_postgres(where, out, err)
                               : store_open_sqlite(where, out, err);
}

bool store_is_missing(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "there is no sign-in database");
}

static bool find_postgres(const char *url, struct store **out, struct err *err)
{
    int64_t version;
    if (!store_look(url, &version, err))
        return false;
    if (version == 0)
        return store_is_missing(err);
    if (version < store_version())
        return err_set(err, ERR_INVALID,
                       "the sign-in database was made by an older vaultd: start vaultd "
                       "serve, which upgrades it");
    return store_open_postgres(url, out, err);
}

bool store_find(const char *where, struct store **out, struct err *err)
{
    if (where == NULL)
        return store_is_missing(err);
    return store_is_url(where) ? find_postgres(where, out, err)
                               : store_find_sqlite(where, out, err);
}

void store_close(struct store *s)
{
    if (s != NULL)
        s->backend->close(s);
}

int64_t store_version(void)
{
    return COUNT_OF(store_upgrades);
}

bool store_refuse_newer(int64_t version, struct err *err)
{
    return err_set(err, ERR_INVALID,
                   "the sign-in database was made by a newer vaultd (version %lld; this "
                   "one supports %lld): use that one, or another --state-dir",
                   (long long)version, (long long)store_version());
}

bool store_run(struct store *s, const char *sql, const struct store_value *args,
               size_t n_args, int *changed, struct err *err)
{
    lock_check_slow();
    return s->backend->run(s, &(struct store_call){sql, args, n_args}, changed, err);
}

bool store_get(struct store *s, struct arena *a, const char *sql,
               const struct store_value *args, size_t n_args, struct store_value *out,
               size_t columns, struct err *err)
{
    lock_check_slow();
    return s->backend->get(s, a, &(struct store_call){sql, args, n_args}, out, columns,
                           err);
}

bool store_peek(struct store *s, struct arena *a, const char *sql,
                const struct store_value *args, size_t n_args, struct store_value *out,
                size_t columns, struct err *err)
{
    lock_check_slow();
    return s->backend->peek(s, a, &(struct store_call){sql, args, n_args}, out, columns,
                            err);
}

bool store_list(struct store *s, struct arena *a, const char *sql,
                const struct store_value *args, size_t n_args, struct store_value **out,
                size_t columns, size_t *rows, struct err *err)
{
    lock_check_slow();
    return s->backend->list(s, a, &(struct store_call){sql, args, n_args}, out, columns,
                            rows, err);
}

bool store_begin(struct store *s, const char *lock, struct err *err)
{
    lock_check_slow();
    return s->backend->begin(s, lock, err);
}

bool store_commit(struct store *s, struct err *err)
{
    return s->backend->commit(s, err);
}

void store_rollback(struct store *s)
{
    s->backend->rollback(s);
}

bool store_end(struct store *s, bool ok, struct err *err)
{
    if (ok)
        return store_commit(s, err);
    store_rollback(s);
    return false;
}

uint64_t store_generation(struct store *s)
{
    return s->backend->generation(s);
}

void store_revoked(struct store *s)
{
    s->backend->revoked(s);
}

bool store_keep(struct store *s, struct err *err)
{
    return s->backend->keep(s, err);
}

bool store_is_shared(const struct store *s)
{
    return s->backend->is_shared;
}

uint64_t store_away_ms(struct store *s)
{
    return s->backend->away_ms(s);
}
