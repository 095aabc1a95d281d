#include "app/setup/app.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/sbuf.h"

bool app_has_several(const struct app *app)
{
    return app->n_vaults > 1 || app->hosted != NULL;
}

str app_uri(struct arena *a, const struct app_vault *v, str path)
{
    str name = app_has_several(v->app) ? v->name : STR("");
    return arena_printf(a, "vault://" STR_FMT "/" STR_FMT, STR_ARG(name),
                        STR_ARG(encode_percent(a, path)));
}

bool app_uri_parts(str uri, str *name, str *path)
{
    const str start = STR("vault://");
    str rest = str_skip(uri, start.n);
    *name = str_slice(rest, 0, str_find_char(rest, '/'));
    *path = str_skip(rest, name->n + 1);
    return str_starts(uri, start);
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
    if (app->hosted != NULL) /* not everyone may know them */
        return STR("Vaults");
    for (size_t i = 0; i < app->n_vaults; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(app->vaults[i].name));
    return sbuf_str(&out);
}
