#include "app/web/announce.h"

#include <stdlib.h>

#include "app/answers/term.h"
#include "app/setup/app.h"
#include "app/setup/endpoint.h"
#include "app/setup/profiles.h"
#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "app/web/systemd.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/os/terminal.h"
#include "http/server.h"

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

static void show_connection(const struct app *app, str url, bool people)
{
    struct arena a = {0};
    struct term t = term_open(&a, FILE_STDERR, TERM_NEVER);
    str self = machine_program(&a);
    term_put(&t, TERM_PLAIN, STR("\n"));
    announce_show_line(&t, "vault", app_names(app, &a));
    announce_show_command(&t, "URL", url);
    announce_show_command(
        &t, "Claude Code",
        arena_printf(&a, "claude mcp add --transport http vault " STR_FMT, STR_ARG(url)));
    announce_show_command(&t, "other clients",
                          arena_printf(&a, STR_FMT " connect --list",
                                       STR_ARG(self.n > 0 ? self : STR("vaultd"))));
    if (!people)
        announce_show_line(&t, "sign-in", STR(REACH_NO_PEOPLE));
    term_put(&t, TERM_PLAIN, STR("\n"));
    term_close(&t);
    arena_release(&a);
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
