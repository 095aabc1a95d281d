/*
 * postgres_lib - private to src/state: the functions of libpq, which is loaded when it is
 * first used.
 *
 * Its header is not needed, because not every machine that builds vaultd has it: its
 * structs are opaque but for two, and the numbers below are part of its ABI, which has
 * been libpq.so.5 since 2006.
 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"

typedef struct pg_conn *pq_conn;
typedef struct pg_result *pq_result;
typedef unsigned int pq_oid;

enum { CONNECTION_OK = 0, TRANSACTION_FAILED = 3 };
enum { POLLING_FAILED, POLLING_READING, POLLING_WRITING, POLLING_OK };
enum {
    RESULT_COMMAND_OK = 1,
    RESULT_TUPLES_OK = 2,
    RESULT_PIPELINE_SYNC = 10,
    RESULT_PIPELINE_ABORTED = 11,
};
enum { FIELD_SQLSTATE = 'C', FIELD_MESSAGE = 'M' };
enum { OID_BYTES = 17, OID_INT8 = 20, OID_INT4 = 23, OID_TEXT = 25 };

struct pq_option {
    char *keyword, *envvar, *compiled, *value, *label, *dispchar;
    int dispsize;
};

struct pq_notify {
    char *channel;
    int pid;
    char *text;
    struct pq_notify *next;
};

struct libpq {
    pq_conn (*start)(const char *const *keywords, const char *const *values, int expand);
    int (*poll)(pq_conn c);
    int (*status)(pq_conn c);
    int (*transaction)(pq_conn c);
    int (*socket)(pq_conn c);
    char *(*message)(pq_conn c);
    int (*used_password)(pq_conn c);
    int (*needs_password)(pq_conn c);
    int (*set_nonblocking)(pq_conn c, int on);
    void *(*set_notices)(pq_conn c, void (*hear)(void *arg, const char *text), void *arg);
    void (*finish)(pq_conn c);
    int (*send)(pq_conn c, const char *sql);
    int (*send_prepare)(pq_conn c, const char *name, const char *sql, int n,
                        const pq_oid *types);
    int (*send_prepared)(pq_conn c, const char *name, int n, const char *const *values,
                         const int *lengths, const int *formats, int format);
    int (*send_params)(pq_conn c, const char *sql, int n, const pq_oid *types,
                       const char *const *values, const int *lengths, const int *formats,
                       int format);
    int (*enter_pipeline)(pq_conn c);
    int (*exit_pipeline)(pq_conn c);
    int (*sync)(pq_conn c);
    int (*flush)(pq_conn c);
    int (*consume)(pq_conn c);
    int (*is_busy)(pq_conn c);
    pq_result (*result)(pq_conn c);
    struct pq_notify *(*notifies)(pq_conn c);
    int (*result_status)(pq_result r);
    char *(*field)(pq_result r, int code);
    char *(*changed)(pq_result r);
    int (*rows)(pq_result r);
    int (*columns)(pq_result r);
    pq_oid (*type)(pq_result r, int column);
    int (*is_null)(pq_result r, int row, int column);
    int (*length)(pq_result r, int row, int column);
    char *(*value)(pq_result r, int row, int column);
    void (*clear)(pq_result r);
    struct pq_option *(*parse)(const char *url, char **why);
    void (*parse_free)(struct pq_option *options);
    void (*freemem)(void *p);
};

/* NULL and ERR_INTERNAL: it is not there. */
const struct libpq *libpq_load(struct err *err);

/* A connection (postgres.h). */
struct pg {
    const struct libpq *lib;
    pq_conn conn;
    bool is_lost;
    struct map prepared; /* the statements that the connection knows, by number */
};

/* Wait until the connection can be read (or written), or until that time by clock_ms(). */
bool pg_wait(const struct pg *c, bool write, uint64_t until);

/* It missed a deadline, or broke. False. */
bool pg_lose(struct pg *c, struct err *err);

/* What the server answered. False. */
bool pg_fail(struct pg *c, pq_result r, struct err *err);
