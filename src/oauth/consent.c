#include "base/log.h"
#include "http/form.h"
#include "oauth/auth_flow.h"
#include "oauth/browser_request.h"
#include "oauth/grants.h"
#include "oauth/pages.h"
#include "oauth/parts.h"
#include "oauth/rights.h"
#include "oauth/upstream.h"
#include "oauth/uri.h"

/* --- redirects to the client --- */

static void add_parameter(struct sbuf *url, const char *name, str value)
{
    if (value.p == NULL)
        return;
    bool first = str_find_char(sbuf_str(url), '?') == STR_NONE;
    sbuf_printf(url, "%s%s=", first ? "?" : "&", name);
    sbuf_add(url, form_encode(url->arena, value));
}

/* The client's redirect URI with name=value, state and iss (SEC-09). */
static str client_url(struct browser_request *v, const struct auth_flow *x,
                      const char *name, const char *value, const char *description)
{
    struct sbuf url = SBUF_ON(v->arena);
    sbuf_add(&url, x->redirect_uri);
    add_parameter(&url, name, str_c(value));
    add_parameter(&url, "error_description", str_c(description));
    add_parameter(&url, "state", x->state);
    add_parameter(&url, "iss", v->config->url);
    return sbuf_str(&url);
}

void browser_request_report(struct browser_request *v, const struct auth_flow *x,
                            const char *error, const char *text)
{
    struct page_client client = browser_request_client(v, x);
    browser_request_page(v, 400,
                         page_fault(v->arena, &v->browser->site, &client, str_c(text),
                                    client_url(v, x, "error", error, text)));
}

void browser_request_refuse(struct browser_request *v, const struct auth_flow *x,
                            const char *error, const char *text)
{
    browser_request_redirect(v, client_url(v, x, "error", error, text));
}

/* --- the question --- */

static str consent_host_of(str url, bool *loopback, bool *app)
{
    struct uri u;
    *loopback = *app = false;
    if (!uri_parse(url, &u))
        return STR("");
    *loopback = uri_is_loopback(&u);
    *app =
        !str_eq_nocase(u.scheme, STR("https")) && !str_eq_nocase(u.scheme, STR("http"));
    return u.host;
}

struct page_client browser_request_client(struct browser_request *v,
                                          const struct auth_flow *x)
{
    struct page_client c = {.name = x->client_name};
    bool ignored;
    if (str_starts(x->client_id, STR("https://")) ||
        str_starts(x->client_id, STR("http://")))
        c.id_host = consent_host_of(x->client_id, &ignored, &ignored);
    c.redirect_host = consent_host_of(x->redirect_uri, &c.loopback, &c.app);
    if (c.loopback)
        c.redirect_host = arena_printf(v->arena, "this computer (" STR_FMT ")",
                                       STR_ARG(c.redirect_host));
    else if (c.app)
        c.redirect_host =
            str_slice(x->redirect_uri, 0, str_find(x->redirect_uri, STR("://")) + 3);
    return c;
}

/* The folders that the user of an auth flow can choose from. */
static size_t consent_folders(struct browser_request *v, const struct auth_flow *x,
                              const str **out)
{
    return oauth_folders_of(v->oauth, v->arena, x->user, out);
}

bool browser_request_asks_later(const struct browser_request *v)
{
    return v->config->vaults_of != NULL;
}

static bool is_configured(struct browser_request *v, const struct auth_flow *x)
{
    struct oauth_client ignored;
    return configured_find(v->oauth, v->arena, x->client_id, &ignored);
}

/* What a level of the form comes to: never more than was asked for, nor what is not offered. */
static enum rights_level capped(const struct browser_request *v,
                                const struct auth_flow *x, enum rights_level level)
{
    enum rights_level most = rights_level_of(x->scopes);
    level = level < most ? level : most;
    return level == RIGHTS_PROPOSE && v->config->no_proposals ? RIGHTS_READ : level;
}

/* "LEVEL FOLDER", as a row of the page has it. */
static bool read_choice(str field, struct rights_place *out)
{
    str level;
    out->folder = field;
    return str_next(&out->folder, ' ', &level) && out->folder.p != NULL &&
           rights_find_level(level, &out->level);
}

/* The level that the form has for a folder; none unless it names it so. */
static enum rights_level chosen_level(const struct browser_request *v, str folder)
{
    enum rights_level level = RIGHTS_NONE;
    for (size_t i = 0; i < v->form.n; i++) {
        struct rights_place place;
        if (str_eq(v->form.fields[i].name, STR("folder")) &&
            read_choice(v->form.fields[i].value, &place) && str_eq(place.folder, folder))
            level = place.level;
    }
    return level;
}

/* Whether the form chooses something for a folder that may be as the one above. */
static bool chooses_for(const struct browser_request *v, str folder)
{
    bool chosen = false;
    for (size_t i = 0; i < v->form.n && !chosen; i++) {
        struct rights_place place;
        chosen = str_eq(v->form.fields[i].name, STR("folder")) &&
                 read_choice(v->form.fields[i].value, &place) &&
                 str_eq(place.folder, folder);
    }
    return chosen;
}

/* Chosen beforehand: what the app asks for, but an app that the operator did not configure
 * proposes at first. */
static enum rights_level suggested(struct browser_request *v, const struct auth_flow *x)
{
    enum rights_level most = rights_level_of(x->scopes), chosen;
    bool given = rights_find_level(form_get(&v->form, STR("access")), &chosen);
    if (v->request->method == HTTP_POST && given && chosen != RIGHTS_NONE)
        return capped(v, x, chosen);
    return most == RIGHTS_WRITE && !v->config->no_proposals && !is_configured(v, x)
               ? RIGHTS_PROPOSE
               : most;
}

void browser_request_consent_page(struct browser_request *v, struct auth_flow *x,
                                  int status, str error)
{
    const str *folders;
    size_t all = consent_folders(v, x, &folders),
           n = all < PAGE_FOLDERS_MAX ? all : PAGE_FOLDERS_MAX;
    struct rights_place *places = ARENA_ARRAY(v->arena, struct rights_place, n);
    bool *inherit = ARENA_ARRAY(v->arena, bool, n);
    for (size_t i = 0; i < n; i++) {
        places[i] =
            (struct rights_place){folders[i], capped(v, x, chosen_level(v, folders[i]))};
        inherit[i] = rights_place_above(folders[i]).n > 0 && !chooses_for(v, folders[i]);
    }
    struct page_consent page = {
        .ticket = x->ticket,
        .user = x->user,
        .provider = x->upstream != NULL ? x->upstream->name(v->config) : STR(""),
        .client = browser_request_client(v, x),
        .most = rights_level_of(x->scopes),
        .no_proposals = v->config->no_proposals,
        .each = n > 0 && str_eq(form_get(&v->form, STR("access")), STR("each")),
        .chosen = suggested(v, x),
        .places = places,
        .inherit = inherit,
        .n_places = n,
        .n_more = all - n,
        .vaults = browser_request_asks_later(v),
        .error = error,
    };
    (void)!rights_find_level(form_get(&v->form, STR("rest")), &page.elsewhere);
    page.tools = v->config->tools;
    page.n_tools = v->config->n_tools;
    struct oauth_rights ticked = rights_all(x->scopes);
    if (v->request->method == HTTP_POST &&
        consent_read_tools(v->arena, v->config, &v->form, page.most == RIGHTS_READ,
                           &ticked) &&
        ticked.only_tools)
        page.ticked = &ticked;
    struct page_site site = browser_request_bare_site(v);
    browser_request_page(v, status, page_consent(v->arena, &site, &page));
    x->stage = AUTH_FLOW_CONSENT;
    auth_flows_put(v->browser->flows, x);
}

bool consent_read_tools(struct arena *a, const struct oauth_config *config,
                        const struct form *form, bool no_changes,
                        struct oauth_rights *out)
{
    str *tools = ARENA_ARRAY(a, str, config->n_tools);
    size_t n = 0;
    bool all = true;
    if (!str_eq(form_get(form, STR("tools")), STR("shown")))
        return true; /* there was no list */
    for (size_t i = 0; i < config->n_tools; i++) {
        const struct oauth_tool *t = &config->tools[i];
        str field = arena_printf(a, "tool." STR_FMT, STR_ARG(t->name));
        if (str_eq(form_get(form, field), STR("on")))
            tools[n++] = t->name;
        else if (t->reads || !no_changes)
            all = false;
    }
    if (!all) {
        out->only_tools = true;
        out->tools = tools;
        out->n_tools = n;
    }
    return n > 0;
}

static struct oauth_code code_of(const struct auth_flow *x,
                                 const struct oauth_rights *rights)
{
    return (struct oauth_code){
        .client_id = x->client_id,
        .client_name = x->client_name,
        .redirect_uri = x->redirect_uri,
        .challenge = x->challenge,
        .user = x->user,
        .rights = *rights,
    };
}

static void send_code(struct browser_request *v, struct auth_flow *x,
                      const struct oauth_code *c)
{
    struct err err = {0};
    str code;
    if (grants_issue_code(v->oauth, v->arena, c, &code, &err)) {
        browser_request_redirect(
            v, client_url(v, x, "code", arena_str(v->arena, code).p, NULL));
    } else {
        log_event(LOG_ERROR, "oauth.code", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
        browser_request_refuse(
            v, x, err.code == ERR_BUSY ? "temporarily_unavailable" : "server_error",
            "the code could not be stored");
    }
    auth_flow_free(x);
}

void browser_request_ask(struct browser_request *v, struct auth_flow *x)
{
    struct oauth_rights asked = rights_all(x->scopes), before;
    struct oauth_code code = code_of(x, &asked);
    if (grants_consented(v->oauth, v->arena, &code, &before)) {
        code.rights = before;
        send_code(v, x, &code);
    } else if (v->request->method == HTTP_POST) {
        x->stage = AUTH_FLOW_CONSENT;
        browser_request_go_on(v, x, "/oauth/consent");
    } else {
        browser_request_consent_page(v, x, 200, STR(""));
    }
}

static void log_decision(const struct browser_request *v, const struct auth_flow *x,
                         const char *decision, unsigned scopes)
{
    log_event(LOG_INFO, "oauth.consent", LOG_STR("decision", str_c(decision)),
              LOG_STR("user", x->user), LOG_STR("client", x->client_id),
              LOG_STR("scope", rights_print_scopes(v->arena, scopes)),
              LOG_STR("peer", v->request->peer));
}

void browser_request_allow(struct browser_request *v, struct auth_flow *x,
                           const struct oauth_rights *rights)
{
    struct err err = {0};
    struct oauth_code code = code_of(x, rights);
    log_decision(v, x, "allowed", rights->scopes);
    if (!grants_remember_consent(v->oauth, &code, &err))
        log_event(LOG_WARN, "oauth.consent", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
    send_code(v, x, &code);
}

/* --- the answer --- */

/* The user must still be signed in: another tab may have signed out. */
static bool is_still_in(struct browser_request *v, const struct auth_flow *x)
{
    return x->user.n == 0 ? x->upstream != NULL
                          : str_eq(browser_request_user(v), x->user);
}

void consent_get(struct browser_request *v)
{
    struct auth_flow *x =
        browser_request_read(v, "") ? browser_request_again(v, AUTH_FLOW_CONSENT) : NULL;
    if (x == NULL)
        return;
    if (is_still_in(v, x))
        browser_request_consent_page(v, x, 200, STR(""));
    else
        browser_request_login_page(v, x, 200, STR(""));
}

static bool is_offered(const str *folders, size_t n, str folder)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(folders[i], folder))
            return true;
    return false;
}

/* The folders in the form, in the arena. each: with a level; else all with the same, as a page
 * of an earlier version has them. False: one of them was not offered. */
static bool chosen_folders(struct browser_request *v, const struct auth_flow *x,
                           bool each, struct oauth_rights *out)
{
    struct rights_place *places = ARENA_ARRAY(v->arena, struct rights_place, v->form.n);
    const str *offered;
    size_t n = consent_folders(v, x, &offered);
    out->places = places;
    for (size_t i = 0; i < v->form.n; i++) {
        struct rights_place place = {v->form.fields[i].value, RIGHTS_WRITE};
        if (!str_eq(v->form.fields[i].name, STR("folder")) ||
            (each && str_eq(place.folder, STR(PAGE_LEVEL_SAME))))
            continue;
        if ((each && !read_choice(v->form.fields[i].value, &place)) ||
            !is_offered(offered, n, place.folder))
            return false;
        if (each)
            place.level = capped(v, x, place.level);
        places[out->n_places++] = place;
    }
    return true;
}

/* A level for each folder, and for everything else. */
static bool chosen_each(struct browser_request *v, const struct auth_flow *x,
                        struct oauth_rights *out)
{
    enum rights_level rest = RIGHTS_NONE;
    *out = (struct oauth_rights){.scopes = x->scopes};
    if (!rights_find_level(form_get(&v->form, STR("rest")), &rest) ||
        !chosen_folders(v, x, true, out))
        return false;
    out->elsewhere = capped(v, x, rest);
    out->scopes = rights_scopes_for(rights_highest(out));
    return out->scopes != 0;
}

/*
 * The rights chosen in the form, never more than requested. False: neither everything nor
 * a folder was chosen, or one that is not offered any more. Nothing chosen is never all.
 */
static bool chosen_rights(struct browser_request *v, const struct auth_flow *x,
                          struct oauth_rights *out)
{
    str access = form_get(&v->form, STR("access"));
    enum rights_level level = RIGHTS_READ;
    if (str_eq(access, STR("each")))
        return chosen_each(v, x, out);
    if (!rights_find_level(access, &level) || level == RIGHTS_NONE)
        level = RIGHTS_READ;
    *out = rights_all(rights_scopes_for(capped(v, x, level)));
    if (str_eq(form_get(&v->form, STR("where")), STR("all")))
        return true;
    out->elsewhere = RIGHTS_NONE;
    return chosen_folders(v, x, false, out) && out->n_places > 0;
}

/* The same with the tools; *error says what is to be chosen. */
static bool chosen_all(struct browser_request *v, const struct auth_flow *x,
                       struct oauth_rights *out, str *error)
{
    *error = browser_request_asks_later(v) ? STR("Choose at least one vault.")
                                           : STR("Choose at least one folder.");
    if (!chosen_rights(v, x, out))
        return false;
    *error = STR("Choose at least one tool.");
    return consent_read_tools(v->arena, v->config, &v->form,
                              rights_level_of(x->scopes) == RIGHTS_READ, out);
}

static void keep_rights(struct auth_flow *x, const struct oauth_rights *rights)
{
    x->rights = rights_copy(&x->arena, rights);
}

static void allow(struct browser_request *v, struct auth_flow *x)
{
    struct oauth_rights rights = {0};
    str error;
    if (!chosen_all(v, x, &rights, &error)) {
        browser_request_consent_page(v, x, 400, error);
    } else if (x->user.n > 0) {
        browser_request_allow(v, x, &rights);
    } else {
        keep_rights(x, &rights);
        upstream_go(v, x);
    }
}

static void switch_account(struct browser_request *v, struct auth_flow *x)
{
    str cookie = browser_request_cookie(v, COOKIE_SIGN_IN);
    if (cookie.n > 0)
        sign_in_end(v->oauth, cookie);
    browser_request_drop_cookie(v, COOKIE_SIGN_IN);
    x->user = STR("");
    x->upstream = NULL;
    x->stage = AUTH_FLOW_LOGIN;
    auth_flow_renew(x);
    browser_request_go_on(v, x, "/oauth/login");
}

void consent_post(struct browser_request *v)
{
    struct auth_flow *x = browser_request_read(v, "folder")
                              ? browser_request_transaction(v, AUTH_FLOW_CONSENT)
                              : NULL;
    if (x == NULL)
        return;
    str decision = form_get(&v->form, STR("decision"));
    if (!is_still_in(v, x)) {
        browser_request_login_page(v, x, 403, STR("You are signed out. Sign in again."));
    } else if (str_eq(decision, STR("allow"))) {
        allow(v, x);
    } else if (str_eq(decision, STR("deny"))) {
        log_decision(v, x, "denied", x->scopes);
        browser_request_refuse(v, x, "access_denied", "the user denied access");
        auth_flow_free(x);
    } else if (str_eq(decision, STR("switch"))) {
        switch_account(v, x);
    } else {
        browser_request_consent_page(v, x, 400, STR("Choose Allow or Deny."));
    }
}
