#include "app/setup/app.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/sbuf.h"
#include "vault/access.h"
#include "vault/vault.h"

/* A grant as parsed for one request, and the views of the vaults that it allows; both in
 * the order of app->vaults. */
struct rights {
    struct arena *arena;
    struct access *access;
    struct vault **views; /* NULL: not made yet */
};

/* --- a grant as text: one access for each vault, with the line "vault" between --- */

static const str between = {"vault\n", 6};

static struct access app_nothing(struct arena *a)
{
    str root = STR("/");
    struct access out;
    struct err err;
    struct access_wish wish = {.read_only = true, .deny = &root, .n_deny = 1};
    if (!access_make(a, &wish, &out, &err))
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

/* Folders of other vaults allow nothing in this one. */
static struct access access_in(const struct app *app, size_t vault, struct arena *a,
                               bool read_only, const str *folders, size_t n)
{
    str *here = ARENA_ARRAY(a, str, n);
    struct access_wish wish = {.read_only = read_only, .literal = true, .read = here};
    struct access out;
    struct err err;
    for (size_t i = 0; i < n; i++) {
        str folder = folders[i];
        if (vault_of_folder(app, &folder) == vault)
            here[wish.n_read++] = folder.n > 0 ? folder : STR("/");
    }
    if (n > 0 && wish.n_read == 0)
        return app_nothing(a);
    if (access_make(a, &wish, &out, &err))
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
        struct access access = access_in(app, i, a, read_only, folders, n);
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

void *app_read_grant(void *app, struct arena *a, str grant)
{
    const struct app *of = app;
    struct rights *r = ARENA_NEW(a, struct rights);
    struct err err;
    *r = (struct rights){.arena = a,
                         .access = ARENA_ARRAY(a, struct access, of->n_vaults),
                         .views = ARENA_ARRAY(a, struct vault *, of->n_vaults)};
    for (size_t i = 0; i < of->n_vaults; i++) {
        str part = next_part(&grant);
        if (part.n == 0 || !access_parse(a, part, &r->access[i], &err))
            r->access[i] = app_nothing(a);
    }
    return r;
}

/* --- views --- */

struct vault *app_vault_for(const struct app_vault *served,
                            const struct mcp_caller *caller)
{
    struct rights *r = caller->rights;
    if (caller->grant.n == 0)
        return served->vault;
    if (r == NULL)
        BUG("a grant that has not been read");
    size_t i = (size_t)(served - served->app->vaults);
    if (r->views[i] == NULL)
        r->views[i] = vault_as(served->vault, r->arena, &r->access[i]);
    return r->views[i];
}

str app_uri(struct arena *a, const struct app_vault *v, str path)
{
    str name = v->app->n_vaults > 1 ? v->name : STR("");
    return arena_printf(a, "vault://" STR_FMT "/" STR_FMT, STR_ARG(name),
                        STR_ARG(encode_percent(a, path)));
}

struct app_vault *app_find_vault(const struct app *app, str name)
{
    for (size_t i = 0; i < app->n_vaults; i++)
        if (str_eq_nocase(app->vaults[i].name, name))
            return &app->vaults[i];
    return NULL;
}

const char *app_adr_folder(struct arena *a, const struct app *app)
{
    if (app->settings.adr_repo.n == 0)
        return NULL;
    unsigned long long id = hash_content(app->settings.adr_repo).high;
    return arena_printf(a, "%s/adr-%016llx", app->state_dir, id).p;
}

str app_names(const struct app *app, struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < app->n_vaults; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(app->vaults[i].name));
    return sbuf_str(&out);
}
