#include "app/setup/callers.h"

#include <stdlib.h>

#include "app/setup/app.h"
#include "app/setup/vault_config.h"
#include "app/setup/vaults.h"
#include "base/array.h"
#include "base/encode.h"
#include "base/log.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/access.h"
#include "vault/vault.h"

/* A grant as parsed for one request, and the views of the vaults that it allows. */
struct rights {
    struct arena *arena;
    struct access *access;     /* in the order of app->vaults */
    struct caller_view *views; /* made so far */
    bool only_tools;
    str *tools;
    size_t n_tools;

    /* With hosted vaults, instead of access. */
    bool valid;
    str person;
    struct app_grant grant; /* its places are below */
    struct access_place *places;
};

struct caller_view {
    struct caller_view *next;
    const struct app_vault *of;
    struct vault *vault;
};

/* --- a grant as text: one access for each vault, with the line "vault" between --- */

static const str between = {"vault\n", 6};

static struct access app_nothing(struct arena *a)
{
    str root = STR("/");
    struct access out;
    struct err err;
    struct access_request request = {.read_only = true, .deny = &root, .n_deny = 1};
    if (!access_make(a, &request, &out, &err))
        BUG("%s", err.msg);
    return out;
}

/* The vault of a folder, which stays without the name of its vault. */
static size_t vault_of_folder(const struct app *app, str *folder)
{
    size_t colon = str_find_char(*folder, ':');
    for (size_t i = 0; app->n_vaults > 1 && colon != STR_NONE && i < app->n_vaults; i++)
        if (str_eq(app->vaults[i].name, str_slice(*folder, 0, colon))) {
            *folder = str_skip(*folder, colon + 1);
            return i;
        }
    return 0;
}

/* Whether a folder of a grant is in that vault; it stays without the vault's name. */
static bool is_folder_of(const struct app *app, const struct app_vault *v, str *folder)
{
    if (app->hosted == NULL)
        return vault_of_folder(app, folder) == (size_t)(v - app->vaults);
    size_t colon = str_find_char(*folder, ':');
    bool named =
        colon != STR_NONE && str_eq_nocase(v->name, str_slice(*folder, 0, colon));
    *folder = named ? str_skip(*folder, colon + 1) : *folder;
    return named;
}

/* Whether a place limits the grant in a vault that is not served under that name. The vault
 * may have another name now, so what it limits is not known: the grant allows nothing. */
static bool has_lost_place(const struct app *app, const struct app_grant *g)
{
    for (size_t i = 0; app->hosted == NULL && i < g->places.n; i++) {
        str folder = g->places.items[i].path, whole = folder;
        (void)vault_of_folder(app, &folder);
        if (str_eq(folder, whole) && str_find_char(whole, ':') != STR_NONE &&
            g->places.items[i].level < g->places.elsewhere)
            return true;
    }
    return false;
}

/* Places of other vaults mean nothing in this one. */
static struct access access_in(const struct app *app, const struct app_vault *v,
                               struct arena *a, const struct app_grant *g)
{
    struct access_place *here = ARENA_ARRAY(a, struct access_place, g->places.n);
    struct access_places places = {g->places.elsewhere, here, 0};
    struct access_request request = {.read_only = g->most == ACCESS_READ,
                                     .propose = g->most == ACCESS_PROPOSE,
                                     .places = &places};
    struct access out;
    struct err err = {0};
    if (g->most == ACCESS_HIDDEN || has_lost_place(app, g))
        return app_nothing(a);
    for (size_t i = 0; i < g->places.n; i++) {
        struct access_place place = g->places.items[i];
        if (!is_folder_of(app, v, &place.path))
            continue;
        place.path = place.path.n > 0 ? place.path : STR("/");
        here[places.n++] = place;
    }
    if (access_make(a, &request, &out, &err))
        return out;
    log_event(LOG_ERROR, "grant", LOG_STR("error", str_c(err.msg)));
    return app_nothing(a);
}

/* --- tools --- */

static const str tools_line = {"only-tools ", 11};

static void write_grant_tools(struct sbuf *out, const struct app_grant *g)
{
    if (!g->only_tools)
        return;
    sbuf_add(out, tools_line);
    for (size_t i = 0; i < g->n_tools; i++)
        sbuf_printf(out, "%s" STR_FMT, i > 0 ? "," : "", STR_ARG(g->tools[i]));
    sbuf_char(out, '\n');
}

/* Takes that line, if the text begins with it. */
static void read_grant_tools(struct arena *a, str *text, struct rights *r)
{
    str rest = *text, line, name;
    if (!str_starts(rest, tools_line) || !str_next(&rest, '\n', &line))
        return;
    *text = rest;
    r->only_tools = true;
    for (line = str_skip(line, tools_line.n); str_next(&line, ',', &name);)
        *ARRAY_ADD(a, r->tools, r->n_tools) = name;
}

bool app_may_call(const struct mcp_caller *caller, const char *tool)
{
    const struct rights *r = caller->rights;
    if (caller->grant.n == 0 || !r->only_tools)
        return true;
    for (size_t i = 0; i < r->n_tools; i++)
        if (str_eq(r->tools[i], str_c(tool)))
            return true;
    return false;
}

bool app_offers(const struct app *app, const struct mcp_caller *caller, const char *tool)
{
    for (const struct mcp_tool *const *t = app->tools; *t != NULL; t++)
        if (strcmp((*t)->name, tool) == 0)
            return app_may_call(caller, tool);
    return false;
}

/* --- */

static bool is_everything(const struct app_grant *g)
{
    return g->most == ACCESS_WRITE && g->places.elsewhere == ACCESS_WRITE &&
           g->places.n == 0 && !g->only_tools;
}

static str write_grant(const struct app *app, struct arena *a, const struct app_grant *g)
{
    struct sbuf out = SBUF_ON(a);
    if (is_everything(g))
        return STR("");
    write_grant_tools(&out, g);
    for (size_t i = 0; i < app->n_vaults; i++) {
        struct access access = access_in(app, &app->vaults[i], a, g);
        if (i > 0)
            sbuf_add(&out, between);
        sbuf_add(&out, access_text(a, &access));
    }
    return sbuf_str(&out);
}

/* The part for one vault; the rest remains in *text. */
static str next_part(str *text)
{
    str rest = *text, line;
    while (rest.n > 0 && !str_starts(rest, between))
        str_next(&rest, '\n', &line);
    str part = str_slice(*text, 0, text->n - rest.n);
    *text = str_skip(rest, rest.n > 0 ? between.n : 0);
    return part;
}

static void read_accesses(const struct app *app, struct arena *a, str grant,
                          struct rights *r)
{
    struct err err;
    read_grant_tools(a, &grant, r);
    r->access = ARENA_ARRAY(a, struct access, app->n_vaults);
    for (size_t i = 0; i < app->n_vaults; i++) {
        str part = next_part(&grant);
        if (part.n == 0 || !access_parse(a, part, &r->access[i], &err))
            r->access[i] = app_nothing(a);
    }
}

/* --- with hosted vaults: whom it is for, the most that it allows, and where --- */

static const str for_person = {"person ", 7}, at_most = {"at-most ", 8},
                 elsewhere_line = {"elsewhere ", 10}, at_line = {"at ", 3};

str app_grant_of(const struct app *app, struct arena *a, str person,
                 const struct app_grant *g)
{
    struct sbuf out = SBUF_ON(a);
    if (app->hosted == NULL)
        return write_grant(app, a, g);
    write_grant_tools(&out, g);
    sbuf_printf(&out, STR_FMT STR_FMT "\n", STR_ARG(for_person),
                STR_ARG(encode_percent(a, person)));
    sbuf_printf(&out, STR_FMT "%s\n" STR_FMT "%s\n", STR_ARG(at_most),
                access_level_names[g->most], STR_ARG(elsewhere_line),
                access_level_names[g->places.elsewhere]);
    for (size_t i = 0; i < g->places.n; i++)
        sbuf_printf(&out, STR_FMT "%s " STR_FMT "\n", STR_ARG(at_line),
                    access_level_names[g->places.items[i].level],
                    STR_ARG(g->places.items[i].path));
    return sbuf_str(&out);
}

/* The line that begins so, with the name of a level; it must come next. */
static bool read_grant_level(str *text, str begins, enum access_level *out)
{
    str line;
    return str_next(text, '\n', &line) && str_starts(line, begins) &&
           access_level_find(str_skip(line, begins.n), out);
}

static bool read_grant_place(struct arena *a, str line, struct rights *r)
{
    struct access_place place;
    str level;
    if (!str_starts(line, at_line))
        return false;
    place.path = str_skip(line, at_line.n);
    if (!str_next(&place.path, ' ', &level) || !access_level_find(level, &place.level))
        return false;
    *ARRAY_ADD(a, r->places, r->grant.places.n) = place;
    return true;
}

static void read_hosted(struct arena *a, str grant, struct rights *r)
{
    str line;
    read_grant_tools(a, &grant, r);
    r->valid = str_next(&grant, '\n', &line) && str_starts(line, for_person) &&
               decode_percent(a, str_skip(line, for_person.n), &r->person) &&
               read_grant_level(&grant, at_most, &r->grant.most) &&
               read_grant_level(&grant, elsewhere_line, &r->grant.places.elsewhere);
    while (r->valid && str_next(&grant, '\n', &line))
        r->valid = line.n == 0 || read_grant_place(a, line, r);
    r->grant.places.items = r->places;
}

void *app_read_grant(void *app, struct arena *a, str grant)
{
    const struct app *of = app;
    struct rights *r = ARENA_NEW(a, struct rights);
    *r = (struct rights){.arena = a};
    if (of->hosted != NULL)
        read_hosted(a, grant, r);
    else
        read_accesses(of, a, grant, r);
    return r;
}

struct mcp_caller app_caller(const struct app *app, struct arena *a, str person)
{
    struct mcp_caller caller = {.user = person};
    if (app->hosted == NULL || person.n == 0)
        return caller;
    const struct app_grant all = {.most = ACCESS_WRITE, .places.elsewhere = ACCESS_WRITE};
    caller.grant = app_grant_of(app, a, person, &all);
    caller.rights = app_read_grant((void *)app, a, caller.grant);
    return caller;
}

/* --- what a caller may see --- */

static struct rights *rights_of(const struct mcp_caller *caller)
{
    if (caller->rights == NULL)
        BUG("a grant that has not been read");
    return caller->rights;
}

static struct access app_access(const struct app_vault *served, const struct rights *r)
{
    if (served->app->hosted != NULL)
        return r->valid ? access_in(served->app, served, r->arena, &r->grant)
                        : app_nothing(r->arena);
    return r->access[served - served->app->vaults];
}

bool app_sees(const struct app_vault *served, const struct mcp_caller *caller)
{
    if (served->app->hosted == NULL || caller->grant.n == 0)
        return true;
    const struct rights *r = rights_of(caller);
    if (!r->valid || vaults_allowed(served, r->person) == 0)
        return false;
    struct access access = app_access(served, r);
    return access_reads_some(&access);
}

bool app_is_restricted(const struct app_vault *served, const struct mcp_caller *caller)
{
    if (caller->grant.n == 0 || served->app->hosted == NULL)
        return false;
    struct access access = app_access(served, rights_of(caller));
    return !access_reads_all(&access);
}

bool app_only_reads(const struct app *app, const struct mcp_caller *caller)
{
    bool changes = false;
    if (app->access.read_only || caller->grant.n == 0)
        return app->access.read_only;
    const struct rights *r = rights_of(caller);
    const struct app_grant *g = &r->grant;
    if (app->hosted == NULL) {
        for (size_t i = 0; !changes && i < app->n_vaults; i++)
            changes = access_changes_some(&r->access[i]);
        return !changes;
    }
    changes = g->places.elsewhere >= ACCESS_PROPOSE;
    for (size_t i = 0; !changes && i < g->places.n; i++)
        changes = g->places.items[i].level >= ACCESS_PROPOSE;
    return !r->valid || g->most < ACCESS_PROPOSE || !changes;
}

/* Of a hosted vault, as far as it is open. */
static bool is_concealed(const struct app_vault *served, str path)
{
    if (!vaults_look(served))
        return false;
    bool concealed = !vault_may_read(served->for_clients, path);
    vaults_look_away(served);
    return concealed;
}

bool app_may_read(const struct app_vault *served, const struct mcp_caller *caller,
                  str path)
{
    if (served->app->hosted == NULL)
        return vault_may_read(app_vault_for(served, caller), path);
    if (!app_sees(served, caller) || !access_reads(&served->app->access, path) ||
        is_concealed(served, path))
        return false;
    if (caller->grant.n == 0)
        return true;
    struct access access = app_access(served, rights_of(caller));
    return access_reads(&access, path);
}

/* --- views --- */

struct vault *app_vault_for(const struct app_vault *served,
                            const struct mcp_caller *caller)
{
    struct vault *own = served->for_clients != NULL ? served->for_clients : served->vault;
    if (caller->grant.n == 0)
        return own;
    struct rights *r = rights_of(caller);
    for (const struct caller_view *v = r->views; v != NULL; v = v->next)
        if (v->of == served)
            return v->vault;
    struct access access = app_access(served, r);
    struct caller_view *v = ARENA_NEW(r->arena, struct caller_view);
    *v = (struct caller_view){r->views, served, vault_as(own, r->arena, &access)};
    r->views = v;
    return v->vault;
}

void app_forget_views(const struct app *app, const struct mcp_caller *caller)
{
    struct rights *r = caller->rights;
    if (app->hosted != NULL && r != NULL)
        r->views = NULL;
}

/* --- vaults --- */

/* A hosted vault, and when its caller was allowed to use it. */
struct allowed_vault {
    struct app_vault *vault;
    int64_t place;
};

static int rights_by_place(const void *a, const void *b)
{
    int64_t x = ((const struct allowed_vault *)a)->place,
            y = ((const struct allowed_vault *)b)->place;
    return (x > y) - (x < y);
}

/* In the order in which a person was allowed to use them, so that others that are allowed
 * later do not become the default. */
static void sort_for(struct arena *a, str person, struct app_vault **list, size_t n)
{
    struct allowed_vault *all = ARENA_ARRAY(a, struct allowed_vault, n);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct allowed_vault){list[i], vaults_allowed(list[i], person)};
    if (n > 1)
        sort_items(all, n, sizeof(*all), rights_by_place);
    for (size_t i = 0; i < n; i++)
        list[i] = all[i].vault;
}

size_t vaults_seen(const struct app *app, struct arena *a,
                   const struct mcp_caller *caller, struct app_vault ***out)
{
    struct app_vault **list;
    size_t all = vaults_all(app, a, &list), n = 0;
    for (size_t i = 0; i < all; i++)
        if (app_sees(list[i], caller))
            list[n++] = list[i];
    if (app->hosted != NULL && caller->grant.n > 0)
        sort_for(a, rights_of(caller)->person, list, n);
    *out = list;
    return n;
}

struct app_vault *vaults_first(const struct app *app, const struct mcp_caller *caller)
{
    struct arena a = {0};
    struct app_vault **list;
    struct app_vault *first = vaults_seen(app, &a, caller, &list) > 0 ? list[0] : NULL;
    arena_release(&a);
    return first;
}

struct app_vault *vaults_find(const struct app *app, const struct mcp_caller *caller,
                              str name)
{
    struct app_vault *found = vaults_named(app, name);
    return found != NULL && app_sees(found, caller) ? found : NULL;
}

str vaults_names(const struct app *app, struct arena *a, const struct mcp_caller *caller,
                 size_t max)
{
    struct sbuf names = SBUF_ON(a);
    struct app_vault **list;
    size_t n = vaults_seen(app, a, caller, &list), shown = 0;
    for (; shown < n && names.n < max; shown++)
        sbuf_printf(&names, "%s" STR_FMT, shown > 0 ? ", " : "",
                    STR_ARG(list[shown]->name));
    if (shown < n)
        sbuf_add(&names, STR(", ..."));
    return sbuf_str(&names);
}

bool vaults_unknown(const struct app *app, const struct mcp_caller *caller, str name,
                    struct err *err)
{
    struct arena a = {0};
    str given = utf8_cut(name, VAULT_NAME_MAX);
    str names = vaults_names(app, &a, caller, sizeof(err->msg) / 2);
    if (names.n == 0)
        err_named(err, E_VAULT_NOT_FOUND,
                  "you do not have access to a vault yet: ask the operator");
    else
        err_named(err, E_VAULT_NOT_FOUND,
                  "there is no vault '" STR_FMT "': use one of " STR_FMT "%s",
                  STR_ARG(given), STR_ARG(names),
                  str_ends(names, STR("...")) ? " (there are more)" : "");
    arena_release(&a);
    return false;
}
