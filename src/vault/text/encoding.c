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
        return ENCODING_UTF16LE_BARE;
    return zeros[0] > many && zeros[1] <= few ? ENCODING_UTF16BE_BARE : ENCODING_NONE;
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

const char *encoding_name(enum encoding e)
{
    static const char *const names[] = {
        [ENCODING_UTF8] = "UTF-8",
        [ENCODING_DAMAGED] = "UTF-8 with invalid bytes",
        [ENCODING_WINDOWS] = "windows-1252",
        [ENCODING_UTF16LE] = "UTF-16LE",
        [ENCODING_UTF16BE] = "UTF-16BE",
        [ENCODING_UTF16LE_BARE] = "UTF-16LE",
        [ENCODING_UTF16BE_BARE] = "UTF-16BE",
        [ENCODING_NONE] = "",
    };
    return names[e];
}

/* --- converting --- */

static void encoding_add_char(struct sbuf *out, uint32_t c)
{
    char bytes[4];
    sbuf_add(out, (str){bytes, utf8_encode(c, bytes)});
}

/* 0x80 to 0x9F; the five that Windows does not use are C1 controls, as on the web */
static const uint16_t windows_others[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
};

static uint32_t windows_char(unsigned char byte)
{
    return byte >= 0x80 && byte < 0xA0 ? windows_others[byte - 0x80] : byte;
}

static str convert_windows(struct arena *a, str bytes)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < bytes.n; i++)
        encoding_add_char(&out, windows_char((unsigned char)bytes.p[i]));
    return sbuf_str(&out);
}

static str convert_damaged(struct arena *a, str bytes)
{
    struct sbuf out = SBUF_ON(a);
    while (bytes.n > 0) {
        size_t n;
        encoding_add_char(&out, utf8_decode(bytes, &n));
        bytes = str_skip(bytes, n);
    }
    return sbuf_str(&out);
}

static bool is_big(enum encoding e)
{
    return e == ENCODING_UTF16BE || e == ENCODING_UTF16BE_BARE;
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

enum { HIGH = 0xD800, LOW = 0xDC00, BOM = 0xFEFF };

static str convert_utf16(struct arena *a, str bytes, bool big)
{
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
        encoding_add_char(&out, c);
    }
    if (bytes.n % 2 != 0)
        encoding_add_char(&out, REPLACEMENT);
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
    case ENCODING_UTF16LE_BARE:
    case ENCODING_UTF16BE_BARE:
        return convert_utf16(a, bytes, is_big(e));
    case ENCODING_UTF8:
    case ENCODING_NONE:
        break;
    }
    return bytes;
}

str encoding_read(struct arena *a, str bytes, enum encoding *e)
{
    *e = encoding_of(bytes);
    return encoding_is_other(*e) ? encoding_convert(a, bytes, *e) : bytes;
}

/* --- converting back --- */

static bool add_windows(struct sbuf *out, uint32_t c)
{
    uint32_t byte = c;
    if (c >= 0x80 && (c < 0xA0 || c > 0xFF))
        for (byte = 0x80; byte < 0xA0 && windows_char((unsigned char)byte) != c;)
            byte++;
    if (byte >= 0xA0 && byte != c)
        return false;
    sbuf_char(out, (char)byte);
    return true;
}

static void add_unit(struct sbuf *out, uint32_t unit, bool big)
{
    sbuf_char(out, (char)(big ? unit >> 8 : unit & 0xFF));
    sbuf_char(out, (char)(big ? unit & 0xFF : unit >> 8));
}

static void add_utf16(struct sbuf *out, uint32_t c, bool big)
{
    if (c >= 0x10000) {
        add_unit(out, HIGH + ((c - 0x10000) >> 10), big);
        c = LOW + ((c - 0x10000) & 0x3FF);
    }
    add_unit(out, c, big);
}

static bool write_chars(struct sbuf *out, str text, enum encoding e, str *missing)
{
    if (e == ENCODING_UTF16LE || e == ENCODING_UTF16BE)
        add_unit(out, BOM, is_big(e));
    while (text.n > 0) {
        size_t n;
        uint32_t c = utf8_decode(text, &n);
        if (e != ENCODING_WINDOWS)
            add_utf16(out, c, is_big(e));
        else if (!add_windows(out, c)) {
            *missing = str_slice(text, 0, n);
            return false;
        }
        text = str_skip(text, n);
    }
    return true;
}

bool encoding_write(struct arena *a, str text, enum encoding e, str *bytes, str *missing)
{
    struct sbuf out = SBUF_ON(a);
    enum encoding again;
    *bytes = text;
    *missing = (str){0};
    if (!encoding_is_other(e))
        return true;
    if (!write_chars(&out, text, e, missing))
        return false;
    *bytes = sbuf_str(&out);
    return str_eq(encoding_read(a, *bytes, &again), text);
}
