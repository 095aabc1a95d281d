#include <stdlib.h>

#include "app/answers/term.h"
#include "app/cli/ask.h"
#include "app/cli/cli.h"
#include "app/cli/client_file.h"
#include "app/cli/client_table.h"
#include "app/cli/config_file.h"
#include "app/cli/connect_plan.h"
#include "app/cli/hash_password.h"
#include "app/cli/init_server.h"
#include "app/cli/model_get.h"
#include "app/cli/program.h"
#include "app/cli/verbs.h"
#include "app/setup/model_file.h"
#include "app/setup/settings.h"
#include "app/setup/user_config.h"
#include "app/setup/vault_config.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/os/terminal.h"
#include "base/path.h"
#include "base/system_path.h"
#include "oauth/users.h"

enum { VAULTS_MAX = 9, CLIENTS_MAX = 16, OBSIDIAN_MAX_BYTES = 1 << 20 };

/* All answers, collected before anything is done. */
struct setup {
    struct ask ask;
    struct term *out;
    struct arena *arena;
    str program, vault;
    bool serves; /* set up a server; else clients start vaultd themselves */
    const struct init_access *access;
    bool sync, model;
    struct config_file config; /* user_config.h */
    str config_text;           /* config.text itself: it stays as it is */
    struct init_server server;
    struct init_file files[INIT_FILES_MAX];
    size_t n_files;
    struct connect_plan plans[CLIENTS_MAX];
    size_t n_plans;
};

static const struct option table[] = {CLI_COLOUR, CLI_HELP};

/* What apps may do with the notes. */
static const struct init_access {
    str choice;
    const char *flag, *value; /* of serve; NULL: none is needed */
    const char *variable;
} accesses[] = {
    {STR("Write: every change can be undone with vaultd undo"), NULL, NULL, NULL},
    {STR("Propose: changes wait until you accept them with vaultd proposals"), "--writes",
     "propose", "WRITES=propose"},
    {STR("Read only"), "--read-only", NULL, "READ_ONLY=1"},
};

static void init_heading(struct setup *s, const char *text)
{
    term_put(s->out, TERM_PLAIN, STR("\n"));
    term_printf(s->out, TERM_STRONG, "%s\n", text);
}

/* --- possible vaults --- */

struct vault_folders {
    str items[VAULTS_MAX];
    size_t n;
};

static bool cli_init_is_folder(struct arena *a, str path)
{
    return folder_exists(arena_str(a, path).p);
}

static void add_found(struct arena *a, struct vault_folders *f, str path)
{
    char *real = file_real_path(arena_str(a, path).p);
    str folder = arena_str(a, str_c(real));
    free(real);
    bool known = folder.n == 0 || !cli_init_is_folder(a, folder) || f->n == VAULTS_MAX;
    for (size_t i = 0; i < f->n; i++)
        known = known || str_eq(f->items[i], folder);
    if (!known)
        f->items[f->n++] = folder;
}

/* Obsidian's own list of vaults. */
static void add_obsidian(struct arena *a, struct vault_folders *f)
{
    static const char *const files[] = {
        ".config/obsidian/obsidian.json",
        "%APPDATA%/obsidian/obsidian.json",
        ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
        "snap/obsidian/current/.config/obsidian/obsidian.json",
        "Library/Application Support/obsidian/obsidian.json",
    };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct err ignored;
        const struct json *j;
        str text;
        if (!fs_read_file(a, client_file_place(a, files[i]), OBSIDIAN_MAX_BYTES, &text,
                          &ignored) ||
            !json_parse(a, text, &j, &ignored))
            continue;
        const struct json *vaults = json_get(j, STR("vaults"));
        const struct json *v = json_is(vaults, JSON_OBJECT) ? vaults->child : NULL;
        for (; v != NULL; v = v->next)
            add_found(a, f, system_path(a, json_get_str(v, STR("path"))));
    }
}

static void add_if_vault(struct arena *a, struct vault_folders *f, str folder)
{
    if (cli_init_is_folder(a, path_join(a, folder, STR(VAULT_CONFIG))))
        add_found(a, f, folder);
}

static void add_below(struct arena *a, struct vault_folders *f, str folder)
{
    add_if_vault(a, f, folder);
    struct folder_names names = folder_names(FILE_CWD, arena_str(a, folder).p);
    for (const char *name; (name = folder_next(&names)) != NULL;)
        if (name[0] != '.')
            add_if_vault(a, f, path_join(a, folder, str_c(name)));
    folder_end(&names);
}

static void find_vaults(struct arena *a, struct vault_folders *f)
{
    static const char *const places[] = {"Documents", "Obsidian", "Notes",
                                         "obsidian",  "notes",    "OneDrive/Documents",
                                         "OneDrive"};
    str home = machine_home(a);
    *f = (struct vault_folders){0};
    add_found(a, f, vault_config_around(a));
    add_found(a, f, settings_path(a, str_c(self_variable("VAULT_PATH"))));
    add_obsidian(a, f);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        add_below(a, f, path_join(a, home, str_c(places[i])));
}

/* A number of the list or a folder; if nothing was found, only a folder, which has no
 * default: the wrong one could be a whole home folder. */
static bool ask_folder(struct setup *s, const struct vault_folders *f, str *out,
                       struct err *err)
{
    size_t chosen;
    if (f->n == 0)
        return ask_line(&s->ask, STR("The folder with your notes"), STR(""), out, err);
    if (!ask_choice(&s->ask, STR("Which vault? A number, or a folder"), f->items, f->n,
                    true, &chosen, out, err))
        return false;
    if (chosen < f->n)
        *out = f->items[chosen];
    return true;
}

static bool ask_vault(struct setup *s, struct err *err)
{
    struct vault_folders f;
    struct err why;
    str folder;
    find_vaults(s->arena, &f);
    term_put(s->out, TERM_STRONG, STR("Your notes\n"));
    term_put(s->out, TERM_PLAIN,
             f.n > 0 ? STR("Vaults on this computer:\n")
                     : STR("No Obsidian vault was found on this computer.\n"));
    for (;;) {
        if (!ask_folder(s, &f, &folder, err))
            return false;
        if (folder.n > 0 && connect_folder(s->arena, folder, &s->vault, &why))
            return true;
        term_printf(s->out, TERM_WARN, "%s\n",
                    folder.n > 0 ? why.msg : "Please enter a folder, such as ~/Notes");
    }
}

/* --- a server --- */

static bool ask_url(struct setup *s, struct err *err)
{
    struct err why;
    str url;
    for (;;) {
        if (!ask_line(&s->ask,
                      STR("The URL at which clients will reach it, such as "
                          "https://vault.example.com"),
                      STR(""), &url, err))
            return false;
        if (str_find(url, STR("://")) == STR_NONE)
            url = arena_printf(s->arena, "https://" STR_FMT, STR_ARG(url));
        if (connect_url(s->arena, url, &url, &why) && str_ends(url, STR("/mcp")) &&
            str_find_char(str_slice(url, 8, url.n - 4), '/') == STR_NONE) {
            s->server.url = str_slice(url, 0, url.n - 4);
            return true;
        }
        term_put(s->out, TERM_WARN, STR("Please enter the URL without a path\n"));
    }
}

static bool ask_port(struct setup *s, struct err *err)
{
    str line;
    for (;;) {
        if (!ask_line(&s->ask, STR("The port on this computer"),
                      arena_printf(s->arena, "%d", INIT_PORT), &line, err))
            return false;
        if (str_to_int(line, &s->server.port) && s->server.port > 0 &&
            s->server.port < 65536)
            return true;
        term_put(s->out, TERM_WARN, STR("Please enter a number from 1 to 65535\n"));
    }
}

/* A name that is valid for users.h, and a password that is typed twice. */
static bool ask_user(struct setup *s, struct err *err)
{
    bool windows = machine_system() == MACHINE_WINDOWS;
    str login = str_c(self_variable(windows ? "USERNAME" : "USER"));
    for (;;) {
        struct users *users = NULL;
        struct err why = {0};
        if (!ask_line(&s->ask, STR("Name of the user who may sign in"),
                      login.n > 0 ? login : STR("me"), &s->server.user, err))
            return false;
        term_put(s->out, TERM_FAINT, STR("The password is not shown while you type\n"));
        term_flush(s->out);
        if (!hash_password(s->arena, NULL, &s->server.hash, &why)) {
            if (why.code != ERR_INVALID)
                return err_set(err, why.code, "%s; nothing was changed", why.msg);
            term_printf(s->out, TERM_WARN, "%s\n", why.msg);
            continue;
        }
        str pair = arena_printf(s->arena, STR_FMT ":" STR_FMT, STR_ARG(s->server.user),
                                STR_ARG(s->server.hash));
        bool good = users_create(pair, STR(""), &users, &why);
        users_free(users);
        if (good)
            return true;
        term_printf(s->out, TERM_WARN, "%s\n", why.msg);
    }
}

static bool ask_server(struct setup *s, struct err *err)
{
    s->server.system = machine_system();
    s->server.program = s->program;
    s->server.vault = s->vault;
    return ask_url(s, err) && ask_port(s, err) && ask_user(s, err) &&
           (s->server.system != MACHINE_LINUX ||
            ask_yes(&s->ask,
                    STR("Write a systemd unit, so that it starts automatically?"), true,
                    &s->server.unit, err)) &&
           init_server_files(s->arena, &s->server, s->files, &s->n_files, err);
}

/* --- clients --- */

static bool ask_client(struct setup *s, const struct client *c, struct err *err)
{
    struct connect_plan *plan = &s->plans[s->n_plans];
    str args[8] = {STR("serve"), STR("--stdio"), STR("--vault-path"),
                   system_path_shown(s->arena, s->vault)};
    size_t n = 4;
    if (s->access->flag != NULL)
        args[n++] = str_c(s->access->flag);
    if (s->access->value != NULL)
        args[n++] = str_c(s->access->value);
    if (s->sync) {
        args[n++] = STR("--sync");
        args[n++] = STR("git");
    }
    struct connect_request request = {.name = STR("vault"),
                                      .command = system_path_shown(s->arena, s->program),
                                      .args = args,
                                      .n_args = n};
    struct err why;
    bool yes;
    if (s->serves)
        request.url = arena_printf(s->arena, STR_FMT "/mcp", STR_ARG(s->server.url));
    if (!connect_make_plan(s->arena, c, &request, plan, &why)) {
        term_printf(s->out, TERM_WARN, "%s: %s\n", c->title, why.msg);
        return true;
    }
    if (!connect_needed(plan)) {
        term_printf(s->out, TERM_GOOD, "%s is already connected\n", c->title);
        return true;
    }
    str question = arena_printf(s->arena, "Connect %s?", c->title);
    if (!ask_yes(&s->ask, question, true, &yes, err))
        return false;
    s->n_plans += yes;
    return true;
}

static bool ask_clients(struct setup *s, struct err *err)
{
    size_t seen = 0;
    for (const struct client *c = client_table; c->name != NULL; c++) {
        if (!connect_installed(s->arena, c) || (s->serves && c->http == NULL))
            continue;
        if (seen++ == CLIENTS_MAX)
            break;
        if (!ask_client(s, c, err))
            return false;
    }
    if (seen == 0)
        term_put(s->out, TERM_PLAIN,
                 STR("No AI client known to vaultd was found on this computer\n"));
    return true;
}

/* --- what else --- */

static bool ask_access(struct setup *s, struct err *err)
{
    str choices[COUNT_OF(accesses)], ignored;
    size_t chosen;
    for (size_t i = 0; i < COUNT_OF(accesses); i++)
        choices[i] = accesses[i].choice;
    init_heading(s, "What may apps do with your notes?");
    if (!ask_choice(&s->ask, STR("Which one?"), choices, COUNT_OF(choices), false,
                    &chosen, &ignored, err))
        return false;
    s->access = &accesses[chosen];
    return true;
}

/* Whether the vault is a repository with a remote. */
static bool init_has_remote(struct setup *s)
{
    str text;
    struct err ignored;
    return fs_read_file(s->arena, path_join(s->arena, s->vault, STR(".git/config")),
                        OBSIDIAN_MAX_BYTES, &text, &ignored) &&
           str_find(text, STR("[remote \"")) != STR_NONE;
}

/* What goes over the network is only done if it is asked for. */
static bool ask_extras(struct setup *s, struct err *err)
{
    str state = settings_state_dir(s->arena, STR(""));
    bool remote = init_has_remote(s);
    bool model =
        model_file_find(s->arena, STR(""), state).n == 0 && model_get_can_fetch(s->arena);
    if (remote || model)
        init_heading(s, "More");
    return (!remote ||
            ask_yes(&s->ask,
                    STR("Sync the notes with the git remote of their repository: commit, "
                        "pull and push?"),
                    false, &s->sync, err)) &&
           (!model ||
            ask_yes(&s->ask,
                    STR("Find notes by meaning, too (English; downloads 42 MB with "
                        "npm)?"),
                    false, &s->model, err));
}

/* The default vault of commands: the first time without a question. */
static bool ask_default(struct setup *s, struct err *err)
{
    struct user_config old;
    struct err ignored;
    bool yes = true;
    str file = user_config_file(s->arena);
    if (!config_file_read(s->arena, file, &s->config, err))
        return false;
    s->config_text = s->config.text;
    bool good = user_config_parse(s->arena, s->config.text, &old, &ignored);
    if (good && str_eq(settings_path(s->arena, old.path), s->vault))
        return true;
    if (s->config.text.n > 0 &&
        !ask_yes(&s->ask,
                 STR("Make it the default vault of vaultd's commands, instead of the one "
                     "before?"),
                 false, &yes, err))
        return false;
    if (yes)
        s->config_text = user_config_with(s->arena, s->config.text, s->vault);
    return true;
}

static bool changes_config(const struct setup *s)
{
    return !str_eq(s->config_text, s->config.text);
}

/* --- doing it --- */

static void say_file(struct setup *s, const struct config_file *f)
{
    term_printf(s->out, TERM_PLAIN, "  %s ", f->seen.exists ? "change" : "create");
    term_printf(s->out, TERM_PATH, STR_FMT "\n", STR_ARG(f->path));
}

static bool cli_init_confirm(struct setup *s, bool *yes, struct err *err)
{
    init_heading(s, "These files will be written:");
    if (changes_config(s))
        say_file(s, &s->config);
    for (size_t i = 0; i < s->n_files; i++)
        say_file(s, &s->files[i].file);
    for (size_t i = 0; i < s->n_plans; i++)
        say_file(s, &s->plans[i].file);
    return ask_yes(&s->ask, STR("Go ahead?"), true, yes, err);
}

static void say_written(struct setup *s, str path, str backup)
{
    term_put(s->out, TERM_GOOD, STR("Written: "));
    term_printf(s->out, TERM_PATH, STR_FMT "\n", STR_ARG(path));
    if (backup.n > 0)
        term_printf(s->out, TERM_FAINT, "  backup of the old file: " STR_FMT "\n",
                    STR_ARG(backup));
    term_flush(s->out);
}

static bool do_all(struct setup *s, struct err *err)
{
    str backup, refuge = program_refuge(s->arena);
    if (s->n_files > 0 && refuge.n > 0 && !program_copy(s->arena, refuge, err))
        return false;
    if (changes_config(s)) {
        if (!config_file_write(s->arena, &s->config, s->config_text, 0, &backup, err))
            return false;
        say_written(s, s->config.path, backup);
    }
    for (size_t i = 0; i < s->n_files; i++) {
        const struct init_file *f = &s->files[i];
        if (str_eq(f->text, f->file.text))
            continue;
        if (!config_file_write(s->arena, &f->file, f->text, f->mode, &backup, err))
            return false;
        say_written(s, f->file.path, backup);
    }
    for (size_t i = 0; i < s->n_plans; i++) {
        if (!connect_carry_out(s->arena, &s->plans[i], &backup, err))
            return false;
        say_written(s, s->plans[i].file.path, backup);
    }
    return true;
}

static void say_how_to_go_on(struct setup *s)
{
    init_heading(s, "What you need to do next:");
    if (s->serves)
        term_text(s->out, init_server_next(s->arena, &s->server, s->files));
    for (size_t i = 0; i < s->n_plans; i++)
        term_printf(s->out, TERM_PLAIN, "%s: %s\n", s->plans[i].client->title,
                    s->plans[i].client->check);
    if (!s->serves && s->n_plans == 0)
        term_printf(s->out, TERM_PLAIN,
                    "vaultd connect CLIENT --vault-path '" STR_FMT
                    "' --write connects a client; vaultd connect --list shows them\n",
                    STR_ARG(s->vault));
}

static bool ask_everything(struct setup *s, struct err *err)
{
    static const str ways[] = {
        {"This computer only: AI clients here start vaultd themselves", 59},
        {"A server on the internet, for claude.ai, ChatGPT and other computers", 68},
    };
    size_t way;
    str ignored;
    if (!ask_vault(s, err) || !ask_default(s, err))
        return false;
    init_heading(s, "Where will you use it?");
    if (!ask_choice(&s->ask, STR("Which one?"), ways, COUNT_OF(ways), false, &way,
                    &ignored, err))
        return false;
    s->serves = way == 1;
    if (!ask_access(s, err) || !ask_extras(s, err))
        return false;
    s->server.access = s->access->variable;
    s->server.sync = s->sync;
    if (s->serves)
        init_heading(s, "The server");
    if (s->serves && !ask_server(s, err))
        return false;
    init_heading(s, "AI apps");
    return ask_clients(s, err);
}

/* The last step, since it takes long and changes nothing else. */
static void init_install_model(struct setup *s)
{
    char name[] = "model", install[] = "install", yes[] = "--yes";
    char *argv[] = {name, install, yes, NULL};
    init_heading(s, "The model for search by meaning");
    term_flush(s->out);
    (void)cli_run(&cli_model, 3, argv);
}

static bool cli_init_run(struct cli *c, const void *options, struct err *err)
{
    struct setup *s = ARENA_NEW(c->arena, struct setup);
    bool yes = true;
    s->arena = c->arena;
    s->out = &c->out;
    s->ask = (struct ask){c->arena, &c->out};
    if (!terminal_is(FILE_STDIN) || !terminal_is(FILE_STDOUT))
        return err_set(
            err, ERR_INVALID,
            "init asks questions and needs a terminal; without one: vaultd "
            "connect CLIENT --vault-path FOLDER --write, vaultd hash-password, "
            "vaultd serve --help");
    if (!connect_program(c->arena, &s->program, err) || !ask_everything(s, err))
        return false;
    if (s->n_files + s->n_plans + changes_config(s) > 0 &&
        !cli_init_confirm(s, &yes, err))
        return false;
    if (!yes) {
        term_put(s->out, TERM_PLAIN, STR("Nothing was changed\n"));
        return true;
    }
    if (!do_all(s, err))
        return false;
    if (s->model)
        init_install_model(s);
    say_how_to_go_on(s);
    return true;
}

const struct cli_verb cli_init = {
    .name = "init",
    .arguments = "",
    .about = "Ask a few questions and set everything up",
    .help = "  vaultd init        finds your vault and AI clients, asks, then sets up\n\n"
            "Questions have defaults. Nothing is changed until the last one is\n"
            "answered, and Ctrl-C stops at any time. Without a terminal, these do the "
            "same:\n\n"
            "  vaultd connect CLIENT --vault-path FOLDER --write\n"
            "  vaultd hash-password\n"
            "  vaultd serve FOLDER --server-url URL --auth-users-file FILE\n",
    .options = table,
    .options_size = sizeof(struct cli_common),
    .no_vault = true,
    .run = cli_init_run,
};
