/*
 * The smaller endpoints: /oauth/register (RFC 7591), /oauth/revoke (RFC 7009) and
 * /oauth/introspect (RFC 7662).
 */
#include "base/json_write.h"
#include "http/form.h"
#include "http/request.h"
#include "oauth/clients.h"
#include "oauth/endpoint.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/rights.h"

static void do_register(struct endpoint *e)
{
    str answer, code = STR("invalid_client_metadata");
    struct err err = {0};
    if (!str_eq_nocase(http_content_type(e->request), STR("application/json")))
        err_set(&err, ERR_INVALID, "the body must be application/json");
    else if (clients_register(e->oauth, e->arena, e->request->peer, e->request->body,
                              &answer, &code, &err)) {
        endpoint_reply(e, 201, answer);
        return;
    }
    struct oauth_fault fault = {400, arena_str(e->arena, code).p, err.msg};
    if (err.code == ERR_LIMIT)
        fault.status = 429;
    else if (err.code != ERR_INVALID)
        fault_of_store(&fault, &err);
    audit(LOG_INFO, "oauth.refused", STR(""), STR(""), STR(""), fault.code);
    endpoint_refuse(e, &fault);
}

void register_handle(struct http_exchange *x, void *oauth)
{
    endpoint_run(oauth, x, do_register);
}

static void do_revoke(struct endpoint *e)
{
    struct form f;
    struct oauth_client client;
    struct oauth_fault fault;
    struct err err;
    if (!endpoint_form(e, &f))
        return;
    if (!endpoint_client(e, &f, &client, &fault)) {
        endpoint_refuse(e, &fault);
        return;
    }
    str token = form_get(&f, STR("token"));
    if (token.p == NULL) {
        fault_set(&fault, 400, "invalid_request", "token is required");
        endpoint_refuse(e, &fault);
    } else if (!grants_revoke_token(e->oauth, client.id, token, &err)) {
        fault_of_store(&fault, &err);
        endpoint_refuse(e, &fault);
    } else {
        endpoint_reply(e, 200, STR("{}"));
    }
}

void revoke_handle(struct http_exchange *x, void *oauth)
{
    endpoint_run(oauth, x, do_revoke);
}

/* --- introspection: for operators with an API key, and for configured clients --- */

static bool refuse_unsure(struct oauth_fault *fault)
{
    return fault_set(fault, 503, "temporarily_unavailable",
                     "The server cannot check tokens at the moment; try again");
}

static bool may_introspect(struct endpoint *e, const struct form *f,
                           struct oauth_fault *fault)
{
    str bearer = http_header(e->request, STR("authorization"));
    struct oauth_grant key;
    struct oauth_client client;
    bool unsure;
    if (bearer.n > 7 && str_eq_nocase(str_slice(bearer, 0, 7), STR("Bearer ")))
        return (grant_of_token(e->oauth, e->arena, str_skip(bearer, 7), &key, &unsure) &&
                key.id < 0) ||
               (unsure
                    ? refuse_unsure(fault)
                    : fault_set(fault, 401, "invalid_token", "This is not an API key"));
    if (!endpoint_client(e, f, &client, fault))
        return false;
    return (client.kind == CLIENT_CONFIGURED && client.auth != CLIENT_PUBLIC) ||
           fault_set(fault, 401, "invalid_client", "The client may not inspect tokens");
}

static str print_grant(struct endpoint *e, const struct oauth_grant *g)
{
    struct sbuf out = SBUF_ON(e->arena);
    struct jsonw w = JSONW_ON(&out);
    str scope = rights_print_scopes(e->arena, g->rights.scopes);
    jsonw_object(&w);
    jsonw_put_bool(&w, STR("active"), true);
    jsonw_put_str(&w, STR("scope"), scope);
    jsonw_put_str(&w, STR("client_id"), g->client_id);
    jsonw_put_str(&w, STR("username"), g->user);
    jsonw_put_str(&w, STR("sub"), g->user);
    jsonw_put_str(&w, STR("token_type"), STR("Bearer"));
    jsonw_put_str(&w, STR("iss"), e->oauth->config.url);
    jsonw_put_str(&w, STR("aud"), e->oauth->resource);
    if (g->expires > 0)
        jsonw_put_int(&w, STR("exp"), g->expires);
    jsonw_end(&w);
    return sbuf_str(&out);
}

static void do_introspect(struct endpoint *e)
{
    struct form f;
    struct oauth_fault fault;
    struct oauth_grant g;
    bool unsure;
    if (!endpoint_form(e, &f))
        return;
    str token = form_get(&f, STR("token"));
    if (!may_introspect(e, &f, &fault)) {
        endpoint_refuse(e, &fault);
    } else if (token.p == NULL) {
        fault_set(&fault, 400, "invalid_request", "token is required");
        endpoint_refuse(e, &fault);
    } else if (grant_of_token(e->oauth, e->arena, token, &g, &unsure)) {
        endpoint_reply(e, 200, print_grant(e, &g));
    } else if (unsure) {
        refuse_unsure(&fault);
        endpoint_refuse(e, &fault);
    } else {
        endpoint_reply(e, 200, STR("{\"active\":false}"));
    }
}

void introspect_handle(struct http_exchange *x, void *oauth)
{
    endpoint_run(oauth, x, do_introspect);
}
