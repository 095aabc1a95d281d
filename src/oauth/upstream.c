#include "oauth/upstream.h"

#include "base/log.h"
#include "fetch/fetch.h"
#include "http/form.h"
#include "oauth/auth_flow.h"
#include "oauth/browser_request.h"
#include "oauth/grants.h"
#include "oauth/provider.h"
#include "oauth/provider_parts.h"

/* --- the providers --- */

static bool github_enabled(const struct oauth_config *c)
{
    return c->github.client_id.n > 0;
}

static str github_name(const struct oauth_config *c)
{
    return STR("GitHub");
}

static bool github_allows(const struct oauth_config *c, str name)
{
    return provider_allows(c->github.allowed, c->github.n_allowed, name);
}

static bool github_away(const struct oauth_config *c, str callback, struct arena *a,
                        struct provider_sign_in *sign_in, str *url, struct err *err)
{
    return github_begin(&c->github, callback, a, sign_in, url, err);
}

static bool github_back(const struct oauth_config *c, str callback, struct arena *a,
                        const struct provider_sign_in *sign_in, str query,
                        struct provider_user *user, struct err *err)
{
    return github_finish(&c->github, callback, a, sign_in, query, user, err);
}

static bool oidc_enabled(const struct oauth_config *c)
{
    return c->oidc.issuer.n > 0;
}

static str oidc_name(const struct oauth_config *c)
{
    return c->oidc.name.n > 0 ? c->oidc.name : STR("single sign-on");
}

static bool oidc_lists(const struct oauth_config *c, str name)
{
    return oidc_allows(&c->oidc, name);
}

static bool oidc_away(const struct oauth_config *c, str callback, struct arena *a,
                      struct provider_sign_in *sign_in, str *url, struct err *err)
{
    return oidc_begin(&c->oidc, callback, a, sign_in, url, err);
}

static bool oidc_back(const struct oauth_config *c, str callback, struct arena *a,
                      const struct provider_sign_in *sign_in, str query,
                      struct provider_user *user, struct err *err)
{
    return oidc_finish(&c->oidc, callback, a, sign_in, query, user, err);
}

const struct upstream upstreams[] = {
    {
        .id = {"github", 6},
        .callback = "/oauth/github/callback",
        .enabled = github_enabled,
        .name = github_name,
        .allows = github_allows,
        .begin = github_away,
        .finish = github_back,
    },
    {
        .id = {"oidc", 4},
        .callback = "/oauth/oidc/callback",
        .enabled = oidc_enabled,
        .name = oidc_name,
        .allows = oidc_lists,
        .begin = oidc_away,
        .finish = oidc_back,
    },
    {.id = {0}},
};

const struct upstream *upstream_only(const struct oauth_config *c)
{
    const struct upstream *only = NULL;
    for (const struct upstream *u = upstreams; u->id.n > 0; u++) {
        if (!u->enabled(c))
            continue;
        if (only != NULL)
            return NULL;
        only = u;
    }
    return only;
}

bool upstream_check(const struct oauth_config *c, struct err *err)
{
    for (const struct upstream *u = upstreams; u->id.n > 0; u++)
        if (u->enabled(c) && !fetch_is_possible(err))
            return false;
    return true;
}

bool upstream_is_user(const struct oauth_config *c, str user)
{
    size_t colon = str_find_char(user, ':');
    str id = str_slice(user, 0, colon);
    for (const struct upstream *u = upstreams; u->id.n > 0; u++)
        if (str_eq(u->id, id))
            return u->enabled(c) && u->allows(c, str_skip(user, colon + 1));
    return false;
}

/* --- turns: so that a silent provider cannot occupy every worker --- */

static bool upstream_take_turn(struct browser_request *v, struct err *err)
{
    if (atomic_fetch_add(&v->browser->away, 1) < UPSTREAM_AT_ONCE)
        return true;
    atomic_fetch_sub(&v->browser->away, 1);
    return err_set(err, ERR_BUSY, "too many users are signing in there: try again soon");
}

static void end_turn(struct browser_request *v)
{
    atomic_fetch_sub(&v->browser->away, 1);
}

/* --- to the provider --- */

static str callback_of(struct browser_request *v, const struct upstream *u)
{
    return arena_printf(v->arena, STR_FMT "%s", STR_ARG(v->config->url), u->callback);
}

static bool upstream_begin(struct browser_request *v, const struct upstream *u,
                           struct provider_sign_in *sign_in, str *url, struct err *err)
{
    if (!upstream_take_turn(v, err))
        return false;
    bool ok = u->begin(v->config, callback_of(v, u), v->arena, sign_in, url, err);
    end_turn(v);
    return ok;
}

void upstream_go(struct browser_request *v, struct auth_flow *x)
{
    struct err err = {0};
    struct provider_sign_in sign_in = {0};
    str url;
    if (!upstream_begin(v, x->upstream, &sign_in, &url, &err)) {
        log_event(LOG_ERROR, "oauth.sign-in", LOG_STR("by", x->upstream->id),
                  LOG_STR("error", str_c(err.msg)), LOG_STR("detail", str_c(err.detail)));
        browser_request_error(v, 502, "The sign-in provider does not respond",
                              "Try again in a moment.");
        auth_flow_free(x);
        return;
    }
    x->sign_in = (struct provider_sign_in){
        .state = arena_str(&x->arena, sign_in.state),
        .verifier = arena_str(&x->arena, sign_in.verifier),
        .nonce = arena_str(&x->arena, sign_in.nonce),
    };
    x->stage = AUTH_FLOW_AWAY;
    auth_flow_renew(x);
    browser_request_redirect(v, url);
    auth_flows_put(v->browser->flows, x);
}

/*
 * The button on the login page. For a client, ask for consent first: a provider where the
 * browser is already signed in would complete everything without a question (SEC-27). If the
 * question depends on who signs in, it is asked afterwards, in any case.
 */
void upstream_post(struct browser_request *v)
{
    struct auth_flow *x = browser_request_read(v, "")
                              ? browser_request_transaction(v, AUTH_FLOW_LOGIN)
                              : NULL;
    if (x == NULL)
        return;
    str id = form_get(&v->form, STR("provider"));
    x->upstream = NULL;
    for (const struct upstream *u = upstreams; u->id.n > 0; u++)
        if (str_eq(u->id, id) && u->enabled(v->config))
            x->upstream = u;
    if (x->upstream == NULL) {
        browser_request_login_page(v, x, 400,
                                   STR("This sign-in method is not available."));
    } else if (x->place != NULL || browser_request_asks_later(v)) {
        upstream_go(v, x);
    } else {
        x->stage = AUTH_FLOW_CONSENT;
        auth_flow_renew(x);
        browser_request_go_on(v, x, "/oauth/consent");
    }
}

/* --- back from the provider --- */

static bool upstream_finish(struct browser_request *v, struct auth_flow *x, str *user,
                            struct err *err)
{
    const struct upstream *u = x->upstream;
    struct provider_user found;
    if (!upstream_take_turn(v, err))
        return false;
    bool ok = u->finish(v->config, callback_of(v, u), v->arena, &x->sign_in,
                        v->request->query, &found, err);
    end_turn(v);
    if (!ok || (!found.name_is_id &&
                !sign_in_pin(v->oauth, v->arena, u->id, &found.name, found.id, err)))
        return false;
    *user =
        arena_printf(v->arena, STR_FMT ":" STR_FMT, STR_ARG(u->id), STR_ARG(found.name));
    return true;
}

static void upstream_failed(struct browser_request *v, const struct auth_flow *x,
                            const struct err *err)
{
    bool denied = err->code == ERR_DENIED;
    log_event(LOG_WARN, "oauth.sign-in", LOG_STR("result", STR("failed")),
              LOG_STR("by", x->upstream->id), LOG_STR("error", str_c(err->msg)),
              LOG_STR("peer", v->request->peer));
    browser_request_error(
        v, denied ? 403 : 502, denied ? "This account may not sign in" : "Sign-in failed",
        denied ? "This server does not allow it, or you denied access there."
               : "The provider did not confirm your identity. Go back to your "
                 "app and start again.");
}

void upstream_callback(struct browser_request *v)
{
    struct auth_flow *x =
        browser_request_read(v, "") ? browser_request_returned(v) : NULL;
    struct err err = {0};
    str user;
    if (x == NULL)
        return;
    if (!str_eq(v->request->path, str_c(x->upstream->callback))) {
        browser_request_error(v, 400, "This page has expired",
                              "Go back to your app and start again.");
    } else if (!upstream_finish(v, x, &user, &err)) {
        upstream_failed(v, x, &err);
    } else if (browser_request_sign_in(v, x, user, x->upstream->id.p)) {
        if (x->place == NULL && browser_request_asks_later(v)) {
            x->stage = AUTH_FLOW_CONSENT;
            browser_request_go_on(v, x, "/oauth/consent");
            return;
        }
        if (x->place == NULL) {
            browser_request_allow(v, x, &x->rights);
            return;
        }
        browser_request_go(v, "/account");
    }
    auth_flow_free(x);
}
