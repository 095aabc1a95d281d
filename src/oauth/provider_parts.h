/*
 * provider_parts - what GitHub and OpenID Connect have in common. Private to both.
 */
#pragma once

#include "base/json.h"
#include "base/sbuf.h"
#include "fetch/fetch.h"
#include "oauth/provider.h"

enum { PROVIDER_MS = 5000, PROVIDER_SIZE = 64 << 10 };

/* Append name=value, after an & unless b is empty. */
void provider_add(struct sbuf *b, str name, str value);

/* Fresh secrets for one sign_in. */
void provider_start(struct arena *a, struct provider_sign_in *sign_in);

/* base?… with the parameters that every provider needs. */
str provider_url(struct arena *a, str base, str client_id, str callback, str scope,
                 const struct provider_sign_in *sign_in);

/* The code that the browser brought back, if the state is ours and there was no error. */
MUST_CHECK bool provider_code(struct arena *a, const struct provider_sign_in *sign_in,
                              str query, str *code, struct err *err);

/* The form that turns a code into a token, without client credentials. */
str provider_form(struct arena *a, str code, str callback,
                  const struct provider_sign_in *sign_in);

/* Fetch a JSON object; provider is its name for messages. A status other than 200
 * is an error. */
MUST_CHECK bool provider_ask(struct arena *a, const char *provider, struct fetch *f,
                             const struct json **out, struct err *err);

/* Whether name is one of the allowed names, ignoring ASCII case. */
bool provider_allows(const str *allowed, size_t n, str name);

/* Whether the claim's value is allowed: a subject exactly, other names in any case. */
bool oidc_allows(const struct oauth_oidc *p, str name);
