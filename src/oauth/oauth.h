/*
 * oauth - the authorization server of vaultd, and the gate in front of the MCP endpoint.
 *
 * One struct oauth has everything: what was configured, the store, and the parts below.
 * oauth_routes() are rows for the HTTP server; their handlers run on the loop and give
 * the work to the pool. Nothing of a request decides a URL we print: all begin with
 * config.url (SEC-10).
 *
 *   gate.h      may this request pass, and as whom
 *   grants.h    codes, tokens, grants, sign-ins, API keys: what the store remembers
 *   clients.h   who asks: configured, registered, or by a metadata document
 *   users.h     who signs in with a password
 *   provider.h  who signs in elsewhere: GitHub, OpenID Connect
 *   pages.h     what a browser sees
 */
#pragma once

#include "base/pool.h"
#include "http/server.h"
#include "oauth/clients.h"
#include "oauth/provider.h"
#include "oauth/rights.h"

struct oauth;

enum oauth_tokens { OAUTH_OPAQUE, OAUTH_JWT, OAUTH_JWT_HS256 }; /* OAUTH_JWT: ES256 */

struct oauth_config {
    str url;            /* SERVER_URL without trailing slash: the issuer */
    str mcp_path;       /* "/mcp" */
    str vault_name;     /* shown on the pages */
    str *vault_folders; /* offered on the consent page: the top ones; may be none */
    size_t n_vault_folders;
    const char *database; /* path of the SQLite file, or NULL: memory only */
    enum oauth_tokens token_format;
    bool root_challenge; /* the challenge names the root form (contract 001) */
    bool read_only;      /* vault:write is not offered at all */
    int64_t access_ttl, refresh_ttl, refresh_idle, reuse_window; /* seconds */
    const struct oauth_client *clients;                          /* configured ones */
    size_t n_clients;
    str users;      /* "name:bcrypt,…" or empty */
    str users_file; /* path, or empty: one pair per line, read again when it changes */
    struct oauth_github github; /* client_id empty: off */
    struct oauth_oidc oidc;     /* issuer empty: off */
    bool development;           /* metadata documents may live on loopback */
    struct pool *pool;

    /* What the app adds for those who are signed in; each may be NULL. */
    const struct oauth_page *pages; /* ended by one without path */
    const struct oauth_section *section;
    void *app; /* of both */
};

/* A page of the app that only those who are signed in may see. */
struct oauth_page {
    const char *path; /* GET */
    bool is_part; /* of another page: without a sign-in it is refused, not asked for */
    void (*answer)(void *app, struct arena *a, const struct http_request *r,
                   struct http_response *out);
};

/* A section of /account: things of a user, each with a button if it can be acted on. */
struct oauth_thing {
    uint64_t number;
    int64_t when; /* seconds since 1970 */
    str what, client;
    bool has_button;
};

struct oauth_section {
    const char *id, *title, *text, *empty; /* empty: what it says without things */
    const char *path;                      /* of its form: "/account/WORD" */
    const char *button;
    const char *done,
        *notice;         /* WORD for the URL after it, and what the page then says */
    const char *unknown; /* "That change does not exist." */
    const char *failed;  /* "Could not undo the change", before the reason */
    const char *event;   /* of the log, with user and number */
    size_t (*list)(void *app, struct arena *a, str user, struct oauth_thing **out);
    bool (*act)(void *app, struct arena *a, str user, uint64_t number, struct err *err);
};

/* Opens the store, checks hashes (SEC-53) and URLs. */
MUST_CHECK bool oauth_create(const struct oauth_config *config, struct oauth **out,
                             struct err *err);

/* Wait for requests that are being worked on. When the loop has ended, and before
 * http_server_free(). */
void oauth_stop(struct oauth *o);
void oauth_free(struct oauth *o);

/* Rows for the route table, ended by one without path, each with the oauth as its
 * context. They live as long as the oauth. */
const struct http_route *oauth_routes(struct oauth *o);
