/* No token without the key is accepted, whatever its header says. */
#include "oauth/proof/jwt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena kept;
    static struct jwt_key keys[2];
    if (keys[0].kid.n == 0) {
        jwt_key_make(&kept, JWT_ES256, 1, &keys[0]);
        jwt_key_make(&kept, JWT_HS256, 1, &keys[1]);
        keys[0].kid = STR("es");
        keys[1].kid = STR("hs");
    }
    struct arena a = {0};
    struct err err;
    struct jwt_claims claims;
    const struct jwt_expected expected = {STR("https://v.example"),
                                          STR("https://v.example/mcp"), 1000};
    str text = {(const char *)data, size}, token;
    if (jwt_verify(&a, keys, 2, text, &expected, &claims, &err))
        BUG("a token without the key");
    /*
     * Arbitrary claims with a valid signature: they may be accepted, but must do no harm.
     */
    if (size < JWT_MAX / 2 && jwt_sign(&a, &keys[1], text, &token) &&
        jwt_verify(&a, keys, 2, token, &expected, &claims, &err) &&
        claims.expires <= expected.now)
        BUG("an expired token");
    arena_release(&a);
    return 0;
}
