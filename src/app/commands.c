#include "app/commands.h"

#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/docs.h"
#include "app/cli/hash_password.h"
#include "app/cli/keys.h"
#include "app/cli/status.h"
#include "app/cli/verbs.h"
#include "app/doctor/doctor.h"
#include "app/setup/settings.h"
#include "app/web/serve.h"
#include "base/fs.h"

enum { EXIT_USAGE = 2 };

struct command {
    const char *name, *arguments, *about;
    const struct option *options; /* NULL: no options */
    int (*run)(const struct settings *settings, const struct option_list *words);
    const char *help; /* examples; NULL: the command prints its own help */
};

static const struct command_info *commands_list(struct arena *a);

static void print(int fd, str text)
{
    (void)!fs_write_all(fd, text);
}

static int commands_fail(int code, const struct err *err)
{
    struct arena a = {0};
    print(STDERR_FILENO,
          arena_printf(&a, "vaultd: " STR_FMT "%s%s%s\n", STR_ARG(err_text(&a, err)),
                       err->detail[0] != '\0' ? " (" : "", err->detail,
                       err->detail[0] != '\0' ? ")" : ""));
    arena_release(&a);
    return code;
}

static int serve(const struct settings *given, const struct option_list *words)
{
    struct arena a = {0};
    struct err err = {0};
    struct settings settings = *given;
    int code = 0;
    bool is_free = given->vault_path.n == 0 || given->vault_by_profile;
    if (words->n > 0 && is_free)
        settings.vault_path = words->items[0];
    settings.vault_path = settings_expand_home(&a, settings.vault_path);
    if (words->n > 1 || (words->n == 1 && !is_free)) {
        err_set(&err, ERR_INVALID,
                "'" STR_FMT "' is a second vault (quote a path with spaces); to serve "
                "several, give each a name: --vault NAME=FOLDER",
                STR_ARG(words->items[words->n - 1]));
        code = commands_fail(EXIT_USAGE, &err);
    } else {
        log_setup((enum log_level)settings.log_level,
                  (enum log_format)settings.log_format);
        if (!serve_run(&settings, &err))
            code = commands_fail(
                err.code == ERR_INVALID || err.code == ERR_NOT_FOUND ? EXIT_USAGE : 1,
                &err);
    }
    arena_release(&a);
    return code;
}

static int docs(const struct settings *settings, const struct option_list *words)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    struct err err = {0};
    int code = 0;
    str page = words->n == 1 ? words->items[0] : STR("");
    if (docs_page(page, commands_list(&a), &out, &err))
        print(STDOUT_FILENO, sbuf_str(&out));
    else
        code = commands_fail(EXIT_USAGE, &err);
    arena_release(&a);
    return code;
}

static int key(const struct settings *settings, const struct option_list *words)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    struct err err = {0};
    int code = 0;
    log_setup(LOG_WARN, LOG_TEXT);
    if (keys_command(settings, words, &out, &err))
        print(STDOUT_FILENO, sbuf_str(&out));
    else
        code = commands_fail(err.code == ERR_INVALID ? EXIT_USAGE : 1, &err);
    arena_release(&a);
    return code;
}

static int hash(const struct settings *settings, const struct option_list *words)
{
    struct arena a = {0};
    struct err err = {0};
    str made;
    int code = 0;
    if (words->n > 0)
        err_set(&err, ERR_INVALID,
                "hash-password takes no arguments: it reads the password from stdin");
    if (words->n == 0 && hash_password(&a, &made, &err))
        print(STDOUT_FILENO, arena_printf(&a, STR_FMT "\n", STR_ARG(made)));
    else
        code = commands_fail(EXIT_USAGE, &err);
    arena_release(&a);
    return code;
}

static const struct command commands[] = {
    {"serve", "[VAULT]",
     "Serve a vault over HTTP, or with --stdio for the client that starts it",
     settings_table, serve, NULL},
    {"key", "add|list|revoke NAME", "Manage API keys, for programs that cannot sign in",
     settings_table, key,
     "  vaultd key add backup read          prints the key, only this once\n"
     "  vaultd key add inbox write Inbox    only in that folder\n"
     "  vaultd key list                     names, rights and when they were last used\n"
     "  vaultd key revoke backup\n\n"
     "Keys are kept in the state folder: give the same --state-dir as for vaultd "
     "serve.\n"},
    {"hash-password", "", "Hash the password from stdin, for --auth-users", NULL, hash,
     "  vaultd hash-password                asks for it, without showing it\n"
     "  vaultd hash-password < password     reads the first line\n\n"
     "Put NAME:HASH into a file, and give the file to vaultd serve --auth-users-file "
     "FILE.\n"},
    {"docs", DOCS_PAGES, "Print a reference page, the manual, or completions for a shell",
     NULL, docs,
     "  vaultd docs settings                every option of vaultd serve\n"
     "  vaultd docs tools                   every tool for clients\n"
     "  vaultd docs man                     the manual page, for man(1)\n"
     "  vaultd docs bash                    completions; also for zsh and fish\n"},
};

static const struct cli_verb *const verbs[] = {
    &cli_init,  &cli_connect, &cli_search,     &cli_read,        &cli_list,
    &cli_links, &cli_tags,    &cli_properties, &cli_query,       &cli_tasks,
    &cli_open,  &cli_check,   &cli_write,      &cli_edit,        &cli_insert,
    &cli_move,  &cli_delete,  &cli_restore,    &cli_frontmatter, &cli_daily,
    &cli_batch, &cli_changes, &cli_undo,       &cli_sync,
};

/* --- help --- */

enum { GROUP_MAX = 12 };

/* Every command, in the order in which a new user needs them. */
static const struct {
    const char *title, *names[GROUP_MAX];
} groups[] = {
    {"Set up", {"init", "connect", "serve", "doctor", "status"}},
    {"Read",
     {"search", "read", "list", "links", "tags", "properties", "query", "tasks", "check",
      "open"}},
    {"Change",
     {"write", "edit", "insert", "frontmatter", "move", "delete", "restore", "daily",
      "batch", "changes", "undo"}},
    {"Run a server", {"sync", "key", "hash-password", "docs"}},
};

static struct command_info find_row(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return (struct command_info){commands[i].name, commands[i].arguments,
                                         commands[i].about, commands[i].help,
                                         commands[i].options};
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return (struct command_info){verbs[i]->name, verbs[i]->arguments,
                                         verbs[i]->about, verbs[i]->help,
                                         verbs[i]->options};
    return strcmp(name, status_info.name) == 0 ? status_info : doctor_info;
}

/* All commands: first the default one, then the others in the order of the help. Ends
 * with a row without a name. */
static const struct command_info *commands_list(struct arena *a)
{
    size_t n = 0;
    struct command_info *list =
        ARENA_ARRAY(a, struct command_info, COUNT_OF(groups) * GROUP_MAX + 1);
    list[n++] = find_row(commands[0].name);
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        for (const char *const *name = groups[i].names; *name != NULL; name++)
            if (strcmp(*name, commands[0].name) != 0)
                list[n++] = find_row(*name);
    return list;
}

static void help(void)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    sbuf_add(
        &out,
        STR("vaultd - the MCP server for Obsidian vaults\n\n"
            "usage: vaultd [COMMAND] [OPTIONS]\n\n"
            "  vaultd init                               asks a few questions and sets "
            "everything up\n"
            "  vaultd connect claude-desktop -v ~/Notes  shows what an AI client needs\n"
            "  vaultd search garden                      searches the vault of this "
            "folder\n"
            "  vaultd serve ~/Notes                      http://127.0.0.1:8090/mcp\n"));
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        sbuf_printf(&out, "\n%s:\n", groups[i].title);
        for (const char *const *name = groups[i].names; *name != NULL; name++) {
            struct command_info c = find_row(*name);
            sbuf_printf(&out, "  vaultd %-13s %-20s %s\n", c.name, c.arguments, c.about);
        }
    }
    sbuf_add(&out, STR("\n"
                       "vaultd COMMAND --help explains each command. Without a command "
                       "vaultd serves, with these options.\n\n"));
    options_help(settings_table, &out);
    print(STDOUT_FILENO, sbuf_str(&out));
    arena_release(&a);
}

static void command_help(const struct command *c)
{
    struct arena a = {0};
    print(STDOUT_FILENO, arena_printf(&a, "usage: vaultd %s%s%s\n\n%s\n\n%s", c->name,
                                      c->arguments[0] != '\0' ? " " : "", c->arguments,
                                      c->about, c->help));
    arena_release(&a);
}

static const struct command *find_command(struct option_list *words)
{
    for (size_t i = 0; words->n > 0 && i < COUNT_OF(commands); i++) {
        if (str_eq(words->items[0], str_c(commands[i].name))) {
            words->items++;
            words->n--;
            return &commands[i];
        }
    }
    return &commands[0];
}

static const struct cli_verb *find_verb(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < COUNT_OF(verbs); i++)
        if (strcmp(argv[1], verbs[i]->name) == 0)
            return verbs[i];
    return NULL;
}

static int run_command(const struct settings *settings, struct option_list *words)
{
    const struct command *c = find_command(words);
    if (!settings->help)
        return c->run(settings, words);
    if (c->help != NULL)
        command_help(c);
    else
        help();
    return 0;
}

int commands_run(int argc, char **argv)
{
    const struct cli_verb *verb = find_verb(argc, argv);
    if (verb != NULL)
        return cli_run(verb, argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "doctor") == 0)
        return doctor_run(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "status") == 0)
        return status_run(argc - 1, argv + 1);
    struct arena a = {0};
    struct settings settings;
    struct option_list words = {0};
    struct err err = {0};
    int code = 0;
    if (!settings_read(&a, argc, argv, &settings, &words, &err))
        code = commands_fail(EXIT_USAGE, &err);
    else if (settings.version)
        print(STDOUT_FILENO, STR("vaultd " VAULTD_VERSION "\n"));
    else
        code = run_command(&settings, &words);
    arena_release(&a);
    return code;
}
