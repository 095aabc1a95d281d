#include "oauth/visit.h"

#include "base/clock.h"
#include "base/log.h"
#include "http/cookie.h"
#include "http/form.h"
#include "http/request.h"
#include "http/response.h"
#include "oauth/grants.h"
#include "oauth/pages.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"
#include "oauth/transaction.h"

/* --- answers --- */

void visit_page(struct visit *v, int status, str html)
{
    page_answer(v->arena, status, html, &v->answer);
}

void visit_error(struct visit *v, int status, const char *title, const char *text)
{
    visit_page(v, status,
               page_error(v->arena, &v->browser->site, str_c(title), str_c(text)));
    if (status == 503)
        http_add_header(&v->answer, STR("Retry-After"), STR("5"));
}

void visit_redirect(struct visit *v, str location)
{
    v->answer.status = v->request->method == HTTP_POST ? 303 : 302;
    http_add_header(&v->answer, STR("Location"), location);
    page_add_headers(v->arena, &v->answer);
}

void visit_go(struct visit *v, const char *path)
{
    visit_redirect(v,
                   arena_printf(v->arena, STR_FMT "%s", STR_ARG(v->config->url), path));
}

void visit_go_on(struct visit *v, struct transaction *x, const char *path)
{
    visit_redirect(v, arena_printf(v->arena, STR_FMT "%s?request=" STR_FMT,
                                   STR_ARG(v->config->url), path, STR_ARG(x->handle)));
    transactions_put(v->browser->transactions, x);
}

/* --- the request --- */

bool visit_read(struct visit *v, const char *repeatable)
{
    struct err err = {0};
    if (v->request->method == HTTP_POST)
        return page_read_form(v->arena, &v->browser->site, v->request, v->browser->origin,
                              repeatable, &v->form, &v->answer);
    if (form_parse(v->arena, v->request->query, str_c(repeatable), &v->form, &err))
        return true;
    visit_error(v, 400, "The request is malformed",
                "Go back to your app and start again.");
    return false;
}

/* --- cookies --- */

static const struct {
    const char *secure, *plain;
    int max_age;
} cookies[] = {
    [COOKIE_BROWSER] = {"__Host-vaultd_browser", "vaultd_browser", TRANSACTION_TTL_S},
    [COOKIE_SIGN_IN] = {"__Host-vaultd_sign_in", "vaultd_sign_in", SIGN_IN_TTL_S},
    [COOKIE_DEVICE] = {"__Host-vaultd_device", "vaultd_device", DEVICE_TTL_S},
};

static str cookie_name(const struct visit *v, enum visit_cookie which)
{
    return str_c(v->browser->https ? cookies[which].secure : cookies[which].plain);
}

str visit_cookie(const struct visit *v, enum visit_cookie which)
{
    return http_cookie(v->request, cookie_name(v, which));
}

static void set_cookie(struct visit *v, enum visit_cookie which, str value, int max_age)
{
    str text = arena_printf(
        v->arena, STR_FMT "=" STR_FMT "; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
        STR_ARG(cookie_name(v, which)), STR_ARG(value), max_age,
        v->browser->https ? "; Secure" : "");
    http_add_header(&v->answer, STR("Set-Cookie"), text);
}

void visit_set_cookie(struct visit *v, enum visit_cookie which, str value)
{
    set_cookie(v, which, value, cookies[which].max_age);
}

void visit_drop_cookie(struct visit *v, enum visit_cookie which)
{
    set_cookie(v, which, STR(""), 0);
}

/* --- the user --- */

str visit_user(struct visit *v)
{
    str user = {0}, cookie = visit_cookie(v, COOKIE_SIGN_IN);
    if (cookie.n == 0 || !sign_in_user(v->oauth, v->arena, cookie, &user))
        return STR("");
    return user;
}

bool visit_sign_in(struct visit *v, struct transaction *x, str user, const char *by)
{
    struct err err = {0};
    str cookie, before = visit_cookie(v, COOKIE_SIGN_IN);
    if (!sign_in_create(v->oauth, v->arena, user, &cookie, &err)) {
        log_event(LOG_ERROR, "oauth.sign-in", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
        visit_error(v, 503, "Temporarily unavailable", "Try again in a moment.");
        return false;
    }
    if (before.n > 0)
        sign_in_end(v->oauth, before);
    str browser = secret_new(v->arena, STR(""));
    transactions_move(v->browser->transactions, visit_cookie(v, COOKIE_BROWSER), browser);
    transaction_bind(x, browser);
    x->user = arena_str(&x->arena, user);
    visit_set_cookie(v, COOKIE_BROWSER, browser);
    visit_set_cookie(v, COOKIE_SIGN_IN, cookie);
    log_event(LOG_INFO, "oauth.sign-in", LOG_STR("result", STR("ok")),
              LOG_STR("user", user), LOG_STR("by", str_c(by)),
              LOG_STR("peer", v->request->peer));
    return true;
}

/* --- transactions --- */

struct transaction *visit_begin(struct visit *v)
{
    str cookie = visit_cookie(v, COOKIE_BROWSER);
    if (!secret_is(cookie, STR("")) ||
        !transactions_know(v->browser->transactions, cookie, clock_now()))
        cookie = secret_new(v->arena, STR(""));
    visit_set_cookie(v, COOKIE_BROWSER, cookie); /* renewed for this transaction */
    return transaction_new(cookie, v->request->peer, clock_now());
}

static struct transaction *visit_take(struct visit *v, enum transaction_key kind, str key,
                                      enum transaction_stage stage)
{
    str cookie = visit_cookie(v, COOKIE_BROWSER);
    struct transaction *x = transactions_take(v->browser->transactions, kind, key, cookie,
                                              stage, clock_now());
    if (x == NULL && cookie.n == 0)
        visit_error(v, 403, "Unknown browser",
                    "You started in another browser or more than ten minutes ago, or "
                    "cookies are disabled. Go back to your app and start again.");
    else if (x == NULL)
        visit_error(v, 400, "This page has expired",
                    "It was already used or is older than ten minutes. Go back to your "
                    "app and start again.");
    return x;
}

struct transaction *visit_transaction(struct visit *v, enum transaction_stage stage)
{
    return visit_take(v, BY_TICKET, form_get(&v->form, STR("ticket")), stage);
}

struct transaction *visit_again(struct visit *v, enum transaction_stage stage)
{
    return visit_take(v, BY_HANDLE, form_get(&v->form, STR("request")), stage);
}

struct transaction *visit_returned(struct visit *v)
{
    return visit_take(v, BY_STATE, form_get(&v->form, STR("state")), TRANSACTION_AWAY);
}
