/*
 * secret - what proves something: 256 random bits as text, kept as SHA-256 only.
 *
 * Nothing here prints a secret; logs name one by secret_tag().
 */
#pragma once

#include "base/arena.h"
#include "base/hash.h"

enum { SECRET_SIZE = 32, SECRET_HEX = 2 * SECRET_SIZE };

/* A new one: 64 lower-case hex characters behind prefix. */
str secret_new(struct arena *a, str prefix);

/* Whether text is prefix and 64 lower-case hex characters. */
bool secret_is(str text, str prefix);

/* A random UUID (version 4), for ids that are not secret but not guessable either. */
str secret_uuid(struct arena *a);

/* Whether text is what was hashed, in constant time. */
bool secret_matches(str text, const uint8_t hash[HASH_SIZE]);

/* The first 8 hex characters of its hash: what a log may say (SEC-73). */
str secret_tag(struct arena *a, str text);
