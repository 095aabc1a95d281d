/*
 * client - a program that requests access (clients.h).
 */
#pragma once

#include "oauth/rights.h"

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
    unsigned grants; /* bits of enum oauth_grant_type */
    const str *redirect_uris;
    size_t n_redirect_uris;
    uint8_t secret_hash[32];    /* SHA-256, unless public */
    struct oauth_rights rights; /* for client_credentials: configured clients only */
};
