/*
 * browser_request - one request from a browser while a handler works on it. Private to
 * the files of browser.h.
 *
 * A handler reads request and form, and fills answer with one of the functions below; it
 * is sent when the handler returns. Everything is in the request's arena.
 */
#pragma once

#include <stdatomic.h>

#include "base/pool.h"
#include "http/form.h"
#include "oauth/auth_flow.h"
#include "oauth/browser.h"
#include "oauth/pages.h"
#include "oauth/upstream.h"
#include "oauth/users.h"

struct browser_request;

/* One method of one path. */
struct browser_row {
    const char *path;
    enum http_method method;
    void (*run)(struct browser_request *v);
    bool is_login;                 /* checks a password, which is slow */
    const struct oauth_page *page; /* of the app */
};

enum { PAGES_WORKERS = 4, PAGES_QUEUE = 64 };

struct browser {
    const struct browser_row *rows; /* our own, then the app's */
    size_t n_rows;
    struct auth_flows *flows;
    struct pool *logins; /* passwords */
    struct pool *pages;  /* of the app, which may wait for a vault; others: oauth->work */
    atomic_uint away;    /* requests to providers that are going on */
    struct page_site site;
    str origin; /* of config.url */
    bool https;
};

struct browser_request {
    struct browser *browser;
    struct oauth *oauth;
    struct users *users;
    const struct oauth_config *config;
    struct http_exchange *exchange;
    const struct http_request *request;
    struct arena *arena;
    const struct oauth_page *page; /* if it is a page of the app */
    struct form form;              /* from the query, or the body of a POST */
    struct http_response answer;
};

/* --- answers --- */

void browser_request_page(struct browser_request *v, int status, str html);
void browser_request_error(struct browser_request *v, int status, const char *title,
                           const char *text);
void browser_request_redirect(struct browser_request *v,
                              str location); /* 303 after POST, else 302 */
void browser_request_go(struct browser_request *v,
                        const char *path); /* the same, to one of our paths */

/* The frame without links, where a person is in the middle of a sign-in. */
struct page_site browser_request_bare_site(const struct browser_request *v);

/* --- the request --- */

/*
 * Read the query into form; repeatable as in form.h. For a POST: the body, after checking
 * Origin and Sec-Fetch-Site (SEC-49). False: answered.
 */
bool browser_request_read(struct browser_request *v, const char *repeatable);

/* Cookies by SEC-50: __Host- and Secure with https, plain names on http. */
enum browser_request_cookie { COOKIE_BROWSER, COOKIE_SIGN_IN, COOKIE_DEVICE };
str browser_request_cookie(const struct browser_request *v,
                           enum browser_request_cookie which); /* empty: none */
void browser_request_set_cookie(struct browser_request *v,
                                enum browser_request_cookie which, str value);
void browser_request_drop_cookie(struct browser_request *v,
                                 enum browser_request_cookie which);

/* A browser in which that user has signed in with the password, for DEVICE_TTL_S
 * (device.c); empty: it is not one. */
enum { DEVICE_TTL_S = 180 * 86400 };
str browser_request_device(struct browser_request *v, str user);
void browser_request_remember_device(struct browser_request *v, str user);

/* --- the user --- */

/* The signed-in user, if still allowed; empty: none. */
str browser_request_user(struct browser_request *v);

/* The user has just signed in: renew all cookies (SEC-50). False: answered. */
bool browser_request_sign_in(struct browser_request *v, struct auth_flow *x, str user,
                             const char *by);

/* Check a password that was entered (users_check()). False: *status and *error say what to
 * answer; a wrong one leaves *error as it is. Not for the loop. */
bool browser_request_password(struct browser_request *v, str name, str password,
                              int *status, str *error);

/* Check a form that /account posted, and return the signed-in user; empty: answered. */
str account_actor(struct browser_request *v);

/* Show /account again, with what is wrong. */
void account_refuse(struct browser_request *v, int status, str user, str error);

/* Where the user's password can be changed (password.c). */
enum page_password browser_request_place(struct browser_request *v, str user);

/* A new auth flow for this browser, which gets a cookie if it has none. */
struct auth_flow *browser_request_begin(struct browser_request *v);

/* The auth flow whose form was posted; NULL: answered. */
struct auth_flow *browser_request_transaction(struct browser_request *v,
                                              enum auth_flow_stage stage);

/* The same for a page that is loaded again, by ?request=HANDLE. */
struct auth_flow *browser_request_again(struct browser_request *v,
                                        enum auth_flow_stage stage);

/* The auth flow that returns from a provider with its state. */
struct auth_flow *browser_request_returned(struct browser_request *v);

/* Redirect (302 or 303) to path?request=HANDLE, and put the auth flow back into the
 * table. */
void browser_request_go_on(struct browser_request *v, struct auth_flow *x,
                           const char *path);

/* --- pages that several handlers show; they take the auth flow --- */

struct page_client browser_request_client(struct browser_request *v,
                                          const struct auth_flow *x);
void browser_request_login_page(struct browser_request *v, struct auth_flow *x,
                                int status, str error);
void browser_request_consent_page(struct browser_request *v, struct auth_flow *x,
                                  int status, str error);

/*
 * The step after a sign-in: the code if the user allowed this before, else the consent
 * page. Takes the auth flow.
 */
void browser_request_ask(struct browser_request *v, struct auth_flow *x);

/* Whether the consent page needs to know who signs in: it offers the vaults of the
 * user. */
bool browser_request_asks_later(const struct browser_request *v);

/* The user allowed it: remember the consent and send the code to the client. Takes the
 * auth flow. */
void browser_request_allow(struct browser_request *v, struct auth_flow *x,
                           const struct oauth_rights *rights);

/* Redirect to the client with an error of RFC 6749 §4.1.2.1, its text, state and iss. */
void browser_request_refuse(struct browser_request *v, const struct auth_flow *x,
                            const char *error, const char *text);

/* The same as a link on a page (400): for a client that no one has decided about yet, so
 * that a link to us never leads to a site of an attacker's choice (RFC 9700 §4.11.2). */
void browser_request_report(struct browser_request *v, const struct auth_flow *x,
                            const char *error, const char *text);

/* --- handlers --- */

void authorize_get(struct browser_request *v);
void login_get(struct browser_request *v);
void login_post(struct browser_request *v);
/* The tools that are ticked in a form with page_choose_tools(), added to *out; unchanged if it
 * has no such list, or all are. False: none is. */
bool consent_read_tools(struct arena *a, const struct oauth_config *config,
                        const struct form *form, bool no_changes,
                        struct oauth_rights *out);
void consent_get(struct browser_request *v);
void consent_post(struct browser_request *v);
void upstream_post(struct browser_request *v);
void upstream_callback(struct browser_request *v);
void account_get(struct browser_request *v);
void account_password(struct browser_request *v);
void account_revoke(struct browser_request *v);
void account_lower(struct browser_request *v);
void account_sign_out(struct browser_request *v);
void account_signed_out(struct browser_request *v);
void account_act(struct browser_request *v);  /* on an item of the app's section */
void account_page(struct browser_request *v); /* of the app */
