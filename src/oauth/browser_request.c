#include "oauth/browser_request.h"

#include "base/clock.h"
#include "base/log.h"
#include "http/cookie.h"
#include "http/form.h"
#include "http/request.h"
#include "http/response.h"
#include "oauth/auth_flow.h"
#include "oauth/grants.h"
#include "oauth/pages.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"

/* --- answers --- */

void browser_request_page(struct browser_request *v, int status, str html)
{
    page_answer(v->arena, status, html, &v->answer);
}

void browser_request_error(struct browser_request *v, int status, const char *title,
                           const char *text)
{
    browser_request_page(
        v, status, page_error(v->arena, &v->browser->site, str_c(title), str_c(text)));
    if (status == 503)
        http_add_header(&v->answer, STR("Retry-After"), STR("5"));
}

struct page_site browser_request_bare_site(const struct browser_request *v)
{
    struct page_site bare = v->browser->site;
    bare.pages = NULL;
    return bare;
}

void browser_request_redirect(struct browser_request *v, str location)
{
    v->answer.status = v->request->method == HTTP_POST ? 303 : 302;
    http_add_header(&v->answer, STR("Location"), location);
    page_add_headers(v->arena, &v->answer);
}

void browser_request_go(struct browser_request *v, const char *path)
{
    browser_request_redirect(
        v, arena_printf(v->arena, STR_FMT "%s", STR_ARG(v->config->url), path));
}

void browser_request_go_on(struct browser_request *v, struct auth_flow *x,
                           const char *path)
{
    browser_request_redirect(v, arena_printf(v->arena, STR_FMT "%s?request=" STR_FMT,
                                             STR_ARG(v->config->url), path,
                                             STR_ARG(x->handle)));
    auth_flows_put(v->browser->flows, x);
}

/* --- the request --- */

bool browser_request_read(struct browser_request *v, const char *repeatable)
{
    struct err err = {0};
    if (v->request->method == HTTP_POST)
        return page_read_form(v->arena, &v->browser->site, v->request, v->browser->origin,
                              repeatable, &v->form, &v->answer);
    if (form_parse(v->arena, v->request->query, str_c(repeatable), &v->form, &err))
        return true;
    browser_request_error(v, 400, "The request is malformed",
                          "Go back to your app and start again.");
    return false;
}

/* --- cookies --- */

static const struct {
    const char *secure, *plain;
    int max_age;
} cookies[] = {
    [COOKIE_BROWSER] = {"__Host-vaultd_browser", "vaultd_browser", AUTH_FLOW_TTL_S},
    [COOKIE_SIGN_IN] = {"__Host-vaultd_sign_in", "vaultd_sign_in", SIGN_IN_TTL_S},
    [COOKIE_DEVICE] = {"__Host-vaultd_device", "vaultd_device", DEVICE_TTL_S},
};

static str cookie_name(const struct browser_request *v, enum browser_request_cookie which)
{
    return str_c(v->browser->https ? cookies[which].secure : cookies[which].plain);
}

str browser_request_cookie(const struct browser_request *v,
                           enum browser_request_cookie which)
{
    return http_cookie(v->request, cookie_name(v, which));
}

static void set_cookie(struct browser_request *v, enum browser_request_cookie which,
                       str value, int max_age)
{
    str text = arena_printf(
        v->arena, STR_FMT "=" STR_FMT "; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
        STR_ARG(cookie_name(v, which)), STR_ARG(value), max_age,
        v->browser->https ? "; Secure" : "");
    http_add_header(&v->answer, STR("Set-Cookie"), text);
}

void browser_request_set_cookie(struct browser_request *v,
                                enum browser_request_cookie which, str value)
{
    set_cookie(v, which, value, cookies[which].max_age);
}

void browser_request_drop_cookie(struct browser_request *v,
                                 enum browser_request_cookie which)
{
    set_cookie(v, which, STR(""), 0);
}

/* --- the user --- */

str browser_request_user(struct browser_request *v)
{
    str user = {0}, cookie = browser_request_cookie(v, COOKIE_SIGN_IN);
    if (cookie.n == 0 || !sign_in_user(v->oauth, v->arena, cookie, &user))
        return STR("");
    return user;
}

bool browser_request_sign_in(struct browser_request *v, struct auth_flow *x, str user,
                             const char *by)
{
    struct err err = {0};
    str cookie, before = browser_request_cookie(v, COOKIE_SIGN_IN);
    if (!sign_in_create(v->oauth, v->arena, user, &cookie, &err)) {
        log_event(LOG_ERROR, "oauth.sign-in", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
        browser_request_error(v, 503, "Temporarily unavailable",
                              "Try again in a moment.");
        return false;
    }
    if (before.n > 0)
        sign_in_end(v->oauth, before);
    str browser = secret_new(v->arena, STR(""));
    auth_flows_move(v->browser->flows, browser_request_cookie(v, COOKIE_BROWSER),
                    browser);
    auth_flow_bind(x, browser);
    x->user = arena_str(&x->arena, user);
    browser_request_set_cookie(v, COOKIE_BROWSER, browser);
    browser_request_set_cookie(v, COOKIE_SIGN_IN, cookie);
    log_event(LOG_INFO, "oauth.sign-in", LOG_STR("result", STR("ok")),
              LOG_STR("user", user), LOG_STR("by", str_c(by)),
              LOG_STR("peer", v->request->peer));
    return true;
}

/* --- auth flows --- */

struct auth_flow *browser_request_begin(struct browser_request *v)
{
    str cookie = browser_request_cookie(v, COOKIE_BROWSER);
    if (!secret_is(cookie, STR("")) ||
        !auth_flows_know(v->browser->flows, cookie, clock_now()))
        cookie = secret_new(v->arena, STR(""));
    browser_request_set_cookie(v, COOKIE_BROWSER,
                               cookie); /* renewed for this auth flow */
    return auth_flow_new(cookie, v->request->peer, clock_now());
}

static struct auth_flow *browser_request_take(struct browser_request *v,
                                              enum auth_flow_key kind, str key,
                                              enum auth_flow_stage stage)
{
    str cookie = browser_request_cookie(v, COOKIE_BROWSER);
    struct auth_flow *x =
        auth_flows_take(v->browser->flows, kind, key, cookie, stage, clock_now());
    if (x == NULL && cookie.n == 0)
        browser_request_error(
            v, 403, "Unknown browser",
            "You started in another browser or more than ten minutes ago, or "
            "cookies are disabled. Go back to your app and start again.");
    else if (x == NULL)
        browser_request_error(
            v, 400, "This page has expired",
            "It was already used or is older than ten minutes. Go back to your "
            "app and start again.");
    return x;
}

struct auth_flow *browser_request_transaction(struct browser_request *v,
                                              enum auth_flow_stage stage)
{
    return browser_request_take(v, BY_TICKET, form_get(&v->form, STR("ticket")), stage);
}

struct auth_flow *browser_request_again(struct browser_request *v,
                                        enum auth_flow_stage stage)
{
    return browser_request_take(v, BY_HANDLE, form_get(&v->form, STR("request")), stage);
}

struct auth_flow *browser_request_returned(struct browser_request *v)
{
    return browser_request_take(v, BY_STATE, form_get(&v->form, STR("state")),
                                AUTH_FLOW_AWAY);
}
