/* vaultd vault: the table of hosted vaults (state/vault_table.h). */
#include <stdlib.h>

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/config_file.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/near.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "oauth/users_file.h"
#include "state/store.h"
#include "state/vault_table.h"
#include "sync/mask.h"

struct options {
    struct cli_common common; /* first */
    bool adopt;
    str users;
};

static const struct option table[] = {
    OPTION(struct options, users, OPTION_PATH, "auth-users-file", "AUTH_USERS_FILE", NULL,
           "FILE", "For allow: the users file, so that a mistyped name is noticed",
           .heading = "What to do"),
    CLI_SWITCH(struct options, adopt, "adopt",
               "For add: adopt the files that are already in the folder"),
    CLI_COMMON};

enum { ADOPT_COUNT_MAX = 100000, ADOPT_DEPTH_MAX = 64, USER_SLIPS = 2 };

struct table_cli {
    struct cli *cli;
    struct vault_config config;
    struct arena *arena;
    struct option_list words;
    struct store *store;
    bool adopt;
    str users; /* the users file; may be empty */
};

/* --- adding --- */

/* "https://…", "ssh://…", "git@host:path"; a folder has no colon before its first '/'. */
static bool is_remote(str place)
{
    size_t colon = str_find_char(place, ':'), slash = str_find_char(place, '/');
    return colon != STR_NONE && (slash == STR_NONE || colon < slash);
}

static bool has_top(const struct table_cli *c, struct err *err)
{
    return c->config.dir.n > 0 ||
           err_set(err, ERR_INVALID,
                   "no location: give --vaults-dir FOLDER (VAULTS_DIR), as for "
                   "vaultd serve, or a folder that exists");
}

/* What "git init --bare" makes. */
static bool is_bare_repository(struct arena *a, str folder)
{
    static const char *const parts[] = {"HEAD", "objects", "refs"};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!file_exists(arena_printf(a, STR_FMT "/%s", STR_ARG(folder), parts[i]).p))
            return false;
    return true;
}

static bool read_hosted_place(struct table_cli *c, str place, struct vault_table_row *row,
                              struct err *err)
{
    struct arena *a = c->arena;
    if (mask_has_secret(place))
        return err_set(err, ERR_INVALID,
                       "everyone who can read the database could read the password in "
                       "this URL: give the URL without it, and the secret "
                       "in --git-token-file with --git-token-host, or use an ssh key");
    if (place.n == 0 || is_remote(place)) {
        row->remote = place;
        return has_top(c, err);
    }
    char *real = file_real_path(arena_str(a, settings_path(a, place)).p);
    if (real == NULL)
        return err_sys(err, "cannot find the folder '" STR_FMT "'", STR_ARG(place));
    row->folder = arena_str(a, str_c(real));
    free(real);
    return !is_bare_repository(a, row->folder) ||
           err_set(err, ERR_INVALID,
                   STR_FMT
                   " is a git repository without files, not a folder of notes: to "
                   "clone it, give file://" STR_FMT,
                   STR_ARG(row->folder), STR_ARG(row->folder));
}

static str folder_of_row(const struct table_cli *c, const struct vault_table_row *row)
{
    return vault_config_folder(c->arena, &c->config, row);
}

/* A row without a folder of its own is in that of --vaults-dir, which may not be given. */
static bool is_place_known(const struct table_cli *c, const struct vault_table_row *row)
{
    return row->folder.n > 0 || c->config.dir.n > 0;
}

static bool is_apart_from(struct table_cli *c, str mine,
                          const struct vault_table_row *row, struct err *err)
{
    if (!is_place_known(c, row))
        return err_set(err, ERR_INVALID,
                       "vault '" STR_FMT
                       "' is in the folder of --vaults-dir, and the new "
                       "one must not overlap: give --vaults-dir (VAULTS_DIR), as for "
                       "vaultd serve",
                       STR_ARG(row->name));
    str other = vault_config_real(c->arena, folder_of_row(c, row));
    return !(vault_config_is_in(mine, other) || vault_config_is_in(other, mine)) ||
           err_set(err, ERR_INVALID,
                   "the folder of vault '" STR_FMT "' is the same or overlaps: " STR_FMT,
                   STR_ARG(row->name), STR_ARG(other));
}

/* Two vaults must not share files, and none has those of the server in it. */
static bool is_apart_from_hosted(struct table_cli *c, const struct vault_table_row *row,
                                 struct err *err)
{
    struct vault_table all;
    str mine = vault_config_real(c->arena, folder_of_row(c, row));
    str state =
        vault_config_real(c->arena, settings_state_dir(c->arena, c->config.state_dir));
    if (vault_config_is_in(state, mine))
        return err_set(err, ERR_INVALID,
                       "a vault may not contain vaultd's state folder: " STR_FMT,
                       STR_ARG(state));
    if (!vault_table_read(c->store, c->arena, &all, err))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (str_eq_nocase(all.rows[i].name, row->name))
            return vault_table_taken(row->name, err);
        else if (!is_apart_from(c, mine, &all.rows[i], err))
            return false;
    return true;
}

/* All files below a folder, at most ADOPT_COUNT_MAX; hidden ones are the repository or the
 * a user's settings, too. */
static size_t count_hosted_files(int dir, const char *path, int depth)
{
    size_t n = 0;
    struct folder_names names = folder_names(dir, path);
    for (const char *name; n < ADOPT_COUNT_MAX && (name = folder_next(&names)) != NULL;)
        n += folder_type(&names, name) != FILE_FOLDER || depth == ADOPT_DEPTH_MAX
                 ? 1
                 : count_hosted_files(names.fd, name, depth + 1);
    (void)!folder_end(&names);
    return n;
}

/* What is left in the folder of a name may be a vault that was removed, of other users. */
static bool is_adopted(struct table_cli *c, const struct vault_table_row *row,
                       struct err *err)
{
    str folder = arena_str(c->arena, folder_of_row(c, row));
    size_t n =
        row->folder.n == 0 && !c->adopt ? count_hosted_files(FILE_CWD, folder.p, 0) : 0;
    return n == 0 ||
           err_set(err, ERR_EXISTS,
                   STR_FMT " has %s%zu %s already, perhaps those of a vault that was "
                           "removed: move them away, or add them to the new vault "
                           "with --adopt",
                   STR_ARG(folder), n == ADOPT_COUNT_MAX ? "at least " : "", n,
                   n == 1 ? "file" : "files");
}

static bool add_hosted_vault(struct table_cli *c, struct err *err)
{
    struct vault_table_row row = {.name = c->words.items[1]};
    str place = c->words.n > 2 ? c->words.items[2] : STR("");
    if (!vault_config_is_name(row.name, err) || !read_hosted_place(c, place, &row, err) ||
        !is_apart_from_hosted(c, &row, err) || !is_adopted(c, &row, err) ||
        !vault_table_add(c->store, &row, err))
        return false;
    term_printf(&c->cli->out, TERM_PLAIN, "Added " STR_FMT ": " STR_FMT "\n",
                STR_ARG(row.name), STR_ARG(folder_of_row(c, &row)));
    term_printf(&c->cli->out, TERM_FAINT,
                "No user has access yet: vaultd vault allow " STR_FMT " USER\n",
                STR_ARG(row.name));
    return true;
}

/* --- the rest --- */

static void put_hosted_row(struct jsonw *w, const struct table_cli *c,
                           const struct vault_table_row *row)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), row->name);
    jsonw_put_str(w, STR("identity"), row->identity);
    if (is_place_known(c, row))
        jsonw_put_str(w, STR("folder"), folder_of_row(c, row));
    if (row->remote.n > 0)
        jsonw_put_str(w, STR("remote"), mask_urls(c->arena, row->remote));
    jsonw_put_str(w, STR("created"), clock_iso(row->created, when));
    jsonw_put_array(w, STR("users"));
    for (size_t i = 0; i < row->n_people; i++)
        jsonw_str(w, row->people[i].name);
    jsonw_end(w);
    jsonw_end(w);
}

static void list_hosted_json(const struct table_cli *c, const struct vault_table *all)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c->cli, &json);
    jsonw_object(w);
    jsonw_put_array(w, STR("vaults"));
    for (size_t i = 0; i < all->n; i++)
        put_hosted_row(w, c, &all->rows[i]);
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c->cli, &json);
}

static str shown_place(const struct table_cli *c, const struct vault_table_row *row)
{
    return row->remote.n > 0        ? mask_urls(c->arena, row->remote)
           : is_place_known(c, row) ? folder_of_row(c, row)
                                    : STR("(in --vaults-dir)");
}

static str shown_people(const struct table_cli *c, const struct vault_table_row *row)
{
    struct sbuf out = SBUF_ON(c->arena);
    for (size_t i = 0; i < row->n_people; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? "," : "", STR_ARG(row->people[i].name));
    return row->n_people > 0 ? sbuf_str(&out) : STR("nobody");
}

static size_t widest(size_t width, str text)
{
    return term_width(text) > width ? term_width(text) : width;
}

/* "team  ann,ben  https://example.com/team.git", in columns */
static void list_lines(const struct table_cli *c, const struct vault_table *all)
{
    struct term *t = &c->cli->out;
    size_t names = 0, people = 0;
    for (size_t i = 0; i < all->n; i++) {
        names = widest(names, all->rows[i].name);
        people = widest(people, shown_people(c, &all->rows[i]));
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct vault_table_row *row = &all->rows[i];
        term_left(t, TERM_PATH, row->name, names + 2);
        term_left(t, TERM_PLAIN, shown_people(c, row), people + 2);
        term_printf(t, TERM_PLAIN, STR_FMT "\n", STR_ARG(shown_place(c, row)));
    }
}

static bool list_hosted(struct table_cli *c, struct err *err)
{
    struct vault_table all;
    if (!vault_config_table(c->arena, &c->config, &all, err))
        return false;
    if (c->cli->json)
        list_hosted_json(c, &all);
    else
        list_lines(c, &all);
    return true;
}

static bool remove_row(struct table_cli *c, struct err *err)
{
    str name = c->words.items[1];
    if (!vault_table_remove(c->store, name, err))
        return false;
    term_printf(&c->cli->out, TERM_PLAIN,
                "Removed " STR_FMT
                "; its files and its state stay (docs/vaults.md: Removing)\n",
                STR_ARG(name));
    return true;
}

/* Names of the users file: those of other providers have a colon, "github:ada". */
static bool check_users(struct table_cli *c, struct err *err)
{
    struct config_file file;
    struct near_search near;
    str *names;
    if (c->users.n == 0)
        return true;
    if (!config_file_read(c->arena, settings_path(c->arena, c->users), &file, err))
        return false;
    size_t n = users_file_names(c->arena, file.text, &names);
    for (size_t i = 2; i < c->words.n; i++) {
        str user = c->words.items[i];
        if (str_eq(user, STR("*")) || str_find_char(user, ':') != STR_NONE ||
            users_file_has(file.text, user))
            continue;
        near_search(&near, user, USER_SLIPS);
        for (size_t k = 0; k < n; k++)
            (void)near_offer(&near, names[k]);
        if (near.best.n > 0)
            return err_set(err, ERR_INVALID,
                           "there is no user '" STR_FMT "' in " STR_FMT
                           "; did you mean '" STR_FMT "'?",
                           STR_ARG(user), STR_ARG(file.path), STR_ARG(near.best));
        term_printf(&c->cli->notes, TERM_WARN,
                    "There is no user '" STR_FMT "' in " STR_FMT " yet\n", STR_ARG(user),
                    STR_ARG(file.path));
    }
    return true;
}

static bool allow(struct table_cli *c, struct err *err)
{
    str vault = c->words.items[1];
    if (!check_users(c, err))
        return false;
    for (size_t i = 2; i < c->words.n; i++) {
        str user = c->words.items[i];
        if (!vault_table_allow(c->store, vault, user, err))
            return false;
        term_printf(&c->cli->out, TERM_PLAIN, STR_FMT " may use " STR_FMT "\n",
                    STR_ARG(str_eq(user, STR("*")) ? STR("Every user") : user),
                    STR_ARG(vault));
    }
    return true;
}

static bool deny(struct table_cli *c, struct err *err)
{
    for (size_t i = 2; i < c->words.n; i++) {
        if (!vault_table_deny(c->store, c->words.items[1], c->words.items[i], err))
            return false;
        term_printf(&c->cli->out, TERM_PLAIN, STR_FMT " may no longer use " STR_FMT "\n",
                    STR_ARG(c->words.items[i]), STR_ARG(c->words.items[1]));
    }
    return true;
}

static bool forget_hosted(struct table_cli *c, struct err *err)
{
    for (size_t i = 1; i < c->words.n; i++) {
        int denied;
        if (!vault_table_forget(c->store, c->words.items[i], &denied, err))
            return false;
        term_printf(&c->cli->out, TERM_PLAIN, STR_FMT ": removed from %d %s\n",
                    STR_ARG(c->words.items[i]), denied, denied == 1 ? "vault" : "vaults");
    }
    return true;
}

static const struct {
    const char *name;
    size_t min, max; /* words, with the name */
    bool changes;    /* the table: it gets the store */
    bool (*run)(struct table_cli *c, struct err *err);
} acts[] = {
    {"add", 2, 3, true, add_hosted_vault}, {"list", 1, 1, false, list_hosted},
    {"remove", 2, 2, true, remove_row},    {"allow", 3, SIZE_MAX, true, allow},
    {"deny", 3, SIZE_MAX, true, deny},     {"forget", 2, SIZE_MAX, true, forget_hosted},
};

static bool cli_vault_run(struct cli *cli, const void *options, struct err *err)
{
    struct table_cli c = {.cli = cli,
                          .config = cli_vault_config(options),
                          .adopt = ((const struct options *)options)->adopt,
                          .users = ((const struct options *)options)->users,
                          .arena = cli->arena,
                          .words = cli->words};
    size_t i = 0;
    if (!vault_config_add_default(c.arena, &c.config, err))
        return false;
    while (i < COUNT_OF(acts) && !str_eq(c.words.items[0], str_c(acts[i].name)))
        i++;
    if (i == COUNT_OF(acts) || c.words.n < acts[i].min || c.words.n > acts[i].max)
        return err_set(err, ERR_INVALID,
                       "usage: vaultd vault add NAME [FOLDER|URL], list, remove NAME, "
                       "allow NAME USER..., deny NAME USER..., or forget USER...");
    if (acts[i].changes && !vault_config_store(c.arena, &c.config, &c.store, err))
        return false;
    bool ok = acts[i].run(&c, err);
    store_close(c.store);
    return ok;
}

const struct cli_verb cli_vault = {
    .name = "vault",
    .arguments = "add|list|remove|allow|deny|forget NAME",
    .about = "Manage hosted vaults and who may use them",
    .help =
        "  vaultd vault add team https://example.com/team.git  cloned at its first "
        "use\n"
        "  vaultd vault add anna                  a new folder in --vaults-dir\n"
        "  vaultd vault add old /srv/notes/old    a folder that exists\n"
        "  vaultd vault add --adopt ben           with the files in --vaults-dir/ben\n"
        "  vaultd vault allow team anna ben       '*' is every signed-in user\n"
        "  vaultd vault deny team ben\n"
        "  vaultd vault forget ben                remove a user from all vaults\n"
        "  vaultd vault list --json               without --json, one in each line\n"
        "  vaultd vault remove old                its files stay\n\n"
        "The table is kept in the state folder: give the same --state-dir and\n"
        "--vaults-dir as for vaultd serve. A running server notices changes within a\n"
        "second.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = SIZE_MAX,
    .no_vault = true,
    .run = cli_vault_run,
};
