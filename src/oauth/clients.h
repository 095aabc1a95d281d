/*
 * clients - the programs that ask for access.
 *
 * Three kinds: those in the configuration, those that registered themselves (RFC 7591)
 * and those whose id is the URL of a document about them. What stands here was checked:
 * redirect URIs by SEC-21, names by SEC-44.
 */
#pragma once

#include "base/err.h"
#include "oauth/rights.h"

struct oauth;

enum oauth_client_kind { CLIENT_CONFIGURED, CLIENT_REGISTERED, CLIENT_DOCUMENT };
enum oauth_client_auth { CLIENT_PUBLIC, CLIENT_SECRET_POST, CLIENT_SECRET_BASIC };
enum oauth_grant_type { GRANT_CODE = 1, GRANT_REFRESH = 2, GRANT_CREDENTIALS = 4 };

enum {
    CLIENT_REDIRECTS_MAX = 10,
    CLIENT_REDIRECT_SIZE = 2048,
    CLIENT_NAME_SHOWN = 80, /* characters */
    CLIENT_MAX = 10000,
    CLIENT_UNUSED_S = 24 * 3600,
};

struct oauth_client {
    str id, name;
    enum oauth_client_kind kind;
    enum oauth_client_auth auth;
    unsigned grants; /* of enum oauth_grant_type */
    const str *redirect_uris;
    size_t n_redirect_uris;
    uint8_t secret_hash[32];    /* SHA-256, unless public */
    struct oauth_rights rights; /* of client_credentials: configured ones only */
};

/* ERR_NOT_FOUND when nobody has that id. May fetch a document, so never on the loop. */
MUST_CHECK bool clients_find(struct oauth *o, struct arena *a, str id,
                             struct oauth_client *out, struct err *err);

/* A name as people may see it: without control, bidi and zero-width characters, at most
 * CLIENT_NAME_SHOWN characters (SEC-44). */
str clients_clean_name(struct arena *a, str name);

/* Where to send the browser: the given URI if it is a registered one, the port of a
 * loopback address left out (SEC-40); absent (p NULL) the only registered one. False:
 * none. */
bool clients_redirect(const struct oauth_client *c, str given, str *out);

/*
 * POST /register: the body to the answer. False with the error code and text of RFC 7591
 * in *code and err; ERR_LIMIT: too many, ERR_BUSY and ERR_INTERNAL: the store.
 */
MUST_CHECK bool clients_register(struct oauth *o, struct arena *a, str body, str *answer,
                                 str *code, struct err *err);
