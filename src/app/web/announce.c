#include "app/web/announce.h"

#include <stdlib.h>

#include "app/answers/term.h"
#include "app/answers/term_progress.h"
#include "app/setup/app.h"
#include "app/setup/embedding.h"
#include "app/setup/endpoint.h"
#include "app/setup/profiles.h"
#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "app/setup/sync_settings.h"
#include "app/web/systemd.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/os/terminal.h"
#include "http/server.h"
#include "vault/vault.h"

static void announce_log(const struct app *app, str url)
{
    struct arena a = {0};
    log_event(LOG_INFO, "serving", LOG_STR("vault", app_names(app, &a)),
              LOG_STR("url", url), LOG_STR("version", STR(VAULTD_VERSION)));
    str outside = endpoint_outside(&a, &app->settings.embeddings);
    if (outside.n > 0)
        log_event(LOG_INFO, "notes_are_sent", LOG_STR("to", outside),
                  LOG_STR("because", STR("embeddings")));
    arena_release(&a);
}

/* An address of this machine for a host that means all of them. */
static str reachable_host(str host)
{
    if (str_eq(host, STR("[::]")))
        return STR("[::1]");
    return host.n == 0 || str_eq(host, STR("0.0.0.0")) ? STR("127.0.0.1") : host;
}

/* Where it listens; a socket in the file system as it is in the settings. */
static str listening_url(struct arena *a, const struct settings *s, unsigned port)
{
    str address = s->listen_addr;
    if (port == 0 || str_starts(address, STR("unix:")))
        return address;
    str host = str_slice(address, 0, str_find_last(address, ':'));
    return arena_printf(a, "http://" STR_FMT ":%u/mcp", STR_ARG(reachable_host(host)),
                        port);
}

/* What clients use: the public URL, if there is one. */
static str clients_url(struct arena *a, const struct settings *s, str listening)
{
    return s->server_url.n == 0 ? listening
                                : arena_printf(a, STR_FMT "/mcp", STR_ARG(s->server_url));
}

static void announce_show_line(struct term *t, const char *name, str text)
{
    term_printf(t, TERM_PLAIN, "  %-15s" STR_FMT "\n", name, STR_ARG(text));
}

/* The terminal breaks it if it must, so that it is copied as one line. */
static void announce_show_command(struct term *t, const char *name, str command)
{
    struct arena *a = t->out.arena;
    term_text(t, arena_printf(a, "  %-15s" STR_FMT "\n", name, STR_ARG(command)));
}

/* Where the vault is from, unless that is on the command line. */
static str announce_vault(struct arena *a, const struct app *app)
{
    const struct settings *s = &app->settings;
    str names = app_names(app, a);
    return s->vaults_from == OPTION_BY_FLAG || s->vaults_origin.n == 0
               ? names
               : arena_printf(a, STR_FMT " (from " STR_FMT ")", STR_ARG(names),
                              STR_ARG(settings_path_shown(a, s->vaults_origin)));
}

static str announce_meaning(const struct app *app)
{
    return embedding_is_open(&app->embedding) ? STR("on: notes are found by meaning, too")
                                              : STR("off: vaultd model install adds it");
}

static str announce_sync(const struct settings *s)
{
    enum sync_kind kind = SYNC_NONE;
    struct err ignored;
    if (!sync_settings_kind(&s->sync, &kind, &ignored))
        return STR("off");
    return kind == SYNC_GIT       ? STR("with git, all the time")
           : kind == SYNC_COMMAND ? STR("with --sync-command")
                                  : STR("off");
}

static void show_state(struct term *t, const struct app *app, bool signs_in, bool people)
{
    const struct settings *s = &app->settings;
    announce_show_line(t, "apps may",
                       s->access.read_only            ? STR("read")
                       : s->writes == WRITES_PROPOSED ? STR("read, and propose changes")
                                                      : STR("read and write"));
    announce_show_line(t, "sign-in",
                       !people    ? STR(REACH_NO_PEOPLE)
                       : signs_in ? STR("required")
                                  : STR("not required"));
    announce_show_line(t, "by meaning", announce_meaning(app));
    announce_show_line(t, "sync", announce_sync(s));
}

static void show_connection(const struct app *app, str url, bool people)
{
    struct arena a = {0};
    struct term t = term_open(&a, FILE_STDERR, TERM_NEVER);
    str self = machine_program(&a), page = str_slice(url, 0, url.n - 3);
    term_put(&t, TERM_PLAIN, STR("\n"));
    announce_show_line(&t, "vault", announce_vault(&a, app));
    announce_show_command(&t, "page", page);
    announce_show_command(&t, "URL", url);
    show_state(&t, app, app->settings.signs_in, people);
    announce_show_command(
        &t, "Claude Code",
        arena_printf(&a, "claude mcp add --transport http vault " STR_FMT, STR_ARG(url)));
    announce_show_command(&t, "other clients",
                          arena_printf(&a, STR_FMT " connect --list",
                                       STR_ARG(self.n > 0 ? self : STR("vaultd"))));
    announce_show_line(&t, "to stop", STR("Ctrl-C"));
    term_put(&t, TERM_PLAIN, STR("\n"));
    term_close(&t);
    arena_release(&a);
}

/* Of all vaults. */
static struct vault_progress reading_of(const struct app *app)
{
    struct vault_progress all = {.ready = true};
    for (size_t i = 0; i < app->n_vaults; i++) {
        struct vault_progress p = vault_progress(app->vaults[i].vault);
        all.ready = all.ready && p.ready;
        all.done += p.done;
        all.expected += p.expected;
    }
    return all;
}

void announce_tick(struct announce_reading *r, const struct app *app)
{
    if (r->ended)
        return;
    struct vault_progress p = reading_of(app);
    if (!r->begun)
        r->line = term_progress_begin("Reading the vault", "files");
    r->begun = true;
    r->ended = p.ready || !r->line.terminal || app->hosted != NULL ||
               app->settings.log_format == LOG_JSON;
    if (r->ended) {
        log_replaces_line(false);
        term_progress_end(&r->line);
        return;
    }
    if (p.expected > 0 && p.done >= p.expected)
        r->line.what = "Building the index";
    term_progress_show(&r->line, p.done, p.expected);
    log_replaces_line(r->line.shown);
}

/* Who gets in, if that may surprise the operator. */
static void warn_of_access(const struct settings *s, bool people)
{
    if (!people)
        log_event(LOG_WARN, "sign_in", LOG_STR("problem", STR(REACH_NO_PEOPLE)));
    if (s->auth == AUTH_NONE)
        log_event(LOG_WARN, "open",
                  LOG_STR("to", STR("everyone who can reach it, without sign-in")),
                  LOG_STR("because", s->auth_given ? STR("--auth none")
                                                   : str_c(profiles[s->profile].name)));
}

void announce_http(const struct app *app, const struct http_server *http, bool people)
{
    struct arena a = {0};
    const struct settings *s = &app->settings;
    str listening = listening_url(&a, s, http_server_port(http));
    str url = clients_url(&a, s, listening);
    announce_log(app, listening);
    warn_of_access(s, people);
    if (terminal_is(FILE_STDERR) && str_starts(url, STR("http")))
        show_connection(app, url, people);
    systemd_notify(STR("READY=1"));
    arena_release(&a);
}

void announce_stdio(const struct app *app)
{
    announce_log(app, STR("stdio"));
}
