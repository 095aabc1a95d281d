#include "app/setup/app.h"

#include "base/sbuf.h"
#include "vault/access.h"
#include "vault/vault.h"

struct vault *app_vault_for(const struct app_vault *served, struct arena *a,
                            const struct mcp_caller *caller)
{
    struct access grant = {0}, nothing;
    struct err err;
    if (caller->grant.n == 0)
        return served->vault;
    if (!access_parse(a, caller->grant, &grant, &err)) { /* rather nothing than all */
        str root = STR("/");
        struct access_wish wish = {.read_only = true, .deny = &root, .n_deny = 1};
        if (!access_make(a, &wish, &nothing, &err))
            BUG("%s", err.msg);
        grant = nothing;
    }
    return vault_as(served->vault, a, &grant);
}

struct app_vault *app_find_vault(const struct app *app, str name)
{
    for (size_t i = 0; i < app->n_vaults; i++)
        if (str_eq_nocase(app->vaults[i].name, name))
            return &app->vaults[i];
    return NULL;
}

str app_names(const struct app *app, struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < app->n_vaults; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(app->vaults[i].name));
    return sbuf_str(&out);
}
