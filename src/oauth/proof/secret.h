/*
 * secret - tokens and codes: 256 random bits as text, stored only as SHA-256.
 *
 * Nothing here prints a secret; logs identify it by secret_tag().
 */
#pragma once

#include "base/arena.h"
#include "base/hash.h"

enum { SECRET_SIZE = 32, SECRET_HEX = 2 * SECRET_SIZE };

/* A new secret: prefix and 64 lower-case hex characters. */
str secret_new(struct arena *a, str prefix);

/* Whether text is prefix and 64 lower-case hex characters. */
bool secret_is(str text, str prefix);

/* A random UUID (version 4), for ids that are not secret but not guessable either. */
str secret_uuid(struct arena *a);

/* Whether text has this hash, in constant time. */
bool secret_matches(str text, const uint8_t hash[HASH_SIZE]);

/* The first 8 hex characters of its hash: all that a log may show (SEC-73). */
str secret_tag(struct arena *a, str text);
