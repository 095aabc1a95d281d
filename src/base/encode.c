#include "base/encode.h"

#include "base/text.h"

static const char HEX[] = "0123456789abcdef";

static const char BASE64[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char BASE64URL[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

str encode_hex(struct arena *a, str bytes)
{
    char *out = arena_alloc(a, size_mul(bytes.n, 2));
    for (size_t i = 0; i < bytes.n; i++) {
        out[2 * i] = HEX[(uint8_t)bytes.p[i] >> 4];
        out[2 * i + 1] = HEX[(uint8_t)bytes.p[i] & 15];
    }
    return (str){out, bytes.n * 2};
}

/* The value of a lower-case hex digit, or -1. */
static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : is_hex(c) ? c - 'a' + 10 : -1;
}

bool decode_hex(struct arena *a, str text, str *out)
{
    if (text.n % 2 != 0)
        return false;
    char *bytes = arena_alloc(a, text.n / 2);
    for (size_t i = 0; i < text.n / 2; i++) {
        int high = hex_digit(text.p[2 * i]), low = hex_digit(text.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (char)(high << 4 | low);
    }
    *out = (str){bytes, text.n / 2};
    return true;
}

/* Every three bytes become four digits; one or two bytes at the end two or three. */
static str to_digits(struct arena *a, str bytes, const char *digits, bool pad)
{
    size_t whole = bytes.n / 3, left = bytes.n % 3;
    char *out = arena_alloc(a, size_mul(size_add(whole, 1), 4)), *at = out;
    const uint8_t *p = (const uint8_t *)bytes.p;
    for (size_t i = 0; i < whole; i++, p += 3) {
        *at++ = digits[p[0] >> 2];
        *at++ = digits[(p[0] & 3) << 4 | p[1] >> 4];
        *at++ = digits[(p[1] & 15) << 2 | p[2] >> 6];
        *at++ = digits[p[2] & 63];
    }
    if (left > 0) {
        unsigned second = left == 2 ? p[1] : 0;
        *at++ = digits[p[0] >> 2];
        *at++ = digits[(p[0] & 3u) << 4 | second >> 4];
        if (left == 2)
            *at++ = digits[(second & 15) << 2];
        for (size_t i = left; pad && i < 3; i++)
            *at++ = '=';
    }
    return (str){out, (size_t)(at - out)};
}

/* The value of a digit, or -1; the alphabets differ only in the last two. */
static int digit_of(char c, const char *digits)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == digits[62])
        return 62;
    return c == digits[63] ? 63 : -1;
}

/* text without padding. RFC 4648 §3.5: bits after the last byte must be zero. */
static bool from_digits(struct arena *a, str text, const char *digits, str *out)
{
    if (text.n % 4 == 1)
        return false;
    char *bytes = arena_alloc(a, text.n / 4 * 3 + 2), *at = bytes;
    unsigned bits = 0;
    int n_bits = 0;
    for (size_t i = 0; i < text.n; i++) {
        int value = digit_of(text.p[i], digits);
        if (value < 0)
            return false;
        bits = bits << 6 | (unsigned)value;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            *at++ = (char)(bits >> n_bits & 0xFF);
            bits &= (1u << n_bits) - 1;
        }
    }
    if (bits != 0)
        return false;
    *out = (str){bytes, (size_t)(at - bytes)};
    return true;
}

str encode_base64(struct arena *a, str bytes)
{
    return to_digits(a, bytes, BASE64, true);
}

bool decode_base64(struct arena *a, str text, str *out)
{
    if (text.n % 4 != 0)
        return false;
    size_t pad = 0;
    while (pad < 2 && pad < text.n && text.p[text.n - 1 - pad] == '=')
        pad++;
    text.n -= pad; /* a third '=' is not a digit and fails below */
    return from_digits(a, text, BASE64, out);
}

str encode_base64url(struct arena *a, str bytes)
{
    return to_digits(a, bytes, BASE64URL, false);
}

bool decode_base64url(struct arena *a, str text, str *out)
{
    return from_digits(a, text, BASE64URL, out);
}

static bool is_plain_in_uri(char c)
{
    return encode_is_unreserved(c) || (c != '\0' && strchr("/!$&'()*+,;=:@", c) != NULL);
}

str encode_percent(struct arena *a, str path)
{
    static const char digits[] = "0123456789ABCDEF";
    char *text = arena_alloc(a, size_mul(path.n, 3)), *at = text;
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (is_plain_in_uri(path.p[i])) {
            *at++ = path.p[i];
            continue;
        }
        *at++ = '%';
        *at++ = digits[c >> 4];
        *at++ = digits[c & 15];
    }
    return (str){text, (size_t)(at - text)};
}

/* Escapes are written in upper and lower case, unlike our own hex. */
static int escape_digit(char c)
{
    return hex_digit(to_lower(c));
}

bool decode_percent(struct arena *a, str text, str *out)
{
    char *bytes = arena_alloc(a, text.n), *at = bytes;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '%') {
            *at++ = text.p[i];
            continue;
        }
        if (text.n - i < 3)
            return false;
        int high = escape_digit(text.p[i + 1]), low = escape_digit(text.p[i + 2]);
        if (high < 0 || low < 0)
            return false;
        *at++ = (char)(high << 4 | low);
        i += 2;
    }
    *out = (str){bytes, (size_t)(at - bytes)};
    return true;
}

void encode_number(uint8_t *out, size_t n, uint64_t number)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(number >> 8 * (n - 1 - i));
}

uint64_t decode_number(const uint8_t *bytes, size_t n)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++)
        number = number << 8 | bytes[i];
    return number;
}
