#include "app/catalog/base_resource.h"

#include "app/answers/answer.h"
#include "app/answers/tabled.h"
#include "app/catalog/complete.h"
#include "app/tool_support/tool_support.h"
#include "base/path.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/ask/base_find.h"
#include "vault/index/index.h"

/* --- reading --- */

static bool base_resource_text(struct mcp_call *call, const struct index *x,
                               struct sbuf *text, struct err *err)
{
    struct stop stop = tool_stopping(call);
    struct model_text say = {.out = text, .max = SIZE_MAX};
    struct tabled t;
    str path;
    if (!path_clean(call->arena, mcp_variable(call, STR("path")), &path, err))
        return false;
    const struct base_request request = {.base = path,
                                         .view = mcp_variable(call, STR("view"))};
    if (!tabled_find(tool_vault(call), x, call->arena, &request, 0, 0, &stop, &t, err))
        return false;
    answer_text(&say, &tabled_shape, &t);
    return true;
}

static bool base_resource_read(struct mcp_call *call, str uri, struct err *err)
{
    struct sbuf text = SBUF_ON(call->arena);
    if (!tool_use_named(call, mcp_variable(call, STR("vault")), err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = base_resource_text(call, x, &text, err);
    tool_unlock(call);
    if (ok)
        mcp_resource_text(call, uri, STR("text/plain"), sbuf_str(&text));
    return ok;
}

/* --- completing --- */

static bool begins_with(struct arena *a, str text, str typed)
{
    return str_starts(utf8_fold(a, text), utf8_fold(a, typed));
}

static void suggest_bases(struct mcp_call *call, const struct index *x, str typed)
{
    const struct file *f;
    for (size_t i = 0; (f = index_nth(x, i)) != NULL; i++)
        if (f->kind == FILE_BASE && (begins_with(call->arena, f->path, typed) ||
                                     begins_with(call->arena, path_name(f->path), typed)))
            mcp_suggest(call, f->path);
}

/* The views of the base that the client has chosen already. */
static void suggest_views(struct mcp_call *call, const struct index *x, str typed)
{
    struct err ignored;
    struct base_found found;
    const struct base_request request = {.base = json_get_str(call->args, STR("path"))};
    if (!base_find(x, call->arena, &request, &found, &ignored))
        return;
    for (size_t i = 0; i < found.base.n_views; i++)
        if (begins_with(call->arena, found.base.views[i].name, typed))
            mcp_suggest(call, found.base.views[i].name);
}

static bool base_resource_complete(struct mcp_call *call, str variable, str typed,
                                   struct err *err)
{
    if (str_eq(variable, STR("vault")))
        return complete_vault(call, typed);
    if (!tool_use_named(call, json_get_str(call->args, STR("vault")), err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    if (str_eq(variable, STR("view")))
        suggest_views(call, x, typed);
    else
        suggest_bases(call, x, typed);
    tool_unlock(call);
    return true;
}

#define BASE_ROW(uri_, example)                                                          \
    {                                                                                    \
        .uri = (uri_), .name = "base", .title = "A view of a base",                      \
        .about = "The table that a view of a .base file shows, e.g. " example ".",       \
        .mime = "text/plain", .read = base_resource_read,                                \
        .complete = base_resource_complete                                               \
    }

const struct mcp_resource base_resource =
    BASE_ROW("vault-base:///{view}/{+path}", "vault-base:///Active/Projects.base");
const struct mcp_resource base_resource_of_many = BASE_ROW(
    "vault-base://{vault}/{view}/{+path}", "vault-base://work/Active/Projects.base");
