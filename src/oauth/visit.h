/*
 * visit - one request of a browser, on its way through a handler. Private to the files of
 * browser.h.
 *
 * A handler looks at request and form, and fills answer with one of the functions below;
 * it is sent when the handler returns. Everything lives in the visit's arena.
 */
#pragma once

#include "http/form.h"
#include "oauth/browser.h"
#include "oauth/pages.h"
#include "oauth/transaction.h"
#include "oauth/upstream.h"
#include "oauth/users.h"

struct visit;

/* One way to use a path. */
struct browser_row {
    const char *path;
    enum http_method method;
    void (*run)(struct visit *v);
    bool is_login;                 /* computes a password's hash */
    const struct oauth_page *page; /* of the app */
};

struct browser {
    const struct browser_row *rows; /* ours, then the app's */
    size_t n_rows;
    struct transactions *transactions;
    struct pool *logins, *work;
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
    const struct oauth_page *page; /* of the app, if it is one */
    struct form form;              /* of the query, or of the body of a POST */
    struct http_response answer;
};

/* --- answers --- */

void visit_page(struct visit *v, int status, str html);
void visit_error(struct visit *v, int status, const char *title, const char *text);
void visit_redirect(struct visit *v, str location); /* 303 after POST, else 302 */
void visit_go(struct visit *v, const char *path);   /* the same, to a path of ours */

/* --- what came --- */

/*
 * Read the query into form; repeatable as in form.h. A POST: the body, after SEC-49's
 * checks of Origin and Sec-Fetch-Site. False: answered.
 */
bool visit_read(struct visit *v, const char *repeatable);

/* Cookies by SEC-50: __Host- and Secure with https, plain names on http. */
enum visit_cookie { COOKIE_BROWSER, COOKIE_SIGN_IN };
str visit_cookie(const struct visit *v, enum visit_cookie which); /* empty: none */
void visit_drop_cookie(struct visit *v, enum visit_cookie which);

/* --- who --- */

/* Who is signed in, and may still be; empty: nobody. */
str visit_user(struct visit *v);

/* Signed in now: new cookies for everything (SEC-50). False: answered. */
bool visit_sign_in(struct visit *v, struct transaction *x, str user, const char *by);

/* A transaction of this browser, which gets its cookie if it has none. */
struct transaction *visit_begin(struct visit *v);

/* The transaction whose form was posted; NULL: answered. */
struct transaction *visit_transaction(struct visit *v, enum transaction_stage stage);

/* The same for a page that is looked at again, by ?request=HANDLE. */
struct transaction *visit_again(struct visit *v, enum transaction_stage stage);

/* The one that went to a provider and comes back with its state. */
struct transaction *visit_returned(struct visit *v);

/* 302 or 303 to path?request=HANDLE, and the transaction back into the table. */
void visit_go_on(struct visit *v, struct transaction *x, const char *path);

/* --- pages that several handlers show; they take the transaction --- */

struct page_client visit_client(struct visit *v, const struct transaction *x);
void visit_login_page(struct visit *v, struct transaction *x, int status, str error);
void visit_consent_page(struct visit *v, struct transaction *x, int status, str error);

/*
 * What follows a sign-in or a request of somebody signed in: the code, if this was
 * allowed before, else the question. Takes the transaction.
 */
void visit_ask(struct visit *v, struct transaction *x);

/* Allowed: remember it, and send the code to the client. Takes the transaction. */
void visit_allow(struct visit *v, struct transaction *x,
                 const struct oauth_rights *rights);

/* error and text (of RFC 6749 §4.1.2.1) to the client, with state and iss. */
void visit_refuse(struct visit *v, const struct transaction *x, const char *error,
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
void account_act(struct visit *v);  /* on a thing of the app's section */
void account_page(struct visit *v); /* of the app */
