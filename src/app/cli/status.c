#include "app/cli/status.h"

#include <stdio.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/setup/confine.h"
#include "app/setup/operator_request.h"
#include "app/setup/settings.h"
#include "app/web/operator.h"
#include "base/os/folder.h"
#include "state/store.h"

enum { WRONG_CALL = 2, LABEL = 12 };

struct options {
    str state_dir, ops_addr;
    bool json, help;
    int colour;
};

static const struct option table[] = {
    OPTION(struct options, state_dir, OPTION_STR, "state-dir", "STATE_DIR", NULL,
           "FOLDER", "The server's state folder (default: $XDG_STATE_HOME/vaultd)"),
    OPTION(struct options, ops_addr, OPTION_STR, "ops-addr", "OPS_ADDR", NULL, "ADDRESS",
           "Query the server with this --ops-addr instead"),
    OPTION(struct options, json, OPTION_SWITCH, "json", NULL, NULL, NULL, "Print JSON"),
    OPTION(struct options, colour, OPTION_CHOICE, "color", NULL, "auto", "WHEN",
           "Colours: auto, always or never", .choices = cli_colours),
    OPTION(struct options, help, OPTION_SWITCH, "help", NULL, NULL, NULL,
           "Show this help", .letter = 'h'),
    {0},
};

struct servers {
    const struct json *list[STATUS_SERVERS_MAX];
    size_t n;
};

/* --- finding the servers --- */

static bool ask(struct arena *a, str address, struct servers *s, struct err *err)
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
            (void)!ask(a,
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

static str number(struct arena *a, const struct json *j, str key)
{
    int64_t n = 0;
    json_int(json_get(j, key), &n);
    return arena_printf(a, "%lld", (long long)n);
}

static str duration(struct arena *a, int64_t s)
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
    long long n = (long long)s;
    return s >= DAY      ? arena_printf(a, "%lld d %lld h", n / DAY, n % DAY / HOUR)
           : s >= HOUR   ? arena_printf(a, "%lld h %lld min", n / HOUR, n % HOUR / MINUTE)
           : s >= MINUTE ? arena_printf(a, "%lld min", n / MINUTE)
                         : arena_printf(a, "%lld s", n);
}

static void put(struct term *t, const char *label, str text)
{
    if (text.n == 0)
        return;
    term_left(t, TERM_FAINT, str_c(label), LABEL);
    term_put(t, TERM_PLAIN, text);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void put_sync(struct term *t, struct arena *a, const struct json *sync)
{
    if (sync == NULL)
        return;
    str error = json_get_str(sync, STR("last_error"));
    str last = json_get_str(sync, STR("last_success"));
    put(t, "sync",
        arena_printf(a, STR_FMT ", last success " STR_FMT,
                     STR_ARG(json_get_str(sync, STR("kind"))),
                     STR_ARG(last.n > 0 ? last : STR("never"))));
    put(t, "", error);
}

static void put_vault(struct term *t, struct arena *a, const struct json *v)
{
    const struct json *index = json_get(v, STR("index"));
    str folder = json_get_str(v, STR("folder")), name = json_get_str(v, STR("name"));
    put(t, "vault",
        arena_printf(a, STR_FMT " (" STR_FMT ")", STR_ARG(name), STR_ARG(folder)));
    str problem = json_get_str(v, STR("problem"));
    if (problem.n > 0)
        put(t, "problem", problem);
    if (!json_get_true(index, STR("ready")))
        put(t, "index",
            arena_printf(a, STR_FMT " of " STR_FMT " files read",
                         STR_ARG(number(a, index, STR("done"))),
                         STR_ARG(number(a, index, STR("expected")))));
    else
        put(t, "index",
            arena_printf(a,
                         STR_FMT " notes, " STR_FMT " other files; changes by " STR_FMT,
                         STR_ARG(number(a, v, STR("notes"))),
                         STR_ARG(number(a, v, STR("attachments"))),
                         STR_ARG(json_get_str(v, STR("watching")))));
    str blocker = json_get_str(v, STR("blocked_by"));
    if (blocker.n > 0)
        put(t, "changes",
            arena_printf(a,
                         "not possible for " STR_FMT " s: " STR_FMT
                         " has locked the vault; 'lslocks' shows which",
                         STR_ARG(number(a, v, STR("blocked_seconds"))),
                         STR_ARG(blocker)));
    put_sync(t, a, json_get(v, STR("sync")));
}

/* Those that are closed are not described. */
static void put_hosted(struct term *t, struct arena *a, const struct json *server)
{
    const struct json *open = json_get(server, STR("vaults"));
    if (json_get(server, STR("hosted_vaults")) != NULL)
        put(t, "hosted",
            arena_printf(a, STR_FMT " vaults, %u open",
                         STR_ARG(number(a, server, STR("hosted_vaults"))),
                         open != NULL ? open->n : 0));
}

static void put_sandbox(struct term *t, struct arena *a, const struct json *s)
{
    struct sandbox_state state = {.files = json_get_true(s, STR("files")),
                                  .ports = json_get_true(s, STR("ports")),
                                  .calls = json_get_true(s, STR("system_calls"))};
    put(t, "sandbox", confine_words(a, &state));
}

static void put_database(struct term *t, struct arena *a, const struct json *db)
{
    int64_t away = 0;
    str where = json_get_str(db, STR("database"));
    if (db == NULL)
        return;
    if (json_int(json_get(db, STR("away_seconds")), &away))
        put(t, "state-db",
            arena_printf(
                a,
                STR_FMT " has not answered for " STR_FMT
                        ": sign-in fails; clients with a token are served for %d "
                        "minutes",
                STR_ARG(where), STR_ARG(duration(a, away)), STORE_AWAY_MAX_MS / 60000));
    else
        put(t, "state-db", where);
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
    term_printf(t, TERM_PLAIN,
                "  vaultd " STR_FMT " on " STR_FMT ", process " STR_FMT ", for " STR_FMT
                "\n",
                STR_ARG(json_get_str(s, STR("version"))),
                STR_ARG(json_get_str(s, STR("listening"))),
                STR_ARG(number(a, s, STR("pid"))), STR_ARG(duration(a, uptime)));
    for (const struct json *v = vaults != NULL ? vaults->child : NULL; v != NULL;
         v = v->next)
        put_vault(t, a, v);
    put_hosted(t, a, s);
    if (json_get_true(s, STR("clock_in_doubt")))
        put(t, "clock",
            STR("in doubt: far ahead of every known date, so nothing expires"));
    put(t, "connections", number(a, s, STR("connections")));
    put(t, "sign-in",
        json_get_true(s, STR("sign_in")) ? STR("required") : STR("not required"));
    put(t, "", json_get_str(s, STR("sign_in_problem")));
    put_database(t, a, json_get(s, STR("state_db")));
    put_sync(t, a, json_get(s, STR("sync")));
    put_sandbox(t, a, json_get(s, STR("sandbox")));
    if (memory > 0)
        put(t, "memory", term_size(a, memory));
}

/* --- */

static void print_json(struct arena *a, struct term *t, const struct servers *s)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_array(&w, STR("servers"));
    for (size_t i = 0; i < s->n; i++)
        jsonw_value(&w, s->list[i]);
    jsonw_end(&w);
    jsonw_end(&w);
    sbuf_char(&out, '\n');
    term_json(t, sbuf_str(&out));
}

static int show(struct arena *a, const struct options *o, const struct servers *s)
{
    struct term t = term_open(a, FILE_STDOUT, (enum term_colour)o->colour);
    int code = s->n == 0;
    if (o->json)
        print_json(a, &t, s);
    else if (s->n == 0)
        term_put(&t, TERM_PLAIN,
                 STR("No server is running with this state folder: start one with vaultd "
                     "serve, or give the --state-dir or --ops-addr of a running one\n"));
    for (size_t i = 0; i < s->n; i++) {
        code |= !is_well(s->list[i]);
        if (!o->json)
            put_server(&t, a, s->list[i]);
    }
    term_close(&t);
    return code;
}

const struct command_info status_info = {
    .name = "status",
    .arguments = "",
    .about = "Show the status of the servers that use this state folder",
    .help = "  vaultd status --json\n",
    .options = table,
};

static void show_status_help(struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_printf(&out, "usage: vaultd status [OPTIONS]\n\n%s.\n\n", status_info.about);
    options_help(table, &out);
    fwrite(out.p, 1, out.n, stdout);
}

static int run(struct arena *a, const struct options *o, struct err *err)
{
    struct servers s = {.n = 0};
    if (o->ops_addr.n == 0)
        ask_all(a, o->state_dir, &s);
    else if (!ask(a, o->ops_addr, &s, err) && err->code != ERR_NOT_FOUND) {
        fprintf(stderr, "vaultd: %s\n", err->msg);
        return err->code == ERR_INVALID ? WRONG_CALL : 1;
    }
    return show(a, o, &s);
}

int status_run(int argc, char **argv)
{
    struct arena a = {0};
    struct options o = {0};
    struct option_list words;
    struct err err = {0};
    int code = WRONG_CALL;
    bool ok = options_parse(&a, table, argc, argv, &o, &words, &err);
    if (ok && words.n > 0)
        ok = err_set(&err, ERR_INVALID,
                     "status takes no arguments; see vaultd status --help");
    if (!ok) {
        fprintf(stderr, "vaultd: %s\n", err.msg);
    } else if (o.help) {
        show_status_help(&a);
        code = 0;
    } else {
        code = run(&a, &o, &err);
    }
    arena_release(&a);
    return code;
}
