#include "oauth/gate.h"

#include "base/json_write.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/grants.h"
#include "oauth/parts.h"

#define GATE_RETRY_S "5"

/* A parameter with a quoted-string (RFC 9110). */
static void add_parameter(struct sbuf *out, const char *name, str value)
{
    if (!str_ends(sbuf_str(out), STR("Bearer ")))
        sbuf_add(out, STR(", "));
    sbuf_printf(out, "%s=\"", name);
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '"' || value.p[i] == '\\')
            sbuf_char(out, '\\');
        sbuf_char(out, value.p[i]);
    }
    sbuf_char(out, '"');
}

struct challenge {
    int status;
    const char *error; /* NULL: not in the header */
    const char *body_error, *text;
    str scope;
};

/* A client that uses the root document (contract 001) expects errors in the format of its
 * tools. */
static void put_body(const struct oauth *o, const struct challenge *c, struct sbuf *out)
{
    struct jsonw w = JSONW_ON(out);
    jsonw_object(&w);
    if (o->config.root_challenge && c->status == 401) {
        jsonw_put_object(&w, STR("error"));
        jsonw_put_str(&w, STR("code"), STR("AUTH_REQUIRED"));
        jsonw_put_str(&w, STR("message"), str_c(c->text));
        jsonw_end(&w);
    } else {
        jsonw_put_str(&w, STR("error"), str_c(c->body_error));
        jsonw_put_str(&w, STR("error_description"), str_c(c->text));
    }
    jsonw_end(&w);
}

/* Clients check that the document is about the address that they use. */
static str metadata_for(const struct oauth *o, struct http_exchange *x)
{
    bool root = str_eq(http_request_of(x)->path, STR("/"));
    return root ? o->root_metadata_url : o->metadata_url;
}

static void challenge(struct oauth *o, struct http_exchange *x, const struct challenge *c)
{
    struct arena a = {0};
    str metadata = metadata_for(o, x);
    struct sbuf header = SBUF_ON(&a), body = SBUF_ON(&a);
    sbuf_add(&header, STR("Bearer "));
    if (c->status != 403)
        add_parameter(&header, "resource_metadata", metadata);
    if (c->error != NULL)
        add_parameter(&header, "error", str_c(c->error));
    add_parameter(&header, "scope", c->scope);
    if (c->status == 403)
        add_parameter(&header, "resource_metadata", metadata);
    if (c->error != NULL)
        add_parameter(&header, "error_description", str_c(c->text));
    put_body(o, c, &body);
    struct http_response r = {.status = c->status,
                              .content_type = STR("application/json"),
                              .body = sbuf_str(&body)};
    if (c->status != 400)
        http_add_header(&r, STR("WWW-Authenticate"), sbuf_str(&header));
    http_add_header(&r, STR("Cache-Control"), STR("no-store"));
    http_reply(x, &r);
    arena_release(&a);
}

/* Nobody knows at the moment: a client that is refused would sign in again. */
static void reply_unsure(struct http_exchange *x)
{
    struct http_response r = {
        .status = 503,
        .content_type = STR("application/json"),
        .body = STR("{\"error\":\"temporarily_unavailable\",\"error_description\":\"The "
                    "server cannot check the token at the moment; try again\"}")};
    http_add_header(&r, STR("Retry-After"), STR(GATE_RETRY_S));
    http_add_header(&r, STR("Cache-Control"), STR("no-store"));
    http_reply(x, &r);
}

/* The scopes a client should request: all of them; users can grant less. */
static str offered(const struct oauth *o)
{
    return o->config.read_only ? STR("vault:read") : STR("vault:read vault:write");
}

/* The token after "Bearer " (in any case). p NULL: there is none. */
static str bearer_of(str header)
{
    const str scheme = STR("Bearer ");
    if (header.n < scheme.n || !str_eq_nocase(str_slice(header, 0, scheme.n), scheme))
        return (str){0};
    return str_skip(header, scheme.n);
}

bool gate_pass(struct oauth *o, struct http_exchange *x, struct arena *a,
               struct oauth_grant *out)
{
    const struct http_request *r = http_request_of(x);
    if (http_header_count(r, STR("authorization")) > 1) {
        challenge(o, x,
                  &(struct challenge){400, "invalid_request", "invalid_request",
                                      "duplicate Authorization header", offered(o)});
        return false;
    }
    bool unsure;
    str token = bearer_of(http_header(r, STR("authorization")));
    if (token.p == NULL) {
        challenge(o, x,
                  &(struct challenge){401, NULL, "unauthorized",
                                      "Sign in: this server requires a token",
                                      offered(o)});
        return false;
    }
    if (grant_of_token(o, a, token, out, &unsure))
        return true;
    if (unsure) {
        reply_unsure(x);
        return false;
    }
    audit(LOG_DEBUG, "oauth.refused", STR(""), STR(""), token, "invalid_token");
    challenge(o, x,
              &(struct challenge){401, "invalid_token", "invalid_token",
                                  "The token is unknown, expired or revoked",
                                  offered(o)});
    return false;
}

void gate_refuse(struct oauth *o, struct http_exchange *x)
{
    challenge(o, x,
              &(struct challenge){403, "insufficient_scope", "insufficient_scope",
                                  "This connection may read the vault but not change it: "
                                  "connect again and allow changes",
                                  STR("vault:write")});
}
