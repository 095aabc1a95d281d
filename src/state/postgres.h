/*
 * postgres - one connection to PostgreSQL, through libpq, which is loaded when it is used.
 *
 * Every call has a deadline, in milliseconds from now. A connection that misses one, or
 * breaks, is lost: all later calls fail at once with ERR_BUSY, and it can only be closed.
 * Other failures of ERR_BUSY (a lock that others hold for too long) leave it usable.
 *
 * A connection is used by one thread at a time.
 */
#pragma once

#include "state/store.h"

struct pg;

/*
 * Without the password: "postgres://HOST:PORT/DATABASE", in the arena, for people.
 * ERR_INVALID: libpq does not understand the URL. ERR_INTERNAL: there is no libpq.
 */
MUST_CHECK bool pg_describe(struct arena *a, const char *url, str *out, struct err *err);

/* Where a URL leads, for the sandbox: up to PG_HOSTS_MAX hosts. */
enum { PG_HOSTS_MAX = 8 };
struct pg_host {
    str name; /* begins with '/': the folder of a Unix socket */
    unsigned port;
};
MUST_CHECK bool pg_hosts(struct arena *a, const char *url,
                         struct pg_host out[PG_HOSTS_MAX], size_t *n, struct err *err);

/* The files that it names, for the sandbox: certificates, keys, passwords. */
enum { PG_FILES_MAX = 5 };
MUST_CHECK bool pg_files(struct arena *a, const char *url, str out[PG_FILES_MAX],
                         size_t *n, struct err *err);

/*
 * What the URL does not say comes from PGPASSFILE, ~/.pgpass and so on, as with psql.
 * Waits for a name server without a deadline, so not on a thread that others wait for.
 */
MUST_CHECK bool pg_connect(const char *url, unsigned ms, struct pg **out,
                           struct err *err);
void pg_close(struct pg *c); /* NULL is fine */

bool pg_is_lost(const struct pg *c);

/* Whether a statement of the transaction failed, which can only be rolled back then. */
bool pg_has_failed(const struct pg *c);

/* For poll(): readable when pg_heard() may have something. */
int pg_descriptor(const struct pg *c);

/* Run statements without parameters and rows: all of them or none, unless they say
 * otherwise. */
MUST_CHECK bool pg_script(struct pg *c, const char *sql, unsigned ms, struct err *err);

/* A statement with parameters. */
struct pg_query {
    const char *text; /* or NULL: the following */
    const char *sql;  /* a constant, as in store.h; prepared when it is first used */
    const struct store_value *args;
    size_t n_args;
};

struct pg_rows;
MUST_CHECK bool pg_query(struct pg *c, const struct pg_query *q, unsigned ms,
                         struct pg_rows **out, struct err *err);
size_t pg_rows_count(const struct pg_rows *r);
size_t pg_rows_columns(const struct pg_rows *r);
int pg_rows_changed(const struct pg_rows *r);
void pg_rows_free(struct pg_rows *r);

/* Row i, whose text is copied into the arena. */
void pg_rows_read(const struct pg_rows *r, size_t i, struct arena *a,
                  struct store_value *out, size_t columns);

/* The number that a statement returns. False: it failed, or returned no row. */
MUST_CHECK bool pg_number(struct pg *c, const char *sql, const struct store_value *args,
                          size_t n_args, unsigned ms, int64_t *out, struct err *err);

/* The next notification that has arrived, copied into the arena. False: there is none, or
 * the connection is lost. Does not wait. */
bool pg_heard(struct pg *c, struct arena *a, str *text);
