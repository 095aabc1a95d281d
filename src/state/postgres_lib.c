#include "state/postgres_lib.h"

#include "base/os/library.h"
#include "base/os/thread.h"

static struct libpq lib;
static bool ready;

static void load_libpq_once(void)
{
    static const struct library_symbol symbols[] = {
        {"PQconnectStartParams", &lib.start},
        {"PQconnectPoll", &lib.poll},
        {"PQstatus", &lib.status},
        {"PQtransactionStatus", &lib.transaction},
        {"PQsocket", &lib.socket},
        {"PQerrorMessage", &lib.message},
        {"PQconnectionUsedPassword", &lib.used_password},
        {"PQconnectionNeedsPassword", &lib.needs_password},
        {"PQsetnonblocking", &lib.set_nonblocking},
        {"PQsetNoticeProcessor", &lib.set_notices},
        {"PQfinish", &lib.finish},
        {"PQsendQuery", &lib.send},
        {"PQsendPrepare", &lib.send_prepare},
        {"PQsendQueryPrepared", &lib.send_prepared},
        {"PQsendQueryParams", &lib.send_params},
        {"PQenterPipelineMode", &lib.enter_pipeline},
        {"PQexitPipelineMode", &lib.exit_pipeline},
        {"PQpipelineSync", &lib.sync},
        {"PQflush", &lib.flush},
        {"PQconsumeInput", &lib.consume},
        {"PQisBusy", &lib.is_busy},
        {"PQgetResult", &lib.result},
        {"PQnotifies", &lib.notifies},
        {"PQresultStatus", &lib.result_status},
        {"PQresultErrorField", &lib.field},
        {"PQcmdTuples", &lib.changed},
        {"PQntuples", &lib.rows},
        {"PQnfields", &lib.columns},
        {"PQftype", &lib.type},
        {"PQgetisnull", &lib.is_null},
        {"PQgetlength", &lib.length},
        {"PQgetvalue", &lib.value},
        {"PQclear", &lib.clear},
        {"PQconninfoParse", &lib.parse},
        {"PQconninfoFree", &lib.parse_free},
        {"PQfreemem", &lib.freemem},
    };
    ready = library_load("pq", 5, symbols, COUNT_OF(symbols));
}

const struct libpq *libpq_load(struct err *err)
{
    static struct once once = ONCE_INIT;
    once_run(&once, load_libpq_once);
    if (ready)
        return &lib;
    err_set(
        err, ERR_INTERNAL,
        VAULTD_STATIC
            ? "this vaultd is a static program, which cannot load libpq and so cannot "
              "use --state-db: install the Debian package, use the container image, "
              "or build vaultd from source"
            : "--state-db needs libpq 14 or newer, which is not installed: apt-get "
              "install libpq5");
    return NULL;
}
