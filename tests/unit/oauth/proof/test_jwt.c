#include "check.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/json.h"
#include "oauth/proof/es256.h"
#include "oauth/proof/jwt.h"

/* The examples of RFC 7515, appendix A. */
#define RFC_CLAIMS                                                                       \
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb2" \
    "90Ijp0cnVlfQ"
#define RFC_X "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
#define RFC_Y "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
#define RFC_D "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"

static str bytes(void **state, const char *text)
{
    str out = {0};
    assert_true(decode_base64url(*state, str_c(text), &out));
    return out;
}

static void test_rfc7515_es256(void **state)
{
    uint8_t public_key[ES256_PUBLIC], signature[ES256_SIGNATURE];
    memcpy(public_key, bytes(state, RFC_X).p, 32);
    memcpy(public_key + 32, bytes(state, RFC_Y).p, 32);
    const uint8_t *given =
        (const uint8_t *)bytes(
            state,
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqP"
            "P3-Kg6NU1Q")
            .p;
    const str data = STR("eyJhbGciOiJFUzI1NiJ9." RFC_CLAIMS);
    assert_true(es256_verify(public_key, data, given));
    assert_false(es256_verify(public_key, STR("x"), given));
    assert_true(
        es256_sign((const uint8_t *)bytes(state, RFC_D).p, public_key, data, signature));
    assert_true(es256_verify(public_key, data, signature));
    memset(signature, 0,
           sizeof(signature)); /* r = s = 0 would match every text if accepted */
    assert_false(es256_verify(public_key, data, signature));
    public_key[0] ^= 1; /* not on the curve */
    assert_false(es256_verify(public_key, data, given));
}

static void test_rfc7515_hs256(void **state)
{
    uint8_t mac[HASH_SIZE];
    hash_hmac(bytes(state,
                    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0i"
                    "PS4hcgUuTwjAzZr1Z9CAow"),
              STR("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." RFC_CLAIMS), mac);
    CHECK_STR("A.1", encode_base64url(*state, (str){(const char *)mac, HASH_SIZE}),
              "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
}

#define GOOD                                                                             \
    "{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/mcp\",\"exp\":2000,"     \
    "\"jti\":\"j\",\"sub\":\"alice\",\"client_id\":\"app\",\"scope\":\"vault:read\"}"

static const struct jwt_expected expected = {
    {"https://v.example", 17}, {"https://v.example/mcp", 21}, 1000};

/* A token with the given header and claims, signed with the key by the given
 * algorithm. */
static str forge(struct arena *a, const struct jwt_key *key, enum jwt_alg alg,
                 const char *header, const char *claims)
{
    uint8_t signature[ES256_SIGNATURE];
    size_t n = alg == JWT_ES256 ? ES256_SIGNATURE : HASH_SIZE;
    str head = encode_base64url(a, str_c(header)),
        body = encode_base64url(a, str_c(claims));
    str data = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(head), STR_ARG(body));
    if (alg == JWT_HS256)
        hash_hmac(key->private_key, data, signature);
    else
        assert_true(es256_sign((const uint8_t *)key->private_key.p,
                               (const uint8_t *)key->public_key.p, data, signature));
    str tail = encode_base64url(a, (str){(const char *)signature, n});
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(data), STR_ARG(tail));
}

static bool passes(struct arena *a, const struct jwt_key *key, str token)
{
    struct jwt_claims claims;
    struct err err;
    return jwt_verify(a, key, 1, token, &expected, &claims, &err);
}

static void test_round_trip(void **state)
{
    static const enum jwt_alg algs[] = {JWT_ES256, JWT_HS256};
    for (size_t i = 0; i < COUNT_OF(algs); i++) {
        struct jwt_key keys[2];
        struct jwt_claims claims;
        struct err err = {0};
        str token;
        jwt_key_make(*state, JWT_ES256, 1, &keys[0]);
        jwt_key_make(*state, algs[i], 1, &keys[1]);
        assert_true(jwt_sign(*state, &keys[1], STR(GOOD), &token));
        assert_true(jwt_verify(*state, keys, 2, token, &expected, &claims, &err));
        CHECK_STR("sub", claims.subject, "alice");
        CHECK_STR("client", claims.client_id, "app");
        CHECK_STR("scope", claims.scope, "vault:read");
        CHECK_INT("exp", claims.expires, 2000);
        assert_false(jwt_verify(*state, keys, 1, token, &expected, &claims, &err));
        assert_int_equal(err.code, ERR_NOT_FOUND);
    }
}

static void test_SEC_30_headers(void **state)
{
    struct arena *a = *state;
    struct jwt_key key;
    jwt_key_make(a, JWT_ES256, 1, &key);
    char *kid = mem_str(key.kid);
    static const struct {
        const char *header; /* %s: the kid */
        bool good;
    } cases[] = {
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\"}", true},
        {"{\"kid\":\"%s\",\"alg\":\"ES256\",\"typ\":\"at+jwt\"}", true},
        {"{\"typ\":\"at+jwt\",\"alg\":\"none\",\"kid\":\"%s\"}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"HS256\",\"kid\":\"%s\"}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"es256\",\"kid\":\"%s\"}", false},
        {"{\"typ\":\"JWT\",\"alg\":\"ES256\",\"kid\":\"%s\"}", false},
        {"{\"alg\":\"ES256\",\"kid\":\"%s\"}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\"}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"x\"}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\",\"crit\":[\"x\"]}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\",\"jku\":\"https://x\"}",
         false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\",\"jwk\":{}}", false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\",\"x5u\":\"https://x\"}",
         false},
        {"{\"typ\":\"at+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\",\"kid\":\"%s\"}", false},
        {"[]", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str header = str_c(cases[i].header);
        size_t at = str_find(header, STR("%s"));
        if (at != STR_NONE)
            header =
                arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(str_slice(header, 0, at)),
                             kid, STR_ARG(str_skip(header, at + 2)));
        str token = forge(a, &key, JWT_ES256, arena_str(a, header).p, GOOD);
        CHECK_INT(cases[i].header, passes(a, &key, token), cases[i].good);
    }
    free(kid);
}

/* The public key as the secret of an HMAC: the classic confusion. */
static void test_SEC_30_algorithm_swap(void **state)
{
    struct arena *a = *state;
    struct jwt_key key, fake;
    jwt_key_make(a, JWT_ES256, 1, &key);
    fake = key;
    fake.private_key = key.public_key;
    str header = arena_printf(
        a, "{\"typ\":\"at+jwt\",\"alg\":\"HS256\",\"kid\":\"%.*s\"}", STR_ARG(key.kid));
    assert_false(passes(a, &key, forge(a, &fake, JWT_HS256, header.p, GOOD)));
    struct jwt_key other;
    jwt_key_make(a, JWT_ES256, 1, &other);
    other.kid = key.kid;
    str token;
    assert_true(jwt_sign(a, &other, STR(GOOD), &token));
    assert_false(passes(a, &key, token));
    assert_true(passes(a, &other, token));
}

static void test_SEC_30_claims(void **state)
{
    struct arena *a = *state;
    struct jwt_key key;
    jwt_key_make(a, JWT_HS256, 1, &key);
#define REST "\"jti\":\"j\",\"sub\":\"s\",\"client_id\":\"c\",\"scope\":\"\"}"
    static const struct {
        const char *claims;
        bool good;
    } cases[] = {
        {GOOD, true},
        {"{\"iss\":\"https://v.example\",\"aud\":[\"x\",\"https://v.example/mcp\"],"
         "\"exp\":1001," REST,
         true},
        {"{\"iss\":\"https://v.example/\",\"aud\":\"https://v.example/"
         "mcp\",\"exp\":2000," REST,
         false},
        {"{\"aud\":\"https://v.example/mcp\",\"exp\":2000," REST, false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://x.example/"
         "mcp\",\"exp\":2000," REST,
         false},
        {"{\"iss\":\"https://v.example\",\"aud\":[],\"exp\":2000," REST, false},
        {"{\"iss\":\"https://v.example\",\"exp\":2000," REST, false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/"
         "mcp\",\"exp\":1000," REST,
         false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/mcp\",\"exp\":\"2000"
         "\"," REST,
         false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/mcp\"," REST, false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/mcp\",\"exp\":2000,"
         "\"nbf\":1001," REST,
         false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/mcp\",\"exp\":2000,"
         "\"sub\":\"s\",\"client_id\":\"c\",\"scope\":\"\"}",
         false},
        {"{\"iss\":\"https://v.example\",\"aud\":\"https://v.example/mcp\",\"exp\":2000,"
         "\"exp\":3000," REST,
         false},
        {"\"x\"", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str token;
        assert_true(jwt_sign(a, &key, str_c(cases[i].claims), &token));
        CHECK_INT(cases[i].claims, passes(a, &key, token), cases[i].good);
    }
}

static void test_broken(void **state)
{
    struct arena *a = *state;
    struct jwt_key key;
    str token;
    jwt_key_make(a, JWT_ES256, 1, &key);
    assert_true(jwt_sign(a, &key, STR(GOOD), &token));
    char *text = mem_str(token);
    for (size_t i = 0; i < token.n; i++) { /* any other character, anywhere */
        char was = text[i];
        text[i] = was == 'A' ? 'B' : 'A';
        CHECK(text, !passes(a, &key, str_c(text)));
        text[i] = was;
    }
    for (size_t n = 0; n < token.n; n++)
        assert_false(passes(a, &key, str_slice(token, 0, n)));
    assert_false(passes(a, &key, arena_printf(a, "%s.", text)));
    assert_false(passes(a, &key, arena_printf(a, "%s=", text)));
    assert_false(passes(a, &key, arena_printf(a, ".%s", text)));
    free(text);
}

static void test_SEC_30_jwks(void **state)
{
    struct jwt_key keys[2];
    const struct json *j;
    struct err err;
    jwt_key_make(*state, JWT_ES256, 1, &keys[0]);
    jwt_key_make(*state, JWT_HS256, 1, &keys[1]);
    str text = jwt_print_keys(*state, keys, 2);
    assert_true(json_parse(*state, text, &j, &err));
    const struct json *list = json_get(j, STR("keys"));
    assert_int_equal(list->n, 1);
    assert_int_equal(list->child->n, 7); /* kty crv alg use kid x y: nothing private */
    assert_null(json_get(list->child, STR("d")));
    str secret = encode_base64url(*state, keys[1].private_key);
    assert_true(str_find(text, secret) == STR_NONE);
    secret = encode_base64url(*state, keys[0].private_key);
    assert_true(str_find(text, secret) == STR_NONE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_rfc7515_es256),
        ARENA_TEST(test_rfc7515_hs256),
        ARENA_TEST(test_round_trip),
        ARENA_TEST(test_SEC_30_headers),
        ARENA_TEST(test_SEC_30_algorithm_swap),
        ARENA_TEST(test_SEC_30_claims),
        ARENA_TEST(test_broken),
        ARENA_TEST(test_SEC_30_jwks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
