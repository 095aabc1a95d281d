#include "oauth/proof/seal.h"

#include <limits.h>
#include <openssl/evp.h>

#include "base/err.h"
#include "base/os/rand.h"

void seal_key(str secret, str purpose, uint8_t key[SEAL_KEY])
{
    hash_hmac(secret, purpose, key);
}

static int seal_size(str text)
{
    if (text.n > INT_MAX)
        BUG("a text of %zu bytes to seal", text.n);
    return (int)text.n;
}

str seal_close(struct arena *a, const uint8_t key[SEAL_KEY], str text)
{
    uint8_t *out = arena_alloc(a, size_add(text.n, SEAL_NONCE + SEAL_TAG));
    uint8_t *body = out + SEAL_NONCE, *tag = body + text.n;
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    int n = 0, more = 0;
    rand_bytes(out, SEAL_NONCE);
    if (c == NULL || EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, out) != 1 ||
        EVP_EncryptUpdate(c, body, &n, (const uint8_t *)text.p, seal_size(text)) != 1 ||
        EVP_EncryptFinal_ex(c, body + n, &more) != 1 ||
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, SEAL_TAG, tag) != 1)
        BUG("AES-256-GCM failed");
    EVP_CIPHER_CTX_free(c);
    return (str){(const char *)out, SEAL_NONCE + text.n + SEAL_TAG};
}

bool seal_open(struct arena *a, const uint8_t key[SEAL_KEY], str sealed, str *out)
{
    if (sealed.n < SEAL_NONCE + SEAL_TAG)
        return false;
    const uint8_t *nonce = (const uint8_t *)sealed.p;
    str body = str_slice(sealed, SEAL_NONCE, sealed.n - SEAL_TAG);
    uint8_t tag[SEAL_TAG], *text = arena_alloc(a, body.n + 1);
    memcpy(tag, sealed.p + sealed.n - SEAL_TAG, SEAL_TAG);
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    int n = 0, more = 0;
    if (c == NULL || EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, nonce) != 1 ||
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, SEAL_TAG, tag) != 1)
        BUG("AES-256-GCM failed");
    bool ok =
        EVP_DecryptUpdate(c, text, &n, (const uint8_t *)body.p, seal_size(body)) == 1 &&
        EVP_DecryptFinal_ex(c, text + n, &more) == 1;
    EVP_CIPHER_CTX_free(c);
    text[body.n] = '\0';
    if (ok)
        *out = (str){(const char *)text, body.n};
    return ok;
}
