/*
 * provider - single sign-on: GitHub (contract 004) or any OpenID Connect
 * provider that has a discovery document.
 *
 * begin returns the URL to send the browser to; the provider sends it back to
 * URL/oauth/github/callback or URL/oauth/oidc/callback with a code and our state, and
 * finish turns that into a user. Both may use the network: never call them on the loop.
 * The provider's token is discarded immediately and never becomes part of ours (SEC-27).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum { UPSTREAM_AT_ONCE = 2 }; /* requests to providers */

struct oauth_github {
    str client_id, client_secret;
    const str *allowed; /* logins, in any case */
    size_t n_allowed;
    str oauth_url, api_url; /* "https://github.com", "https://api.github.com" */
};

struct oauth_oidc {
    str issuer, client_id, client_secret;
    str name;           /* on the button: "Sign in with NAME" */
    const str *allowed; /* values of the claim, in any case; of "sub" exactly */
    size_t n_allowed;
    str claim; /* "email" (must be verified), "preferred_username" or "sub" */
};

/* What must be remembered between begin and finish; the caller protects it. */
struct provider_sign_in {
    str state, verifier, nonce;
};

struct provider_user {
    str name; /* for the journal and the pages */
    str id;   /* the provider's own id */
    bool name_is_id;
};

MUST_CHECK bool github_begin(const struct oauth_github *g, str callback, struct arena *a,
                             struct provider_sign_in *sign_in, str *url, struct err *err);
MUST_CHECK bool github_finish(const struct oauth_github *g, str callback, struct arena *a,
                              const struct provider_sign_in *sign_in, str query,
                              struct provider_user *out, struct err *err);

MUST_CHECK bool oidc_begin(const struct oauth_oidc *p, str callback, struct arena *a,
                           struct provider_sign_in *sign_in, str *url, struct err *err);
MUST_CHECK bool oidc_finish(const struct oauth_oidc *p, str callback, struct arena *a,
                            const struct provider_sign_in *sign_in, str query,
                            struct provider_user *out, struct err *err);
