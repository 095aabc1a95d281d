#include <stdlib.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/pick.h"
#include "app/cli/status.h"
#include "app/cli/verbs.h"
#include "app/setup/opener.h"
#include "app/setup/settings.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/os/child.h"
#include "base/os/file.h"
#include "base/os/ready.h"
#include "base/os/self.h"
#include "base/process.h"
#include "vault/text/obsidian_url.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    bool print;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, print, "print", "Only print the link", .letter = 'p'),
    CLI_COMMON,
};

/* --- where --- */

static bool note_url(struct cli *c, bool print, str *out, struct err *err)
{
    const struct file *f = NULL;
    str vault = vault_name(c->vault);
    bool named = c->words.n > 0;
    if (named && !cli_find(c, c->words.items[0], &f, err))
        return false;
    if (!named && !print && !c->json && pick_is_possible() &&
        !pick_file(&c->out, c->index, STR(""), &f, err) && err->code != ERR_NONE)
        return false;
    str url = obsidian_url(c->arena, vault, f != NULL ? f->path : STR(""));
    *out = f != NULL ? url : str_slice(url, 0, url.n - STR("&file=").n); /* the vault */
    return true;
}

/* The place of the vault in a server's list, or SIZE_MAX; *name: what clients call it. */
static size_t vault_number(const struct cli *c, const struct json *server, str *name)
{
    const struct json *vaults = json_get(server, STR("vaults"));
    size_t i = 0;
    for (const struct json *v = vaults != NULL ? vaults->child : NULL; v != NULL;
         v = v->next, i++) {
        *name = json_get_str(v, STR("name"));
        if (str_eq(json_get_str(v, STR("folder")), str_c(vault_folder(c->vault))))
            return i;
    }
    return SIZE_MAX;
}

/* "127.0.0.1:8090" for a server on any address of this machine; empty for a socket. */
static str loopback(struct arena *a, str listening)
{
    size_t colon = str_find_last(listening, ':');
    str host = str_slice(listening, 0, colon);
    if (colon == STR_NONE || str_starts(listening, STR("unix:")))
        return STR("");
    if (host.n == 0 || str_eq(host, STR("0.0.0.0")) || str_eq(host, STR("[::]")))
        host = STR("127.0.0.1");
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(host),
                        STR_ARG(str_skip(listening, colon)));
}

/* A page of the running server that has this vault. */
static bool page_url(struct cli *c, const struct options *o, str page, str *out,
                     struct err *err)
{
    const struct json *servers[STATUS_SERVERS_MAX];
    size_t n = status_servers(c->arena, o->common.state_dir, servers);
    for (size_t i = 0; i < n; i++) {
        str name, host = loopback(c->arena, json_get_str(servers[i], STR("listening")));
        size_t place = vault_number(c, servers[i], &name);
        if (place == SIZE_MAX || host.n == 0)
            continue;
        *out =
            arena_printf(c->arena, "http://" STR_FMT "/" STR_FMT "%s" STR_FMT,
                         STR_ARG(host), STR_ARG(page), place > 0 ? "?vault=" : "",
                         STR_ARG(place > 0 ? encode_percent(c->arena, name) : STR("")));
        return true;
    }
    return err_set(err, ERR_NOT_FOUND,
                   "no server with this vault is running; start one with vaultd serve, "
                   "and keep it running");
}

/* --- opening --- */

/* Whether a program for it was started. One that is still running after a moment is the
 * program itself, which may run on. */
static bool open_start(struct arena *a, str url)
{
    enum { WAIT_MS = 3000, LOOK_MS = 20 };
    const char *argv[OPENER_WORDS];
    opener_command(a, url, argv);
    const char *program = process_find(a, argv[0], process_path());
    AUTO_CLOSE int null = file_open_null();
    struct child_plan plan = {.program = program,
                              .argv = argv,
                              .env = self_environment(),
                              .in = null,
                              .out = null,
                              .errors = null,
                              .stays = true};
    struct child child;
    if (program == NULL || null < 0 || !child_start(&plan, &child))
        return false;
    uint64_t began = clock_ms();
    while (!child_has_ended(&child) && clock_ms() - began < WAIT_MS)
        ready_pause(LOOK_MS);
    return !child_has_ended(&child) || child_reap(&child) == 0;
}

static bool print_url(struct cli *c, str url)
{
    struct cli_json json;
    if (!c->json) {
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n", STR_ARG(url));
        return true;
    }
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("url"), url);
    jsonw_end(w);
    cli_json_print(c, &json);
    return true;
}

static bool cli_open_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    str word = c->words.n > 0 ? c->words.items[0] : STR(""), url;
    bool page = str_eq(word, STR("changes")) || str_eq(word, STR("graph"));
    if (!(page ? page_url(c, o, word, &url, err) : note_url(c, o->print, &url, err)))
        return false;
    cli_unlock(c);
    if (o->print || c->json)
        return print_url(c, url);
    bool screen = opener_has_screen() || self_variable("BROWSER") != NULL;
    if (screen && open_start(c->arena, url))
        return true;
    term_put(&c->notes, TERM_PLAIN,
             STR("No program was found to open this; copy the link:\n"));
    term_flush(&c->notes);
    return print_url(c, url);
}

const struct cli_verb cli_open = {
    .name = "open",
    .arguments = "[NOTE|changes|graph]",
    .about = "Open a note in Obsidian, or a page of the running server",
    .help = "  vaultd open                  a note that you pick; in a pipe, the vault\n"
            "  vaultd open 'Rain barrel'    that note\n"
            "  vaultd open Plan --print     only print the obsidian:// link\n"
            "  vaultd open changes          what was changed, with undo, in a browser\n"
            "  vaultd open graph            the notes and their links\n\n"
            "The pages need a running vaultd serve. A note with the name changes or\n"
            "graph is opened by its path: changes.md.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_open_run,
};
