/*
 * A query is sent as a pipeline, so that preparing it and running it are one round trip.
 * Numbers and bytes travel in binary, so nothing is ever quoted.
 */
#include "base/array.h"
#include "base/encode.h"
#include "state/postgres.h"
#include "state/postgres_lib.h"
#include "state/sql_text.h"

enum { ARGS_MAX = 32, NAME_SIZE = 16 };

struct pg_rows {
    const struct libpq *lib;
    PGresult *result;
};

/* --- sending --- */

struct parameters {
    int n;
    Oid types[ARGS_MAX];
    const char *values[ARGS_MAX];
    int lengths[ARGS_MAX], formats[ARGS_MAX];
    uint8_t numbers[ARGS_MAX][8];
};

static int64_t get_number(const char *bytes, int n)
{
    uint64_t number = n > 0 && (bytes[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (int i = 0; i < n; i++)
        number = number << 8 | (uint8_t)bytes[i];
    return (int64_t)number;
}

static void collect_results(struct parameters *p, const struct pg_query *q)
{
    if (q->n_args > ARGS_MAX)
        BUG("a statement with %zu values", q->n_args);
    p->n = (int)q->n_args;
    for (size_t i = 0; i < q->n_args; i++) {
        const struct store_value *v = &q->args[i];
        p->formats[i] = 1;
        p->types[i] = v->type == STORE_INT    ? OID_INT8
                      : v->type == STORE_TEXT ? OID_TEXT
                      : v->type == STORE_BLOB ? OID_BYTES
                                              : 0;
        p->values[i] = v->type == STORE_NULL ? NULL : v->s.p != NULL ? v->s.p : "";
        p->lengths[i] = (int)v->s.n;
        if (v->type != STORE_INT)
            continue;
        encode_number(p->numbers[i], 8, (uint64_t)v->n);
        p->values[i] = (const char *)p->numbers[i];
        p->lengths[i] = sizeof(p->numbers[i]);
    }
}

static bool send_prepare(struct pg *c, const struct pg_query *q, const char *name,
                         const struct parameters *p)
{
    struct arena a = {0};
    str text = sql_text_postgres(&a, str_c(q->sql));
    bool ok = c->lib->send_prepare(c->conn, name, text.p, p->n, p->types) != 0;
    arena_release(&a);
    return ok;
}

static bool send_query(struct pg *c, const struct pg_query *q, bool prepare)
{
    const struct libpq *lib = c->lib;
    struct parameters p;
    char name[NAME_SIZE];
    uint32_t number = q->text != NULL ? 0
                      : prepare       ? c->prepared.n
                                      : map_find(&c->prepared, str_c(q->sql));
    snprintf(name, sizeof(name), "q%u", (unsigned)number);
    collect_results(&p, q);
    if (prepare && !send_prepare(c, q, name, &p))
        return false;
    return (q->text != NULL ? lib->send_params(c->conn, q->text, p.n, p.types, p.values,
                                               p.lengths, p.formats, 1)
                            : lib->send_prepared(c->conn, name, p.n, p.values, p.lengths,
                                                 p.formats, 1)) != 0 &&
           lib->sync(c->conn) != 0;
}

/* --- receiving --- */

/* Send what is left to send, and wait until a result is complete. */
static bool await(struct pg *c, uint64_t until)
{
    const struct libpq *lib = c->lib;
    int left = lib->flush(c->conn);
    while (left >= 0 && (left > 0 || lib->is_busy(c->conn))) {
        if (!pg_wait(c, left > 0, until) || lib->consume(c->conn) == 0)
            return false;
        left = lib->flush(c->conn);
    }
    return left == 0;
}

/* The result of the last statement that worked, and the first failure. NULL in between
 * ends the results of one statement. */
static bool receive(struct pg *c, uint64_t until, PGresult **out, struct err *err)
{
    const struct libpq *lib = c->lib;
    bool ok = true, done = false;
    *out = NULL;
    while (!done) {
        if (!await(c, until))
            return pg_lose(c, err);
        PGresult *r = lib->result(c->conn);
        if (r == NULL && lib->status(c->conn) != CONNECTION_OK)
            return pg_lose(c, err);
        ExecStatusType status =
            r != NULL ? lib->result_status(r) : PGRES_PIPELINE_ABORTED;
        done = status == PGRES_PIPELINE_SYNC;
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
            lib->clear(*out);
            *out = r;
            continue;
        }
        if (!done && status != PGRES_PIPELINE_ABORTED) {
            if (ok)
                pg_fail(c, r, err);
            ok = false;
        }
        lib->clear(r);
        if (c->is_lost)
            return false;
    }
    return ok;
}

bool pg_query(struct pg *c, const struct pg_query *q, unsigned ms, struct pg_rows **out,
              struct err *err)
{
    const struct libpq *lib = c->lib;
    bool prepare = q->text == NULL && map_find(&c->prepared, str_c(q->sql)) == MAP_NONE;
    PGresult *result = NULL;
    if (c->is_lost || lib->enter_pipeline(c->conn) == 0 || !send_query(c, q, prepare))
        return pg_lose(c, err);
    bool ok = receive(c, clock_ms() + ms, &result, err);
    /* It stays prepared, also if what came after it failed. */
    if (prepare && result != NULL)
        (void)map_add(&c->prepared, str_c(q->sql));
    if (!c->is_lost && lib->exit_pipeline(c->conn) == 0)
        ok = pg_lose(c, err);
    if (!ok) {
        lib->clear(result);
        return false;
    }
    *out = mem_alloc(sizeof(**out));
    **out = (struct pg_rows){lib, result};
    return true;
}

bool pg_script(struct pg *c, const char *sql, unsigned ms, struct err *err)
{
    const struct libpq *lib = c->lib;
    uint64_t until = clock_ms() + ms;
    bool ok = true;
    if (c->is_lost || lib->send(c->conn, sql) == 0)
        return pg_lose(c, err);
    for (PGresult *r = NULL;; lib->clear(r)) {
        if (!await(c, until))
            return pg_lose(c, err);
        r = lib->result(c->conn);
        if (r == NULL)
            return ok;
        ExecStatusType status = lib->result_status(r);
        if (ok && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            ok = pg_fail(c, r, err);
        if (c->is_lost) {
            lib->clear(r);
            return false;
        }
    }
}

/* --- rows --- */

size_t pg_rows_count(const struct pg_rows *r)
{
    return (size_t)r->lib->rows(r->result);
}

size_t pg_rows_columns(const struct pg_rows *r)
{
    return (size_t)r->lib->columns(r->result);
}

int pg_rows_changed(const struct pg_rows *r)
{
    int64_t n;
    return str_to_int(str_c(r->lib->changed(r->result)), &n) ? (int)n : 0;
}

void pg_rows_free(struct pg_rows *r)
{
    r->lib->clear(r->result);
    free(r);
}

static struct store_value postgres_read_value(const struct pg_rows *r, int row,
                                              int column, struct arena *a)
{
    const struct libpq *lib = r->lib;
    Oid type = lib->type(r->result, column);
    int n = lib->length(r->result, row, column);
    const char *p = lib->value(r->result, row, column);
    if (lib->is_null(r->result, row, column))
        return (struct store_value){STORE_NULL};
    if (type == OID_INT8 || type == OID_INT4)
        return STORE_N(get_number(p, n));
    if (type != OID_TEXT && type != OID_BYTES)
        BUG("a column of type %u", type);
    str s = arena_str(a, (str){p, (size_t)n});
    return (struct store_value){.type = type == OID_TEXT ? STORE_TEXT : STORE_BLOB,
                                .s = s};
}

void pg_rows_read(const struct pg_rows *r, size_t i, struct arena *a,
                  struct store_value *out, size_t columns)
{
    if ((size_t)r->lib->columns(r->result) != columns)
        BUG("%d columns instead of %zu", r->lib->columns(r->result), columns);
    for (size_t column = 0; column < columns; column++)
        out[column] = postgres_read_value(r, (int)i, (int)column, a);
}

bool pg_number(struct pg *c, const char *sql, const struct store_value *args,
               size_t n_args, unsigned ms, int64_t *out, struct err *err)
{
    struct arena a = {0};
    struct pg_rows *rows;
    struct store_value v[1];
    if (!pg_query(c, &(struct pg_query){.text = sql, .args = args, .n_args = n_args}, ms,
                  &rows, err))
        return false;
    bool ok = pg_rows_count(rows) == 1;
    if (ok) {
        pg_rows_read(rows, 0, &a, v, 1);
        *out = v[0].n;
    }
    pg_rows_free(rows);
    arena_release(&a);
    return ok || err_set(err, ERR_NOT_FOUND, "not found");
}

/* --- notifications --- */

bool pg_heard(struct pg *c, struct arena *a, str *text)
{
    const struct libpq *lib = c->lib;
    if (c->is_lost || lib->consume(c->conn) == 0) {
        c->is_lost = true;
        return false;
    }
    PGnotify *n = lib->notifies(c->conn);
    if (n == NULL)
        return false;
    *text = arena_str(a, str_c(n->extra));
    lib->freemem(n);
    return true;
}
