/*
 * jwt - access tokens that carry their claims (RFC 9068), signed with our own key.
 *
 * The key decides the algorithm, never the token (SEC-30): the header must contain typ
 * at+jwt, a known kid and that key's algorithm, and nothing else; jku, jwk, x5u, crit and
 * any other member are refused.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum jwt_alg { JWT_ES256 = 1, JWT_HS256 = 2 };
enum { JWT_MAX = 8 << 10 }; /* maximum bytes of a token */

struct jwt_key {
    str kid;
    enum jwt_alg alg;
    str private_key; /* HS256: the secret; ES256: as in es256.h */
    str public_key;  /* ES256 */
    int64_t created;
};

/* A new key in the arena. */
void jwt_key_make(struct arena *a, enum jwt_alg alg, int64_t now, struct jwt_key *out);

/* claims: a JSON object. False: the key is damaged. */
MUST_CHECK bool jwt_sign(struct arena *a, const struct jwt_key *key, str claims,
                         str *out);

struct jwt_expected {
    str issuer, audience;
    int64_t now;
};

struct jwt_claims {
    str id, subject, client_id, scope;
    int64_t expires;
};

/* ERR_DENIED with a reason for the log; ERR_NOT_FOUND: no key has that kid. */
MUST_CHECK bool jwt_verify(struct arena *a, const struct jwt_key *keys, size_t n_keys,
                           str token, const struct jwt_expected *expected,
                           struct jwt_claims *out, struct err *err);

/* The JWKS document: the public parts of ES256 keys; HS256 keys are left out. */
str jwt_print_keys(struct arena *a, const struct jwt_key *keys, size_t n_keys);
