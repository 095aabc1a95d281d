/*
 * hash - SHA-256 and HMAC-SHA-256. OpenSSL is included only here (and for signatures
 * in oauth/). Algorithms are fetched once, at first use, not at start-up.
 */
#pragma once

#include "base/str.h"

enum { HASH_SIZE = 32 };

void hash_sha256(str data, uint8_t out[HASH_SIZE]);
void hash_hmac(str key, str data, uint8_t out[HASH_SIZE]);

/* Equal in time that depends on the lengths only. */
bool hash_equal(str a, str b);

/* A fast keyed hash for tables (not for secrets, not stable across processes). */
uint64_t hash_table(str data);
