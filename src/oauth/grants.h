/*
 * grants - what users have allowed clients to do, and the secrets that prove it.
 *
 * Secrets are 256 random bits; only their SHA-256 is stored. Changes are on disk before
 * the answer is sent (SEC-26): a code spent, a token revoked, a refresh counted. Every
 * function here may wait for the disk, except grant_of_seen_token(), grants_generation();
 * only these may run on the loop. Safe from any thread, and with a second process on
 * the same file.
 */
#pragma once

#include "base/err.h"
#include "oauth/client.h"
#include "oauth/grant.h"

struct oauth;
struct store;

enum {
    CODE_TTL_S = 5 * 60,
    SIGN_IN_TTL_S = 12 * 3600,
};

/* --- codes and tokens --- */

struct oauth_code {
    str client_id, client_name, redirect_uri, challenge, user;
    struct oauth_rights rights;
};

MUST_CHECK bool grants_issue_code(struct oauth *o, struct arena *a,
                                  const struct oauth_code *c, str *code, struct err *err);

/* redirect_uri: p NULL if it was not sent. Using a code twice revokes the grant made from
 * it. */
MUST_CHECK bool grants_redeem_code(struct oauth *o, struct arena *a,
                                   const struct oauth_client *client, str code,
                                   str verifier, str redirect_uri,
                                   struct oauth_answer *out, struct oauth_fault *fault);

/* scopes 0: those of the grant. Rotation and reuse follow SEC-17 and SEC-18. */
MUST_CHECK bool grants_refresh(struct oauth *o, struct arena *a,
                               const struct oauth_client *client, str token,
                               unsigned scopes, struct oauth_answer *out,
                               struct oauth_fault *fault);

/* client_credentials: for a configured client that has proved its secret. */
MUST_CHECK bool grants_for_client(struct oauth *o, struct arena *a,
                                  const struct oauth_client *client, unsigned scopes,
                                  struct oauth_answer *out, struct oauth_fault *fault);

/* RFC 7009; unknown tokens and tokens of other clients are not an error. */
MUST_CHECK bool grants_revoke_token(struct oauth *o, str client_id, str token,
                                    struct err *err);

/*
 * The grant of an access token or API key: false if it is not valid, or if its user no
 * longer exists or has another password. Under 5 µs for a token seen before; a revocation
 * by another process takes effect immediately, or within a second if they share a
 * PostgreSQL. *unsure: the store did not answer, so it may be valid. While it is away,
 * for up to STORE_AWAY_MAX_MS, tokens seen before are as valid as they were then.
 */
bool grant_of_token(struct oauth *o, struct arena *a, str token, struct oauth_grant *out,
                    bool *unsure);

/* The same without waiting. *unseen: it was not seen before, so ask grant_of_token(). */
bool grant_of_seen_token(struct oauth *o, struct arena *a, str token,
                         struct oauth_grant *out, bool *unsure, bool *unseen);

/*
 * For things that outlast a request, such as streams (SEC-54): whether a token is still
 * valid, by id and proof of its grant; *now: what it allows now. The number below changes
 * whenever that may have changed for any token, so compare it once a second and ask only
 * if it changed. If the store does not answer, the token counts as valid and *unsure is
 * set: ask again later.
 */
uint64_t grants_generation(struct oauth *o);
bool grant_is_alive(struct oauth *o, struct arena *a, int64_t id, str proof,
                    struct oauth_grant *now, bool *unsure);

/* --- for /account, and operators --- */

size_t grants_of_user(struct oauth *o, struct arena *a, str user,
                      struct oauth_grant **out);
MUST_CHECK bool grants_revoke(struct oauth *o, str user, int64_t id, struct err *err);

/* Limit what an app may do to what both the grant and these rights allow. Its access tokens end,
 * so that it refreshes them and learns of it, and its next sign-in asks again. ERR_NOT_FOUND: no
 * such grant; ERR_INVALID: nothing would be left. */
MUST_CHECK bool grants_lower(struct oauth *o, str user, int64_t id,
                             const struct oauth_rights *to, struct err *err);

/* Earlier consent for the same user, client and redirect host: true with the requested
 * scopes and the folders chosen then, if they cover them. Never for redirects to loopback
 * or a private scheme, where another program may wait (SEC-45). */
bool grants_consented(struct oauth *o, struct arena *a, const struct oauth_code *asked,
                      struct oauth_rights *out);
MUST_CHECK bool grants_remember_consent(struct oauth *o, const struct oauth_code *c,
                                        struct err *err);

/* --- browser sign-ins: the value of a cookie --- */

MUST_CHECK bool sign_in_create(struct oauth *o, struct arena *a, str user, str *cookie,
                               struct err *err);
bool sign_in_user(struct oauth *o, struct arena *a, str cookie, str *user);
void sign_in_end(struct oauth *o, str cookie);

/* A user from a provider is pinned to the provider's own id at the first login (SEC-27):
 * false if that name, in any case, is pinned to another id. *name becomes the spelling of
 * the first login. */
MUST_CHECK bool sign_in_pin(struct oauth *o, struct arena *a, str provider, str *name,
                            str id, struct err *err);

/* --- API keys: vaultd key add|list|revoke --- */

struct oauth_key {
    str name; /* unique; "USER/NAME" belongs to that user */
    struct oauth_rights rights;
    int64_t created, used;
};

/* *key is shown once: "vk_" and 64 hex characters. */
MUST_CHECK bool keys_add(struct oauth *o, struct arena *a, str name,
                         const struct oauth_rights *rights, str *key, struct err *err);
MUST_CHECK bool keys_list(struct store *s, struct arena *a, struct oauth_key **out,
                          size_t *n, struct err *err);
size_t keys_of_user(struct oauth *o, struct arena *a, str user, struct oauth_key **out);
MUST_CHECK bool keys_revoke(struct oauth *o, str name, struct err *err);
