#include "base/hash.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/err.h"
#include "base/os/rand.h"
#include "base/os/thread.h"

/* Fetching an algorithm takes longer than hashing a note, so it is done once. */
static EVP_MD *sha256, *sha1;
static EVP_MAC *hmac;
static struct once fetched = ONCE_INIT;

static void fetch(void)
{
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    if (sha256 == NULL || sha1 == NULL || hmac == NULL)
        BUG("OpenSSL has no SHA-256, no SHA-1 or no HMAC");
}

void hash_keep_modules_out(void)
{
    if (VAULTD_STATIC && OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1)
        BUG("OpenSSL cannot be started");
}

void hash_sha256(str data, uint8_t out[HASH_SIZE])
{
    once_run(&fetched, fetch);
    unsigned n = 0;
    if (EVP_Digest(data.n > 0 ? data.p : "", data.n, out, &n, sha256, NULL) != 1 ||
        n != HASH_SIZE)
        BUG("SHA-256 failed");
}

size_t hash_git_blob(str content, bool long_ids, uint8_t out[HASH_SIZE])
{
    once_run(&fetched, fetch);
    char head[32];
    int size = snprintf(head, sizeof(head), "blob %zu", content.n) + 1;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned n = 0;
    if (ctx == NULL || EVP_DigestInit_ex(ctx, long_ids ? sha256 : sha1, NULL) != 1 ||
        EVP_DigestUpdate(ctx, head, (size_t)size) != 1 ||
        EVP_DigestUpdate(ctx, content.n > 0 ? content.p : "", content.n) != 1 ||
        EVP_DigestFinal_ex(ctx, out, &n) != 1)
        BUG("SHA-1 failed");
    EVP_MD_CTX_free(ctx);
    return n;
}

void hash_hmac(str key, str data, uint8_t out[HASH_SIZE])
{
    once_run(&fetched, fetch);
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    /* A NULL key would mean "the previous key", so an empty one needs a pointer. */
    const void *key_bytes = key.n > 0 ? key.p : "";
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(hmac);
    size_t n = 0;
    if (ctx == NULL || EVP_MAC_init(ctx, key_bytes, key.n, params) != 1 ||
        EVP_MAC_update(ctx, (const uint8_t *)data.p, data.n) != 1 ||
        EVP_MAC_final(ctx, out, &n, HASH_SIZE) != 1 || n != HASH_SIZE)
        BUG("HMAC-SHA-256 failed");
    EVP_MAC_CTX_free(ctx);
}

struct hash_content hash_content(str data)
{
    XXH128_hash_t h = XXH3_128bits(data.p != NULL ? data.p : "", data.n);
    return (struct hash_content){h.high64, h.low64};
}

bool hash_equal(str a, str b)
{
    return a.n == b.n && (a.n == 0 || CRYPTO_memcmp(a.p, b.p, a.n) == 0);
}

/*
 * The table hash folds 128-bit products as wyhash does: 16 bytes per step, mixed with a
 * seed that is secret to this process, so clients cannot choose keys that collide.
 */
static struct hash_key own;
static struct once seeded = ONCE_INIT;

struct hash_key hash_new_key(void)
{
    struct hash_key key;
    rand_bytes(&key, sizeof(key));
    key.seed[1] |= 1;
    key.seed[2] |= 1;
    return key;
}

static void make_own(void)
{
    own = hash_new_key();
}

static uint64_t load64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_keyed(const struct hash_key *key, str data)
{
    const uint64_t *seed = key->seed;
    uint64_t h = seed[0];
    const char *p = data.p;
    size_t left = data.n;
    for (; left >= 16; left -= 16, p += 16)
        h = fold(load64(p) ^ seed[1], load64(p + 8) ^ h);
    if (left > 0) {
        char tail[16] = {0};
        memcpy(tail, p, left);
        h = fold(load64(tail) ^ seed[1], load64(tail + 8) ^ h);
    }
    return fold(h ^ seed[2], (uint64_t)data.n ^ seed[1]);
}

uint64_t hash_table(str data)
{
    once_run(&seeded, make_own);
    return hash_keyed(&own, data);
}
