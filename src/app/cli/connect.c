#include "app/cli/connect_plan.h"

#include <stdlib.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/client_table.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "base/array.h"
#include "base/os/machine.h"
#include "base/system_path.h"
#include "vault/text/diff.h"

struct options {
    struct cli_common common;
    bool write, remove, list;
    str name, url;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, write, "write",
               "Change the client's file; without this, only show the change",
               .letter = 'w', .heading = "What to do"),
    CLI_SWITCH(struct options, remove, "remove", "Remove the entry instead"),
    CLI_SWITCH(struct options, list, "list",
               "List the clients on this machine and the status of vaultd in each",
               .letter = 'l'),
    OPTION(struct options, name, OPTION_STR, "name", NULL, "vault", "NAME",
           "The name of the entry in the client"),
    OPTION(struct options, common.vault_path, OPTION_PATH, "vault-path",
           "VAULT_PATH|OBSIDIAN_VAULT_PATH", NULL, "FOLDER",
           "The vault (default: the one that contains the current folder)", .letter = 'v',
           .heading = "Which vault", .group = OPTION_GROUP_VAULTS),
    OPTION(struct options, common.vaults, OPTION_LIST, "vault", "VAULTS", NULL,
           "NAME=FOLDER,...", "Several named vaults instead",
           .group = OPTION_GROUP_VAULTS),
    OPTION(struct options, url, OPTION_STR, "url", NULL, NULL, "URL",
           "A running server instead, such as https://vault.example.com/mcp"),
    CLI_SWITCH(struct options, common.json, "json", "Print --list as JSON",
               .heading = "Output"),
    CLI_COLOUR,
    CLI_HELP,
};

/* --- what the client starts --- */

static void connect_add_word(struct arena *a, struct option_list *w, str word)
{
    *ARRAY_ADD(a, w->items, w->n) = word;
}

/* "--vault-path FOLDER" wins over the client's VAULT_PATH; "--vault NAME=FOLDER". */
static bool add_vault(struct arena *a, const struct configured_vault *vault,
                      struct option_list *out, struct err *err)
{
    str folder;
    if (!connect_folder(a, vault->folder, &folder, err))
        return false;
    folder = system_path_shown(a, folder);
    bool named = vault->name.n > 0;
    connect_add_word(a, out, named ? STR("--vault") : STR("--vault-path"));
    connect_add_word(a, out,
                     named ? arena_printf(a, STR_FMT "=" STR_FMT, STR_ARG(vault->name),
                                          STR_ARG(folder))
                           : folder);
    return true;
}

static bool add_vaults(struct arena *a, const struct cli_common *o,
                       struct option_list *out, struct err *err)
{
    static const struct option_list no_words = {0};
    struct vault_config config = cli_vault_config(o);
    struct configured_vaults list;
    if (!vault_config_settle(a, &config, &no_words, err))
        return false;
    config.dir = STR(""); /* hosted vaults have a server: --url */
    if (!vault_config_read(a, &config, &list, err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (!add_vault(a, &list.items[i], out, err))
            return false;
    return list.n > 0 ||
           err_set(err, ERR_INVALID,
                   "no vault: give --vault-path FOLDER, or --url for a running server");
}

/* Arguments after "--" are for the server, and must be valid options of it. */
static bool add_more(struct arena *a, const struct option_list *words,
                     struct option_list *out, struct err *err)
{
    struct settings ignored = {0};
    struct option_list rest;
    char **argv = ARENA_ARRAY(a, char *, words->n + 1);
    for (size_t i = 1; i < words->n; i++) {
        argv[i] = (char *)arena_str(a, words->items[i]).p;
        connect_add_word(a, out, words->items[i]);
    }
    if (words->n < 2)
        return true;
    if (!options_parse(a, settings_table, (int)words->n, argv, &ignored, &rest, err))
        return false;
    return rest.n == 0 ||
           err_set(err, ERR_INVALID, "'" STR_FMT "' is not an option of vaultd serve",
                   STR_ARG(rest.items[0]));
}

static bool make_request(struct cli *c, const struct options *o,
                         struct connect_request *out, struct err *err)
{
    struct option_list args = {0};
    *out = (struct connect_request){.name = o->name, .remove = o->remove};
    if (!connect_check_name(o->name, err) ||
        !connect_program(c->arena, &out->command, err))
        return false;
    out->command = system_path_shown(c->arena, out->command);
    if (o->url.n > 0)
        return connect_url(c->arena, o->url, &out->url, err);
    connect_add_word(c->arena, &args, STR("serve"));
    connect_add_word(c->arena, &args, STR("--stdio"));
    if (!o->remove && (!add_vaults(c->arena, &o->common, &args, err) ||
                       !add_more(c->arena, &c->words, &args, err)))
        return false;
    out->args = args.items;
    out->n_args = args.n;
    return true;
}

/* --- printing --- */

static void print_steps(struct cli *c, const struct client *client, str url)
{
    str rest = str_c(client->steps), step;
    term_printf(&c->out, TERM_STRONG, "%s\n", client->title);
    term_printf(&c->out, TERM_PLAIN, "URL: " STR_FMT "\n",
                STR_ARG(url.n > 0 ? url : STR("https://YOUR-NAME/mcp")));
    for (int i = 1; str_next(&rest, '\n', &step); i++)
        term_printf(&c->out, TERM_PLAIN, "%d. " STR_FMT "\n", i, STR_ARG(step));
    term_printf(&c->out, TERM_PLAIN, "%s\n", client->check);
    term_printf(&c->out, TERM_FAINT,
                "The server must be reachable from the internet: docs/remote.md, vaultd "
                "init; vaultd doctor --connector URL tests it\n");
}

static void print_diff(struct cli *c, const struct connect_plan *p)
{
    struct diff d;
    diff_make(c->arena, p->file.text, p->after, &d);
    term_text(&c->out, diff_print(c->arena, &d, p->file.path, p->file.path, 0));
}

static str sign_in_text(struct arena *a, const struct client *client, str name)
{
    str text = str_c(client->sign_in);
    size_t at = str_find(text, STR("NAME"));
    if (text.n == 0)
        return STR("The client opens a page of your server to sign in");
    return at == STR_NONE
               ? text
               : arena_printf(a, STR_FMT STR_FMT STR_FMT, STR_ARG(str_slice(text, 0, at)),
                              STR_ARG(name), STR_ARG(str_skip(text, at + 4)));
}

static void print_next(struct cli *c, const struct connect_plan *p,
                       const struct connect_request *request)
{
    if (request->remove)
        return;
    term_printf(&c->out, TERM_PLAIN, "%s\n", p->client->check);
    if (request->url.n > 0)
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n",
                    STR_ARG(sign_in_text(c->arena, p->client, request->name)));
}

static void print_entry(struct cli *c, const struct connect_plan *p)
{
    if (p->snippet.n == 0)
        return;
    term_printf(&c->out, TERM_FAINT, "The entry:\n");
    term_text(&c->out, p->snippet);
}

static void print_plan(struct cli *c, const struct connect_plan *p)
{
    struct term *t = &c->out;
    print_entry(c, p);
    if (p->file.seen.exists) {
        term_printf(t, TERM_FAINT, "What would change:\n");
        print_diff(c, p);
    } else {
        term_printf(t, TERM_FAINT, "The file does not exist yet%s\n",
                    p->installed ? "" : ", and the client does not seem to be installed");
    }
    if (p->copy_to.n > 0)
        term_printf(t, TERM_FAINT,
                    "vaultd runs from the npx cache and would be copied to " STR_FMT "\n",
                    STR_ARG(p->copy_to));
    term_printf(t, TERM_STRONG, "Nothing was written; add --write to do it\n");
}

static bool carry_out(struct cli *c, const struct connect_plan *p,
                      const struct connect_request *request, struct err *err)
{
    str backup;
    if (!connect_carry_out(c->arena, p, &backup, err))
        return false;
    term_printf(&c->out, TERM_GOOD, request->remove ? "Removed\n" : "Written\n");
    if (backup.n > 0)
        term_printf(&c->out, TERM_PLAIN, "Backup of the old file: " STR_FMT "\n",
                    STR_ARG(backup));
    else if (!p->installed)
        term_printf(&c->out, TERM_WARN,
                    "A new file: %s does not seem to be installed here\n",
                    p->client->title);
    print_next(c, p, request);
    return true;
}

static bool connect_one(struct cli *c, const struct options *o, struct err *err)
{
    const struct client *client = client_find(c->words.items[0], err);
    struct connect_request request;
    struct connect_plan plan = {0};
    if (client == NULL)
        return false;
    bool file = client->files[0] != NULL && (o->url.n == 0 || client->http != NULL);
    if (!file) {
        str url = STR("");
        if (o->url.n > 0 && !connect_url(c->arena, o->url, &url, err))
            return false;
        print_steps(c, client, url);
        return true;
    }
    if (!make_request(c, o, &request, err))
        return false;
    if (!connect_make_plan(c->arena, client, &request, &plan, err)) {
        print_entry(c, &plan);
        return false;
    }
    term_printf(&c->out, TERM_STRONG, "%s: ", client->title);
    term_printf(&c->out, TERM_PATH, STR_FMT "\n", STR_ARG(plan.file.path));
    if (!connect_needed(&plan)) {
        term_printf(&c->out, TERM_GOOD,
                    o->remove ? "There is no such entry\n" : "Already up to date\n");
        return true;
    }
    if (o->write)
        return carry_out(c, &plan, &request, err);
    print_plan(c, &plan);
    return true;
}

/* --- --list --- */

static void connect_list_json(struct jsonw *w, const struct client *client,
                              const struct connect_found *f)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("client"), str_c(client->name));
    jsonw_put_str(w, STR("title"), str_c(client->title));
    jsonw_put_bool(w, STR("installed"), f->installed);
    jsonw_put_str(w, STR("file"), f->path);
    jsonw_put_text(w, STR("unreadable"), f->unreadable);
    jsonw_put_array(w, STR("entries"));
    for (size_t i = 0; i < f->n; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("name"), f->entries[i].name);
        jsonw_put_str(w, STR("serves"), f->entries[i].what);
        jsonw_put_bool(w, STR("good"), f->entries[i].wrong.n == 0);
        jsonw_put_text(w, STR("wrong"), f->entries[i].wrong);
        jsonw_end(w);
    }
    jsonw_end(w);
    jsonw_end(w);
}

static void list_line(struct cli *c, const struct client *client,
                      const struct connect_found *f)
{
    enum { NAME_WIDTH = 16 };
    struct term *t = &c->out;
    term_left(t, f->installed ? TERM_STRONG : TERM_FAINT, str_c(client->name),
              NAME_WIDTH);
    if (f->unreadable.n > 0)
        term_printf(t, TERM_BAD, "unreadable: " STR_FMT "\n", STR_ARG(f->unreadable));
    else if (f->n == 0)
        term_put(t, TERM_FAINT,
                 f->installed ? STR("installed, not connected\n")
                              : STR("not found here\n"));
    for (size_t i = 0; i < f->n; i++) {
        const struct connect_entry *e = &f->entries[i];
        if (i > 0)
            term_left(t, TERM_PLAIN, STR(""), NAME_WIDTH);
        term_put(t, e->wrong.n > 0 ? TERM_WARN : TERM_GOOD,
                 e->wrong.n > 0 ? STR("stale") : STR("connected"));
        term_printf(t, TERM_PLAIN, " as " STR_FMT ": " STR_FMT "\n", STR_ARG(e->name),
                    STR_ARG(e->wrong.n > 0 ? e->wrong : e->what));
    }
}

static bool list_clients(struct cli *c, struct err *err)
{
    struct cli_json json;
    str program;
    if (!connect_program(c->arena, &program, err))
        return false;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_array(w, STR("clients"));
    for (const struct client *k = client_table; k->name != NULL; k++) {
        struct connect_found f;
        if (k->files[0] == NULL)
            continue;
        connect_look(c->arena, k, program, &f);
        connect_list_json(w, k, &f);
        if (!c->json)
            list_line(c, k, &f);
    }
    jsonw_end(w);
    jsonw_end(w);
    if (c->json)
        cli_json_print(c, &json);
    return true;
}

static bool cli_connect_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    if (machine_home(c->arena).n == 0)
        return err_set(err, ERR_INVALID,
                       "%s is not set, so the clients' files cannot be found",
                       machine_system() == MACHINE_WINDOWS ? "USERPROFILE" : "HOME");
    if (o->list)
        return list_clients(c, err);
    if (c->words.n == 0)
        return err_set(err, ERR_INVALID,
                       "the client is missing: vaultd connect --list shows them");
    return connect_one(c, o, err);
}

const struct cli_verb cli_connect = {
    .name = "connect",
    .arguments = "CLIENT",
    .about = "Add the vault to the configuration of an AI client",
    .help =
        "  vaultd connect --list                             clients, and their status\n"
        "  vaultd connect claude-desktop -v ~/Notes          show what would change\n"
        "  vaultd connect claude-desktop -v ~/Notes --write  do it, keeping a backup\n"
        "  vaultd connect codex --url https://NAME/mcp -w    for a running server\n"
        "  vaultd connect cursor -w -- --read-only           with options of serve\n\n"
        "Clients: claude-desktop claude-code cursor vscode codex gemini windsurf zed\n"
        "cline lm-studio opencode; for claude-web and chatgpt it prints what to do "
        "there.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 100,
    .no_vault = true,
    .run = cli_connect_run,
};
