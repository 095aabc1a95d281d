#include "oauth/proof/jwt.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/os/bytes.h"
#include "base/os/rand.h"
#include "oauth/proof/es256.h"

static str alg_name(enum jwt_alg alg)
{
    return alg == JWT_ES256 ? STR("ES256") : STR("HS256");
}

static str copy_bytes(struct arena *a, const void *bytes, size_t n)
{
    return arena_str(a, (str){bytes, n});
}

void jwt_key_make(struct arena *a, enum jwt_alg alg, int64_t now, struct jwt_key *out)
{
    uint8_t private_key[ES256_PRIVATE], public_key[ES256_PUBLIC], kid[8];
    rand_bytes(kid, sizeof(kid));
    rand_bytes(private_key, sizeof(private_key));
    *out = (struct jwt_key){.alg = alg, .created = now};
    out->kid = encode_hex(a, (str){(const char *)kid, sizeof(kid)});
    if (alg == JWT_ES256) {
        es256_make(private_key, public_key);
        out->public_key = copy_bytes(a, public_key, sizeof(public_key));
    }
    out->private_key = copy_bytes(a, private_key, sizeof(private_key));
    bytes_wipe(private_key, sizeof(private_key));
}

static const uint8_t *jwt_bytes(str s)
{
    return (const uint8_t *)s.p;
}

static bool make_signature(const struct jwt_key *key, str data, uint8_t *out, size_t *n)
{
    if (key->alg == JWT_HS256) {
        *n = HASH_SIZE;
        hash_hmac(key->private_key, data, out);
        return key->private_key.n >= HASH_SIZE;
    }
    *n = ES256_SIGNATURE;
    return key->private_key.n == ES256_PRIVATE && key->public_key.n == ES256_PUBLIC &&
           es256_sign(jwt_bytes(key->private_key), jwt_bytes(key->public_key), data, out);
}

static bool check_signature(const struct jwt_key *key, str data, str signature)
{
    if (key->alg == JWT_ES256)
        return key->public_key.n == ES256_PUBLIC && signature.n == ES256_SIGNATURE &&
               es256_verify(jwt_bytes(key->public_key), data, jwt_bytes(signature));
    uint8_t mac[HASH_SIZE];
    hash_hmac(key->private_key, data, mac);
    return key->private_key.n >= HASH_SIZE &&
           hash_equal((str){(const char *)mac, HASH_SIZE}, signature);
}

bool jwt_sign(struct arena *a, const struct jwt_key *key, str claims, str *out)
{
    struct sbuf header = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&header);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("typ"), STR("at+jwt"));
    jsonw_put_str(&w, STR("alg"), alg_name(key->alg));
    jsonw_put_str(&w, STR("kid"), key->kid);
    jsonw_end(&w);

    str head = encode_base64url(a, sbuf_str(&header)), body = encode_base64url(a, claims);
    struct sbuf token = SBUF_ON(a);
    sbuf_add(&token, head);
    sbuf_char(&token, '.');
    sbuf_add(&token, body);
    uint8_t signature[ES256_SIGNATURE];
    size_t n;
    if (!make_signature(key, sbuf_str(&token), signature, &n))
        return false;
    str tail = encode_base64url(a, (str){(const char *)signature, n});
    sbuf_char(&token, '.');
    sbuf_add(&token, tail);
    *out = sbuf_str(&token);
    return true;
}

/* --- verifying --- */

struct jwt_parts {
    str signed_text, header, claims, signature;
};

static bool jwt_split(struct arena *a, str token, struct jwt_parts *out)
{
    str rest = token, header, claims, signature;
    if (token.n == 0 || token.n > JWT_MAX || !str_next(&rest, '.', &header) ||
        !str_next(&rest, '.', &claims) || !str_next(&rest, '.', &signature) ||
        rest.p != NULL)
        return false;
    out->signed_text = str_slice(token, 0, header.n + 1 + claims.n);
    return decode_base64url(a, header, &out->header) &&
           decode_base64url(a, claims, &out->claims) &&
           decode_base64url(a, signature, &out->signature);
}

static bool deny(struct err *err, const char *why)
{
    return err_set(err, ERR_DENIED, "%s", why);
}

/* The key that the header names; it must have exactly three members. */
static bool jwt_find_key(struct arena *a, const struct jwt_key *keys, size_t n,
                         str header, const struct jwt_key **out, struct err *err)
{
    const struct json *j;
    str typ, alg, kid;
    struct err why;
    if (!json_parse(a, header, &j, &why) || !json_is(j, JSON_OBJECT) || j->n != 3 ||
        !json_str(json_get(j, STR("typ")), &typ) ||
        !json_str(json_get(j, STR("alg")), &alg) ||
        !json_str(json_get(j, STR("kid")), &kid))
        return deny(err, "the header is not typ, alg and kid");
    if (!str_eq(typ, STR("at+jwt")))
        return deny(err, "it is not an access token");
    for (size_t i = 0; i < n; i++) {
        if (!str_eq(keys[i].kid, kid))
            continue;
        *out = &keys[i];
        return str_eq(alg, alg_name(keys[i].alg)) ||
               deny(err, "the algorithm does not match the key");
    }
    return err_set(err, ERR_NOT_FOUND, "the key is unknown");
}

static bool is_audience(const struct json *aud, str expected)
{
    str one;
    if (json_str(aud, &one))
        return str_eq(one, expected);
    if (!json_is(aud, JSON_ARRAY))
        return false;
    for (const struct json *j = aud->child; j != NULL; j = j->next)
        if (json_str(j, &one) && str_eq(one, expected))
            return true;
    return false;
}

static bool check_claims(struct arena *a, str text, const struct jwt_expected *expected,
                         struct jwt_claims *out, struct err *err)
{
    const struct json *j;
    struct err why;
    str issuer;
    int64_t from = 0;
    if (!json_parse(a, text, &j, &why) || !json_is(j, JSON_OBJECT))
        return deny(err, "the claims are not a JSON object");
    if (!json_str(json_get(j, STR("iss")), &issuer) || !str_eq(issuer, expected->issuer))
        return deny(err, "another server issued it");
    if (!is_audience(json_get(j, STR("aud")), expected->audience))
        return deny(err, "it is for another server");
    if (!json_int(json_get(j, STR("exp")), &out->expires) ||
        out->expires <= expected->now)
        return deny(err, "it has expired");
    if (json_get(j, STR("nbf")) != NULL &&
        (!json_int(json_get(j, STR("nbf")), &from) || from > expected->now))
        return deny(err, "it is not valid yet");
    return (json_str(json_get(j, STR("jti")), &out->id) &&
            json_str(json_get(j, STR("sub")), &out->subject) &&
            json_str(json_get(j, STR("client_id")), &out->client_id) &&
            json_str(json_get(j, STR("scope")), &out->scope)) ||
           deny(err, "a claim is missing");
}

bool jwt_verify(struct arena *a, const struct jwt_key *keys, size_t n_keys, str token,
                const struct jwt_expected *expected, struct jwt_claims *out,
                struct err *err)
{
    struct jwt_parts parts;
    const struct jwt_key *key = NULL;
    struct jwt_claims claims;
    if (!jwt_split(a, token, &parts))
        return deny(err, "it is not a JWT");
    if (!jwt_find_key(a, keys, n_keys, parts.header, &key, err))
        return false;
    if (!check_signature(key, parts.signed_text, parts.signature))
        return deny(err, "the signature is wrong");
    if (!check_claims(a, parts.claims, expected, &claims, err))
        return false;
    *out = claims;
    return true;
}

str jwt_print_keys(struct arena *a, const struct jwt_key *keys, size_t n_keys)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_array(&w, STR("keys"));
    for (size_t i = 0; i < n_keys; i++) {
        if (keys[i].alg != JWT_ES256 || keys[i].public_key.n != ES256_PUBLIC)
            continue;
        str x = str_slice(keys[i].public_key, 0, ES256_PUBLIC / 2);
        str y = str_skip(keys[i].public_key, ES256_PUBLIC / 2);
        jsonw_object(&w);
        jsonw_put_str(&w, STR("kty"), STR("EC"));
        jsonw_put_str(&w, STR("crv"), STR("P-256"));
        jsonw_put_str(&w, STR("alg"), STR("ES256"));
        jsonw_put_str(&w, STR("use"), STR("sig"));
        jsonw_put_str(&w, STR("kid"), keys[i].kid);
        jsonw_put_str(&w, STR("x"), encode_base64url(a, x));
        jsonw_put_str(&w, STR("y"), encode_base64url(a, y));
        jsonw_end(&w);
    }
    jsonw_end(&w);
    jsonw_end(&w);
    return sbuf_str(&out);
}
