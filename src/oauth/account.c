#include "base/encode.h"
#include "base/hash.h"
#include "base/log.h"
#include "http/form.h"
#include "oauth/browser_request.h"
#include "oauth/grants.h"
#include "oauth/pages.h"
#include "oauth/parts.h"
#include "oauth/rights.h"

enum { ACCOUNT_PLACE_MAX = 2000 /* bytes of a path and its query */ };

/* The ticket in the page's forms: only a browser with the sign-in cookie can know it. */
static str ticket_of(struct browser_request *v)
{
    uint8_t mac[HASH_SIZE];
    hash_hmac(browser_request_cookie(v, COOKIE_SIGN_IN), STR("vaultd account form"), mac);
    return encode_hex(v->arena, (str){(const char *)mac, sizeof(mac)});
}

static void account_show(struct browser_request *v, int status, str user, str notice,
                         str error)
{
    struct oauth_grant *grants = NULL;
    struct oauth_key *keys = NULL;
    struct oauth_thing *things = NULL;
    struct oauth_uses *uses = NULL;
    const struct oauth_config *c = v->config;
    struct page_account page = {
        .user = user,
        .ticket = ticket_of(v),
        .notice = notice,
        .error = error,
        .n_grants = grants_of_user(v->oauth, v->arena, user, &grants),
        .n_keys = keys_of_user(v->oauth, v->arena, user, &keys),
        .section = c->section,
        .password = browser_request_place(v, user),
        .asks_password = str_eq(v->request->path, STR("/account/password")),
    };
    page.names_vaults = c->names_vaults;
    page.tools = c->tools;
    page.n_tools = c->n_tools;
    page.no_proposals = c->no_proposals;
    page.n_folders = oauth_folders_of(v->oauth, v->arena, user, &page.folders);
    if (c->section != NULL)
        page.n_things = c->section->list(c->app, v->arena, user, &things, &page.alert);
    if (c->uses != NULL)
        page.n_uses = c->uses(c->app, v->arena, user, &uses, &page.uses_note);
    page.uses = uses;
    page.grants = grants;
    page.keys = keys;
    page.things = things;
    struct page_site site = v->browser->site;
    site.here = STR("/account");
    site.is_known = true;
    browser_request_page(v, status, page_account(v->arena, &site, &page));
}

void account_refuse(struct browser_request *v, int status, str user, str error)
{
    account_show(v, status, user, STR(""), error);
}

/* Afterwards the browser goes to the page that was asked for, which is one of ours. */
static void ask_to_sign_in(struct browser_request *v)
{
    struct auth_flow *x = browser_request_begin(v);
    const struct http_request *r = v->request;
    bool fits = r->path.n + r->query.n < ACCOUNT_PLACE_MAX;
    x->place = arena_printf(&x->arena, STR_FMT "%s" STR_FMT, STR_ARG(r->path),
                            fits && r->query.n > 0 ? "?" : "",
                            STR_ARG(fits ? r->query : STR("")))
                   .p;
    browser_request_login_page(v, x, 200, STR(""));
}

/* The notice about the last action, which the URL names by a fixed word. */
static str notice_of(const struct browser_request *v)
{
    const struct oauth_section *s = v->config->section;
    str done = form_get(&v->form, STR("done"));
    if (str_eq(done, STR("disconnected")))
        return STR("The app is disconnected.");
    if (str_eq(done, STR("password")))
        return STR(
            "Your password is changed. Other sign-ins have ended, and apps have to "
            "be connected again.");
    if (str_eq(done, STR("lowered")))
        return STR("The app may do less now.");
    if (s != NULL && str_eq(done, str_c(s->done)))
        return str_c(s->notice);
    return STR("");
}

void account_get(struct browser_request *v)
{
    if (!browser_request_read(v, ""))
        return;
    str user = browser_request_user(v);
    if (user.n > 0)
        account_show(v, 200, user, notice_of(v), STR(""));
    else
        ask_to_sign_in(v);
}

str account_actor(struct browser_request *v)
{
    if (!browser_request_read(v, "folder"))
        return STR("");
    str user = browser_request_user(v);
    if (user.n == 0) {
        browser_request_go(v, v->page != NULL ? v->page->path : "/account");
        return STR("");
    }
    if (!hash_equal(form_get(&v->form, STR("ticket")), ticket_of(v))) {
        browser_request_error(v, 403, "This page has expired",
                              "Open your account page and try again.");
        return STR("");
    }
    return user;
}

static void answer_asked(struct browser_request *v, str user)
{
    struct oauth_asked asked = {
        .request = v->request,
        .form = v->request->method == HTTP_POST ? &v->form : NULL,
        .site = &v->browser->site,
        .url = v->config->url,
        .user = user,
        .ticket = user.n > 0 ? ticket_of(v) : STR(""),
        .stranger = user.n == 0,
    };
    v->page->answer(v->config->app, v->arena, &asked, &v->answer);
}

void account_page(struct browser_request *v)
{
    bool is_post = v->request->method == HTTP_POST;
    str user = is_post ? account_actor(v) : browser_request_user(v);
    if (user.n > 0 || (!is_post && v->page->is_open))
        answer_asked(v, user);
    else if (!is_post && !v->page->is_part)
        ask_to_sign_in(v);
    else if (!is_post)
        browser_request_error(v, 401, "Please sign in",
                              "Open the page again to sign in.");
}

void account_revoke(struct browser_request *v)
{
    struct err err = {0};
    int64_t id = 0;
    str user = account_actor(v);
    if (user.n == 0)
        return;
    if (!str_to_int(form_get(&v->form, STR("id")), &id) ||
        !grants_revoke(v->oauth, user, id, &err)) {
        account_show(v, err.code == ERR_INTERNAL || err.code == ERR_BUSY ? 503 : 400,
                     user, STR(""),
                     STR("The app was not disconnected: it may already be gone."));
        return;
    }
    log_event(LOG_INFO, "oauth.revoked", LOG_STR("user", user), LOG_INT("grant", id),
              LOG_STR("peer", v->request->peer));
    browser_request_go(v, "/account?done=disconnected");
}

/* The levels that the form names; what it does not name is not lowered. */
static bool read_lower(struct browser_request *v, struct oauth_rights *out)
{
    struct rights_place *places = ARENA_ARRAY(v->arena, struct rights_place, v->form.n);
    *out = rights_all(OAUTH_MAY_WRITE);
    out->places = places;
    if (!rights_find_level(form_get(&v->form, STR("rest")), &out->elsewhere))
        return false;
    for (size_t i = 0; i < v->form.n; i++) {
        struct rights_place *place = &places[out->n_places];
        str level;
        if (!str_eq(v->form.fields[i].name, STR("folder")))
            continue;
        place->folder = v->form.fields[i].value;
        if (!str_next(&place->folder, ' ', &level) || place->folder.p == NULL ||
            !rights_find_level(level, &place->level))
            return false;
        out->n_places++;
    }
    return rights_valid(out) &&
           consent_read_tools(v->arena, v->config, &v->form, false, out);
}

void account_lower(struct browser_request *v)
{
    struct err err = {0};
    struct oauth_rights to;
    int64_t id = 0;
    str user = account_actor(v);
    if (user.n == 0)
        return;
    if (!str_to_int(form_get(&v->form, STR("id")), &id) || !read_lower(v, &to) ||
        !grants_lower(v->oauth, user, id, &to, &err)) {
        account_show(v, err.code == ERR_INTERNAL || err.code == ERR_BUSY ? 503 : 400,
                     user, STR(""),
                     err.code == ERR_INVALID
                         ? STR("The app could do nothing then: disconnect it instead.")
                         : STR("Nothing was changed: the app may already be gone."));
        return;
    }
    log_event(LOG_INFO, "oauth.lowered", LOG_STR("user", user), LOG_INT("grant", id),
              LOG_STR("peer", v->request->peer));
    browser_request_go(v, "/account?done=lowered");
}

void account_act(struct browser_request *v)
{
    struct err err = {0};
    int64_t number = 0;
    const struct oauth_section *s = v->config->section;
    str user = account_actor(v);
    if (user.n == 0)
        return;
    if (!str_to_int(form_get(&v->form, STR("id")), &number) || number < 0) {
        account_show(v, 400, user, STR(""), str_c(s->unknown));
    } else if (!s->act(v->config->app, v->arena, user, (uint64_t)number, &err)) {
        account_show(v, 409, user, STR(""),
                     arena_printf(v->arena, "%s: %s.", s->failed, err.msg));
    } else {
        log_event(LOG_INFO, s->event, LOG_STR("user", user), LOG_INT("number", number),
                  LOG_STR("peer", v->request->peer));
        browser_request_redirect(v, arena_printf(v->arena, STR_FMT "/account?done=%s",
                                                 STR_ARG(v->config->url), s->done));
    }
}

void account_sign_out(struct browser_request *v)
{
    str user = account_actor(v);
    if (user.n == 0)
        return;
    sign_in_end(v->oauth, browser_request_cookie(v, COOKIE_SIGN_IN));
    browser_request_drop_cookie(v, COOKIE_SIGN_IN);
    browser_request_drop_cookie(v, COOKIE_BROWSER);
    log_event(LOG_INFO, "oauth.sign-out", LOG_STR("user", user),
              LOG_STR("peer", v->request->peer));
    browser_request_go(v, "/account/sign-out");
}

void account_signed_out(struct browser_request *v)
{
    browser_request_page(v, 200, page_signed_out(v->arena, &v->browser->site));
}
