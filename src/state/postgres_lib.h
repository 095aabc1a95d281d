/*
 * postgres_lib - private to src/state: the functions of libpq, which is loaded when it is
 * first used. Types and numbers are those of its header.
 */
#pragma once

#include <libpq-fe.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"

/* Types of columns. They are part of PostgreSQL's protocol, but not in libpq's header. */
enum { OID_BYTES = 17, OID_INT8 = 20, OID_INT4 = 23, OID_TEXT = 25 };

/* The functions: the name here, and the name in libpq. */
#define LIBPQ_FUNCTIONS(ROW)                                                             \
    ROW(start, PQconnectStartParams)                                                     \
    ROW(poll, PQconnectPoll)                                                             \
    ROW(status, PQstatus)                                                                \
    ROW(transaction, PQtransactionStatus)                                                \
    ROW(socket, PQsocket)                                                                \
    ROW(message, PQerrorMessage)                                                         \
    ROW(used_password, PQconnectionUsedPassword)                                         \
    ROW(needs_password, PQconnectionNeedsPassword)                                       \
    ROW(set_nonblocking, PQsetnonblocking)                                               \
    ROW(set_notices, PQsetNoticeProcessor)                                               \
    ROW(finish, PQfinish)                                                                \
    ROW(send, PQsendQuery)                                                               \
    ROW(send_prepare, PQsendPrepare)                                                     \
    ROW(send_prepared, PQsendQueryPrepared)                                              \
    ROW(send_params, PQsendQueryParams)                                                  \
    ROW(enter_pipeline, PQenterPipelineMode)                                             \
    ROW(exit_pipeline, PQexitPipelineMode)                                               \
    ROW(sync, PQpipelineSync)                                                            \
    ROW(flush, PQflush)                                                                  \
    ROW(consume, PQconsumeInput)                                                         \
    ROW(is_busy, PQisBusy)                                                               \
    ROW(result, PQgetResult)                                                             \
    ROW(notifies, PQnotifies)                                                            \
    ROW(result_status, PQresultStatus)                                                   \
    ROW(field, PQresultErrorField)                                                       \
    ROW(changed, PQcmdTuples)                                                            \
    ROW(rows, PQntuples)                                                                 \
    ROW(columns, PQnfields)                                                              \
    ROW(type, PQftype)                                                                   \
    ROW(is_null, PQgetisnull)                                                            \
    ROW(length, PQgetlength)                                                             \
    ROW(value, PQgetvalue)                                                               \
    ROW(clear, PQclear)                                                                  \
    ROW(parse, PQconninfoParse)                                                          \
    ROW(parse_free, PQconninfoFree)                                                      \
    ROW(freemem, PQfreemem)

struct libpq {
#define LIBPQ_MEMBER(name, function) __typeof__(function) *(name);
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/* NULL and ERR_INTERNAL: it is not there. */
const struct libpq *libpq_load(struct err *err);

/* A connection (postgres.h). */
struct pg {
    const struct libpq *lib;
    PGconn *conn;
    bool is_lost;
    struct map prepared; /* the statements that the connection knows, by number */
};

/* Wait until the connection can be read (or written), or until that time by clock_ms(). */
bool pg_wait(const struct pg *c, bool write, uint64_t until);

/* It missed a deadline, or broke. False. */
bool pg_lose(struct pg *c, struct err *err);

/* What the server answered. False. */
bool pg_fail(struct pg *c, const PGresult *r, struct err *err);
