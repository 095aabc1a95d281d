/*
 * oauth - the authorization server of vaultd, and the gate in front of the MCP endpoint.
 *
 * One struct oauth holds everything: the configuration, the store and the parts below.
 * oauth_routes() are rows for the HTTP server; their handlers run on the loop and pass
 * the work to threads of their own, never to the pool of MCP calls. URLs that we print
 * never depend on the request: all begin with config.url (SEC-10).
 *
 *   gate.h      whether a request may pass, and as whom
 *   grants.h    codes, tokens, grants, sign-ins, API keys: what is in the store
 *   clients.h   clients: configured, registered, or with a metadata document
 *   users.h     users who sign in with a password
 *   provider.h  users who sign in elsewhere: GitHub, OpenID Connect
 *   pages.h     the HTML pages
 */
#pragma once

#include "http/server.h"
#include "oauth/clients.h"
#include "oauth/provider.h"
#include "oauth/rights.h"

struct oauth;
struct form;
struct page_site;
struct store;

enum oauth_tokens { OAUTH_OPAQUE, OAUTH_JWT, OAUTH_JWT_HS256 }; /* OAUTH_JWT: ES256 */

struct oauth_config {
    str url;            /* SERVER_URL without trailing slash: the issuer */
    str mcp_path;       /* "/mcp" */
    str vault_name;     /* shown on the pages */
    str *vault_folders; /* top-level folders, offered on the consent page; may be empty */
    size_t n_vault_folders;

    /* Instead of vault_folders, if vaults are hosted: those of a user, in the arena, each as
     * "NAME:". NULL: vault_folders. */
    size_t (*vaults_of)(void *app, struct arena *a, str user, str **out);
    struct store *store;  /* borrowed; or NULL: the one below */
    const char *database; /* store_open(): path of a file, URL, or NULL: in memory */
    enum oauth_tokens token_format;
    bool root_challenge; /* the challenge names the root document (contract 001) */
    bool read_only;      /* vault:write is not offered at all */
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
    bool stranger; /* should sign in to see more */
};

/* A page of the app, for signed-in users. */
struct oauth_page {
    const char *path;
    bool is_part;    /* of another page: without a sign-in it is refused, no login page */
    bool is_open;    /* strangers get it, too */
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
    size_t (*list)(void *app, struct arena *a, str user, struct oauth_thing **out);
    bool (*act)(void *app, struct arena *a, str user, uint64_t number, struct err *err);
};

/* Opens the store, checks hashes (SEC-53) and URLs. */
MUST_CHECK bool oauth_create(const struct oauth_config *config, struct oauth **out,
                             struct err *err);

/* Whether the clock was in doubt when it was last needed: nothing is deleted by it then,
 * although what it shows as expired cannot be used. From any thread. */
bool oauth_doubts_clock(const struct oauth *o);

/* For how long the database has not answered, in ms; 0: it answers (store_away_ms()). */
uint64_t oauth_away_ms(const struct oauth *o);

/* Whether anyone could sign in or has a key: users, a provider, configured clients or keys.
 * True if the store does not answer. From any thread. */
bool oauth_has_people(struct oauth *o);

/* Read the users file again. ERR_INVALID: the users stay as they were. */
MUST_CHECK bool oauth_reload_users(struct oauth *o, struct err *err);

/*
 * Compare the users with those before, if they may have changed: a user who was removed and
 * came back with another password is somebody else, and loses what vaults allowed the name
 * (vault_table.h), unless a key has it. Of the changes while no server runs, only the
 * result is known, so a user who was replaced then looks like one with a new password.
 */
MUST_CHECK bool oauth_note_users(struct oauth *o, struct err *err);

/* Replace the configured clients; copied. ERR_INVALID: nothing changed. What those had who
 * are removed is deleted, as by oauth_forget_removed(). */
MUST_CHECK bool oauth_set_clients(struct oauth *o, const struct oauth_client *clients,
                                  size_t n, struct err *err);

/* Delete the grants, codes and consents of clients that are not configured any more, so that
 * they stay revoked for every process, and if the client is configured again. For a server
 * that was told which clients there are. */
MUST_CHECK bool oauth_forget_removed(struct oauth *o, struct err *err);

/* Run a job that looks into the store for a moment, not on the loop. False if too many wait:
 * try again later. */
MUST_CHECK bool oauth_look(struct oauth *o, void (*job)(void *arg), void *arg);

/* Waits for requests in progress. Call it after the loop has ended and before
 * http_server_free(). */
void oauth_stop(struct oauth *o);
void oauth_free(struct oauth *o);

/* Rows for the route table, the last one without path, each with the oauth as its
 * context. Valid as long as the oauth. */
const struct http_route *oauth_routes(struct oauth *o);
