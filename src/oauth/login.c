#include "oauth/browser_request.h"

#include "base/log.h"
#include "http/form.h"
#include "http/response.h"
#include "oauth/auth_flow.h"
#include "oauth/pages.h"
#include "oauth/upstream.h"
#include "oauth/users.h"

/* The enabled providers, as buttons. */
static size_t list_providers(struct browser_request *v, struct page_provider *out)
{
    size_t n = 0;
    for (const struct upstream *u = upstreams; u->id.n > 0; u++)
        if (u->enabled(v->config))
            out[n++] = (struct page_provider){u->id, u->name(v->config)};
    return n;
}

enum { PROVIDERS_MAX = 8 };

void browser_request_login_page(struct browser_request *v, struct auth_flow *x,
                                int status, str error)
{
    struct page_provider providers[PROVIDERS_MAX];
    struct page_client client = browser_request_client(v, x);
    struct page_site site = browser_request_bare_site(v);
    struct page_login page = {
        .ticket = x->ticket,
        .client = x->place != NULL ? NULL : &client,
        .password = users_any(v->users),
        .providers = providers,
        .n_providers = list_providers(v, providers),
        .name = error.n > 0 ? form_get(&v->form, STR("username")) : STR(""),
        .error = error,
    };
    if (!page.password && page.n_providers == 0)
        browser_request_error(v, 403, "Sign-in is not set up",
                              "This server has no users yet. Its operator can add them.");
    else
        browser_request_page(v, status, page_login(v->arena, &site, &page));
    x->stage = AUTH_FLOW_LOGIN;
    auth_flows_put(v->browser->flows, x);
}

void login_get(struct browser_request *v)
{
    struct auth_flow *x =
        browser_request_read(v, "") ? browser_request_again(v, AUTH_FLOW_LOGIN) : NULL;
    if (x != NULL)
        browser_request_login_page(v, x, 200, STR(""));
}

/* "in 30 seconds", "in 4 minutes" */
static str wait_text(struct arena *a, unsigned seconds)
{
    if (seconds < 60)
        return arena_printf(a, "Too many failed sign-ins. Try again in %u second%s.",
                            seconds, seconds == 1 ? "" : "s");
    unsigned minutes = (seconds + 59) / 60;
    return arena_printf(a, "Too many failed sign-ins. Try again in %u minute%s.", minutes,
                        minutes == 1 ? "" : "s");
}

/* An unknown name is logged as "?": it may be a password typed into the wrong field. */
static void log_failure(struct browser_request *v, str name, const char *result)
{
    log_event(LOG_WARN, "oauth.sign-in", LOG_STR("result", str_c(result)),
              LOG_STR("user", users_known(v->users, name) ? name : STR("?")),
              LOG_STR("peer", v->request->peer));
}

/* What a refused password is answered with. */
static int password_refused(struct browser_request *v, str name, enum err_code code,
                            unsigned retry_after, str *error)
{
    int status = code == ERR_DENIED ? 401 : code == ERR_LIMIT ? 429 : 503;
    if (status == 429)
        *error = wait_text(v->arena, retry_after);
    else if (status == 503)
        *error = STR("Too many sign-ins at the same time. Try again in a moment.");
    log_failure(v, name, status == 429 ? "throttled" : "failed");
    if (status != 401)
        http_add_header(&v->answer, STR("Retry-After"),
                        arena_printf(v->arena, "%u", status == 429 ? retry_after : 5));
    return status;
}

bool browser_request_password(struct browser_request *v, str name, str password,
                              int *status, str *error)
{
    struct err err = {0};
    unsigned retry_after = 0;
    if (users_check(v->users, name, password, v->request->peer,
                    browser_request_device(v, name), &retry_after, &err))
        return true;
    *status = password_refused(v, name, err.code, retry_after, error);
    return false;
}

void login_post(struct browser_request *v)
{
    struct auth_flow *x = browser_request_read(v, "")
                              ? browser_request_transaction(v, AUTH_FLOW_LOGIN)
                              : NULL;
    if (x == NULL)
        return;
    int status;
    str error = STR("Wrong name or password.");
    str name = form_get(&v->form, STR("username"));
    if (!browser_request_password(v, name, form_get(&v->form, STR("password")), &status,
                                  &error)) {
        browser_request_login_page(v, x, status, error);
        return;
    }
    browser_request_remember_device(v, name);
    if (!browser_request_sign_in(v, x, name, "password")) {
        auth_flow_free(x);
    } else if (x->place != NULL) {
        browser_request_go(v, x->place);
        auth_flow_free(x);
    } else {
        auth_flow_renew(x);
        browser_request_ask(v, x);
    }
}
