#include "mcp/header_match.h"

#include "base/encode.h"
#include "base/utf8.h"
#include "http/request.h"
#include "mcp/core.h"
#include "mcp/jsonrpc.h"
#include "mcp/schema.h"
#include "mcp/tool.h"

#define VERSION STR("MCP-Protocol-Version")
#define METHOD STR("Mcp-Method")
#define NAME STR("Mcp-Name")

static bool mismatch(struct rpc_error *bad, str header, str got, str want)
{
    return rpc_fail(
        bad, MCP_HEADER_MISMATCH,
        "Header mismatch: " STR_FMT " header '%.*s' does not match body value '%.*s'",
        STR_ARG(header), STR_ARG(utf8_cut(got, 60)), STR_ARG(utf8_cut(want, 60)));
}

static bool missing(struct rpc_error *bad, str header)
{
    return rpc_fail(bad, MCP_HEADER_MISMATCH, "Header mismatch: " STR_FMT " is missing",
                    STR_ARG(header));
}

/* A duplicate header is refused: a proxy may have used the other value. */
static bool repeated(const struct http_request *h, str header, struct rpc_error *bad)
{
    if (http_header_count(h, header) <= 1)
        return false;
    rpc_fail(bad, MCP_HEADER_MISMATCH, "Header mismatch: duplicate " STR_FMT " header",
             STR_ARG(header));
    return true;
}

bool header_match_agrees(const struct http_request *h, str version,
                         const struct rpc_message *m, struct rpc_error *bad)
{
    if (repeated(h, VERSION, bad) || repeated(h, METHOD, bad) || repeated(h, NAME, bad))
        return false;
    str got = http_header(h, VERSION);
    if (got.p != NULL && !str_eq(got, version))
        return mismatch(bad, VERSION, got, version);
    got = http_header(h, METHOD);
    if (got.p != NULL && !str_eq(got, m->method))
        return mismatch(bad, METHOD, got, m->method);
    return true;
}

/* The part of params that Mcp-Name repeats; NULL if the method has none. */
static const struct json *named(const struct rpc_message *m)
{
    static const struct {
        const char *method, *member;
    } table[] = {
        {"tools/call", "name"},  {"prompts/get", "name"},    {"resources/read", "uri"},
        {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (str_eq(m->method, str_c(table[i].method)))
            return json_get(m->params, str_c(table[i].member));
    return NULL;
}

/* Plain text, or =?base64?…?= for what a header cannot carry. */
static bool decode_value(struct arena *a, str value, str *out)
{
    static const str prefix = {"=?base64?", 9}, suffix = {"?=", 2};
    *out = value;
    if (!str_starts(value, prefix) || !str_ends(value, suffix) ||
        value.n < prefix.n + suffix.n)
        return true;
    return decode_base64(a, str_slice(value, prefix.n, value.n - suffix.n), out);
}

bool header_match_complete(struct arena *a, const struct http_request *h,
                           const struct rpc_message *m, struct rpc_error *bad)
{
    if (http_header(h, VERSION).p == NULL)
        return missing(bad, VERSION);
    if (http_header(h, METHOD).p == NULL)
        return missing(bad, METHOD);
    str want, got, raw = http_header(h, NAME);
    if (!json_str(named(m), &want))
        return true;
    if (raw.p == NULL)
        return missing(bad, NAME);
    if (!decode_value(a, raw, &got))
        return rpc_fail(bad, MCP_HEADER_MISMATCH,
                        "Header mismatch: " STR_FMT " is not valid base64",
                        STR_ARG(NAME));
    return str_eq(got, want) || mismatch(bad, NAME, got, want);
}

/* Integers are compared by value (42 and 42.0 are equal), everything else as text. */
static bool same_value(struct arena *a, const struct json *j, str got)
{
    str text;
    int64_t number, other;
    const struct json *parsed;
    struct err err;
    if (json_str(j, &text))
        return str_eq(text, got);
    if (json_int(j, &number))
        return json_parse(a, got, &parsed, &err) && json_int(parsed, &other) &&
               number == other;
    return str_eq(j->raw, got);
}

static bool check_param(struct arena *a, const struct http_request *h, str marked,
                        const struct json *value, struct rpc_error *bad)
{
    str header = arena_printf(a, "Mcp-Param-" STR_FMT, STR_ARG(marked));
    str raw = http_header(h, header), got;
    if (value == NULL || json_is(value, JSON_NULL))
        return true;
    if (repeated(h, header, bad))
        return false;
    if (raw.p == NULL)
        return missing(bad, header);
    if (!decode_value(a, raw, &got))
        return rpc_fail(bad, MCP_HEADER_MISMATCH,
                        "Header mismatch: " STR_FMT " is not valid base64",
                        STR_ARG(header));
    return same_value(a, value, got) || mismatch(bad, header, got, value->raw);
}

bool header_match_params(struct arena *a, const struct http_request *h,
                         const struct mcp_server *s, const struct rpc_message *m,
                         struct rpc_error *bad)
{
    if (!str_eq(m->method, STR("tools/call")))
        return true;
    const struct mcp_tool *t = mcp_find_tool(s, json_get_str(m->params, STR("name")));
    const struct json *arguments = json_get(m->params, STR("arguments"));
    for (const struct mcp_field *f = t != NULL ? t->fields : NULL;
         f != NULL && f->name != NULL; f++)
        if (f->header != NULL &&
            !check_param(a, h, str_c(f->header), mcp_schema_find(f, arguments), bad))
            return false;
    return true;
}
