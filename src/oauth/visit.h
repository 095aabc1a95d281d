/*
 * visit - one request from a browser while a handler works on it. Private to the files of
 * browser.h.
 *
 * A handler reads request and form, and fills answer with one of the functions below; it
 * is sent when the handler returns. Everything is in the visit's arena.
 */
#pragma once

#include <stdatomic.h>

#include "base/pool.h"
#include "http/form.h"
#include "oauth/browser.h"
#include "oauth/pages.h"
#include "oauth/transaction.h"
#include "oauth/upstream.h"
#include "oauth/users.h"

struct visit;

/* One method of one path. */
struct browser_row {
    const char *path;
    enum http_method method;
    void (*run)(struct visit *v);
    bool is_login;                 /* checks a password, which is slow */
    const struct oauth_page *page; /* of the app */
};

enum { PAGES_WORKERS = 4, PAGES_QUEUE = 64 };

struct browser {
    const struct browser_row *rows; /* our own, then the app's */
    size_t n_rows;
    struct transactions *transactions;
    struct pool *logins; /* passwords */
    struct pool *pages;  /* of the app, which may wait for a vault; others: oauth->work */
    atomic_uint away;    /* requests to providers that are going on */
    struct page_site site;
    str origin; /* of config.url */
    bool https;
};

struct visit {
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

void visit_page(struct visit *v, int status, str html);
void visit_error(struct visit *v, int status, const char *title, const char *text);
void visit_redirect(struct visit *v, str location); /* 303 after POST, else 302 */
void visit_go(struct visit *v, const char *path);   /* the same, to one of our paths */

/* --- the request --- */

/*
 * Read the query into form; repeatable as in form.h. For a POST: the body, after checking
 * Origin and Sec-Fetch-Site (SEC-49). False: answered.
 */
bool visit_read(struct visit *v, const char *repeatable);

/* Cookies by SEC-50: __Host- and Secure with https, plain names on http. */
enum visit_cookie { COOKIE_BROWSER, COOKIE_SIGN_IN, COOKIE_DEVICE };
str visit_cookie(const struct visit *v, enum visit_cookie which); /* empty: none */
void visit_set_cookie(struct visit *v, enum visit_cookie which, str value);
void visit_drop_cookie(struct visit *v, enum visit_cookie which);

/* A browser in which that user has signed in with the password, for DEVICE_TTL_S (device.c);
 * empty: it is not one. */
enum { DEVICE_TTL_S = 180 * 86400 };
str visit_device(struct visit *v, str user);
void visit_remember_device(struct visit *v, str user);

/* --- the user --- */

/* The signed-in user, if still allowed; empty: none. */
str visit_user(struct visit *v);

/* The user has just signed in: renew all cookies (SEC-50). False: answered. */
bool visit_sign_in(struct visit *v, struct transaction *x, str user, const char *by);

/* A new transaction for this browser, which gets a cookie if it has none. */
struct transaction *visit_begin(struct visit *v);

/* The transaction whose form was posted; NULL: answered. */
struct transaction *visit_transaction(struct visit *v, enum transaction_stage stage);

/* The same for a page that is loaded again, by ?request=HANDLE. */
struct transaction *visit_again(struct visit *v, enum transaction_stage stage);

/* The transaction that returns from a provider with its state. */
struct transaction *visit_returned(struct visit *v);

/* Redirect (302 or 303) to path?request=HANDLE, and put the transaction back into the
 * table. */
void visit_go_on(struct visit *v, struct transaction *x, const char *path);

/* --- pages that several handlers show; they take the transaction --- */

struct page_client visit_client(struct visit *v, const struct transaction *x);
void visit_login_page(struct visit *v, struct transaction *x, int status, str error);
void visit_consent_page(struct visit *v, struct transaction *x, int status, str error);

/*
 * The step after a sign-in: the code if the user allowed this before, else the consent
 * page. Takes the transaction.
 */
void visit_ask(struct visit *v, struct transaction *x);

/* Whether the consent page needs to know who signs in: it offers the vaults of the user. */
bool visit_asks_later(const struct visit *v);

/* The user allowed it: remember the consent and send the code to the client. Takes the
 * transaction. */
void visit_allow(struct visit *v, struct transaction *x,
                 const struct oauth_rights *rights);

/* Redirect to the client with an error of RFC 6749 §4.1.2.1, its text, state and iss. */
void visit_refuse(struct visit *v, const struct transaction *x, const char *error,
                  const char *text);

/* The same as a link on a page (400): for a client that no one has decided about yet, so that
 * a link to us never leads to a site of a stranger's choice (RFC 9700 §4.11.2). */
void visit_report(struct visit *v, const struct transaction *x, const char *error,
                  const char *text);

/* --- handlers --- */

void authorize_get(struct visit *v);
void login_get(struct visit *v);
void login_post(struct visit *v);
void consent_get(struct visit *v);
void consent_post(struct visit *v);
void upstream_post(struct visit *v);
void upstream_callback(struct visit *v);
void account_get(struct visit *v);
void account_revoke(struct visit *v);
void account_sign_out(struct visit *v);
void account_signed_out(struct visit *v);
void account_act(struct visit *v);  /* on an item of the app's section */
void account_page(struct visit *v); /* of the app */
