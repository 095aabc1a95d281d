#include "app/tools/chatgpt.h"

#include "app/kit/tool_kit.h"
#include "app/setup/app.h"
#include "vault/text/obsidian_url.h"
#include "vault/vault.h"

str chatgpt_id(struct arena *a, const struct app_vault *v, str path)
{
    return v->app->n_vaults < 2
               ? path
               : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(v->name), STR_ARG(path));
}

str chatgpt_url(struct arena *a, const struct app_vault *v, str path)
{
    return obsidian_url(a, vault_name(v->vault), path);
}

bool chatgpt_path(struct mcp_call *call, str id, str *path, struct err *err)
{
    str name;
    *path = id;
    if (app_of(call)->n_vaults < 2)
        return true;
    const struct app_vault *v = NULL;
    if (str_find_char(id, '/') != STR_NONE && str_next(path, '/', &name))
        v = app_find_vault(app_of(call), name);
    if (v == NULL)
        return err_named(err, E_FILE_NOT_FOUND,
                         "no such document: use the id of a search result");
    kit_use(call, v);
    return true;
}
