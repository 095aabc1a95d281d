#include "oauth/gate.h"

#include "base/hash.h"
#include "base/json_write.h"
#include "http/address.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/rights.h"

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

/* Unknown at the moment: a client that is refused would sign in again. */
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

/* The scopes a client should request: all that it can get; users can grant less. */
static str offered(const struct oauth *o, struct arena *a)
{
    return rights_print_scopes(a, oauth_scopes(&o->config));
}

/* The token after "Bearer " (in any case). p NULL: there is none. */
static str bearer_of(str header)
{
    const str scheme = STR("Bearer ");
    if (header.n < scheme.n || !str_eq_nocase(str_slice(header, 0, scheme.n), scheme))
        return (str){0};
    return str_skip(header, scheme.n);
}

static const struct challenge challenges[] = {
    [GATE_NO_TOKEN] =
        {401, NULL, "unauthorized", "Sign in: this server requires a token", {0}},
    [GATE_TWO_TOKENS] = {400,
                         "invalid_request",
                         "invalid_request",
                         "duplicate Authorization header",
                         {0}},
    [GATE_UNKNOWN] = {401,
                      "invalid_token",
                      "invalid_token",
                      "The token is unknown, expired or revoked",
                      {0}},
};

void gate_answer(struct oauth *o, struct http_exchange *x, enum gate_verdict verdict)
{
    if (verdict == GATE_UNSURE) {
        reply_unsure(x);
        return;
    }
    struct arena a = {0};
    struct challenge c = challenges[verdict];
    c.scope = offered(o, &a);
    if (verdict == GATE_UNKNOWN)
        audit(LOG_DEBUG, "oauth.refused", STR(""), STR(""),
              bearer_of(http_header(http_request_of(x), STR("authorization"))),
              "invalid_token");
    challenge(o, x, &c);
    arena_release(&a);
}

/* A token that is being looked up. */
struct gate_lookup {
    struct oauth *oauth;
    struct http_exchange *x;
    gate_fn *then;
    void *context;
    str token; /* in the request */
    struct arena arena;
    struct oauth_grant grant;
    enum gate_verdict verdict;
};

static void gate_found(struct http_exchange *x, void *arg, bool serving)
{
    struct gate_lookup *l = arg;
    if (serving)
        l->then(x, l->context, l->verdict, &l->grant);
    else
        reply_unsure(x);
    arena_release(&l->arena);
    free(l);
}

static void gate_look_up(void *arg)
{
    struct gate_lookup *l = arg;
    bool unsure;
    if (grant_of_token(l->oauth, &l->arena, l->token, &l->grant, &unsure))
        l->verdict = GATE_OPEN;
    else
        l->verdict = unsure ? GATE_UNSURE : GATE_UNKNOWN;
    http_continue(l->x, gate_found, l);
}

static bool look_up_later(const struct gate_lookup *l)
{
    char room[NET_TEXT_SIZE];
    struct gate_lookup *job = mem_alloc(sizeof(*job));
    str network = http_address_network(http_request_of(l->x)->peer, room);
    *job = *l;
    if (pool_try_for(l->oauth->lookups, hash_table(network) | 1, gate_look_up, job))
        return true;
    free(job);
    return false;
}

void gate_ask(struct oauth *o, struct http_exchange *x, gate_fn *then, void *context)
{
    const struct http_request *r = http_request_of(x);
    struct gate_lookup l = {.oauth = o, .x = x, .then = then, .context = context};
    bool unsure, unseen;
    l.token = bearer_of(http_header(r, STR("authorization")));
    if (http_header_count(r, STR("authorization")) > 1)
        l.verdict = GATE_TWO_TOKENS;
    else if (l.token.p == NULL)
        l.verdict = GATE_NO_TOKEN;
    else if (grant_of_seen_token(o, &l.arena, l.token, &l.grant, &unsure, &unseen))
        l.verdict = GATE_OPEN;
    else if (unseen && look_up_later(&l))
        return;
    else
        l.verdict = unsure || unseen ? GATE_UNSURE : GATE_UNKNOWN;
    then(x, context, l.verdict, &l.grant);
    arena_release(&l.arena);
}

void gate_refuse(struct oauth *o, struct http_exchange *x)
{
    challenge(o, x,
              &(struct challenge){
                  403, "insufficient_scope", "insufficient_scope",
                  "This connection may read the vault but not change it: "
                  "connect again and allow changes",
                  rights_scope_name(rights_level_of(oauth_scopes(&o->config)))});
}
