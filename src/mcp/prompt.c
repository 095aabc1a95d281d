#include "mcp/prompt.h"

#include "base/utf8.h"
#include "mcp/call.h"
#include "mcp/call_running.h"
#include "mcp/core.h"
#include "mcp/resource.h"

static size_t prompt_index(const struct mcp_server *s, str name)
{
    for (size_t i = 0; i < s->n_prompts; i++)
        if (str_eq(name, str_c(s->config.prompts[i]->name)))
            return i;
    return STR_NONE;
}

static const struct mcp_prompt *prompt_find(const struct mcp_server *s, str name)
{
    size_t i = prompt_index(s, name);
    return i != STR_NONE ? s->config.prompts[i] : NULL;
}

void mcp_list_prompt(struct mcp_call *call, const struct mcp_listed_prompt *item)
{
    struct mcp_running_call *c = (struct mcp_running_call *)call;
    struct jsonw *w = c->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), item->name);
    if (item->title.n > 0 && c->request->client.revision >= MCP_2025_06_18)
        jsonw_put_str(w, STR("title"), item->title);
    jsonw_put_text(w, STR("description"), item->about);
    jsonw_put_array(w, STR("arguments"));
    for (size_t i = 0; i < item->n_arguments; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("name"), item->arguments[i].name);
        jsonw_put_text(w, STR("description"), item->arguments[i].about);
        jsonw_put_bool(w, STR("required"), item->arguments[i].required);
        jsonw_end(w);
    }
    jsonw_end(w);
    jsonw_end(w);
}

static void put_argument(struct jsonw *w, struct mcp_request *r,
                         const struct mcp_field *f)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), str_c(f->name));
    if (f->title != NULL && r->client.revision >= MCP_2025_06_18)
        jsonw_put_str(w, STR("title"), str_c(f->title));
    jsonw_put_text(w, STR("description"), mcp_words(r, str_c(f->about)));
    jsonw_put_bool(w, STR("required"), (f->flags & MCP_REQUIRED) != 0);
    jsonw_end(w);
}

static void put_prompt(struct jsonw *w, struct mcp_request *r, size_t i)
{
    const struct mcp_prompt *p = r->server->config.prompts[i];
    const struct mcp_field *fields = r->server->prompt_forms[i].fields;
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), str_c(p->name));
    if (p->title != NULL && r->client.revision >= MCP_2025_06_18)
        jsonw_put_str(w, STR("title"), str_c(p->title));
    jsonw_put_str(w, STR("description"), mcp_words(r, str_c(p->about)));
    if (fields != NULL) {
        jsonw_put_array(w, STR("arguments"));
        for (const struct mcp_field *f = fields; f->name != NULL; f++)
            put_argument(w, r, f);
        jsonw_end(w);
    }
    jsonw_end(w);
}

enum mcp_outcome mcp_prompts_list(struct mcp_request *r, struct jsonw *w)
{
    size_t n = r->server->n_prompts;
    struct mcp_page page;
    if (!mcp_page_read(r, n, &page))
        return MCP_FAILED;
    jsonw_put_array(w, STR("prompts"));
    for (size_t i = page.from; i < page.to; i++)
        put_prompt(w, r, i);
    struct mcp_running_call c;
    struct err err = {0};
    mcp_call_init(&c, r, MCP_CALL_LIST, w);
    const struct mcp_prompt_family *more = r->server->config.more_prompts;
    bool ok = more == NULL || page.to < n || more->list(&c.open, &err);
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok)
        return mcp_failed(r, RPC_INTERNAL_ERROR, "%s", err.msg);
    jsonw_end(w);
    mcp_page_cursor(w, n, &page);
    return MCP_DONE;
}

bool mcp_prompts_list_is_quick(const struct mcp_request *r)
{
    return r->server->config.more_prompts == NULL;
}

static enum mcp_outcome unknown_prompt(struct mcp_request *r, str name)
{
    return mcp_failed(r, RPC_INVALID_PARAMS, "Unknown prompt: %.*s",
                      STR_ARG(utf8_cut(name, 100)));
}

static enum mcp_outcome run_failed(struct mcp_request *r, const struct err *err)
{
    return mcp_failed(r,
                      err->code == ERR_INTERNAL ? RPC_INTERNAL_ERROR : RPC_INVALID_PARAMS,
                      "%s", err->msg);
}

/* A prompt of the family. */
static enum mcp_outcome get_more(struct mcp_request *r, struct jsonw *w, str name)
{
    const struct mcp_prompt_family *more = r->server->config.more_prompts;
    if (more == NULL)
        return unknown_prompt(r, name);
    struct mcp_running_call c;
    mcp_call_init(&c, r, MCP_CALL_PROMPT, w);
    c.open.args = json_get(r->params, STR("arguments"));
    r->name = name;
    str about = {0};
    struct err err = {0};
    jsonw_put_array(w, STR("messages"));
    bool ok = more->run(&c.open, name, &about, &err);
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok)
        return err.code == ERR_NOT_FOUND ? unknown_prompt(r, name) : run_failed(r, &err);
    jsonw_end(w);
    jsonw_put_text(w, STR("description"), about);
    return MCP_DONE;
}

enum mcp_outcome mcp_prompts_get(struct mcp_request *r, struct jsonw *w)
{
    str name;
    if (!json_str(json_get(r->params, STR("name")), &name))
        return mcp_failed(r, RPC_INVALID_PARAMS, "prompts/get needs name (a string)");
    size_t i = prompt_index(r->server, name);
    if (i == STR_NONE)
        return get_more(r, w, name);
    const struct mcp_prompt *p = r->server->config.prompts[i];
    r->name = name;
    struct mcp_running_call c;
    mcp_call_init(&c, r, MCP_CALL_PROMPT, w);
    struct err err = {0};
    if (!mcp_call_read(&c, &r->server->prompt_forms[i],
                       json_get(r->params, STR("arguments")), false, &err))
        return mcp_failed(r, RPC_INVALID_PARAMS, "%s", err.msg);

    jsonw_put_str(w, STR("description"), mcp_words(r, str_c(p->about)));
    jsonw_put_array(w, STR("messages"));
    r->error.code = 0;
    bool ok = p->run(&c.open, &err);
    if (r->error.code != 0)
        return MCP_FAILED;
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok)
        return run_failed(r, &err);
    if (r->asking)
        return MCP_ASKING;
    jsonw_end(w);
    return MCP_DONE;
}

bool mcp_prompt_is_quick(const struct mcp_request *r)
{
    const struct mcp_prompt *p =
        prompt_find(r->server, json_get_str(r->params, STR("name")));
    return p != NULL ? p->quick : r->server->config.more_prompts == NULL;
}

/* --- completion/complete --- */

typedef bool (*completer)(struct mcp_call *call, str argument, str typed,
                          struct err *err);

static const struct mcp_resource *find_template(const struct mcp_server *s, str uri)
{
    for (size_t i = 0; i < s->n_resources; i++)
        if (str_eq(uri, str_c(s->config.resources[i]->uri)))
            return s->config.resources[i];
    return NULL;
}

/* What ref refers to, and its completion function, NULL if it has none. False: not
 * found. */
static bool find_completer(struct mcp_request *r, completer *out)
{
    const struct json *ref = json_get(r->params, STR("ref"));
    str type = json_get_str(ref, STR("type"));
    if (str_eq(type, STR("ref/prompt"))) {
        const struct mcp_prompt *p =
            prompt_find(r->server, json_get_str(ref, STR("name")));
        *out = p != NULL ? p->complete : NULL;
        return p != NULL || r->server->config.more_prompts != NULL;
    }
    const struct mcp_resource *t =
        find_template(r->server, json_get_str(ref, STR("uri")));
    *out = t != NULL ? t->complete : NULL;
    return t != NULL && str_eq(type, STR("ref/resource"));
}

/* An argument of a prompt with a fixed set of values needs no function. */
static const struct mcp_field *find_choice(const struct mcp_request *r, str argument)
{
    const struct json *ref = json_get(r->params, STR("ref"));
    size_t i = prompt_index(r->server, json_get_str(ref, STR("name")));
    const struct mcp_field *f = i != STR_NONE ? r->server->prompt_forms[i].fields : NULL;
    for (; f != NULL && f->name != NULL; f++)
        if (f->type == MCP_ENUM && str_eq(argument, str_c(f->name)))
            return f;
    return NULL;
}

static void suggest_choices(struct mcp_call *call, const struct mcp_field *f, str typed)
{
    for (const char *const *choice = f->choices; *choice != NULL; choice++)
        if (str_eq_nocase(str_slice(str_c(*choice), 0, typed.n), typed))
            mcp_suggest(call, str_c(*choice));
}

enum mcp_outcome mcp_complete(struct mcp_request *r, struct jsonw *w)
{
    const struct json *argument = json_get(r->params, STR("argument"));
    str name, typed;
    if (!json_str(json_get(argument, STR("name")), &name) ||
        !json_str(json_get(argument, STR("value")), &typed))
        return mcp_failed(r, RPC_INVALID_PARAMS,
                          "argument needs name and value (both strings)");
    completer complete;
    if (!find_completer(r, &complete))
        return mcp_failed(r, RPC_INVALID_PARAMS,
                          "ref is not a prompt or resource template of this server");

    struct mcp_running_call c;
    mcp_call_init(&c, r, MCP_CALL_COMPLETE, w);
    c.open.args = json_get(json_get(r->params, STR("context")), STR("arguments"));
    jsonw_put_object(w, STR("completion"));
    jsonw_put_array(w, STR("values"));
    struct err err = {0};
    const struct mcp_field *choice = find_choice(r, name);
    if (choice != NULL)
        suggest_choices(&c.open, choice, typed);
    bool ok = choice != NULL || complete == NULL || complete(&c.open, name, typed, &err);
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok)
        return mcp_failed(r, RPC_INVALID_PARAMS, "%s", err.msg);
    jsonw_end(w);
    jsonw_put_int(w, STR("total"), (int64_t)c.n);
    jsonw_put_bool(w, STR("hasMore"), c.n > 100);
    jsonw_end(w);
    return MCP_DONE;
}
