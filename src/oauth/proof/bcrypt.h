/*
 * bcrypt - password hashes as libxcrypt makes and checks them. It is included only here.
 *
 * Takes a quarter of a second at cost 12, on purpose. What libxcrypt worked with is
 * wiped.
 */
#pragma once

#include "base/arena.h"

enum {
    BCRYPT_COST_MIN = 10,
    BCRYPT_COST_MAX = 14,
    BCRYPT_COST = 12, /* of new ones */
    BCRYPT_SIZE = 60,
    BCRYPT_PASSWORD_MAX = 72, /* it would not look at more */
};

/* $2a$, $2b$ or $2y$, a cost within the bounds, a salt and a sum. */
bool bcrypt_is_hash(str s);

/* Of something that is a hash. */
unsigned bcrypt_cost(str hash);

/* password: 1..BCRYPT_PASSWORD_MAX bytes without NUL, else false at once. */
bool bcrypt_check(str password, str hash);

/* A hash with a new salt; the same bounds. */
MUST_CHECK bool bcrypt_make(struct arena *a, str password, unsigned cost, str *out);
