#include "app/catalog/resource_page.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_support.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "replica/read_your_writes.h"
#include "vault/text/hidden.h"
#include "vault/text/media.h"

/* --- contents --- */

void resource_flag_hidden(struct mcp_call *call, str uri, str text)
{
    struct hidden_list hidden;
    struct sbuf b = SBUF_ON(call->arena);
    hidden_find_read(text, 1, 0, &hidden);
    if (hidden.n == 0)
        return;
    sbuf_printf(&b, "The file contains %s\n", hidden_warning(&hidden));
    for (size_t i = 0; i < hidden.n; i++)
        sbuf_printf(&b, "line %zu: %s (%u)\n", hidden.items[i].line,
                    hidden_names[hidden.items[i].kind], hidden.items[i].count);
    mcp_resource_text(call,
                      arena_printf(call->arena, STR_FMT "#hidden-text", STR_ARG(uri)),
                      STR("text/plain"), sbuf_str(&b));
}

void resource_flag_stale(struct mcp_call *call, str uri)
{
    if (tool_is_stale(call))
        mcp_resource_text(call, arena_printf(call->arena, STR_FMT "#older", STR_ARG(uri)),
                          STR("text/plain"), STR(RYW_STALE));
}

void resource_put_bytes(struct mcp_call *call, str uri, str path, str bytes)
{
    str type = media_type(path);
    bool unknown = str_eq(type, STR(MEDIA_UNKNOWN));
    bool text = (media_is_text(type) || unknown) && utf8_valid(bytes) &&
                str_find_char(bytes, '\0') == STR_NONE;
    if (text) {
        mcp_resource_text(call, uri, unknown ? STR("text/plain") : type, bytes);
        resource_flag_hidden(call, uri, bytes);
    } else {
        mcp_resource_blob(call, uri, media_is_text(type) ? STR(MEDIA_UNKNOWN) : type,
                          bytes);
    }
    resource_flag_stale(call, uri);
}

/* --- lists --- */

struct place {
    struct app_vault **vaults; /* that the caller sees */
    size_t n, at;
    str after;
};

static bool read_cursor(struct mcp_call *call, str cursor, struct place *out,
                        struct err *err)
{
    str name = STR("");
    *out = (struct place){.after = cursor};
    out->n = vaults_seen(app_of(call), call->arena, call->caller, &out->vaults);
    if (cursor.n == 0)
        return true;
    (void)str_next(&out->after, '/', &name);
    while (out->at < out->n && !str_eq(out->vaults[out->at]->name, name))
        out->at++;
    return out->at < out->n ||
           err_set(err, ERR_INVALID,
                   "Invalid cursor: use nextCursor of the previous page");
}

static bool list_page(struct mcp_call *call, struct place *at, resource_page *list,
                      struct err *err)
{
    bool more = false;
    if (!tool_use(call, at->vaults[at->at], err) || !list(call, &at->after, &more, err))
        return false;
    if (!more) {
        at->at++;
        at->after = STR("");
    }
    if (at->at < at->n)
        mcp_list_more(call, arena_printf(call->arena, STR_FMT "/" STR_FMT,
                                         STR_ARG(at->vaults[at->at]->name),
                                         STR_ARG(at->after)));
    return true;
}

/* A hosted vault that cannot be opened is left out: it would keep the others from being
 * listed. */
bool resource_pages(struct mcp_call *call, str cursor, resource_page *list, bool *last,
                    struct err *err)
{
    struct place at;
    *last = false;
    if (!read_cursor(call, cursor, &at, err))
        return false;
    for (; at.at < at.n; at.at++, at.after = STR("")) {
        if (list_page(call, &at, list, err)) {
            *last = at.at == at.n;
            return true;
        }
        if (app_of(call)->hosted == NULL || err->code == ERR_NONE)
            return false;
    }
    *last = true;
    return true;
}
