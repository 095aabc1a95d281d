/*
 * bcrypt - password hashes, made and checked by libxcrypt, which only bcrypt.c includes.
 *
 * Takes a quarter of a second at cost 12, on purpose. libxcrypt's working memory is
 * wiped.
 */
#pragma once

#include "base/arena.h"

enum {
    BCRYPT_COST_MIN = 10,
    BCRYPT_COST_MAX = 14,
    BCRYPT_COST = 12, /* of new hashes */
    BCRYPT_SIZE = 60,
    BCRYPT_PASSWORD_MAX = 72, /* bcrypt ignores the rest */
};

/* $2a$, $2b$ or $2y$, a cost within the bounds, a salt and a digest. */
bool bcrypt_is_hash(str s);

/* The cost of a valid hash. */
unsigned bcrypt_cost(str hash);

/* password: 1..BCRYPT_PASSWORD_MAX bytes without NUL, else it returns false. */
bool bcrypt_check(str password, str hash);

/* A hash with a new salt; the same limits apply. */
MUST_CHECK bool bcrypt_make(struct arena *a, str password, unsigned cost, str *out);
