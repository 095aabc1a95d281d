#include "oauth/proof/es256.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/err.h"

enum { HALF = 32, DER_MAX = 80, POINT = 1 + ES256_PUBLIC };

void es256_make(uint8_t private_key[ES256_PRIVATE], uint8_t public_key[ES256_PUBLIC])
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIGNUM *d = NULL;
    uint8_t point[POINT];
    size_t n = 0;
    if (key == NULL || EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &d) != 1 ||
        BN_bn2binpad(d, private_key, ES256_PRIVATE) != ES256_PRIVATE ||
        EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, POINT, &n) !=
            1 ||
        n != POINT || point[0] != POINT_CONVERSION_UNCOMPRESSED)
        BUG("OpenSSL makes no P-256 key");
    memcpy(public_key, point + 1, ES256_PUBLIC);
    BN_clear_free(d);
    EVP_PKEY_free(key);
}

static OSSL_PARAM *key_params(const BIGNUM *d, const uint8_t point[POINT])
{
    OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    if (b != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point, POINT) == 1 &&
        (d == NULL || OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_PRIV_KEY, d) == 1))
        params = OSSL_PARAM_BLD_to_param(b);
    OSSL_PARAM_BLD_free(b);
    return params;
}

/* private_key may be NULL. Returns NULL if the numbers are not a valid key. */
static EVP_PKEY *es256_load(const uint8_t *private_key, const uint8_t *public_key)
{
    uint8_t point[POINT] = {POINT_CONVERSION_UNCOMPRESSED};
    memcpy(point + 1, public_key, ES256_PUBLIC);
    BIGNUM *d = private_key != NULL ? BN_bin2bn(private_key, ES256_PRIVATE, NULL) : NULL;
    OSSL_PARAM *params = key_params(d, point);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    if (params != NULL && ctx != NULL && EVP_PKEY_fromdata_init(ctx) == 1)
        (void)EVP_PKEY_fromdata(
            ctx, &key, d != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    BN_clear_free(d);
    return key;
}

static bool to_raw(const uint8_t *der, size_t n, uint8_t out[ES256_SIGNATURE])
{
    ECDSA_SIG *sig = d2i_ECDSA_SIG(NULL, &der, (long)n);
    bool ok = sig != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(sig), out, HALF) == HALF &&
              BN_bn2binpad(ECDSA_SIG_get0_s(sig), out + HALF, HALF) == HALF;
    ECDSA_SIG_free(sig);
    return ok;
}

static size_t to_der(const uint8_t raw[ES256_SIGNATURE], uint8_t der[DER_MAX])
{
    ECDSA_SIG *sig = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, HALF, NULL), *s = BN_bin2bn(raw + HALF, HALF, NULL);
    if (sig == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(sig, r, s) != 1)
        BUG("no memory for a signature");
    int n = i2d_ECDSA_SIG(sig, &der);
    ECDSA_SIG_free(sig);
    return n > 0 ? (size_t)n : 0;
}

bool es256_sign(const uint8_t private_key[ES256_PRIVATE],
                const uint8_t public_key[ES256_PUBLIC], str data,
                uint8_t out[ES256_SIGNATURE])
{
    EVP_PKEY *key = es256_load(private_key, public_key);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t der[DER_MAX];
    size_t n = sizeof(der);
    bool ok = key != NULL && ctx != NULL &&
              EVP_DigestSignInit_ex(ctx, NULL, "SHA256", NULL, NULL, key, NULL) == 1 &&
              EVP_DigestSign(ctx, der, &n, (const uint8_t *)data.p, data.n) == 1 &&
              to_raw(der, n, out);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    return ok;
}

bool es256_verify(const uint8_t public_key[ES256_PUBLIC], str data,
                  const uint8_t signature[ES256_SIGNATURE])
{
    EVP_PKEY *key = es256_load(NULL, public_key);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t der[DER_MAX];
    size_t n = to_der(signature, der);
    bool ok = key != NULL && ctx != NULL && n > 0 &&
              EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", NULL, NULL, key, NULL) == 1 &&
              EVP_DigestVerify(ctx, der, n, (const uint8_t *)data.p, data.n) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    return ok;
}
