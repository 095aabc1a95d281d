/*
 * The documents that clients read first: RFC 9728 for the MCP endpoint, RFC 8414 for the
 * authorization server. Every URL in them begins with config.url; the request only
 * selects one of the known paths (SEC-04, SEC-10).
 */
#include "base/json_write.h"
#include "fetch/fetch.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/endpoint.h"
#include "oauth/parts.h"
#include "oauth/rights.h"
#include "oauth/uri.h"

static void metadata_reply(struct http_exchange *x, str body)
{
    struct http_response r = {
        .status = 200, .content_type = STR("application/json"), .body = body};
    http_add_header(&r, STR("Cache-Control"), STR("max-age=300"));
    http_reply(x, &r);
}

static void metadata_not_found(struct http_exchange *x)
{
    struct arena a = {0};
    struct http_response r;
    http_refusal(&a, 404, &r);
    http_reply(x, &r);
    arena_release(&a);
}

static void metadata_put_list(struct jsonw *w, str key, const char *const *words)
{
    jsonw_put_array(w, key);
    for (; *words != NULL; words++)
        jsonw_str(w, str_c(*words));
    jsonw_end(w);
}

static void put_scopes(const struct oauth *o, struct jsonw *w, bool offline)
{
    jsonw_put_array(w, STR("scopes_supported"));
    for (enum rights_level l = RIGHTS_READ;
         l <= rights_level_of(oauth_scopes(&o->config)); l++)
        if (l != RIGHTS_PROPOSE || !o->config.no_proposals)
            jsonw_str(w, rights_scope_name(l));
    if (offline)
        jsonw_str(w, STR("offline_access"));
    jsonw_end(w);
}

static void put_url(const struct oauth *o, struct jsonw *w, str key, const char *path)
{
    jsonw_key(w, key);
    jsonw_printf(w, STR_FMT "%s", STR_ARG(o->config.url), path);
}

/* The part of the request's path after the name of the document. */
static str suffix_of(struct http_exchange *x, str document)
{
    str path = http_request_of(x)->path;
    return str_starts(path, document) ? str_skip(path, document.n) : STR("/?");
}

void metadata_resource(struct http_exchange *x, void *oauth)
{
    struct oauth *o = oauth;
    struct arena a = {0};
    str suffix = suffix_of(x, STR("/.well-known/oauth-protected-resource"));
    bool root = suffix.n == 0;
    if (!root && !str_eq(suffix, o->config.mcp_path)) {
        metadata_not_found(x);
        return;
    }
    struct sbuf out = SBUF_ON(&a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("resource"), root ? o->config.url : o->resource);
    jsonw_put_array(&w, STR("authorization_servers"));
    jsonw_str(&w, o->config.url);
    jsonw_end(&w);
    metadata_put_list(&w, STR("bearer_methods_supported"),
                      (const char *[]){"header", NULL});
    put_scopes(o, &w, false);
    jsonw_put_text(&w, STR("resource_name"), o->config.vault_name);
    jsonw_end(&w);
    metadata_reply(x, sbuf_str(&out));
    arena_release(&a);
}

static str print_server(const struct oauth *o, struct arena *a)
{
    static const char *const auth[] = {"none", "client_secret_post",
                                       "client_secret_basic", NULL};
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    struct err ignored;
    jsonw_object(&w);
    jsonw_put_str(&w, STR("issuer"), o->config.url);
    put_url(o, &w, STR("authorization_endpoint"), "/oauth/authorize");
    put_url(o, &w, STR("token_endpoint"), "/oauth/token");
    put_url(o, &w, STR("registration_endpoint"), "/oauth/register");
    put_url(o, &w, STR("revocation_endpoint"), "/oauth/revoke");
    put_url(o, &w, STR("introspection_endpoint"), "/oauth/introspect");
    if (o->config.token_format == OAUTH_JWT)
        put_url(o, &w, STR("jwks_uri"), "/.well-known/jwks.json");
    metadata_put_list(&w, STR("response_types_supported"),
                      (const char *[]){"code", NULL});
    metadata_put_list(&w, STR("response_modes_supported"),
                      (const char *[]){"query", NULL});
    metadata_put_list(&w, STR("grant_types_supported"),
                      (const char *[]){"authorization_code", "client_credentials",
                                       "refresh_token", NULL});
    metadata_put_list(&w, STR("code_challenge_methods_supported"),
                      (const char *[]){"S256", NULL});
    metadata_put_list(&w, STR("token_endpoint_auth_methods_supported"), auth);
    metadata_put_list(&w, STR("revocation_endpoint_auth_methods_supported"), auth);
    put_scopes(o, &w, true);
    jsonw_put_bool(&w, STR("client_id_metadata_document_supported"),
                   fetch_is_possible(&ignored));
    jsonw_put_bool(&w, STR("authorization_response_iss_parameter_supported"), true);
    jsonw_end(&w);
    return sbuf_str(&out);
}

/* What may follow the document's name: the path of the issuer, if it has one, or, from
 * clients that take the endpoint's URL for the issuer, the path of the endpoint. */
static bool is_known_suffix(const struct oauth *o, str suffix)
{
    struct uri u;
    str issuer = uri_parse(o->config.url, &u) ? u.rest : STR("");
    return suffix.n == 0 || str_eq(suffix, issuer) || str_eq(suffix, o->config.mcp_path);
}

void metadata_server(struct http_exchange *x, void *oauth)
{
    struct oauth *o = oauth;
    struct arena a = {0};
    static const str documents[] = {{"/.well-known/oauth-authorization-server", 39},
                                    {"/.well-known/openid-configuration", 33}};
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(documents); i++)
        known = known || is_known_suffix(o, suffix_of(x, documents[i]));
    if (known)
        metadata_reply(x, print_server(o, &a));
    else
        metadata_not_found(x);
    arena_release(&a);
}

void metadata_keys(struct http_exchange *x, void *oauth)
{
    struct arena a = {0};
    metadata_reply(x, jwt_keys_print(oauth, &a));
    arena_release(&a);
}
