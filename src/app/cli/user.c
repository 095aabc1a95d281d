/* vaultd user: the users file, whose users sign in with a password (oauth/users.h). */
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/config_file.h"
#include "app/cli/hash_password.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/json_write.h"
#include "base/near.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/path.h"
#include "oauth/users.h"
#include "oauth/users_file.h"

enum { USER_SLIPS = 2 };

struct options {
    struct cli_common common; /* first */
    str file;
    bool weak;
};

static const struct option table[] = {
    OPTION(struct options, file, OPTION_PATH, "auth-users-file", "AUTH_USERS_FILE", NULL,
           "FILE", "The users file, as for vaultd serve (default: that of vaultd init)",
           .heading = "Which users"),
    CLI_SWITCH(
        struct options, weak, "weak",
        "For add: accept a password that others could guess, for a server that only "
        "local programs reach"),
    CLI_OUTPUT(.heading = "Output"),
};

struct user_cli {
    struct cli *cli;
    struct arena *arena;
    bool weak;
    struct config_file file;
    str name;
};

/* No copy is kept: it would have the hash of an old password. */
static bool save_users(struct user_cli *u, str text, struct err *err)
{
    str backup;
    return config_file_write(u->arena, &u->file, text, 0600, &backup, err) &&
           (backup.n == 0 || file_remove(FILE_CWD, backup.p) ||
            err_sys(err, "cannot remove the copy " STR_FMT, STR_ARG(backup)));
}

/* Checked before a password is asked for; and with its hash. */
static bool check_user_name(str name, struct err *err)
{
    return (name.n > 0 && str_find_char(name, ':') == STR_NONE && name.p[0] != '#') ||
           err_set(err, ERR_INVALID, "'" STR_FMT "' cannot be the name of a user",
                   STR_ARG(name));
}

static bool check_user_pair(struct user_cli *u, str hash, struct err *err)
{
    struct users *users = NULL;
    str pair =
        arena_printf(u->arena, STR_FMT ":" STR_FMT, STR_ARG(u->name), STR_ARG(hash));
    bool ok = users_create(pair, STR(""), &users, err);
    users_free(users);
    return ok;
}

static bool add_user(struct user_cli *u, struct err *err)
{
    bool known = users_file_has(u->file.text, u->name);
    struct err weak;
    str hash;
    if (!check_user_name(u->name, err) ||
        !hash_password(u->arena, u->weak ? &weak : NULL, &hash, err) ||
        !check_user_pair(u, hash, err) ||
        !save_users(u, users_file_replace(u->arena, u->file.text, u->name, hash), err))
        return false;
    struct term *t = &u->cli->out;
    if (known)
        term_printf(t, TERM_PLAIN, "Changed the password of " STR_FMT "\n",
                    STR_ARG(u->name));
    else
        term_printf(t, TERM_PLAIN, "Added " STR_FMT " to " STR_FMT "\n", STR_ARG(u->name),
                    STR_ARG(u->file.path));
    term_printf(t, TERM_FAINT,
                "A server with --auth-users-file " STR_FMT " knows it within a second\n",
                STR_ARG(u->file.path));
    return true;
}

static bool unknown_user(struct user_cli *u, struct err *err)
{
    struct near_search near;
    str *names;
    size_t n = users_file_names(u->arena, u->file.text, &names);
    near_search(&near, u->name, USER_SLIPS);
    for (size_t i = 0; i < n; i++)
        (void)near_offer(&near, names[i]);
    return err_set(err, ERR_NOT_FOUND,
                   "there is no user '" STR_FMT "' in " STR_FMT "%s" STR_FMT "%s",
                   STR_ARG(u->name), STR_ARG(u->file.path),
                   near.best.n > 0 ? "; did you mean '" : "", STR_ARG(near.best),
                   near.best.n > 0 ? "'?" : "");
}

static bool remove_user(struct user_cli *u, struct err *err)
{
    if (!users_file_has(u->file.text, u->name))
        return unknown_user(u, err);
    if (!save_users(u, users_file_replace(u->arena, u->file.text, u->name, STR("")), err))
        return false;
    term_printf(&u->cli->out, TERM_PLAIN,
                "Removed " STR_FMT "; what this user connected ends within a second\n",
                STR_ARG(u->name));
    return true;
}

static bool list_users(struct user_cli *u, struct err *err)
{
    str *names;
    size_t n = users_file_names(u->arena, u->file.text, &names);
    struct cli_json json;
    struct jsonw *w = u->cli->json ? cli_json_begin(u->cli, &json) : NULL;
    if (w != NULL) {
        jsonw_object(w);
        jsonw_put_str(w, STR("file"), u->file.path);
        jsonw_put_array(w, STR("users"));
    }
    for (size_t i = 0; i < n; i++)
        if (w != NULL)
            jsonw_str(w, names[i]);
        else
            term_printf(&u->cli->out, TERM_PLAIN, STR_FMT "\n", STR_ARG(names[i]));
    if (w != NULL) {
        jsonw_end(w);
        jsonw_end(w);
        cli_json_print(u->cli, &json);
    }
    u->cli->status = n == 0;
    return true;
}

static const struct {
    const char *name;
    size_t words;
    bool (*run)(struct user_cli *u, struct err *err);
} acts[] = {{"add", 2, add_user}, {"remove", 2, remove_user}, {"list", 1, list_users}};

static bool cli_user_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct user_cli u = {.cli = c, .arena = c->arena, .weak = o->weak};
    str path = o->file.n > 0
                   ? settings_path(c->arena, o->file)
                   : path_join(c->arena, machine_config_folder(c->arena), STR("users"));
    size_t i = 0;
    while (i < COUNT_OF(acts) && !str_eq(c->words.items[0], str_c(acts[i].name)))
        i++;
    if (i == COUNT_OF(acts) || c->words.n != acts[i].words)
        return err_set(err, ERR_INVALID,
                       "usage: vaultd user add NAME, remove NAME, or list");
    u.name = c->words.n > 1 ? c->words.items[1] : STR("");
    return config_file_read(c->arena, path, &u.file, err) && acts[i].run(&u, err);
}

const struct cli_verb cli_user = {
    .name = "user",
    .arguments = "add|remove|list NAME",
    .about = "Manage the users who sign in with a password",
    .help =
        "  vaultd user add anna               asks for the password, without showing it\n"
        "  vaultd user add anna < password    reads the first line; again: a new "
        "password\n"
        "  vaultd user remove anna\n"
        "  vaultd user list\n\n"
        "A running server with that --auth-users-file reads it within a second. A new\n"
        "password ends what was signed in with the old one.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 2,
    .no_vault = true,
    .run = cli_user_run,
};
