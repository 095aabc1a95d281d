#include "app/setup/app.h"

#include "base/hash.h"
#include "base/sbuf.h"
#include "vault/access.h"
#include "vault/vault.h"

/* A grant as parsed for one request, and the views of the vaults that it allows. */
struct rights {
    struct arena *arena;
    struct access access;
    struct vault **views; /* same order as app->vaults; NULL: not made yet */
};

void *app_read_grant(void *app, struct arena *a, str grant)
{
    const struct app *of = app;
    struct rights *r = ARENA_NEW(a, struct rights);
    struct err err;
    *r = (struct rights){.arena = a,
                         .views = ARENA_ARRAY(a, struct vault *, of->n_vaults)};
    if (!access_parse(a, grant, &r->access, &err)) { /* deny everything */
        str root = STR("/");
        struct access_wish wish = {.read_only = true, .deny = &root, .n_deny = 1};
        if (!access_make(a, &wish, &r->access, &err))
            BUG("%s", err.msg);
    }
    return r;
}

struct vault *app_vault_for(const struct app_vault *served,
                            const struct mcp_caller *caller)
{
    struct rights *r = caller->rights;
    if (caller->grant.n == 0)
        return served->vault;
    if (r == NULL)
        BUG("a grant that has not been read");
    struct vault **view = &r->views[served - served->app->vaults];
    if (*view == NULL)
        *view = vault_as(served->vault, r->arena, &r->access);
    return *view;
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
