/*
 * seal - text that can be read only with a key, and not be changed without it: AES-256-GCM.
 *
 * A sealed text is a random nonce, the encrypted text and a tag. Because the nonce is
 * random, one key is for far fewer than 2^32 texts.
 */
#pragma once

#include "base/arena.h"
#include "base/hash.h"

enum { SEAL_KEY = HASH_SIZE, SEAL_NONCE = 12, SEAL_TAG = 16 };

/* A key for one purpose, made from a secret that it does not reveal. */
void seal_key(str secret, str purpose, uint8_t key[SEAL_KEY]);

str seal_close(struct arena *a, const uint8_t key[SEAL_KEY], str text);

/* False: it was sealed with another key, or changed. */
MUST_CHECK bool seal_open(struct arena *a, const uint8_t key[SEAL_KEY], str sealed,
                          str *out);
