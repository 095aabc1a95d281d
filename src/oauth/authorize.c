/*
 * GET /authorize. The order of the checks matters: nothing is
 * redirected until the redirect URI is known to belong to the client.
 */
#include "base/log.h"
#include "base/text.h"
#include "http/form.h"
#include "oauth/auth_flow.h"
#include "oauth/browser_request.h"
#include "oauth/clients.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/rights.h"
#include "oauth/upstream.h"
#include "oauth/uri.h"
#include "oauth/users.h"

enum { CHALLENGE_SIZE = 43 /* base64url of SHA-256 */ };

/* --- rows 1 to 4: answered with a page --- */

static bool find_client(struct browser_request *v, struct oauth_client *client)
{
    struct err err = {0};
    str id = form_get(&v->form, STR("client_id"));
    if (id.n > 0 && clients_find(v->oauth, v->arena, id, client, &err))
        return true;
    if (err.code == ERR_BUSY || err.code == ERR_INTERNAL)
        browser_request_error(v, 503, "Temporarily unavailable",
                              "The app could not be looked up. Try again in a moment.");
    else
        browser_request_error(
            v, 400, "Unknown app",
            "Its registration is missing or could not be checked. Remove the "
            "connection in your app and add it again.");
    return false;
}

static bool find_redirect(struct browser_request *v, const struct oauth_client *client,
                          str *out)
{
    if (clients_redirect(client, form_get(&v->form, STR("redirect_uri")), out))
        return true;
    browser_request_error(
        v, 400, "This app sent an invalid return address",
        "The app has not registered this address: nothing was sent there.");
    return false;
}

/* --- rows 5 to 9: answered with a redirect, or with a page that has it as a link --- */

struct fault {
    const char *error, *text;
};

static bool is_challenge(str s)
{
    if (s.n != CHALLENGE_SIZE)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!(is_alnum(c) || c == '-' || c == '_'))
            return false;
    }
    return true;
}

static bool is_for_us(const struct browser_request *v)
{
    for (size_t i = 0; i < v->form.n; i++)
        if (str_eq(v->form.fields[i].name, STR("resource")) &&
            !uri_is_resource(v->form.fields[i].value, v->config->url,
                             v->config->mcp_path))
            return false;
    return true;
}

static bool has_word(str text, str word)
{
    str part;
    while (text.n > 0 && str_next(&text, ' ', &part))
        if (str_eq(part, word))
            return true;
    return false;
}

/* The fault of the request; {0} if it is valid, with the scopes in *scopes. */
static struct fault check(const struct browser_request *v,
                          const struct oauth_client *client, unsigned *scopes)
{
    const struct form *f = &v->form;
    str type = form_get(f, STR("response_type"));
    if (type.n == 0)
        return (struct fault){"invalid_request", "response_type is missing"};
    if (!str_eq(type, STR("code")))
        return (struct fault){"unsupported_response_type", "response_type must be code"};
    if ((client->grants & GRANT_CODE) == 0)
        return (struct fault){"unauthorized_client", "this client may not request codes"};
    if (!str_eq(form_get(f, STR("code_challenge_method")), STR("S256")) ||
        !is_challenge(form_get(f, STR("code_challenge"))))
        return (struct fault){"invalid_request",
                              "PKCE with code_challenge_method S256 is required"};
    if (!is_for_us(v))
        return (struct fault){"invalid_target", "resource is not this server"};
    if (!rights_read_scopes(form_get(f, STR("scope")), scopes))
        return (struct fault){"invalid_scope", "scope is malformed"};
    if (form_get(f, STR("state")).n > AUTH_FLOW_STATE_MAX)
        return (struct fault){"invalid_request", "state is longer than 4096 bytes"};
    if (has_word(form_get(f, STR("prompt")), STR("none")))
        return (struct fault){"login_required", "the user must sign in or consent first"};
    return (struct fault){0};
}

static unsigned offered(const struct browser_request *v, unsigned asked)
{
    unsigned all = oauth_scopes(v->config);
    unsigned scopes = (asked != 0 ? asked : all) & all;
    bool proposes = rights_level_of(scopes) == RIGHTS_PROPOSE;
    return proposes && v->config->no_proposals ? OAUTH_MAY_READ : scopes | OAUTH_READ;
}

static struct auth_flow *authorize_remember(struct browser_request *v,
                                            const struct oauth_client *client,
                                            str redirect_uri)
{
    struct auth_flow *x = browser_request_begin(v);
    x->client_id = arena_str(&x->arena, client->id);
    x->client_name = arena_str(&x->arena, client->name);
    x->redirect_uri = arena_str(&x->arena, redirect_uri);
    x->challenge = arena_str(&x->arena, form_get(&v->form, STR("code_challenge")));
    str state = form_get(&v->form, STR("state"));
    if (state.n > 0 && state.n <= AUTH_FLOW_STATE_MAX)
        x->state = arena_str(&x->arena, state);
    return x;
}

/* Whether a fault may redirect at once: the operator configured the client, its address is on
 * the user's own device, or the user has allowed it before. */
static bool is_trusted(struct browser_request *v, const struct oauth_client *client,
                       const struct auth_flow *x)
{
    struct oauth_rights before;
    const struct oauth_code code = {
        .client_id = x->client_id, .redirect_uri = x->redirect_uri, .user = x->user};
    return client->kind == CLIENT_CONFIGURED || !uri_is_owned(x->redirect_uri) ||
           (x->user.n > 0 && grants_consented(v->oauth, v->arena, &code, &before));
}

void authorize_get(struct browser_request *v)
{
    struct oauth_client client;
    str redirect_uri;
    if (!browser_request_read(v, "resource") || !find_client(v, &client) ||
        !find_redirect(v, &client, &redirect_uri))
        return;
    struct auth_flow *x = authorize_remember(v, &client, redirect_uri);
    unsigned asked = 0;
    struct fault fault = check(v, &client, &asked);
    x->user = arena_str(&x->arena, browser_request_user(v));
    if (fault.error != NULL) {
        if (is_trusted(v, &client, x))
            browser_request_refuse(v, x, fault.error, fault.text);
        else
            browser_request_report(v, x, fault.error, fault.text);
        auth_flow_free(x);
        return;
    }
    x->scopes = offered(v, asked);
    if (x->user.n == 0 && !users_any(v->users) && !browser_request_asks_later(v))
        x->upstream = upstream_only(v->config);
    if (x->user.n > 0)
        browser_request_ask(v, x);
    else if (x->upstream != NULL) /* only one way to sign in: skip the login page */
        browser_request_consent_page(v, x, 200, STR(""));
    else
        browser_request_login_page(v, x, 200, STR(""));
}
