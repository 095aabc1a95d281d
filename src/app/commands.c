#include "app/commands.h"

#include <stdio.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/complete.h"
#include "app/cli/docs.h"
#include "app/cli/hash_password.h"
#include "app/cli/help_show.h"
#include "app/cli/keys.h"
#include "app/cli/state.h"
#include "app/cli/status.h"
#include "app/cli/verbs.h"
#include "app/doctor/checkup.h"
#include "app/doctor/doctor.h"
#include "app/help.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "app/web/serve.h"
#include "base/array.h"
#include "base/json.h"
#include "base/os/folder.h"
#include "base/os/terminal.h"

enum { EXIT_USAGE = 2 };

/* One of verb, main, make and run says how it is run. */
struct command_row {
    const struct command_info *info; /* without help: see help_serve() */
    const char *group;               /* the title of the group that begins here */
    const struct cli_verb *verb;
    int (*main)(int argc, char **argv); /* with options of its own; argv[0]: its name */
    /* Writes what is printed. */
    bool (*make)(const struct settings *settings, const struct option_list *words,
                 struct sbuf *out, struct err *err);
    int (*run)(const struct settings *settings, const struct option_list *words);
    bool takes_vault; /* its words name a vault */
    bool unset;       /* needs no settings, so it works even if those are wrong */
};

static const struct command_info *commands_list(struct arena *a);
static const struct command_row *find_command(str name);

/* Whether its options are those of serve. */
static bool takes_settings(const struct command_row *c)
{
    return c->make != NULL || c->run != NULL;
}

static void print_to(int fd, str text)
{
    (void)!file_write(fd, text);
}

static int commands_fail(int code, const struct err *err)
{
    struct arena a = {0};
    struct term t = term_open(&a, FILE_STDERR, TERM_NEVER);
    term_error(&t, err);
    term_close(&t);
    arena_release(&a);
    return code;
}

/* Who has the port: vaultd itself, if a server with the same state folder says so, or the
 * program that the system names. */
static void explain_port(const struct settings *settings, struct err *err)
{
    struct arena a = {0};
    const struct json *servers[STATUS_SERVERS_MAX];
    str port =
        str_skip(settings->listen_addr, str_find_last(settings->listen_addr, ':') + 1);
    size_t n = status_servers(&a, settings->state_dir, servers);
    for (size_t i = 0; i < n; i++) {
        str there = json_get_str(servers[i], STR("listening")), vault = STR("a vault");
        const struct json *vaults = json_get(servers[i], STR("vaults"));
        int64_t process = 0;
        size_t colon = str_find_last(there, ':');
        if (colon == STR_NONE || !str_eq(str_skip(there, colon + 1), port))
            continue;
        json_int(json_get(servers[i], STR("pid")), &process);
        if (vaults != NULL && vaults->child != NULL)
            vault = json_get_str(vaults->child, STR("name"));
        err_reword(err,
                   "port " STR_FMT " is in use by vaultd: process %lld serves " STR_FMT
                   " on " STR_FMT "; vaultd status shows it, --port takes another one",
                   STR_ARG(port), (long long)process, STR_ARG(vault), STR_ARG(there));
        arena_release(&a);
        return;
    }
    int64_t number = 0;
    str owner = str_to_int(port, &number) && number > 0 && number < 65536
                    ? checkup_listener(&a, (unsigned)number)
                    : STR("");
    if (owner.n > 0)
        err_reword(err, "%s: it is in use by " STR_FMT "; --port takes another one",
                   err->msg, STR_ARG(owner));
    arena_release(&a);
}

static int serve(const struct settings *settings, const struct option_list *words)
{
    struct err err = {0};
    log_setup((enum log_level)settings->log_level, (enum log_format)settings->log_format);
    if (serve_run(settings, &err))
        return 0;
    if (str_starts(str_c(err.msg), STR("cannot listen on")))
        explain_port(settings, &err);
    return commands_fail(
        err.code == ERR_INVALID || err.code == ERR_NOT_FOUND ? EXIT_USAGE : 1, &err);
}

static int print_made(const struct command_row *c, const struct settings *settings,
                      const struct option_list *words)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    struct err err = {0};
    int code = 0;
    log_setup(LOG_WARN, LOG_TEXT);
    if (c->make(settings, words, &out, &err))
        print_to(FILE_STDOUT, sbuf_str(&out));
    else
        code = commands_fail(err.code == ERR_INVALID ? EXIT_USAGE : 1, &err);
    arena_release(&a);
    return code;
}

static bool make_docs(const struct settings *settings, const struct option_list *words,
                      struct sbuf *out, struct err *err)
{
    return docs_page(words->n == 1 ? words->items[0] : STR(""), commands_list(out->arena),
                     out, err);
}

static bool make_hash(const struct settings *settings, const struct option_list *words,
                      struct sbuf *out, struct err *err)
{
    struct err weak;
    str made;
    if (words->n > 0)
        return err_set(
            err, ERR_INVALID,
            "hash-password takes no arguments: it reads the password from stdin");
    if (!hash_password(out->arena, &weak, &made, err)) {
        err->code = ERR_INVALID; /* the input has to change: exit code 2 */
        return false;
    }
    if (weak.code != ERR_NONE)
        fprintf(stderr, "vaultd: %s\n", weak.msg);
    sbuf_printf(out, STR_FMT "\n", STR_ARG(made));
    return true;
}

static int version(const struct settings *settings, const struct option_list *words)
{
    print_to(FILE_STDOUT, STR("vaultd " VAULTD_VERSION "\n"));
    return 0;
}

/* c: NULL for the first page. */
static int show_command_help(struct arena *a, const struct command_row *c)
{
    struct sbuf out = SBUF_ON(a);
    if (c == NULL)
        help_first_page(commands_list(a), &out);
    else
        (c->info->help != NULL ? help_command : help_serve)(c->info, &out);
    help_show(a, sbuf_str(&out));
    return 0;
}

/* As COMMAND --help does, but without a look at the settings. */
static int help_about(struct arena *a, const char *command)
{
    static char program[] = "vaultd", flag[] = "--help";
    const struct command_row *c = find_command(str_c(command));
    if (takes_settings(c))
        return show_command_help(a, c);
    char name[32];
    snprintf(name, sizeof(name), "%s", command);
    return commands_run(3, (char *[]){program, name, flag, NULL});
}

static int help(const struct settings *settings, const struct option_list *words)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    const struct command_info *all = commands_list(&a), *c = all;
    str word = words->n > 0 ? words->items[0] : STR("");
    struct err err = {0};
    int code = 0;
    while (c->name != NULL && !str_eq(word, str_c(c->name)))
        c++;
    if (c->name != NULL)
        code = help_about(&a, c->name);
    else if (word.n == 0)
        help_first_page(all, &out);
    else if (str_eq(word, STR("all")))
        help_all(all, &out);
    else if (!help_no_command(all, word, false, &err))
        code = commands_fail(EXIT_USAGE, &err);
    help_show(&a, sbuf_str(&out));
    arena_release(&a);
    return code;
}

#define INFO(...)                                                                        \
    &(const struct command_info)                                                         \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
#define VERB(v)                                                                          \
    {                                                                                    \
        .info = &(v).info, .verb = &(v)                                                  \
    }

/* In the order in which a new user needs them. */
static const struct command_row commands[] = {
    {.info = &cli_init.info, .verb = &cli_init, .group = "Set up"},
    VERB(cli_connect),
    {INFO("serve", "[VAULT]",
          "Serve a vault over HTTP, or with --stdio for the client that starts it", NULL,
          settings_table),
     .run = serve, .takes_vault = true},
    VERB(cli_model),
    VERB(cli_embeddings),
    {&doctor_info, .main = doctor_run},
    VERB(cli_status),
    {.info = &cli_search.info, .verb = &cli_search, .group = "Read"},
    VERB(cli_read),
    VERB(cli_list),
    VERB(cli_links),
    VERB(cli_related),
    VERB(cli_tags),
    VERB(cli_properties),
    VERB(cli_query),
    VERB(cli_base),
    VERB(cli_tasks),
    VERB(cli_check),
    VERB(cli_open),
    {.info = &cli_write.info, .verb = &cli_write, .group = "Change"},
    VERB(cli_edit),
    VERB(cli_insert),
    VERB(cli_frontmatter),
    VERB(cli_task),
    VERB(cli_canvas),
    VERB(cli_move),
    VERB(cli_delete),
    VERB(cli_restore),
    VERB(cli_daily),
    VERB(cli_batch),
    VERB(cli_changes),
    VERB(cli_undo),
    VERB(cli_proposals),
    VERB(cli_accept),
    VERB(cli_reject),
    {.info = &cli_sync.info, .verb = &cli_sync, .group = "Run a server"},
    {&keys_info, .main = keys_run},
    VERB(cli_user),
    VERB(cli_vault),
    VERB(cli_audit),
    {INFO(
         "state", "copy FROM TO",
         "Copy sign-ins, clients and keys to PostgreSQL, or back",
         "  vaultd state copy ~/.local/state/vaultd postgres://vaultd@db.example/vaultd\n"
         "  vaultd state copy state-db ./backup    from the database of --state-db\n"
         "  vaultd state copy ./backup state-db replace\n\n"
         "Prints the number of rows of each table. Stop the servers first: what they do\n"
         "afterwards is not copied.\n",
         settings_table),
     .make = state_command},
    {INFO("hash-password", "", "Hash the password from stdin, for --auth-users",
          "  vaultd hash-password                asks for it, without showing it\n"
          "  vaultd hash-password < password     reads the first line\n\n"
          "Put NAME:HASH into a file, and give the file to vaultd serve\n"
          "--auth-users-file FILE.\n",
          NULL),
     .make = make_hash},
    {INFO("docs", DOCS_PAGES,
          "Print a reference page, the manual, or completions for a shell",
          "  vaultd docs settings                every option of vaultd serve\n"
          "  vaultd docs tools                   every tool for clients\n"
          "  vaultd docs man                     the manual page, for man(1)\n"
          "  vaultd docs man-search              the page of one command\n"
          "  vaultd docs bash                    completions; also for zsh and fish\n",
          NULL),
     .make = make_docs},
    {INFO("help", "[COMMAND|all]", "Show help for a command, or list all commands",
          "  vaultd help                         the first page\n"
          "  vaultd help search                  as vaultd search --help\n"
          "  vaultd help all                     every command in a few words\n",
          NULL),
     .run = help, .unset = true, .group = "Help"},
    {INFO("version", "", "Print the version",
          "  vaultd version                      as vaultd --version\n", NULL),
     .run = version, .unset = true},
    {0},
};

/* --- finding a command --- */

static const struct command_row *find_command(str name)
{
    const struct command_row *c = commands;
    while (c->info != NULL && !str_eq(name, str_c(c->info->name)))
        c++;
    return c->info != NULL ? c : NULL;
}

/* All commands; ends with a row without a name. */
static const struct command_info *commands_list(struct arena *a)
{
    struct command_info *list = ARENA_ARRAY(a, struct command_info, COUNT_OF(commands));
    for (size_t i = 0; commands[i].info != NULL; i++) {
        list[i] = *commands[i].info;
        list[i].group = commands[i].group;
    }
    return list;
}

/* --- running --- */

static bool is_folder(struct arena *a, str path)
{
    return folder_exists(arena_str(a, settings_path(a, path)).p);
}

/* A word that is not a command is a vault to serve: an existing folder, or a path, which
 * serve looks at. Anything else was meant to be a command. */
static bool is_vault(struct arena *a, str word, struct err *err)
{
    const struct command_info *all = commands_list(a);
    for (const struct command_info *c = all; c->name != NULL; c++)
        if (str_eq(word, str_c(c->name)))
            return err_set(err, ERR_INVALID,
                           "'%s' is a command: put it first, and its options after it",
                           c->name);
    return is_folder(a, word) || str_find_char(word, '/') != STR_NONE ||
           help_no_command(all, word, true, err);
}

/* Asked before the options are: those of a mistyped command are not known. */
static bool is_call(struct arena *a, int argc, char **argv, struct err *err)
{
    return argc < 2 || argv[1][0] == '-' || find_command(str_c(argv[1])) != NULL ||
           is_vault(a, str_c(argv[1]), err);
}

/* The rest of the settings; the words of some commands are among them. */
static bool complete_settings(struct arena *a, const struct command_row *c, int argc,
                              char **argv, struct settings *s,
                              const struct option_list *words, struct err *err)
{
    struct vault_config vaults = vault_config_of(s);
    if (c->takes_vault && !vault_config_settle(a, &vaults, words, err))
        return false;
    vault_config_apply(&vaults, s);
    return settings_complete(a, argc, argv, s, err);
}

static int run_command(struct arena *a, int argc, char **argv, struct settings *settings,
                       struct option_list *words)
{
    struct err err = {0};
    const struct command_row *named = words->n > 0 ? find_command(words->items[0]) : NULL;
    const struct command_row *c = named != NULL ? named : find_command(STR("serve"));
    if (named != NULL && takes_settings(named)) {
        words->items++;
        words->n--;
    } else if (words->n > 0 && !is_vault(a, words->items[0], &err)) {
        return commands_fail(EXIT_USAGE, &err);
    }
    if (settings->help)
        return show_command_help(a, named);
    if (!complete_settings(a, c, argc, argv, settings, words, &err))
        return commands_fail(EXIT_USAGE, &err);
    return c->make != NULL ? print_made(c, settings, words) : c->run(settings, words);
}

static int run_plain(const struct command_row *c, int argc, char **argv)
{
    struct arena a = {0};
    struct option_list words = {0};
    for (int i = 2; i < argc; i++)
        *ARRAY_ADD(&a, words.items, words.n) = str_c(argv[i]);
    bool help_wanted = words.n > 0 && (str_eq(words.items[0], STR("--help")) ||
                                       str_eq(words.items[0], STR("-h")));
    int code = help_wanted ? show_command_help(&a, c) : c->run(NULL, &words);
    arena_release(&a);
    return code;
}

static int complete_command(int argc, char **argv)
{
    struct arena a = {0};
    int code = complete_run(commands_list(&a), argc, argv);
    arena_release(&a);
    return code;
}

/* How many arguments an option of all verbs takes, with its value; 0: it is not one. */
static int common_words(const char *arg)
{
    bool is_long = arg[0] == '-' && arg[1] == '-';
    str name = str_c(arg + (is_long ? 2 : 1));
    size_t equals = is_long ? str_find_char(name, '=') : STR_NONE;
    if (arg[0] != '-' || name.n == 0)
        return 0;
    for (const struct option *o = cli_common_options; o->flag != NULL; o++) {
        bool same = is_long ? str_eq(str_slice(name, 0, equals), str_c(o->flag))
                            : name.n == 1 && name.p[0] == o->letter;
        if (same)
            return o->type == OPTION_SWITCH || equals != STR_NONE ? 1 : 2;
    }
    return 0;
}

/* "-v FOLDER search x" as "search -v FOLDER x": git and others take the place first. */
static char **verb_first(struct arena *a, int argc, char **argv)
{
    int at = 1, n = 0;
    while (at < argc && (n = common_words(argv[at])) > 0)
        at += n;
    const struct command_row *c =
        at > 1 && at < argc ? find_command(str_c(argv[at])) : NULL;
    if (c == NULL || c->verb == NULL)
        return argv;
    char **out = ARENA_ARRAY(a, char *, (size_t)argc + 1);
    out[0] = argv[0];
    out[1] = argv[at];
    for (int i = 1, to = 2; i <= argc; i++)
        if (i != at)
            out[to++] = argv[i];
    return out;
}

static int run_call(int argc, char **argv)
{
    const struct command_row *c = find_command(str_c(argc > 1 ? argv[1] : "help"));
    if (c != NULL && c->verb != NULL)
        return cli_run(c->verb, argc - 1, argv + 1);
    if (c != NULL && c->main != NULL)
        return c->main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "complete") == 0)
        return complete_command(argc - 1, argv + 1);
    /* A client that starts vaultd without arguments has no terminal: it is served. */
    if (c != NULL && c->unset && (argc > 1 || terminal_is(FILE_STDIN)))
        return run_plain(c, argc, argv);
    struct arena a = {0};
    struct settings settings = {0};
    struct option_list words = {0};
    struct err err = {0};
    int code = 0;
    if (!is_call(&a, argc, argv, &err) ||
        !settings_parse(&a, settings_table, argc, argv, &settings, &words, &err))
        code = commands_fail(EXIT_USAGE, &err);
    else if (settings.version)
        code = version(&settings, &words);
    else
        code = run_command(&a, argc, argv, &settings, &words);
    arena_release(&a);
    return code;
}

int commands_run(int argc, char **argv)
{
    struct arena a = {0};
    int code = run_call(argc, verb_first(&a, argc, argv));
    arena_release(&a);
    return code;
}
