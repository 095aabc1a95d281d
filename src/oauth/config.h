/*
 * config - the configuration of the authorization server by its app, and what the app
 * adds to its pages.
 */
#pragma once

#include "base/err.h"
#include "http/response.h"
#include "oauth/client.h"
#include "oauth/provider.h"

struct http_request;
struct oauth;
struct form;
struct oauth_tool;
struct oauth_uses;
struct page_site;
struct store;

enum oauth_tokens { OAUTH_OPAQUE, OAUTH_JWT, OAUTH_JWT_HS256 }; /* OAUTH_JWT: ES256 */

struct oauth_config {
    str url;            /* SERVER_URL without trailing slash: the issuer */
    str mcp_path;       /* "/mcp" */
    str vault_name;     /* shown on the pages */
    str *vault_folders; /* top-level folders, offered on the consent page; may be empty */
    size_t n_vault_folders;

    bool names_vaults; /* folders begin with the name of a vault: there are several */

    /* Instead of vault_folders, if vaults are hosted: those of a user, in the arena, each
     * as "NAME:". NULL: vault_folders. */
    size_t (*vaults_of)(void *app, struct arena *a, str user, str **out);
    const struct oauth_tool *tools; /* to choose from; or NULL */
    size_t n_tools;
    struct store *store;  /* borrowed; or NULL: the one below */
    const char *database; /* store_open(): path of a file, URL, or NULL: in memory */
    enum oauth_tokens token_format;
    bool root_challenge; /* the challenge names the root document (contract 001) */
    bool read_only;      /* only vault:read is offered */
    bool only_proposes;  /* vault:write is not offered */
    bool no_proposals;   /* vault:propose is not offered: they could not be kept */
    int64_t access_ttl, refresh_ttl, refresh_idle, reuse_window; /* seconds */
    const struct oauth_client *clients;                          /* configured ones */
    size_t n_clients;
    str users;      /* "name:bcrypt,…" or empty */
    str users_file; /* path, or empty: one pair per line, reloaded when it changes */
    struct oauth_github github; /* client_id empty: off */
    struct oauth_oidc oidc;     /* issuer empty: off */
    bool development;           /* allow metadata documents on loopback */

    /* What the app adds for signed-in users; each may be NULL. */
    const struct oauth_page *pages; /* ends with a row without path */
    const struct oauth_section *section;
    /* What the apps and keys of a user did in the last month; *note: what to say about the
     * list, or why there is none; or empty. In the arena. */
    size_t (*uses)(void *app, struct arena *a, str user, struct oauth_uses **out,
                   str *note);
    void *app; /* for these, and for vaults_of */
};

/* A request for a page of the app. */
struct oauth_asked {
    const struct http_request *request;
    const struct form *form; /* of a POST, which a page of ours sent; GET: NULL */
    const struct page_site *site;
    str url;       /* of the server, without trailing slash */
    str user;      /* who has signed in, or empty */
    str ticket;    /* for the forms of the page */
    bool stranger; /* not signed in */
};

/* A page of the app, for signed-in users. */
struct oauth_page {
    const char *path;  /* with a '/' at its end: of everything below, too */
    const char *label; /* of the link to it in the header of all pages; NULL: none */
    bool is_part;    /* of another page: without a sign-in it is refused, no login page */
    bool is_open;    /* also without sign-in */
    bool takes_form; /* not only GET, also POST */
    void (*answer)(void *app, struct arena *a, const struct oauth_asked *asked,
                   struct http_response *out);
};

/* A section of /account: items of a user, each with a button if an action is possible. */
struct oauth_thing {
    uint64_t number;
    int64_t when; /* seconds since 1970 */
    str what, client;
    str more; /* of the link to its page: "&name=value"; may be empty */
    bool has_button;
};

/* A tool of the server, for people who choose which ones an app gets. */
struct oauth_tool {
    str name, title;
    bool reads; /* it changes nothing */
};

/* What an app has read or changed lately. */
struct oauth_used {
    str *paths; /* some, the latest first; nothing in them is hidden */
    size_t n;
    size_t total; /* of different ones */
    bool more;    /* and more, which were not counted */
};

struct oauth_uses {
    str client_id, key; /* the app, or the name of the key */
    size_t calls;
    struct oauth_used read, changed;
};

struct oauth_section {
    const char *id, *title, *text, *empty; /* empty: text shown when there are no items */
    const char *path;                      /* of its form: "/account/WORD" */
    const char *details, *field; /* a page of the app: ?FIELD=NUMBER shows an item */
    const char *all;             /* what the link to it without a number says */
    const char *button;
    const char *done, *notice; /* WORD in the URL afterwards; what the page shows */
    const char *unknown;       /* "There is no such change." */
    const char *failed;        /* "Not undone", before the reason */
    const char *event;         /* log event, with user and number */
    /* *alert: what the section says about its items first, such as that some may be
     * missing; empty if there is nothing to say. */
    size_t (*list)(void *app, struct arena *a, str user, struct oauth_thing **out,
                   str *alert);
    bool (*act)(void *app, struct arena *a, str user, uint64_t number, struct err *err);
};
