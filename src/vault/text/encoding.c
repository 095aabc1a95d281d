#include "vault/text/encoding.h"

#include "base/sbuf.h"
#include "base/utf8.h"

enum { LOOK_AT = 8192 }; /* bytes that show what a text is */

static const uint32_t REPLACEMENT = 0xFFFD;

/* --- which --- */

/* Without a byte order mark: every second byte of mostly Latin text is zero. */
static enum encoding guess_utf16(str bytes)
{
    enum { ENOUGH = 8 };
    size_t zeros[2] = {0, 0};
    if (bytes.n < ENOUGH)
        return ENCODING_NONE;
    for (size_t i = 0; i < bytes.n; i++)
        zeros[i & 1] += bytes.p[i] == '\0';
    size_t many = bytes.n / 4, few = bytes.n / 64;
    if (zeros[1] > many && zeros[0] <= few)
        return ENCODING_UTF16LE;
    return zeros[0] > many && zeros[1] <= few ? ENCODING_UTF16BE : ENCODING_NONE;
}

/* Of what is not ASCII: characters in UTF-8, and other bytes. */
struct beyond_ascii {
    size_t right, wrong;
};

static struct beyond_ascii count_beyond_ascii(str bytes)
{
    struct beyond_ascii all = {0};
    while (bytes.n > 0) {
        size_t n;
        uint32_t c = utf8_decode(bytes, &n);
        all.right += c >= 0x80 && utf8_valid(str_slice(bytes, 0, n));
        all.wrong += c == REPLACEMENT && !utf8_valid(str_slice(bytes, 0, n));
        bytes = str_skip(bytes, n);
    }
    return all;
}

enum encoding encoding_of(str bytes)
{
    str start = str_slice(bytes, 0, LOOK_AT);
    if (str_starts(bytes, STR("\xFF\xFE")))
        return ENCODING_UTF16LE;
    if (str_starts(bytes, STR("\xFE\xFF")))
        return ENCODING_UTF16BE;
    if (str_find_char(start, '\0') != STR_NONE)
        return guess_utf16(start);
    if (utf8_valid(bytes))
        return ENCODING_UTF8;
    struct beyond_ascii all = count_beyond_ascii(bytes);
    return all.right > all.wrong ? ENCODING_DAMAGED : ENCODING_WINDOWS;
}

bool encoding_is_kept(str before, str after)
{
    if (utf8_valid(after))
        return true;
    switch (encoding_of(before)) {
    case ENCODING_WINDOWS:
        return count_beyond_ascii(after).right <= count_beyond_ascii(before).right;
    case ENCODING_UTF16LE:
    case ENCODING_UTF16BE:
        return false;
    default:
        return true;
    }
}

const char *encoding_name(enum encoding e)
{
    static const char *const names[] = {
        [ENCODING_UTF8] = "UTF-8",
        [ENCODING_DAMAGED] = "UTF-8 with invalid bytes",
        [ENCODING_WINDOWS] = "windows-1252",
        [ENCODING_UTF16LE] = "UTF-16LE",
        [ENCODING_UTF16BE] = "UTF-16BE",
        [ENCODING_NONE] = "",
    };
    return names[e];
}

/* --- converting --- */

static void add_char(struct sbuf *out, uint32_t c)
{
    char bytes[4];
    sbuf_add(out, (str){bytes, utf8_encode(c, bytes)});
}

static uint32_t windows_char(unsigned char byte)
{
    /* 0x80 to 0x9F; the five that Windows does not use are C1 controls, as on the web */
    static const uint16_t others[32] = {
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
        0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
    };
    return byte >= 0x80 && byte < 0xA0 ? others[byte - 0x80] : byte;
}

static str convert_windows(struct arena *a, str bytes)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < bytes.n; i++)
        add_char(&out, windows_char((unsigned char)bytes.p[i]));
    return sbuf_str(&out);
}

static str convert_damaged(struct arena *a, str bytes)
{
    struct sbuf out = SBUF_ON(a);
    while (bytes.n > 0) {
        size_t n;
        add_char(&out, utf8_decode(bytes, &n));
        bytes = str_skip(bytes, n);
    }
    return sbuf_str(&out);
}

static uint32_t unit_at(str bytes, size_t at, bool big)
{
    unsigned char first = (unsigned char)bytes.p[at],
                  second = (unsigned char)bytes.p[at + 1];
    return big ? (uint32_t)first << 8 | second : (uint32_t)second << 8 | first;
}

static bool is_surrogate(uint32_t unit, uint32_t first)
{
    return unit >= first && unit < first + 0x400;
}

static str convert_utf16(struct arena *a, str bytes, bool big)
{
    enum { HIGH = 0xD800, LOW = 0xDC00, BOM = 0xFEFF };
    struct sbuf out = SBUF_ON(a);
    for (size_t at = 0; at + 1 < bytes.n; at += 2) {
        uint32_t c = unit_at(bytes, at, big);
        uint32_t low = at + 3 < bytes.n ? unit_at(bytes, at + 2, big) : 0;
        if (at == 0 && c == BOM)
            continue;
        if (is_surrogate(c, HIGH) && is_surrogate(low, LOW)) {
            c = 0x10000 + ((c - HIGH) << 10) + (low - LOW);
            at += 2;
        } else if (is_surrogate(c, HIGH) || is_surrogate(c, LOW)) {
            c = REPLACEMENT;
        }
        add_char(&out, c);
    }
    if (bytes.n % 2 != 0)
        add_char(&out, REPLACEMENT);
    return sbuf_str(&out);
}

str encoding_convert(struct arena *a, str bytes, enum encoding e)
{
    switch (e) {
    case ENCODING_DAMAGED:
        return convert_damaged(a, bytes);
    case ENCODING_WINDOWS:
        return convert_windows(a, bytes);
    case ENCODING_UTF16LE:
    case ENCODING_UTF16BE:
        return convert_utf16(a, bytes, e == ENCODING_UTF16BE);
    case ENCODING_UTF8:
    case ENCODING_NONE:
        break;
    }
    return bytes;
}
