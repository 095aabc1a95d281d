#include "oauth/proof/secret.h"

#include "base/encode.h"
#include "base/os/bytes.h"
#include "base/os/rand.h"
#include "base/sbuf.h"
#include "base/text.h"

str secret_new(struct arena *a, str prefix)
{
    uint8_t bytes[SECRET_SIZE];
    rand_bytes(bytes, sizeof(bytes));
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, prefix);
    sbuf_add(&out, encode_hex(a, (str){(const char *)bytes, sizeof(bytes)}));
    bytes_wipe(bytes, sizeof(bytes));
    return sbuf_str(&out);
}

bool secret_is(str text, str prefix)
{
    if (text.n != prefix.n + SECRET_HEX || !str_starts(text, prefix))
        return false;
    for (size_t i = prefix.n; i < text.n; i++)
        if (!is_hex(text.p[i]))
            return false;
    return true;
}

str secret_uuid(struct arena *a)
{
    uint8_t b[16];
    rand_bytes(b, sizeof(b));
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < sizeof(b); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            sbuf_char(&out, '-');
        sbuf_printf(&out, "%02x", b[i]);
    }
    return sbuf_str(&out);
}

bool secret_matches(str text, const uint8_t hash[HASH_SIZE])
{
    uint8_t got[HASH_SIZE];
    hash_sha256(text, got);
    return hash_equal((str){(const char *)got, HASH_SIZE},
                      (str){(const char *)hash, HASH_SIZE});
}

str secret_tag(struct arena *a, str text)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(text, hash);
    return encode_hex(a, (str){(const char *)hash, 4});
}
