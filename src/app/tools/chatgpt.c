#include "app/tools/chatgpt.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_support.h"
#include "vault/text/obsidian_url.h"
#include "vault/vault.h"

str chatgpt_id(struct arena *a, const struct app_vault *v, str path)
{
    return !app_has_several(v->app)
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
    if (!app_has_several(app_of(call)))
        return true;
    const struct app_vault *v = NULL;
    if (str_find_char(id, '/') != STR_NONE && str_next(path, '/', &name))
        v = vaults_find(app_of(call), call->caller, name);
    if (v == NULL)
        return err_named(err, E_FILE_NOT_FOUND,
                         "no such document: use the id of a search result");
    return tool_use(call, v, err);
}
