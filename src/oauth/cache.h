/*
 * cache - access tokens that were looked up before, by the hash of the token.
 *
 * An entry is valid as long as the store's generation does not change. Bounded:
 * CACHE_SETS * CACHE_WAYS entries of at most CACHE_ENTRY_MAX bytes. Safe from any thread.
 */
#pragma once

#include "base/hash.h"
#include "base/lock.h"
#include "oauth/grant.h"

enum {
    CACHE_SETS = 256,
    CACHE_WAYS = 8,
    CACHE_ENTRY_MAX = 8 << 10,
    CACHE_TOUCH_S = 3600, /* precision of "last used" */
};

struct cache_entry {
    uint8_t hash[HASH_SIZE];
    uint64_t generation;
    int64_t touched;
    struct oauth_grant grant; /* its strings are in block */
    char *block;              /* NULL: the entry is free */
};

struct cache {
    struct lock lock;
    unsigned turn; /* the way to replace next in a full set */
    struct cache_entry entries[CACHE_SETS][CACHE_WAYS];
};

void cache_init(struct cache *c);
void cache_release(struct cache *c);

/* What the cache knows about a token, whether the entry is still valid or not. */
struct cache_seen {
    bool before; /* it was valid before, so its signature need not be checked again */
    bool touch;  /* its use should be recorded, once per CACHE_TOUCH_S */
};

bool cache_find(struct cache *c, struct arena *a, const uint8_t hash[HASH_SIZE],
                uint64_t generation, int64_t now, struct oauth_grant *out,
                struct cache_seen *seen);

void cache_put(struct cache *c, const uint8_t hash[HASH_SIZE], uint64_t generation,
               int64_t now, const struct oauth_grant *g);
