#include "mcp/skill.h"

#include "base/encode.h"
#include "mcp/call_running.h"
#include "mcp/core.h"

static void put_skill_file(struct jsonw *w, struct arena *a,
                           const struct mcp_skill_file *f)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("uri"), f->uri);
    jsonw_put_str(
        w, STR("digest"),
        arena_printf(a, "sha256:" STR_FMT,
                     STR_ARG(encode_hex(a, (str){(const char *)f->digest, HASH_SIZE}))));
    jsonw_put_int(w, STR("size"), (int64_t)f->size);
    jsonw_end(w);
}

void mcp_put_skill(struct mcp_call *call, const struct mcp_skill *skill)
{
    struct jsonw *w = ((struct mcp_running_call *)call)->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("uri"), skill->uri);
    jsonw_put_value(w, STR("frontmatter"),
                    &(struct json){.type = JSON_OBJECT, .raw = skill->frontmatter});
    jsonw_put_array(w, STR("resources"));
    for (size_t i = 0; i < skill->n; i++)
        put_skill_file(w, call->arena, &skill->files[i]);
    jsonw_end(w);
    jsonw_end(w);
}

/* --- the methods --- */

/* Whether a handler is done; if not, *out is how the run ends. */
static bool skill_is_done(struct mcp_request *r, bool ok, const struct err *err,
                          enum mcp_outcome *out)
{
    *out = MCP_DONE;
    if (mcp_must_wait(r, ok, err))
        *out = MCP_WAITING;
    else if (!ok && (err->code == ERR_INTERNAL || err->code == ERR_BUSY))
        *out = mcp_failed(r, RPC_INTERNAL_ERROR, "%s", err->msg);
    else if (!ok)
        *out = mcp_failed(r, RPC_INVALID_PARAMS, "%s", err->msg);
    return *out == MCP_DONE;
}

static bool skill_cursor(struct mcp_request *r, str *out)
{
    const struct json *j = json_get(r->params, STR("cursor"));
    str text = {0};
    *out = text;
    if (j == NULL || (json_str(j, &text) && decode_base64url(&r->arena, text, out)))
        return true;
    mcp_failed(r, RPC_INVALID_PARAMS,
               "Invalid cursor: use nextCursor of the previous page");
    return false;
}

enum mcp_outcome mcp_skills_list(struct mcp_request *r, struct jsonw *w)
{
    struct mcp_running_call c;
    struct err err = {0};
    enum mcp_outcome outcome;
    str cursor;
    if (!skill_cursor(r, &cursor))
        return MCP_FAILED;
    jsonw_put_array(w, STR("skills"));
    mcp_call_init(&c, r, MCP_CALL_LIST, w);
    bool ok = r->server->config.skills->list(&c.open, cursor, &err);
    if (!skill_is_done(r, ok, &err, &outcome))
        return outcome;
    jsonw_end(w);
    if (c.cursor.n > 0)
        jsonw_put_str(w, STR("nextCursor"), encode_base64url(&r->arena, c.cursor));
    return MCP_DONE;
}

static bool skill_uri(struct mcp_request *r, str *uri)
{
    if (json_str(json_get(r->params, STR("uri")), uri)) {
        r->name = *uri;
        return true;
    }
    mcp_failed(r, RPC_INVALID_PARAMS, STR_FMT " needs uri (a string)",
               STR_ARG(r->method));
    return false;
}

enum mcp_outcome mcp_skills_get(struct mcp_request *r, struct jsonw *w)
{
    struct mcp_running_call c;
    struct err err = {0};
    enum mcp_outcome outcome;
    str uri;
    if (!skill_uri(r, &uri))
        return MCP_FAILED;
    jsonw_key(w, STR("skill"));
    mcp_call_init(&c, r, MCP_CALL_LIST, w);
    bool ok = r->server->config.skills->get(&c.open, uri, &err);
    (void)skill_is_done(r, ok, &err, &outcome);
    return outcome;
}

enum mcp_outcome mcp_resources_folder(struct mcp_request *r, struct jsonw *w)
{
    struct mcp_running_call c;
    struct err err = {0};
    enum mcp_outcome outcome;
    str uri;
    if (!skill_uri(r, &uri))
        return MCP_FAILED;
    jsonw_put_array(w, STR("resources"));
    mcp_call_init(&c, r, MCP_CALL_LIST, w);
    bool ok = r->server->config.skills->folder(&c.open, uri, &err);
    if (!skill_is_done(r, ok, &err, &outcome))
        return outcome;
    jsonw_end(w);
    return MCP_DONE;
}
