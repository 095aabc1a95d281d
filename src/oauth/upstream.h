/*
 * upstream - sends a browser to a provider (provider.h) and handles its return.
 */
#pragma once

#include "oauth/auth_flow.h"
#include "oauth/config.h"

struct upstream {
    str id;               /* in forms and user names: "github:octocat" */
    const char *callback; /* path */
    bool (*enabled)(const struct oauth_config *c);
    str (*name)(const struct oauth_config *c); /* on the button */
    /* Whether this user may sign in. */
    bool (*allows)(const struct oauth_config *c, str name);
    bool (*begin)(const struct oauth_config *c, str callback, struct arena *a,
                  struct provider_sign_in *sign_in, str *url, struct err *err);
    bool (*finish)(const struct oauth_config *c, str callback, struct arena *a,
                   const struct provider_sign_in *sign_in, str query,
                   struct provider_user *user, struct err *err);
};

/* All providers; the last row has no id. */
extern const struct upstream upstreams[];

struct browser_request;

/* Send the browser to the provider; takes the auth flow. */
void upstream_go(struct browser_request *v, struct auth_flow *x);

/* The only enabled provider; NULL if there is none or several. */
const struct upstream *upstream_only(const struct oauth_config *c);

/* Whether this program can reach the enabled providers at all (fetch_is_possible()). */
MUST_CHECK bool upstream_check(const struct oauth_config *c, struct err *err);

/* Whether a user name belongs to an enabled provider and may still sign in. */
bool upstream_is_user(const struct oauth_config *c, str user);
