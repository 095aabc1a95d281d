/*
 * POST /oauth/token: the checks have a fixed order, so that a request with
 * several faults always gets the same answer.
 */
#include "base/json_write.h"
#include "http/form.h"
#include "oauth/endpoint.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/rights.h"
#include "oauth/uri.h"

static str print_answer(struct arena *a, const struct oauth_answer *answer)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    str scope = rights_print_scopes(a, answer->scopes);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("access_token"), answer->access_token);
    jsonw_put_str(&w, STR("token_type"), STR("Bearer"));
    jsonw_put_int(&w, STR("expires_in"), answer->expires_in);
    jsonw_put_text(&w, STR("refresh_token"), answer->refresh_token);
    jsonw_put_str(&w, STR("scope"), scope);
    jsonw_end(&w);
    return sbuf_str(&out);
}

static bool read_scope(const struct form *f, unsigned *out, struct oauth_fault *fault)
{
    str text = form_get(f, STR("scope"));
    *out = 0;
    return text.p == NULL || rights_read_scopes(text, out) ||
           fault_set(fault, 400, "invalid_scope", "The scope is malformed");
}

static bool missing(struct oauth_fault *fault, const char *text)
{
    return fault_set(fault, 400, "invalid_request", text);
}

static bool redeem(struct endpoint *e, const struct form *f,
                   const struct oauth_client *client, struct oauth_answer *out,
                   struct oauth_fault *fault)
{
    str code = form_get(f, STR("code")), verifier = form_get(f, STR("code_verifier"));
    if (code.p == NULL || verifier.p == NULL)
        return missing(fault, "code and code_verifier are required");
    return grants_redeem_code(e->oauth, e->arena, client, code, verifier,
                              form_get(f, STR("redirect_uri")), out, fault);
}

static bool token_refresh(struct endpoint *e, const struct form *f,
                          const struct oauth_client *client, struct oauth_answer *out,
                          struct oauth_fault *fault)
{
    unsigned scopes;
    str token = form_get(f, STR("refresh_token"));
    if (token.p == NULL)
        return missing(fault, "refresh_token is required");
    return read_scope(f, &scopes, fault) &&
           grants_refresh(e->oauth, e->arena, client, token, scopes, out, fault);
}

static bool credentials(struct endpoint *e, const struct form *f,
                        const struct oauth_client *client, struct oauth_answer *out,
                        struct oauth_fault *fault)
{
    unsigned scopes;
    return read_scope(f, &scopes, fault) &&
           grants_for_client(e->oauth, e->arena, client, scopes, out, fault);
}

static const struct grant_kind {
    str name;
    enum oauth_grant_type type;
    bool (*run)(struct endpoint *e, const struct form *f,
                const struct oauth_client *client, struct oauth_answer *out,
                struct oauth_fault *fault);
} kinds[] = {
    {{"authorization_code", 18}, GRANT_CODE, redeem},
    {{"refresh_token", 13}, GRANT_REFRESH, token_refresh},
    {{"client_credentials", 18}, GRANT_CREDENTIALS, credentials},
};

static bool find_kind(const struct form *f, const struct grant_kind **out,
                      struct oauth_fault *fault)
{
    str name = form_get(f, STR("grant_type"));
    if (name.p == NULL)
        return missing(fault, "grant_type is required");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (str_eq(name, kinds[i].name)) {
            *out = &kinds[i];
            return true;
        }
    }
    return fault_set(fault, 400, "unsupported_grant_type",
                     "grant_type must be authorization_code, refresh_token or "
                     "client_credentials");
}

static bool check_resource(const struct oauth *o, const struct form *f,
                           struct oauth_fault *fault)
{
    str resource = form_get(f, STR("resource"));
    return resource.p == NULL ||
           uri_is_resource(resource, o->config.url, o->config.mcp_path) ||
           fault_set(fault, 400, "invalid_target", "The resource is not this server");
}

static bool token_answer(struct endpoint *e, const struct form *f,
                         struct oauth_answer *out, struct oauth_fault *fault)
{
    const struct grant_kind *kind = NULL;
    struct oauth_client client = {0};
    if (find_kind(f, &kind, fault) && endpoint_client(e, f, &client, fault)) {
        if ((client.grants & kind->type) == 0)
            fault_set(fault, 400, "unauthorized_client",
                      "The client may not use this grant type");
        else if (check_resource(e->oauth, f, fault) &&
                 kind->run(e, f, &client, out, fault))
            return true;
    }
    audit(LOG_INFO, "oauth.refused", client.id, STR(""), STR(""), fault->code);
    return false;
}

static void token_work(struct endpoint *e)
{
    struct form f;
    struct oauth_answer out = {0};
    struct oauth_fault fault = {0};
    if (!endpoint_form(e, &f))
        return;
    if (token_answer(e, &f, &out, &fault))
        endpoint_reply(e, 200, print_answer(e->arena, &out));
    else
        endpoint_refuse(e, &fault);
}

void token_handle(struct http_exchange *x, void *oauth)
{
    endpoint_run(oauth, x, token_work);
}
