#include "mcp/jsonrpc.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

bool rpc_fail(struct rpc_error *e, int code, const char *fmt, ...)
{
    /* err_set() cuts an over-long text at a character, so use it for formatting */
    struct err err;
    char text[sizeof(e->message) * 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    err_set(&err, ERR_INVALID, "%s", text);
    e->code = code;
    memcpy(e->message, err.msg, sizeof(e->message));
    e->data = (str){0};
    return false;
}

static bool is_integer(const struct json *j)
{
    if (!json_is(j, JSON_NUMBER))
        return false;
    for (size_t i = 0; i < j->raw.n; i++)
        if (!is_digit(j->raw.p[i]) && j->raw.p[i] != '-')
            return false;
    return true;
}

static bool is_rpc_id(const struct json *j)
{
    return (json_is(j, JSON_STRING) || is_integer(j)) && j->raw.n <= RPC_ID_MAX;
}

bool rpc_read(const struct json *j, struct rpc_message *out, struct rpc_error *bad)
{
    *out = (struct rpc_message){0};
    if (!json_is(j, JSON_OBJECT))
        return rpc_fail(bad, RPC_INVALID_REQUEST, "A JSON-RPC message must be an object");
    const struct json *id = json_get(j, STR("id"));
    if (is_rpc_id(id))
        out->id = id;
    else if (id != NULL)
        return rpc_fail(bad, RPC_INVALID_REQUEST,
                        "id must be a string or an integer of at most %d bytes",
                        RPC_ID_MAX);
    if (!str_eq(json_get_str(j, STR("jsonrpc")), STR("2.0")))
        return rpc_fail(bad, RPC_INVALID_REQUEST, "jsonrpc must be \"2.0\"");

    const struct json *method = json_get(j, STR("method"));
    if (method == NULL) {
        out->kind = RPC_RESPONSE;
        out->result = json_get(j, STR("result"));
        out->error = json_get(j, STR("error"));
        if ((out->result == NULL) == (out->error == NULL) ||
            (out->id == NULL && out->error == NULL))
            return rpc_fail(
                bad, RPC_INVALID_REQUEST,
                "A message needs a method, or an id with a result or an error");
        return true;
    }
    if (!json_str(method, &out->method))
        return rpc_fail(bad, RPC_INVALID_REQUEST, "method must be a string");
    out->kind = out->id != NULL ? RPC_REQUEST : RPC_NOTIFICATION;
    out->params = json_get(j, STR("params"));
    if (out->params != NULL && !json_is(out->params, JSON_OBJECT))
        return rpc_fail(bad, RPC_INVALID_PARAMS, "params must be an object");
    return true;
}

static void jsonrpc_begin(struct jsonw *w)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("jsonrpc"), STR("2.0"));
}

void rpc_begin_result(struct jsonw *w, const struct json *id)
{
    jsonrpc_begin(w);
    jsonw_put_value(w, STR("id"), id);
    jsonw_put_object(w, STR("result"));
}

void rpc_begin_call(struct jsonw *w, str id, str method)
{
    jsonrpc_begin(w);
    jsonw_put_text(w, STR("id"), id);
    jsonw_put_str(w, STR("method"), method);
    jsonw_put_object(w, STR("params"));
}

str rpc_error_text(struct arena *a, const struct json *id, const struct rpc_error *e)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonrpc_begin(&w);
    if (id != NULL)
        jsonw_put_value(&w, STR("id"), id);
    jsonw_put_object(&w, STR("error"));
    jsonw_put_int(&w, STR("code"), e->code);
    jsonw_put_str(&w, STR("message"), str_c(e->message));
    const struct json *data = NULL;
    struct err err;
    if (e->data.n > 0 && json_parse(a, e->data, &data, &err))
        jsonw_put_value(&w, STR("data"), data);
    jsonw_end(&w);
    jsonw_end(&w);
    return sbuf_str(&out);
}
