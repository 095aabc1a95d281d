/*
 * hash - SHA-256 and HMAC for security, XXH3 for contents, a keyed hash for tables.
 *
 * Only hash.c includes OpenSSL (signatures and encryption: oauth/proof). Algorithms are
 * fetched once, at first use, not at start-up.
 */
#pragma once

#include "base/str.h"

enum { HASH_SIZE = 32 };

/* In a static program: do not read the system's configuration of OpenSSL, which may name
 * modules to load. Call it before anything is hashed or signed. */
void hash_keep_modules_out(void);

void hash_sha256(str data, uint8_t out[HASH_SIZE]);
void hash_hmac(str key, str data, uint8_t out[HASH_SIZE]);

/* The id of a git blob, SHA-1 or (long ids) SHA-256. Returns its length. */
size_t hash_git_blob(str content, bool long_ids, uint8_t out[HASH_SIZE]);

/*
 * Identifies the content of a file: XXH3 with 128 bits, the same on every machine. Fast,
 * but an attacker can construct collisions. (Only hash.c includes xxhash.)
 */
struct hash_content {
    uint64_t high, low;
};
struct hash_content hash_content(str data);

static inline bool hash_same(struct hash_content a, struct hash_content b)
{
    return a.high == b.high && a.low == b.low;
}

/* Compare in time that depends only on the lengths. */
bool hash_equal(str a, str b);

/* A fast keyed hash for tables (not for secrets, not stable across processes). */
uint64_t hash_table(str data);

/* The same with an explicit key, for a table that outlives the process. */
struct hash_key {
    uint64_t seed[3];
};
struct hash_key hash_new_key(void);
uint64_t hash_keyed(const struct hash_key *key, str data);
