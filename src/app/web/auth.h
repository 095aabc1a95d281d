/*
 * auth - the authorization server as the settings describe it.
 */
#pragma once

#include "app/setup/app.h"
#include "oauth/oauth.h"
#include "vault/vault.h"

/*
 * *out is NULL when nobody has to sign in: no users, no configured clients, no API keys,
 * or --auth none. The pool must be freed before it.
 */
MUST_CHECK bool auth_open(struct app *app, struct oauth **out, struct err *err);

/* What a grant allows as mcp_caller.grant has it. */
str auth_grant_text(struct arena *a, const struct oauth_rights *rights);

/* The store alone, for commands about API keys; made if it is missing. */
MUST_CHECK bool auth_open_store(const struct settings *s, struct oauth **out,
                                struct err *err);

/* The clients of --oauth-clients-file (auth_clients.c). */
MUST_CHECK bool auth_read_clients(struct arena *a, str path, struct oauth_config *out,
                                  struct err *err);
