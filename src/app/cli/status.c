#include "app/cli/status.h"

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/confine.h"
#include "app/setup/operator_request.h"
#include "app/setup/settings.h"
#include "app/web/operator.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "state/store.h"

enum { LABEL = 12 };

struct options {
    struct cli_common common;
    str ops_addr;
};

static const struct option table[] = {
    OPTION(struct options, common.state_dir, OPTION_PATH, "state-dir", "STATE_DIR", NULL,
           "FOLDER", "The server's state folder (default: $XDG_STATE_HOME/vaultd)"),
    OPTION(struct options, ops_addr, OPTION_STR, "ops-addr", "OPS_ADDR", NULL, "ADDRESS",
           "Query the server with this --ops-addr instead"),
    CLI_OUTPUT(),
};

struct servers {
    const struct json *list[STATUS_SERVERS_MAX];
    size_t n;
};

/* --- finding the servers --- */

static bool ask_server_status(struct arena *a, str address, struct servers *s,
                              struct err *err)
{
    return s->n < STATUS_SERVERS_MAX &&
           operator_request(a, address, "/health", &s->list[s->n], err) && ++s->n > 0;
}

/* Crashed servers leave their sockets, on which no server is listening. */
static void ask_all(struct arena *a, str state_dir, struct servers *s)
{
    str folder = settings_state_dir(a, state_dir);
    struct folder_names names = folder_names(
        FILE_CWD, arena_printf(a, STR_FMT "/" OPS_FOLDER, STR_ARG(folder)).p);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        struct err err;
        if (str_ends(str_c(name), STR(OPS_SUFFIX)))
            (void)!ask_server_status(a,
                                     arena_printf(a, "unix:" STR_FMT "/" OPS_FOLDER "/%s",
                                                  STR_ARG(folder), name),
                                     s, &err);
    }
    folder_end(&names);
}

size_t status_servers(struct arena *a, str state_dir,
                      const struct json *out[STATUS_SERVERS_MAX])
{
    struct servers s = {.n = 0};
    ask_all(a, state_dir, &s);
    memcpy(out, s.list, s.n * sizeof(*out));
    return s.n;
}

/* --- for people --- */

static str status_number(struct arena *a, const struct json *j, str key)
{
    int64_t n = 0;
    json_int(json_get(j, key), &n);
    return arena_printf(a, "%lld", (long long)n);
}

static void put_status_line(struct term *t, const char *label, str text)
{
    if (text.n > 0)
        term_labelled(t, label, LABEL, text);
}

static void put_sync(struct term *t, struct arena *a, const struct json *sync)
{
    if (sync == NULL)
        return;
    str error = json_get_str(sync, STR("last_error"));
    str last = json_get_str(sync, STR("last_success"));
    put_status_line(
        t, "sync",
        arena_printf(a, STR_FMT ", last success " STR_FMT,
                     STR_ARG(json_get_str(sync, STR("kind"))),
                     STR_ARG(last.n > 0 ? term_when_iso(t, last) : STR("never"))));
    put_status_line(t, "", error);
}

static void put_vault(struct term *t, struct arena *a, const struct json *v)
{
    const struct json *index = json_get(v, STR("index"));
    str folder = json_get_str(v, STR("folder")), name = json_get_str(v, STR("name"));
    put_status_line(
        t, "vault",
        arena_printf(a, STR_FMT " (" STR_FMT ")", STR_ARG(name), STR_ARG(folder)));
    str problem = json_get_str(v, STR("problem"));
    if (problem.n > 0)
        put_status_line(t, "problem", problem);
    if (!json_get_true(index, STR("ready")))
        put_status_line(t, "index",
                        arena_printf(a, STR_FMT " of " STR_FMT " files read",
                                     STR_ARG(status_number(a, index, STR("done"))),
                                     STR_ARG(status_number(a, index, STR("expected")))));
    else
        put_status_line(t, "index",
                        arena_printf(a,
                                     STR_FMT " notes, " STR_FMT
                                             " other files; changes by " STR_FMT,
                                     STR_ARG(status_number(a, v, STR("notes"))),
                                     STR_ARG(status_number(a, v, STR("attachments"))),
                                     STR_ARG(json_get_str(v, STR("watching")))));
    str blocker = json_get_str(v, STR("blocked_by"));
    if (blocker.n > 0)
        put_status_line(
            t, "changes",
            arena_printf(
                a, "not possible for " STR_FMT " s: " STR_FMT " has locked the vault%s",
                STR_ARG(status_number(a, v, STR("blocked_seconds"))), STR_ARG(blocker),
                machine_system() == MACHINE_LINUX ? "; 'lslocks' shows which" : ""));
    put_sync(t, a, json_get(v, STR("sync")));
}

/* Those that are closed are not described. */
static void put_hosted(struct term *t, struct arena *a, const struct json *server)
{
    const struct json *open = json_get(server, STR("vaults"));
    if (json_get(server, STR("hosted_vaults")) != NULL)
        put_status_line(
            t, "hosted",
            arena_printf(a, STR_FMT " vaults, %u open",
                         STR_ARG(status_number(a, server, STR("hosted_vaults"))),
                         open != NULL ? open->n : 0));
}

static void put_sandbox(struct term *t, struct arena *a, const struct json *s)
{
    struct sandbox_state state = {.files = json_get_true(s, STR("files")),
                                  .ports = json_get_true(s, STR("ports")),
                                  .calls = json_get_true(s, STR("system_calls"))};
    put_status_line(t, "sandbox", confine_words(a, &state));
}

static void put_database(struct term *t, struct arena *a, const struct json *db)
{
    int64_t away = 0;
    str where = json_get_str(db, STR("database"));
    if (db == NULL)
        return;
    if (json_int(json_get(db, STR("away_seconds")), &away))
        put_status_line(
            t, "state-db",
            arena_printf(a,
                         STR_FMT
                         " has not answered for " STR_FMT
                         ": sign-in fails; clients with a token are served for %d "
                         "minutes",
                         STR_ARG(where), STR_ARG(term_duration(a, away)),
                         STORE_AWAY_MAX_MS / 60000));
    else
        put_status_line(t, "state-db", where);
}

static void put_audit(struct term *t, struct arena *a, const struct json *audit)
{
    str problem = json_get_str(audit, STR("problem"));
    if (audit == NULL)
        return;
    put_status_line(t, "audit",
                    arena_printf(a,
                                 STR_FMT ", " STR_FMT " lines written, " STR_FMT " lost",
                                 STR_ARG(json_get_str(audit, STR("to"))),
                                 STR_ARG(status_number(a, audit, STR("lines"))),
                                 STR_ARG(status_number(a, audit, STR("lost")))));
    if (problem.n > 0)
        put_status_line(t, "", arena_printf(a, "failing: " STR_FMT, STR_ARG(problem)));
}

static bool is_well(const struct json *server)
{
    return str_eq(json_get_str(server, STR("status")), STR("ok"));
}

static void put_server(struct term *t, struct arena *a, const struct json *s)
{
    const struct json *vaults = json_get(s, STR("vaults"));
    int64_t uptime = 0, memory = 0;
    json_int(json_get(s, STR("uptime_seconds")), &uptime);
    json_int(json_get(s, STR("memory_bytes")), &memory);
    term_put(t, is_well(s) ? TERM_GOOD : TERM_BAD, json_get_str(s, STR("status")));
    term_printf(
        t, TERM_PLAIN,
        "  vaultd " STR_FMT " on " STR_FMT ", process " STR_FMT ", for " STR_FMT "\n",
        STR_ARG(json_get_str(s, STR("version"))),
        STR_ARG(json_get_str(s, STR("listening"))),
        STR_ARG(status_number(a, s, STR("pid"))), STR_ARG(term_duration(a, uptime)));
    for (const struct json *v = vaults != NULL ? vaults->child : NULL; v != NULL;
         v = v->next)
        put_vault(t, a, v);
    put_hosted(t, a, s);
    put_audit(t, a, json_get(s, STR("audit")));
    if (json_get_true(s, STR("clock_in_doubt")))
        put_status_line(
            t, "clock",
            STR("in doubt: far ahead of every known date, so nothing expires"));
    if (json_get(s, STR("proposals_waiting")) != NULL)
        put_status_line(
            t, "proposals",
            arena_printf(a, STR_FMT " to review: vaultd proposals",
                         STR_ARG(status_number(a, s, STR("proposals_waiting")))));
    put_status_line(t, "connections", status_number(a, s, STR("connections")));
    put_status_line(t, "sign-in",
                    json_get_true(s, STR("sign_in")) ? STR("required")
                                                     : STR("not required"));
    put_status_line(t, "", json_get_str(s, STR("sign_in_problem")));
    put_database(t, a, json_get(s, STR("state_db")));
    put_sync(t, a, json_get(s, STR("sync")));
    put_sandbox(t, a, json_get(s, STR("sandbox")));
    if (memory > 0)
        put_status_line(t, "memory", term_size(a, memory));
}

/* --- */

static void print_servers_json(struct cli *c, const struct servers *s)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_array(w, STR("servers"));
    for (size_t i = 0; i < s->n; i++)
        jsonw_value(w, s->list[i]);
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static bool cli_status_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct servers s = {.n = 0};
    if (o->ops_addr.n == 0)
        ask_all(c->arena, o->common.state_dir, &s);
    else if (!ask_server_status(c->arena, o->ops_addr, &s, err) &&
             err->code != ERR_NOT_FOUND)
        return false;
    c->status = s.n == 0;
    if (c->json)
        print_servers_json(c, &s);
    else if (s.n == 0)
        term_put(&c->out, TERM_PLAIN,
                 STR("No server is running with this state folder: start one with vaultd "
                     "serve, or give the --state-dir or --ops-addr of a running one\n"));
    for (size_t i = 0; i < s.n; i++) {
        c->status |= !is_well(s.list[i]);
        if (!c->json)
            put_server(&c->out, c->arena, s.list[i]);
    }
    str vault = cli_default_vault(c->arena);
    if (!c->json && o->ops_addr.n == 0 && vault.n > 0)
        put_status_line(&c->out, "commands",
                        arena_printf(c->arena, "use " STR_FMT, STR_ARG(vault)));
    return true;
}

const struct cli_verb cli_status = {
    .name = "status",
    .arguments = "",
    .about = "Show the status of the servers that use this state folder",
    .help = "  vaultd status --json\n",
    .options = table,
    .options_size = sizeof(struct options),
    .no_vault = true,
    .run = cli_status_run,
};
