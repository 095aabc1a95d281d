#include "app/cli/connect_plan.h"

#include <limits.h>
#include <stdlib.h>

#include "app/cli/client_file.h"
#include "app/cli/config_edit.h"
#include "app/cli/config_file.h"
#include "app/cli/program.h"
#include "app/setup/settings.h"
#include "base/json_write.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/path.h"
#include "base/process.h"
#include "base/system_path.h"
#include "base/uri.h"
#include "base/utf8.h"

enum { KEYS_MAX = 4, MEMBERS_MAX = 8, SHOWN_MAX = 60 };

/* --- this program --- */

static str real_path(struct arena *a, str path)
{
    char *real = file_real_path(arena_str(a, path).p);
    str out = real != NULL ? arena_str(a, str_c(real)) : STR("");
    free(real);
    return out;
}

/* Finds a program of that name in PATH; empty: not found. */
static str in_path(struct arena *a, str name)
{
    const char *file =
        name.n > 0 ? process_find(a, arena_str(a, name).p, process_path()) : NULL;
    return str_c(file);
}

bool connect_program(struct arena *a, str *out, struct err *err)
{
    *out = machine_program(a);
    if (out->n == 0)
        return err_sys(err, "cannot find the path of this program");
    str known = in_path(a, path_name(*out));
    str refuge = program_refuge(a);
    if (refuge.n > 0)
        *out = refuge;
    else if (known.n > 0 && str_eq(real_path(a, known), *out))
        *out = known;
    return true;
}

static str place_of_copy(struct arena *a, const struct connect_request *request)
{
    str refuge = program_refuge(a);
    bool starts = !request->remove && request->url.n == 0;
    return starts && refuge.n > 0 && !program_is_at(a, refuge) ? refuge : STR("");
}

bool connect_folder(struct arena *a, str folder, str *out, struct err *err)
{
    *out = real_path(a, settings_path(a, folder));
    return (out->n > 0 && folder_exists(out->p)) ||
           err_set(err, ERR_INVALID, "there is no folder '" STR_FMT "'",
                   STR_ARG(utf8_cut(folder, SHOWN_MAX)));
}

/* --- names --- */

bool connect_check_name(str name, struct err *err)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    bool good = name.n > 0 && name.n <= CONNECT_NAME_MAX;
    for (size_t i = 0; good && i < name.n; i++)
        good = name.p[i] != '\0' && strchr(allowed, name.p[i]) != NULL;
    return good ||
           err_set(err, ERR_INVALID,
                   "the name '" STR_FMT "' must be 1 to %d letters, digits, '-' or '_'",
                   STR_ARG(utf8_cut(name, SHOWN_MAX)), CONNECT_NAME_MAX);
}

bool connect_url(struct arena *a, str url, str *out, struct err *err)
{
    struct uri_parts parts;
    bool good = uri_split(url, &parts) && parts.host.n > 0 && utf8_valid(url) &&
                (str_eq(parts.scheme, STR("https")) || str_eq(parts.scheme, STR("http")));
    for (size_t i = 0; i < url.n; i++)
        good = good && (unsigned char)url.p[i] > ' ' && url.p[i] != 0x7F;
    if (!good)
        return err_set(err, ERR_INVALID,
                       "'" STR_FMT "' is not a URL such as https://vault.example.com/mcp",
                       STR_ARG(utf8_cut(url, SHOWN_MAX)));
    bool bare = parts.rest.n == 0 || str_eq(parts.rest, STR("/"));
    *out = bare ? arena_printf(a, STR_FMT "/mcp", STR_ARG(parts.origin)) : url;
    return true;
}

/* --- the client's file --- */

static bool exists(struct arena *a, str path)
{
    return file_exists(arena_str(a, path).p);
}

bool connect_installed(struct arena *a, const struct client *c)
{
    if (c->files[0] == NULL)
        return false;
    str file = client_file(a, c), folder = path_folder(file);
    return in_path(a, str_c(c->program)).n > 0 || exists(a, file) ||
           (!str_eq(folder, machine_home(a)) && exists(a, folder));
}

/* The path of keys "a/b" with name added. */
static struct config_path key_path(struct arena *a, const char *keys, str name)
{
    str *path = ARENA_ARRAY(a, str, KEYS_MAX), rest = str_c(keys);
    struct config_path out = {path, 0};
    while (out.n + 1 < KEYS_MAX && str_next(&rest, '/', &path[out.n]))
        out.n++;
    if (name.n > 0)
        path[out.n++] = name;
    return out;
}

/* Which of the client's possible places for servers this file uses. */
static bool servers_at(struct arena *a, const struct client *c, str text,
                       const char **keys, const struct json **out, struct err *err)
{
    *out = NULL;
    for (size_t i = 0; i < CLIENT_KEYS && c->keys[i] != NULL && *out == NULL; i++) {
        *keys = c->keys[i];
        if (!config_get(a, c->format, text, key_path(a, *keys, STR("")), out, err))
            return false;
    }
    return true;
}

/* --- the entry --- */

static const struct json *connect_plan_value_of(struct arena *a,
                                                const struct client_member *m,
                                                const struct connect_request *request)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    const struct json *out = NULL;
    struct err err;
    switch (m->value) {
    case CLIENT_WORD:
        jsonw_str(&w, str_c(m->word));
        break;
    case CLIENT_COMMAND:
        jsonw_str(&w, request->command);
        break;
    case CLIENT_URL:
        jsonw_str(&w, request->url);
        break;
    case CLIENT_ARGS:
    case CLIENT_LINE:
        jsonw_array(&w);
        if (m->value == CLIENT_LINE)
            jsonw_str(&w, request->command);
        for (size_t i = 0; i < request->n_args; i++)
            jsonw_str(&w, request->args[i]);
        jsonw_end(&w);
        break;
    }
    if (!json_parse(a, sbuf_str(&text), &out, &err))
        BUG("%s", err.msg);
    return out;
}

/* The members to set, and the members of the other shape (command or URL) to remove. */
static size_t make_members(struct arena *a, const struct client *c,
                           const struct connect_request *request,
                           struct config_member *out)
{
    const struct client_member *mine = request->url.n > 0 ? c->http : c->stdio;
    const struct client_member *other = request->url.n > 0 ? c->stdio : c->http;
    size_t n = 0;
    for (const struct client_member *m = mine; m != NULL && m->key != NULL; m++)
        out[n++] =
            (struct config_member){str_c(m->key), connect_plan_value_of(a, m, request)};
    for (const struct client_member *m = other; m != NULL && m->key != NULL; m++) {
        bool both = false;
        for (size_t i = 0; i < n; i++)
            both = both || str_eq(out[i].key, str_c(m->key));
        if (!both)
            out[n++] = (struct config_member){str_c(m->key), NULL};
    }
    return n;
}

/* Puts the path of the file in front of the message. */
static bool in_file(struct err *err, str path)
{
    struct err why = *err;
    return err_set(err, why.code, STR_FMT ": %s; nothing was written", STR_ARG(path),
                   why.msg);
}

bool connect_make_plan(struct arena *a, const struct client *c,
                       const struct connect_request *request, struct connect_plan *out,
                       struct err *err)
{
    struct config_member members[MEMBERS_MAX];
    const char *keys = NULL;
    const struct json *servers;
    *out = (struct connect_plan){.client = c,
                                 .copy_to = place_of_copy(a, request),
                                 .installed = connect_installed(a, c)};
    if (!config_file_read(a, client_file(a, c), &out->file, err))
        return false;
    str text = out->file.text;
    bool ok = servers_at(a, c, text, &keys, &servers, err);
    struct config_path path = key_path(a, keys, request->name);
    size_t n = make_members(a, c, request, members);
    struct err bug;
    if (!request->remove &&
        !config_put(a, c->format, STR(""), path, members, n, &out->snippet, &bug))
        BUG("%s", bug.msg);
    ok = ok && (request->remove
                    ? config_drop(a, c->format, text, path, &out->after, err)
                    : config_put(a, c->format, text, path, members, n, &out->after, err));
    return ok || in_file(err, out->file.path);
}

bool connect_carry_out(struct arena *a, const struct connect_plan *plan, str *backup,
                       struct err *err)
{
    *backup = STR("");
    return (plan->copy_to.n == 0 || program_copy(a, plan->copy_to, err)) &&
           (!connect_changes_file(plan) ||
            config_file_write(a, &plan->file, plan->after, 0, backup, err));
}

/* --- existing entries --- */

/* The program and its arguments, in whichever way the client stores them. */
static char **command_line(struct arena *a, const struct json *entry, int *argc)
{
    const struct json *command = json_get(entry, STR("command"));
    const struct json *args = json_get(entry, STR("args"));
    size_t most = 2 + (command != NULL ? command->n : 0) + (args != NULL ? args->n : 0);
    char **argv = ARENA_ARRAY(a, char *, most);
    str word;
    *argc = 0;
    if (json_str(command, &word))
        argv[(*argc)++] = (char *)arena_str(a, word).p;
    const struct json *lists[] = {command, args};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        const struct json *item = json_is(lists[i], JSON_ARRAY) ? lists[i]->child : NULL;
        for (; item != NULL; item = item->next)
            if (json_str(item, &word))
                argv[(*argc)++] = (char *)arena_str(a, word).p;
    }
    return argv;
}

static str url_of(const struct client *c, const struct json *entry)
{
    for (const struct client_member *m = c->http; m != NULL && m->key != NULL; m++)
        if (m->value == CLIENT_URL && json_get(entry, str_c(m->key)) != NULL)
            return json_get_str(entry, str_c(m->key));
    return STR("");
}

static str wrong_program(struct arena *a, str command, str program)
{
    str shown = system_path_shown(a, command);
    if (!file_allows(FILE_CWD, arena_str(a, command).p, FILE_MAY_RUN))
        return arena_printf(a, "there is no program " STR_FMT, STR_ARG(shown));
    return str_eq(real_path(a, command), real_path(a, program))
               ? STR("")
               : arena_printf(a, "it starts another program, " STR_FMT, STR_ARG(shown));
}

/* Records a vault, and whether it exists. */
static void add_vault(struct arena *a, struct connect_entry *e, str folder)
{
    str shown = system_path_shown(a, folder);
    e->what = e->what.n == 0 ? shown
                             : arena_printf(a, STR_FMT ", " STR_FMT, STR_ARG(e->what),
                                            STR_ARG(shown));
    if (e->wrong.n == 0 && !folder_exists(arena_str(a, folder).p))
        e->wrong = arena_printf(a, "there is no folder " STR_FMT, STR_ARG(shown));
}

/* Whether an option is among the arguments, and not just in our own environment. */
static bool is_given(int argc, char **argv, str flag)
{
    for (int i = 1; i < argc; i++) {
        str word = str_c(argv[i]), rest = str_skip(word, flag.n);
        if (str_starts(word, flag) && (rest.n == 0 || rest.p[0] == '='))
            return true;
    }
    return false;
}

static void judge_arguments(struct arena *a, int argc, char **argv,
                            struct connect_entry *e)
{
    struct settings s = {0};
    struct option_list words;
    struct err err = {0};
    if (!options_parse(a, settings_table, argc, argv, &s, &words, &err)) {
        e->wrong = arena_printf(a, "%s", err.msg);
        return;
    }
    size_t first = words.n > 0 && str_eq(words.items[0], STR("serve"));
    if (!s.stdio)
        e->wrong = STR("it does not run vaultd serve --stdio");
    if (is_given(argc, argv, STR("--vault-path")))
        add_vault(a, e, settings_path(a, s.vault_path));
    for (size_t i = first; i < words.n; i++)
        add_vault(a, e, settings_path(a, words.items[i]));
    for (size_t i = 0; is_given(argc, argv, STR("--vault")) && i < s.vaults.n; i++) {
        str folder = s.vaults.items[i], name;
        (void)str_next(&folder, '=', &name);
        add_vault(a, e, settings_path(a, folder));
    }
}

static bool is_our_entry(struct arena *a, const struct client *c,
                         const struct json *entry, str program, struct connect_entry *out)
{
    int argc;
    char **argv = command_line(a, entry, &argc);
    *out = (struct connect_entry){.name = entry->key};
    if (argc == 0) {
        out->what = url_of(c, entry);
        return out->what.n > 0 && str_eq(entry->key, STR("vault"));
    }
    str command = system_path(a, str_c(argv[0])), name = path_name(command);
    if (!str_eq(name, STR("vaultd")) && !str_eq_nocase(name, STR("vaultd.exe")))
        return false;
    out->wrong = wrong_program(a, command, program);
    if (out->wrong.n == 0)
        judge_arguments(a, argc, argv, out);
    return true;
}

void connect_look(struct arena *a, const struct client *c, str program,
                  struct connect_found *out)
{
    struct config_file file;
    struct err err = {0};
    const char *keys;
    const struct json *servers = NULL;
    *out = (struct connect_found){.installed = connect_installed(a, c)};
    if (c->files[0] == NULL)
        return;
    out->path = client_file(a, c);
    if (!config_file_read(a, out->path, &file, &err) ||
        !servers_at(a, c, file.text, &keys, &servers, &err)) {
        out->unreadable = arena_printf(a, "%s", err.msg);
        return;
    }
    out->entries = ARENA_ARRAY(a, struct connect_entry, servers != NULL ? servers->n : 0);
    for (const struct json *e = servers != NULL ? servers->child : NULL; e != NULL;
         e = e->next)
        out->n += is_our_entry(a, c, e, program, &out->entries[out->n]);
}
