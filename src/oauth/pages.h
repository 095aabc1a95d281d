/*
 * pages - what a browser shows: plain HTML without scripts, one style for all pages.
 *
 * Each function builds a whole page in the arena. Client names are cleaned (clients.h)
 * and everything is escaped. Forms carry a ticket and nothing else that is sensitive
 * (SEC-49). Pages know nothing about requests: browser.c sends them.
 */
#pragma once

#include "base/arena.h"
#include "oauth/grants.h"
#include "oauth/oauth.h"

enum { PAGE_FOLDERS_MAX = 64 /* offered; a form has 100 fields at most */ };

struct page_site {
    str base; /* the prefix of all our paths; empty or "/vault" */
    str vault;
};

struct page_provider {
    str id, name; /* "github", "GitHub" */
};

/* The client that requests access. */
struct page_client {
    str name;           /* as the client gave it */
    str id_host;        /* host of a client id that is a URL, else empty */
    str redirect_host;  /* where the browser goes in the end, or "app://" of a scheme */
    bool loopback, app; /* redirect to this computer; to an app by its own scheme */
};

struct page_login {
    str ticket;
    const struct page_client *client; /* NULL: for /account */
    bool password;                    /* the form for name and password */
    const struct page_provider *providers;
    size_t n_providers;
    str error; /* empty: none */
};

struct page_consent {
    str ticket, user; /* user empty: signs in next, at provider */
    str provider;     /* name, or empty */
    struct page_client client;
    bool offer_write, read_chosen; /* read_chosen: if the page is shown again */
    const str *folders;            /* to choose from; may be empty */
    size_t n_folders;
    str error;
};

struct page_account {
    str user, ticket;
    str notice; /* what was just done, or empty */
    str error;
    const struct oauth_grant *grants;
    size_t n_grants;
    const struct oauth_section *section; /* from the app; NULL: none */
    const struct oauth_thing *things;    /* in it */
    size_t n_things;
    const struct oauth_key *keys;
    size_t n_keys;
};

str page_error(struct arena *a, const struct page_site *site, str title, str text);
str page_login(struct arena *a, const struct page_site *site, const struct page_login *p);
str page_consent(struct arena *a, const struct page_site *site,
                 const struct page_consent *p);
str page_account(struct arena *a, const struct page_site *site,
                 const struct page_account *p);
str page_signed_out(struct arena *a, const struct page_site *site);

/* The Content-Security-Policy of all pages: SEC-46 with the hash of the style, and
 * without form-action (SEC-47). */
str page_policy(struct arena *a);
