/*
 * upstream - the trip of a browser to a provider of provider.h, and back.
 */
#pragma once

#include "oauth/oauth.h"
#include "oauth/transaction.h"

struct upstream {
    str id;               /* of forms and of user names: "github:octocat" */
    const char *callback; /* path */
    bool (*enabled)(const struct oauth_config *c);
    str (*name)(const struct oauth_config *c);              /* on the button */
    bool (*allows)(const struct oauth_config *c, str name); /* who may sign in */
    bool (*begin)(const struct oauth_config *c, str callback, struct arena *a,
                  struct provider_trip *trip, str *url, struct err *err);
    bool (*finish)(const struct oauth_config *c, str callback, struct arena *a,
                   const struct provider_trip *trip, str query,
                   struct provider_user *user, struct err *err);
};

/* All there are, ended by one without id. */
extern const struct upstream upstreams[];

struct visit;

/* Send the browser away; takes the transaction. */
void upstream_go(struct visit *v, struct transaction *x);

/* The one that is in use; NULL when there is none, or several. */
const struct upstream *upstream_only(const struct oauth_config *c);

/* Whether a user name comes from a provider that is in use, and may still sign in. */
bool upstream_is_user(const struct oauth_config *c, str user);
