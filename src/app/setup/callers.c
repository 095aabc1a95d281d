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

    /* With hosted vaults, instead of access. */
    bool valid;
    str person;
    bool read_only;
    str *folders; /* "NAME:FOLDER" */
    size_t n_folders;
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

/* Folders of other vaults allow nothing in this one. */
static struct access access_in(const struct app *app, const struct app_vault *v,
                               struct arena *a, bool read_only, const str *folders,
                               size_t n)
{
    str *here = ARENA_ARRAY(a, str, n);
    struct access_request request = {
        .read_only = read_only, .literal = true, .read = here};
    struct access out;
    struct err err;
    for (size_t i = 0; i < n; i++) {
        str folder = folders[i];
        if (is_folder_of(app, v, &folder))
            here[request.n_read++] = folder.n > 0 ? folder : STR("/");
    }
    if (n > 0 && request.n_read == 0)
        return app_nothing(a);
    if (access_make(a, &request, &out, &err))
        return out;
    log_event(LOG_ERROR, "grant", LOG_STR("error", str_c(err.msg)));
    return app_nothing(a);
}

str app_write_grant(const struct app *app, struct arena *a, bool read_only,
                    const str *folders, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    if (!read_only && n == 0)
        return STR("");
    for (size_t i = 0; i < app->n_vaults; i++) {
        struct access access = access_in(app, &app->vaults[i], a, read_only, folders, n);
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
    r->access = ARENA_ARRAY(a, struct access, app->n_vaults);
    for (size_t i = 0; i < app->n_vaults; i++) {
        str part = next_part(&grant);
        if (part.n == 0 || !access_parse(a, part, &r->access[i], &err))
            r->access[i] = app_nothing(a);
    }
}

/* --- with hosted vaults: whom it is for, and lines that restrict it --- */

static const str for_person = {"person ", 7}, in_folder = {"in ", 3},
                 only_reads = {"read-only", 9};

str app_grant_of(const struct app *app, struct arena *a, str person, bool read_only,
                 const str *folders, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    if (app->hosted == NULL)
        return app_write_grant(app, a, read_only, folders, n);
    sbuf_printf(&out, STR_FMT STR_FMT "\n", STR_ARG(for_person),
                STR_ARG(encode_percent(a, person)));
    if (read_only)
        sbuf_printf(&out, STR_FMT "\n", STR_ARG(only_reads));
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, STR_FMT STR_FMT "\n", STR_ARG(in_folder), STR_ARG(folders[i]));
    return sbuf_str(&out);
}

static bool read_rights_line(struct arena *a, str line, struct rights *r)
{
    if (str_eq(line, only_reads))
        r->read_only = true;
    else if (str_starts(line, in_folder))
        *ARRAY_ADD(a, r->folders, r->n_folders) = str_skip(line, in_folder.n);
    else
        return false;
    return true;
}

static void read_hosted(struct arena *a, str grant, struct rights *r)
{
    str line;
    r->valid = str_next(&grant, '\n', &line) && str_starts(line, for_person) &&
               decode_percent(a, str_skip(line, for_person.n), &r->person);
    while (r->valid && str_next(&grant, '\n', &line))
        r->valid = line.n == 0 || read_rights_line(a, line, r);
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
    caller.grant = app_grant_of(app, a, person, false, NULL, 0);
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

static bool has_folder_in(const struct rights *r, const struct app_vault *v)
{
    for (size_t i = 0; i < r->n_folders; i++) {
        str folder = r->folders[i];
        if (is_folder_of(v->app, v, &folder))
            return true;
    }
    return r->n_folders == 0;
}

bool app_sees(const struct app_vault *served, const struct mcp_caller *caller)
{
    if (served->app->hosted == NULL || caller->grant.n == 0)
        return true;
    const struct rights *r = rights_of(caller);
    return r->valid && has_folder_in(r, served) && vaults_allowed(served, r->person) > 0;
}

static bool is_whole(str folder)
{
    return folder.n == 0 || str_eq(folder, STR("/"));
}

bool app_is_restricted(const struct app_vault *served, const struct mcp_caller *caller)
{
    if (caller->grant.n == 0 || served->app->hosted == NULL)
        return false;
    const struct rights *r = rights_of(caller);
    for (size_t i = 0; i < r->n_folders; i++) {
        str folder = r->folders[i];
        if (is_folder_of(served->app, served, &folder) && is_whole(folder))
            return false;
    }
    return !r->valid || r->n_folders > 0;
}

bool app_only_reads(const struct app *app, const struct mcp_caller *caller)
{
    if (app->access.read_only || caller->grant.n == 0)
        return app->access.read_only;
    const struct rights *r = rights_of(caller);
    return app->hosted != NULL ? r->read_only || !r->valid : r->access[0].read_only;
}

static struct access app_access(const struct app_vault *served, const struct rights *r)
{
    if (served->app->hosted != NULL)
        return r->valid ? access_in(served->app, served, r->arena, r->read_only,
                                    r->folders, r->n_folders)
                        : app_nothing(r->arena);
    return r->access[served - served->app->vaults];
}

bool app_may_read(const struct app_vault *served, const struct mcp_caller *caller,
                  str path)
{
    if (served->app->hosted == NULL)
        return vault_may_read(app_vault_for(served, caller), path);
    if (!app_sees(served, caller) || !access_reads(&served->app->access, path))
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
                  str_ends(names, STR("...")) ? " (vault_info lists more)" : "");
    arena_release(&a);
    return false;
}
