/*
 * grant - what a token or key allows, and how one is issued or refused (grants.h).
 */
#pragma once

#include "oauth/rights.h"

struct oauth_grant {
    int64_t id; /* negative: an API key */
    str user, client_id, client_name, redirect_host;
    str stamp;    /* of the user's password; grant_of_token() has compared it */
    str proof;    /* hash of the token, for grant_is_alive() */
    bool program; /* no user: an API key, or a token from client_credentials */
    struct oauth_rights rights;
    int64_t created, used; /* seconds since 1970; used: 0 if never */
    int64_t expires;       /* when the token or the whole grant expires; 0: never */
};

/* The errors of RFC 6749 §5.2: a code such as "invalid_grant", and a fixed sentence. */
struct oauth_fault {
    int status;
    const char *code, *text;
};

struct oauth_answer {                /* from the token endpoint */
    str access_token, refresh_token; /* refresh_token may be empty */
    int64_t expires_in;
    unsigned scopes;
};
