/* Connecting, waiting, and what failures mean. */
#include "state/postgres.h"

#include <stdlib.h>

#include "base/os/file.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "state/postgres_lib.h"

enum { PORT_DEFAULT = 5432 };

/* --- URLs --- */

/* libpq's own words would quote a part of the URL, perhaps of the password. */
static PQconninfoOption *pg_parse(const struct libpq *lib, const char *url,
                                  struct err *err)
{
    char *why = NULL;
    PQconninfoOption *options = lib->parse(url, &why);
    if (why != NULL)
        lib->freemem(why);
    if (options == NULL)
        err_set(err, ERR_INVALID,
                "--state-db is not a URL that libpq understands: give "
                "postgres://USER@HOST:5432/DATABASE; special characters in a name or "
                "password are written as %%40 and so on");
    return options;
}

/* The value, else that of the environment, else the one that libpq has. */
static str pg_option(const PQconninfoOption *options, const char *keyword, str otherwise)
{
    for (const PQconninfoOption *o = options; o->keyword != NULL; o++) {
        if (strcmp(o->keyword, keyword) != 0)
            continue;
        const char *value = o->val;
        if ((value == NULL || value[0] == '\0') && o->envvar != NULL)
            value = self_variable(o->envvar);
        if (value == NULL || value[0] == '\0')
            value = o->compiled;
        return value != NULL && value[0] != '\0' ? str_c(value) : otherwise;
    }
    return otherwise;
}

bool pg_hosts(struct arena *a, const char *url, struct pg_host out[PG_HOSTS_MAX],
              size_t *n, struct err *err)
{
    const struct libpq *lib = libpq_load(err);
    PQconninfoOption *options = lib != NULL ? pg_parse(lib, url, err) : NULL;
    if (options == NULL)
        return false;
    str hosts = pg_option(options, "host", STR("/var/run/postgresql")), host;
    str ports = pg_option(options, "port", STR("")), port = STR("");
    for (*n = 0; *n < PG_HOSTS_MAX && str_next(&hosts, ',', &host); (*n)++) {
        int64_t number;
        (void)str_next(&ports, ',', &port); /* one port may be for all hosts */
        out[*n] = (struct pg_host){arena_str(a, host), PORT_DEFAULT};
        if (str_to_int(port, &number) && number > 0 && number <= UINT16_MAX)
            out[*n].port = (unsigned)number;
    }
    lib->parse_free(options);
    return true;
}

static const char *const file_options[] = {"sslrootcert", "sslcert", "sslcrl", "sslkey",
                                           "passfile"};
_Static_assert(COUNT_OF(file_options) == PG_FILES_MAX, "postgres.h says how many");

/* The path that an option has; empty: none, or a word such as "system". */
static str pg_path(const PQconninfoOption *options, const char *keyword)
{
    str path = pg_option(options, keyword, STR(""));
    return str_find_char(path, '/') != STR_NONE ? path : STR("");
}

bool pg_files(struct arena *a, const char *url, str out[PG_FILES_MAX], size_t *n,
              struct err *err)
{
    const struct libpq *lib = libpq_load(err);
    PQconninfoOption *options = lib != NULL ? pg_parse(lib, url, err) : NULL;
    if (options == NULL)
        return false;
    *n = 0;
    for (size_t i = 0; i < COUNT_OF(file_options); i++) {
        str path = pg_path(options, file_options[i]);
        if (path.n > 0)
            out[(*n)++] = arena_str(a, path);
    }
    lib->parse_free(options);
    return true;
}

/* libpq 15 reports a certificate that it may not read with uninitialized bytes. */
static bool pg_check_files(const PQconninfoOption *options, struct err *err)
{
    enum { CERTIFICATES = 3 }; /* the first of the list; libpq checks the others itself */
    for (size_t i = 0; i < CERTIFICATES; i++) {
        str path = pg_path(options, file_options[i]);
        AUTO_CLOSE int fd = path.n > 0 ? file_open(FILE_CWD, path.p, FILE_FOLLOW) : -1;
        if (path.n > 0 && fd < 0)
            return err_set(err, ERR_DENIED,
                           "the %s of --state-db cannot be read: check its path and its "
                           "permissions",
                           file_options[i]);
    }
    return true;
}

bool pg_describe(struct arena *a, const char *url, str *out, struct err *err)
{
    const struct libpq *lib = libpq_load(err);
    PQconninfoOption *options = lib != NULL ? pg_parse(lib, url, err) : NULL;
    if (options == NULL)
        return false;
    struct pg_host hosts[PG_HOSTS_MAX];
    size_t n;
    struct sbuf text = SBUF_ON(a);
    sbuf_add(&text, STR("postgres://"));
    bool ok = pg_hosts(a, url, hosts, &n, err);
    for (size_t i = 0; ok && i < n; i++)
        sbuf_printf(&text, "%s" STR_FMT ":%u", i > 0 ? "," : "", STR_ARG(hosts[i].name),
                    hosts[i].port);
    sbuf_printf(
        &text, "/" STR_FMT,
        STR_ARG(pg_option(options, "dbname", pg_option(options, "user", STR("")))));
    lib->parse_free(options);
    *out = sbuf_str(&text);
    return ok;
}

/* --- waiting --- */

bool pg_wait(const struct pg *c, bool write, uint64_t until)
{
    int fd = c->lib->socket(c->conn);
    struct ready list[2] = {{.fd = fd}, {.fd = write ? fd : -1, .write = true}};
    uint64_t now = clock_ms();
    return now < until && ready_wait(list, COUNT_OF(list), (int)(until - now));
}

/* --- failures --- */

static void pg_detail(struct err *err, const char *state, const char *text)
{
    str line = str_c(text != NULL ? text : "");
    line = str_slice(line, 0, str_find_char(line, '\n'));
    snprintf(err->detail, sizeof(err->detail), "postgresql: %s%s" STR_FMT, state,
             state[0] != '\0' ? " " : "", STR_ARG(line));
}

bool pg_lose(struct pg *c, struct err *err)
{
    c->is_lost = true;
    err_set(err, ERR_BUSY, "the sign-in database does not answer");
    pg_detail(err, "", c->lib->message(c->conn));
    return false;
}

/* By the first characters of SQLSTATE (PostgreSQL manual, appendix A). */
static const struct {
    const char *state;
    enum err_code code;
    const char *text;
} failures[] = {
    {"22021", ERR_INVALID, "the text cannot be stored: it is not UTF-8"},
    {"25006", ERR_BUSY, "the sign-in database can only be read at the moment"},
    {"25P02", ERR_BUSY, "the sign-in database is busy"},
    {"40", ERR_BUSY, "the sign-in database is busy"},
    {"55P03", ERR_BUSY, "the sign-in database is busy"},
    {"53100", ERR_INTERNAL, "no space left for the database of sign-ins and proposals"},
    {"53", ERR_BUSY, "the sign-in database is busy"},
    {"57", ERR_BUSY, "the sign-in database is busy"},
    {"42501", ERR_INTERNAL,
     "the user of --state-db may not use its tables: let it own the database"},
    {"", ERR_INTERNAL, "the sign-in database cannot be used"},
};

bool pg_fail(struct pg *c, const PGresult *r, struct err *err)
{
    const char *state = r != NULL ? c->lib->field(r, PG_DIAG_SQLSTATE) : NULL;
    if (state == NULL || c->lib->status(c->conn) != CONNECTION_OK)
        return pg_lose(c, err);
    size_t i = 0;
    while (!str_starts(str_c(state), str_c(failures[i].state)))
        i++;
    err_set(err, failures[i].code, "%s", failures[i].text);
    if (strcmp(failures[i].state, "53100") == 0)
        err_rename(err, E_STORE_FULL);
    pg_detail(err, state, c->lib->field(r, PG_DIAG_MESSAGE_PRIMARY));
    return false;
}

/* --- connecting --- */

static void ignore_notice(void *arg, const char *text)
{
}

/* What the URL says overrides these. Without gssencmode, libpq looks for Kerberos. */
static PGconn *pg_start(const struct libpq *lib, const char *url)
{
    static const char *const keywords[] = {"application_name",
                                           "gssencmode",
                                           "keepalives_idle",
                                           "keepalives_interval",
                                           "keepalives_count",
                                           "tcp_user_timeout",
                                           "dbname",
                                           "client_encoding",
                                           NULL};
    const char *values[] = {"vaultd", "disable", "10",   "5", "3",
                            "10000",  url,       "UTF8", NULL};
    return lib->start(keywords, values, 1);
}

static bool pg_refused(struct pg *c, struct err *err)
{
    const struct libpq *lib = c->lib;
    const char *why = lib->message(c->conn);
    if (lib->needs_password(c->conn))
        err_set(err, ERR_DENIED,
                "PostgreSQL asks for a password: give it in the URL of --state-db-file, "
                "or in ~/.pgpass");
    else if (lib->used_password(c->conn))
        err_set(err, ERR_DENIED,
                "PostgreSQL refused the sign-in: check the user, the password and the "
                "database of --state-db");
    else
        err_set(err, ERR_BUSY,
                "PostgreSQL cannot be reached: check the host, port and database of "
                "--state-db, and whether it is running");
    pg_detail(err, "", why);
    return false;
}

static bool pg_follow(struct pg *c, uint64_t until, struct err *err)
{
    const struct libpq *lib = c->lib;
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    if (c->conn == NULL)
        return err_set(err, ERR_INTERNAL, "libpq has no memory");
    lib->set_notices(c->conn, ignore_notice, NULL);
    while (next != PGRES_POLLING_OK) {
        if (next == PGRES_POLLING_FAILED || lib->socket(c->conn) < 0)
            return pg_refused(c, err);
        if (!pg_wait(c, next == PGRES_POLLING_WRITING, until))
            return err_set(err, ERR_BUSY,
                           "PostgreSQL does not answer: check the host and port of "
                           "--state-db, and whether it is running");
        next = lib->poll(c->conn);
    }
    return lib->set_nonblocking(c->conn, 1) == 0 || pg_lose(c, err);
}

bool pg_connect(const char *url, unsigned ms, struct pg **out, struct err *err)
{
    const struct libpq *lib = libpq_load(err);
    PQconninfoOption *options = lib != NULL ? pg_parse(lib, url, err) : NULL;
    if (options == NULL)
        return false;
    bool readable = pg_check_files(options, err);
    lib->parse_free(options);
    if (!readable)
        return false;
    struct pg *c = mem_zero(sizeof(*c));
    uint64_t until = clock_ms() + ms;
    *c = (struct pg){.lib = lib, .conn = pg_start(lib, url)};
    if (pg_follow(c, until, err)) {
        *out = c;
        return true;
    }
    pg_close(c);
    return false;
}

void pg_close(struct pg *c)
{
    if (c == NULL)
        return;
    if (c->conn != NULL)
        c->lib->finish(c->conn);
    map_release(&c->prepared);
    free(c);
}

bool pg_is_lost(const struct pg *c)
{
    return c->is_lost;
}

bool pg_has_failed(const struct pg *c)
{
    return c->lib->transaction(c->conn) == PQTRANS_INERROR;
}

int pg_descriptor(const struct pg *c)
{
    return c->lib->socket(c->conn);
}
