#include "app/web/review_keys.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/lock.h"
#include "http/request.h"
#include "http/response.h"
#include "oauth/proof/secret.h"

#define REVIEW_COOKIE "vaultd_review"

/* A secret is kept as its hash. */
struct review_secret {
    uint8_t hash[HASH_SIZE];
    uint64_t until; /* clock_ms(); 0: none */
};

struct review_keys {
    struct lock lock;
    struct review_secret keys[REVIEW_KEYS_MAX], sessions[REVIEW_KEYS_MAX];
};

struct review_keys *review_keys_create(void)
{
    struct review_keys *k = mem_zero(sizeof(*k));
    lock_init(&k->lock, LOCK_LEAF);
    return k;
}

void review_keys_free(struct review_keys *k)
{
    if (k == NULL)
        return;
    lock_release(&k->lock);
    free(k);
}

/* In the place of the one that ends first. */
static str add_secret(struct review_keys *k, struct review_secret *list, struct arena *a,
                      uint64_t ms)
{
    str secret = secret_new(a, STR(""));
    struct review_secret *to = &list[0];
    lock_take(&k->lock);
    for (size_t i = 1; i < REVIEW_KEYS_MAX; i++)
        if (list[i].until < to->until)
            to = &list[i];
    hash_sha256(secret, to->hash);
    to->until = clock_ms() + ms;
    lock_drop(&k->lock);
    return secret;
}

/* Hashes are compared, so the time says nothing about the secret. */
static bool has_secret(struct review_keys *k, struct review_secret *list, str secret,
                       bool once)
{
    uint8_t hash[HASH_SIZE];
    bool found = false;
    hash_sha256(secret, hash);
    lock_take(&k->lock);
    for (size_t i = 0; i < REVIEW_KEYS_MAX; i++) {
        bool same =
            list[i].until > clock_ms() && memcmp(list[i].hash, hash, HASH_SIZE) == 0;
        found = found || same;
        if (same && once)
            list[i] = (struct review_secret){0};
    }
    lock_drop(&k->lock);
    return found;
}

str review_keys_new(struct review_keys *k, struct arena *a)
{
    return add_secret(k, k->keys, a, REVIEW_KEY_S * 1000ULL);
}

bool review_keys_redeem(struct review_keys *k, struct arena *a, str key,
                        struct http_response *out)
{
    if (k == NULL || !has_secret(k, k->keys, key, true))
        return false;
    str session = add_secret(k, k->sessions, a, REVIEW_SESSION_S * 1000ULL);
    http_add_header(
        out, STR("Set-Cookie"),
        arena_printf(a, REVIEW_COOKIE "=" STR_FMT "; Path=/; HttpOnly; SameSite=Strict",
                     STR_ARG(session)));
    return true;
}

bool review_keys_admit(struct review_keys *k, const struct http_request *r)
{
    str cookies = http_header(r, STR("cookie")), part, name = STR(REVIEW_COOKIE "=");
    while (k != NULL && str_next(&cookies, ';', &part)) {
        part = str_trim(part);
        if (str_starts(part, name) &&
            has_secret(k, k->sessions, str_skip(part, name.n), false))
            return true;
    }
    return false;
}
