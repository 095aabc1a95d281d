#include "app/tools/chatgpt.h"

#include "app/kit/tool_kit.h"
#include "app/setup/app.h"
#include "base/encode.h"
#include "vault/vault.h"

str chatgpt_id(struct arena *a, const struct app_vault *v, str path)
{
    return v->app->n_vaults < 2
               ? path
               : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(v->name), STR_ARG(path));
}

/* For a query string, where some characters that encode_percent() leaves unescaped in a
 * path have a meaning. */
static void add_value(struct sbuf *out, struct arena *a, str value)
{
    str text = encode_percent(a, value);
    for (size_t i = 0; i < text.n; i++) {
        if (strchr("&+=;", text.p[i]) != NULL)
            sbuf_printf(out, "%%%02X", (unsigned)text.p[i]);
        else
            sbuf_char(out, text.p[i]);
    }
}

str chatgpt_url(struct arena *a, const struct app_vault *v, str path)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("obsidian://open?vault="));
    add_value(&out, a, vault_name(v->vault)); /* the name Obsidian uses */
    sbuf_add(&out, STR("&file="));
    add_value(&out, a, path);
    return sbuf_str(&out);
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
