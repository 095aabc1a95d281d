/*
 * auth - make the authorization server from the settings.
 */
#pragma once

#include "app/setup/app.h"
#include "oauth/oauth.h"
#include "vault/vault.h"

/* What auth_open() refuses before it opens anything: URLs, users, clients. */
MUST_CHECK bool auth_check(struct arena *a, const struct settings *s, struct err *err);

/* *out is NULL if no sign-in is required (reach.h). The pool must be freed before it. */
MUST_CHECK bool auth_open(struct app *app, struct oauth **out, struct err *err);

/* Read the clients file again, if there is one. On failure what was before stays. */
MUST_CHECK bool auth_reload_clients(const struct settings *s, struct oauth *o,
                                    struct err *err);

/* Opens only the store, for commands about API keys; creates it if it is missing. */
MUST_CHECK bool auth_open_store(const struct settings *s, struct oauth **out,
                                struct err *err);

/* The clients of --oauth-clients-file (auth_clients.c). */
MUST_CHECK bool auth_read_clients(struct arena *a, str path, struct oauth_config *out,
                                  struct err *err);
