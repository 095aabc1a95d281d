#include "app/cli/keys.h"

#include <stdio.h>

#include "app/answers/term.h"
#include "app/answers/term_table.h"
#include "app/catalog/tools.h"
#include "app/cli/cli.h"
#include "app/cli/help_show.h"
#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"
#include "app/web/auth.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/near.h"
#include "base/options.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/path.h"
#include "base/utf8.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"
#include "oauth/rights.h"
#include "state/store.h"
#include "vault/text/hidden.h"

enum { KEYS_WRONG_USAGE = 2, FOLDER_SLIPS = 2 };

/* In the order of enum rights_level. */
static const char *const level_choices[] = {"none", "read", "propose", "write", NULL};

/* The settings of serve come first, so that its table can fill them. */
struct key_options {
    struct settings settings;
    int level;
    struct option_list read, propose, write, deny;
    bool json;
};

#define PLACES(member, flag, about)                                                      \
    OPTION(struct key_options, member, OPTION_LIST, flag, NULL, NULL, "FOLDER", about,   \
           .whole = true)

/* --tools is among the settings. */
static const struct option table[] = {
    OPTION(struct key_options, level, OPTION_CHOICE, "level", NULL, "none", "LEVEL",
           "What it may do outside of the folders below: none, read, propose or write",
           .choices = level_choices, .heading = "What a new key may do"),
    PLACES(read, "read", "A folder that it may read"),
    PLACES(propose, "propose", "A folder in which it may propose changes"),
    PLACES(write, "write", "A folder that it may read and write"),
    PLACES(deny, "deny", "A folder that does not exist for it"),
    CLI_SWITCH(struct key_options, json, "json", "Print JSON", .heading = "Output"),
    {0},
};

/* The rows of the settings that keys use, for the help; all are accepted. */
static const char *const settings_used[] = {"tools", "state-dir", "state-db",
                                            "state-db-file", "vault-path"};

/* The table of serve, followed by ours. */
static const struct option *whole_table(struct arena *a)
{
    size_t theirs = 0;
    while (settings_table[theirs].flag != NULL)
        theirs++;
    struct option *all = ARENA_ARRAY(a, struct option, theirs + COUNT_OF(table));
    memcpy(all, settings_table, theirs * sizeof(*all));
    memcpy(all + theirs, table, sizeof(table));
    return all;
}

struct key_command {
    struct arena *arena;
    struct key_options options;
    struct option_list words;
    bool has_level, has_tools; /* given as a flag */
    struct sbuf out;
};

static bool usage(struct err *err)
{
    return err_set(err, ERR_INVALID,
                   "usage: vaultd key add NAME [read|propose|write] [FOLDER...], vaultd "
                   "key list, vaultd key revoke NAME; see vaultd key --help");
}

/* --- folders of the vault, if it is known --- */

/* The name in a folder that is nearest to one that is not there; empty: none is near. */
static str keys_nearest(struct arena *a, const char *folder, str name)
{
    struct near_search near;
    str best = {0};
    near_search(&near, utf8_fold(a, name), FOLDER_SLIPS);
    struct folder_names names = folder_names(FILE_CWD, folder);
    for (const char *other; (other = folder_next(&names)) != NULL;)
        if (other[0] != '.' && near_offer(&near, utf8_fold(a, str_c(other))))
            best = arena_str(a, str_c(other));
    (void)!folder_end(&names);
    return best;
}

/* What can be seen on a screen: a folder that is not there may be a trick. */
static bool is_visible(str path, struct err *err)
{
    struct hidden_list found;
    hidden_find(path, 1, 0, &found);
    return found.total == 0 ||
           err_set(err, ERR_INVALID,
                   "the name of a folder has characters that cannot be seen: '" STR_FMT
                   "'",
                   STR_ARG(utf8_cut(path, 100)));
}

/* Whether it exists below a folder of this machine, or is unlike anything there. */
static bool check_path(struct arena *a, str top, str path, struct err *err)
{
    str rest = path, name, at = top;
    while (rest.n > 0 && str_next(&rest, '/', &name)) {
        str next = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(at), STR_ARG(name));
        if (file_exists(next.p)) {
            at = next;
            continue;
        }
        str meant = keys_nearest(a, at.p, name);
        if (meant.n == 0)
            return is_visible(path, err);
        str before = str_slice(path, 0, (size_t)(name.p - path.p));
        return err_set(err, ERR_INVALID,
                       "there is no '" STR_FMT
                       "' in the vault; did you mean '" STR_FMT STR_FMT "'?",
                       STR_ARG(utf8_cut(path, 100)), STR_ARG(before), STR_ARG(meant));
    }
    return true;
}

/* The vault of "NAME:FOLDER", and the folder in it. Without a name, the first. */
static bool find_place(struct key_command *k, const struct configured_vaults *vaults,
                       bool hosted, str place, const struct configured_vault **out,
                       str *folder, struct err *err)
{
    size_t colon = str_find_char(place, ':');
    str name = str_slice(place, 0, colon != STR_NONE ? colon : 0);
    struct near_search near;
    near_search(&near, utf8_fold(k->arena, name), FOLDER_SLIPS);
    *folder = place;
    *out = !hosted && vaults->n > 0 ? &vaults->items[0] : NULL;
    for (size_t i = 0; colon != STR_NONE && i < vaults->n; i++) {
        (void)near_offer(&near, utf8_fold(k->arena, vaults->items[i].name));
        if (!str_eq_nocase(vaults->items[i].name, name))
            continue;
        *out = &vaults->items[i];
        *folder = str_skip(place, colon + 1);
        return true;
    }
    if (colon != STR_NONE && near.best.n > 0)
        return err_set(err, ERR_INVALID,
                       "there is no vault '" STR_FMT "'; did you mean '" STR_FMT "'?",
                       STR_ARG(utf8_cut(name, VAULT_NAME_MAX)), STR_ARG(near.best));
    return *out != NULL ||
           err_set(err, ERR_INVALID,
                   "'" STR_FMT "' names no vault: with several vaults, give "
                   "NAME:FOLDER, or NAME: for all of one",
                   STR_ARG(utf8_cut(place, 100)));
}

/* Only if the settings say which vaults there are. */
static bool check_places(struct key_command *k, const struct oauth_rights *r,
                         struct err *err)
{
    struct vault_config config = vault_config_of(&k->options.settings);
    struct configured_vaults vaults = {0};
    enum vault_config_kind kind = vault_config_kind(&config);
    bool known = r->n_places > 0 && kind != VAULTS_NONE &&
                 (kind != VAULTS_HOSTED || config.from != OPTION_BY_DEFAULT);
    if (known && !vault_config_read(k->arena, &config, &vaults, err))
        return false;
    for (size_t i = 0; i < r->n_places; i++) {
        const struct configured_vault *v;
        str folder = r->places[i].folder;
        if (!known) {
            if (!is_visible(folder, err))
                return false;
            continue;
        }
        if (kind == VAULTS_ONE)
            v = &vaults.items[0];
        else if (!find_place(k, &vaults, kind == VAULTS_HOSTED, r->places[i].folder, &v,
                             &folder, err))
            return false;
        str top = vault_config_real(k->arena, v->folder);
        if (folder_exists(arena_str(k->arena, top).p) &&
            !check_path(k->arena, top, folder, err))
            return false;
    }
    return true;
}

/* --- reading what it may do --- */

static bool add_place(struct key_command *k, struct oauth_rights *r,
                      struct rights_place **places, str folder, enum rights_level level,
                      struct err *err)
{
    struct rights_place place = {.level = level};
    if (folder.n == 0) /* an unset variable, not the whole vault */
        return usage(err);
    if (!path_clean(k->arena, folder, &place.folder, err))
        return false;
    *ARRAY_ADD(k->arena, *places, r->n_places) = place;
    return true;
}

static bool add_places(struct key_command *k, struct oauth_rights *r,
                       struct rights_place **places, struct err *err)
{
    const struct key_options *o = &k->options;
    const struct {
        const struct option_list *list;
        enum rights_level level;
    } given[] = {{&o->read, RIGHTS_READ},
                 {&o->propose, RIGHTS_PROPOSE},
                 {&o->write, RIGHTS_WRITE},
                 {&o->deny, RIGHTS_NONE}};
    for (size_t i = 0; i < COUNT_OF(given); i++)
        for (size_t n = 0; n < given[i].list->n; n++)
            if (!add_place(k, r, places, given[i].list->items[n], given[i].level, err))
                return false;
    return true;
}

/* The tools of these names; a list that only leaves some out is about all there are. */
static bool read_key_tools(struct key_command *k, struct oauth_rights *r, struct err *err)
{
    struct option_list names = k->options.settings.tools;
    const struct mcp_tool *const *tools;
    str *list = NULL;
    if (!k->has_tools)
        return true;
    tools_complete(k->arena, "default", &names);
    if (!tools_choose(k->arena, &names, &tools, err))
        return false;
    r->only_tools = true;
    for (; *tools != NULL; tools++)
        *ARRAY_ADD(k->arena, list, r->n_tools) = str_c((*tools)->name);
    r->tools = list;
    return true;
}

/* Words: a level and folders. With folders, as words or flags, the level of everything else
 * is nothing unless it is given; without any, everything is allowed. */
static bool read_rights(struct key_command *k, struct oauth_rights *r, struct err *err)
{
    const struct key_options *o = &k->options;
    struct rights_place *places = NULL;
    enum rights_level level = RIGHTS_WRITE;
    bool flags = o->read.n + o->propose.n + o->write.n + o->deny.n > 0;
    bool worded = k->words.n > 2, listed = k->words.n > 3;
    if (worded && (!rights_find_level(k->words.items[2], &level) || level == RIGHTS_NONE))
        return usage(err);
    if ((worded && k->has_level) || (listed && flags))
        return usage(err);
    if (o->deny.n > 0 && o->read.n + o->propose.n + o->write.n == 0 && !worded &&
        !k->has_level)
        return err_set(err, ERR_INVALID,
                       "--deny says where nothing is allowed: say with --level what is "
                       "allowed elsewhere");
    r->elsewhere = k->has_level                   ? (enum rights_level)o->level
                   : listed || (flags && !worded) ? RIGHTS_NONE
                                                  : level;
    for (size_t i = 3; i < k->words.n; i++)
        if (!add_place(k, r, &places, k->words.items[i], RIGHTS_WRITE, err))
            return false;
    if (!add_places(k, r, &places, err))
        return false;
    r->places = places;
    r->scopes = OAUTH_MAY_WRITE;
    r->scopes = rights_scopes_for(listed ? level : rights_highest(r));
    if (listed || r->n_places == 0)
        r->elsewhere = r->n_places == 0 ? RIGHTS_WRITE : RIGHTS_NONE;
    if (r->scopes == 0)
        return err_set(err, ERR_INVALID, "this key could not do anything");
    if (!rights_valid(r))
        return err_set(err, ERR_LIMIT,
                       "a key can have at most %d folders, each of %d bytes, and %d KiB "
                       "in all",
                       RIGHTS_PLACES_MAX, RIGHTS_PLACE_BYTES_MAX, RIGHTS_TEXT_MAX >> 10);
    return read_key_tools(k, r, err) && check_places(k, r, err);
}

/* --- add, list, revoke --- */

static bool keys_make(struct key_command *k, struct err *err)
{
    struct oauth *o;
    struct oauth_rights rights = {0};
    str key;
    if (!read_rights(k, &rights, err) || !auth_open_store(&k->options.settings, &o, err))
        return false;
    bool ok = keys_add(o, k->arena, k->words.items[1], &rights, &key, err);
    if (ok)
        sbuf_printf(&k->out, STR_FMT "\n", STR_ARG(key));
    oauth_free(o);
    return ok;
}

/* "Inbox,Work" if there is one level for these folders and nothing else; in words such as
 * "write Inbox; propose Work; read elsewhere"; empty: everywhere. */
static void print_places(struct sbuf *out, const struct oauth_rights *r)
{
    bool same = r->elsewhere == RIGHTS_NONE;
    for (size_t i = 0; i < r->n_places; i++)
        same = same && r->places[i].level == RIGHTS_WRITE;
    for (size_t i = 0; i < r->n_places; i++) {
        str level = rights_level_name(r->places[i].level);
        if (!same)
            sbuf_printf(out, STR_FMT " ", STR_ARG(level));
        sbuf_printf(out, STR_FMT "%s", STR_ARG(r->places[i].folder),
                    !same                 ? "; "
                    : i + 1 < r->n_places ? ","
                                          : "");
    }
    if (!same && r->n_places > 0)
        sbuf_printf(out, STR_FMT " elsewhere", STR_ARG(rights_level_name(r->elsewhere)));
}

enum { KEY_CELLS = 6 };

static void key_cells(const struct term *t, const struct oauth_key *key,
                      str cells[KEY_CELLS])
{
    struct arena *a = t->out.arena;
    struct sbuf places = SBUF_ON(a), tools = SBUF_ON(a);
    str used = key->used > 0 ? term_when(t, key->used) : STR("never");
    print_places(&places, &key->rights);
    for (size_t i = 0; i < key->rights.n_tools; i++)
        sbuf_printf(&tools, "%s" STR_FMT, i == 0 ? "tools " : ",",
                    STR_ARG(key->rights.tools[i]));
    cells[0] = key->name;
    cells[1] = rights_print_scopes(a, key->rights.scopes);
    cells[2] = sbuf_str(&places);
    cells[3] = arena_printf(a, "created " STR_FMT, STR_ARG(term_when(t, key->created)));
    cells[4] = arena_printf(a, "used " STR_FMT, STR_ARG(used));
    cells[5] = sbuf_str(&tools);
}

/* Columns; in a pipe, tabs. */
static void print_keys(struct key_command *k, const struct oauth_key *keys, size_t n)
{
    struct term t = term_open(k->arena, FILE_STDOUT, TERM_AUTO);
    size_t widths[KEY_CELLS] = {0};
    str cells[KEY_CELLS];
    for (size_t i = 0; i < n; i++) {
        key_cells(&t, &keys[i], cells);
        for (size_t j = 0; j < KEY_CELLS; j++)
            term_table_widen(&t, &widths[j], cells[j]);
    }
    term_table_fit(&t, widths, KEY_CELLS);
    for (size_t i = 0; i < n; i++) {
        key_cells(&t, &keys[i], cells);
        if (t.width > 0)
            term_table_line(&t, cells, widths, KEY_CELLS, TERM_STRONG, TERM_PLAIN);
        for (size_t j = 0; t.width == 0 && j < KEY_CELLS; j++)
            if (j + 1 < KEY_CELLS || cells[j].n > 0)
                sbuf_printf(&k->out, "%s" STR_FMT, j > 0 ? "\t" : "", STR_ARG(cells[j]));
        if (t.width == 0)
            sbuf_char(&k->out, '\n');
    }
    term_close(&t);
}

static void put_key(struct jsonw *w, struct arena *a, const struct oauth_key *key)
{
    char when[CLOCK_ISO_SIZE];
    const struct oauth_rights *r = &key->rights;
    enum rights_level most = rights_level_of(r->scopes);
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), key->name);
    jsonw_put_str(w, STR("scope"), rights_print_scopes(a, r->scopes));
    jsonw_put_str(w, STR("elsewhere"),
                  rights_level_name(r->elsewhere < most ? r->elsewhere : most));
    jsonw_put_array(w, STR("places"));
    for (size_t i = 0; i < r->n_places; i++) {
        enum rights_level level = r->places[i].level;
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), r->places[i].folder);
        jsonw_put_str(w, STR("level"), rights_level_name(level < most ? level : most));
        jsonw_end(w);
    }
    jsonw_end(w);
    if (r->only_tools) {
        jsonw_put_array(w, STR("tools"));
        for (size_t i = 0; i < r->n_tools; i++)
            jsonw_str(w, r->tools[i]);
        jsonw_end(w);
    }
    jsonw_put_str(w, STR("created"), clock_iso(key->created, when));
    if (key->used > 0)
        jsonw_put_str(w, STR("used"), clock_iso(key->used, when));
    jsonw_end(w);
}

static void put_keys(struct key_command *k, const struct oauth_key *keys, size_t n)
{
    struct jsonw w = JSONW_ON(&k->out);
    jsonw_object(&w);
    jsonw_put_array(&w, STR("keys"));
    for (size_t i = 0; i < n; i++)
        put_key(&w, k->arena, &keys[i]);
    jsonw_end(&w);
    jsonw_end(&w);
    sbuf_char(&k->out, '\n');
}

/* Creates nothing. */
static bool list_keys(struct key_command *k, struct err *err)
{
    struct store *store;
    struct oauth_key *keys = NULL;
    size_t n = 0;
    if (store_find(reach_state(k->arena, &k->options.settings), &store, err)) {
        bool ok = keys_list(store, k->arena, &keys, &n, err);
        store_close(store);
        if (!ok)
            return false;
    } else if (err->code != ERR_NOT_FOUND) {
        return false;
    }
    if (k->options.json)
        put_keys(k, keys, n);
    else
        print_keys(k, keys, n);
    return true;
}

static bool revoke_key(struct key_command *k, struct err *err)
{
    struct store *store;
    struct oauth *o;
    const struct settings *s = &k->options.settings;
    if (!store_find(reach_state(k->arena, s), &store, err))
        return err->code != ERR_NOT_FOUND
                   ? false
                   : err_set(err, ERR_NOT_FOUND, "there are no keys");
    store_close(store);
    if (!auth_open_store(s, &o, err))
        return false;
    bool ok = keys_revoke(o, k->words.items[1], err);
    oauth_free(o);
    return ok;
}

static bool run_verb(struct key_command *k, struct err *err)
{
    str verb = k->words.n > 0 ? k->words.items[0] : STR("");
    const struct key_options *o = &k->options;
    bool adds = str_eq(verb, STR("add")) && k->words.n >= 2;
    bool chooses = k->has_level || k->has_tools ||
                   o->read.n + o->propose.n + o->write.n + o->deny.n > 0;
    if (adds)
        return keys_make(k, err);
    if (!chooses && str_eq(verb, STR("list")) && k->words.n == 1)
        return list_keys(k, err);
    if (!chooses && str_eq(verb, STR("revoke")) && k->words.n == 2)
        return revoke_key(k, err);
    return usage(err);
}

/* --- the command --- */

const struct command_info keys_info = {
    .name = "key",
    .arguments = "add|list|revoke NAME",
    .about = "Manage API keys, for programs that cannot sign in",
    .help =
        "  vaultd key add backup read          prints the key, only this once\n"
        "  vaultd key add inbox write Inbox    only in that folder\n"
        "  vaultd key add agent --level read --write Inbox --propose Work --deny Diary\n"
        "                                      of several folders, the innermost counts\n"
        "  vaultd key add finder read --tools vault_search,vault_read\n"
        "  vaultd key list                     names, rights and when they were last "
        "used\n"
        "  vaultd key revoke backup\n\n"
        "With several vaults, a folder is NAME:FOLDER, and NAME: is all of one. Keys "
        "are\n"
        "kept in the state folder: give the same --state-dir as for vaultd serve.\n",
    .options = table,
};

static const struct option *help_table(struct arena *a)
{
    struct option *rows =
        ARENA_ARRAY(a, struct option, COUNT_OF(table) + COUNT_OF(settings_used));
    size_t n = COUNT_OF(table) - 1;
    memcpy(rows, table, n * sizeof(*rows));
    for (const struct option *o = settings_table; o->flag != NULL; o++)
        for (size_t i = 0; i < COUNT_OF(settings_used); i++)
            if (strcmp(o->flag, settings_used[i]) == 0) {
                rows[n] = *o;
                rows[n].heading = NULL;
                rows[n++].group = NULL;
            }
    rows[n] = (struct option){0};
    return rows;
}

static void show_keys_help(struct key_command *k)
{
    sbuf_printf(&k->out, "usage: vaultd key %s [OPTIONS]\n\n%s\n", keys_info.arguments,
                keys_info.help);
    options_help(help_table(k->arena), &k->out);
    help_show(k->arena, sbuf_str(&k->out));
    k->out.n = 0;
}

static bool prepare_keys(struct key_command *k, int argc, char **argv, struct err *err)
{
    const struct option *whole = whole_table(k->arena);
    struct settings *s = &k->options.settings;
    if (!settings_parse(k->arena, whole, argc, argv, s, &k->words, err))
        return false;
    k->has_level = options_source(whole, "level", argc, argv) == OPTION_BY_FLAG;
    k->has_tools = options_source(whole, "tools", argc, argv) == OPTION_BY_FLAG;
    return s->help || settings_complete(k->arena, argc, argv, s, err);
}

static void print_keys_error(struct arena *a, const struct err *err)
{
    struct term t = term_open(a, FILE_STDERR, TERM_NEVER);
    term_error(&t, err);
    term_close(&t);
}

int keys_run(int argc, char **argv)
{
    struct arena a = {0};
    struct key_command k = {.arena = &a, .out = SBUF_ON(&a)};
    struct err err = {0};
    int code = 0;
    log_setup(LOG_WARN, LOG_TEXT);
    bool ok = prepare_keys(&k, argc, argv, &err);
    if (ok && k.options.settings.help)
        show_keys_help(&k);
    else if (!ok || !run_verb(&k, &err))
        code = !ok || err.code == ERR_INVALID ? KEYS_WRONG_USAGE : 1;
    if (code != 0)
        print_keys_error(&a, &err);
    else
        (void)!file_write(FILE_STDOUT, sbuf_str(&k.out));
    arena_release(&a);
    return code;
}
