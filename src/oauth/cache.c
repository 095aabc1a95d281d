#include "oauth/cache.h"

void cache_init(struct cache *c)
{
    lock_init(&c->lock, LOCK_LEAF);
}

void cache_release(struct cache *c)
{
    for (size_t i = 0; i < CACHE_SETS; i++)
        for (size_t j = 0; j < CACHE_WAYS; j++)
            free(c->entries[i][j].block);
    lock_release(&c->lock);
}

static struct cache_entry *set_of(struct cache *c, const uint8_t hash[HASH_SIZE])
{
    return c->entries[hash[0] % CACHE_SETS];
}

static size_t cached_size(const struct oauth_grant *g)
{
    size_t n =
        g->user.n + g->client_id.n + g->client_name.n + g->redirect_host.n + g->stamp.n;
    for (size_t i = 0; i < g->rights.n_places; i++)
        n += g->rights.places[i].folder.n + sizeof(struct rights_place);
    for (size_t i = 0; i < g->rights.n_tools; i++)
        n += g->rights.tools[i].n + sizeof(str);
    return n;
}

static str cache_put_slot(char **at, str s)
{
    char *here = *at;
    if (s.n > 0)
        memcpy(here, s.p, s.n);
    *at += s.n;
    return (str){here, s.n};
}

/* Copy g with all its text into block, which has size_of(g) bytes and is aligned for any
 * type. */
static struct oauth_grant pack(char *block, const struct oauth_grant *g)
{
    struct oauth_grant out = *g;
    const struct oauth_rights *r = &g->rights;
    struct rights_place *places = (struct rights_place *)(void *)block;
    str *tools = (str *)(void *)(block + r->n_places * sizeof(*places));
    char *at = (char *)(tools + r->n_tools);
    for (size_t i = 0; i < r->n_places; i++)
        places[i] = (struct rights_place){cache_put_slot(&at, r->places[i].folder),
                                          r->places[i].level};
    for (size_t i = 0; i < r->n_tools; i++)
        tools[i] = cache_put_slot(&at, r->tools[i]);
    out.rights.places = places;
    out.rights.tools = tools;
    out.user = cache_put_slot(&at, g->user);
    out.client_id = cache_put_slot(&at, g->client_id);
    out.client_name = cache_put_slot(&at, g->client_name);
    out.redirect_host = cache_put_slot(&at, g->redirect_host);
    out.stamp = cache_put_slot(&at, g->stamp);
    return out;
}

static struct cache_entry *cache_find_slot(struct cache *c, const uint8_t hash[HASH_SIZE])
{
    struct cache_entry *set = set_of(c, hash);
    for (size_t i = 0; i < CACHE_WAYS; i++)
        if (set[i].block != NULL && memcmp(set[i].hash, hash, HASH_SIZE) == 0)
            return &set[i];
    return NULL;
}

bool cache_find(struct cache *c, struct arena *a, const uint8_t hash[HASH_SIZE],
                uint64_t generation, int64_t now, struct oauth_grant *out,
                struct cache_seen *seen)
{
    lock_take(&c->lock);
    struct cache_entry *e = cache_find_slot(c, hash);
    *seen = (struct cache_seen){.before = e != NULL};
    bool found = e != NULL && e->generation == generation &&
                 (e->grant.expires == 0 || e->grant.expires > now);
    if (found) {
        *out = pack(arena_alloc(a, cached_size(&e->grant) + 1), &e->grant);
        seen->touch = now - e->touched >= CACHE_TOUCH_S;
        if (seen->touch)
            e->touched = now;
    }
    lock_drop(&c->lock);
    return found;
}

/* The token's own entry, else one that is empty or from another generation, else the next
 * one to replace. */
static struct cache_entry *cache_choose(struct cache *c, const uint8_t hash[HASH_SIZE],
                                        uint64_t generation)
{
    struct cache_entry *same = cache_find_slot(c, hash), *set = set_of(c, hash);
    if (same != NULL)
        return same;
    for (size_t i = 0; i < CACHE_WAYS; i++)
        if (set[i].block == NULL || set[i].generation != generation)
            return &set[i];
    return &set[c->turn++ % CACHE_WAYS];
}

void cache_put(struct cache *c, const uint8_t hash[HASH_SIZE], uint64_t generation,
               int64_t now, const struct oauth_grant *g)
{
    size_t size = cached_size(g) + 1;
    if (size > CACHE_ENTRY_MAX)
        return;
    lock_take(&c->lock);
    struct cache_entry *e = cache_choose(c, hash, generation);
    free(e->block);
    e->block = mem_alloc(size);
    e->generation = generation;
    e->touched = now;
    e->grant = pack(e->block, g);
    memcpy(e->hash, hash, HASH_SIZE);
    lock_drop(&c->lock);
}
