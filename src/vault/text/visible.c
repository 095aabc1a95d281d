#include "vault/text/visible.h"

#include "base/sbuf.h"
#include "base/utf8.h"

static bool is_joiner(uint32_t c)
{
    return c == 0x200C || c == 0x200D;
}

static bool is_selector(uint32_t c)
{
    return c >= 0xFE00 && c <= 0xFE0F;
}

/* Joiners and selectors that follow a character of the script or emoji that needs them. A row
 * of them could spell a text. */
static bool is_part_of(uint32_t c, uint32_t last)
{
    if (last < 0x0600 || (last >= 0x2000 && last < 0x2070) || is_joiner(last))
        return false;
    return is_joiner(c) || (is_selector(c) && !is_selector(last));
}

/* Characters that look like nothing, or like a space, but are letters or signs. */
static bool is_filler(uint32_t c)
{
    return c == 0xAD || c == 0x034F || c == 0x115F || c == 0x1160 || c == 0x17B4 ||
           c == 0x17B5 || (c >= 0x180B && c <= 0x180F) || c == 0x2028 || c == 0x2029 ||
           c == 0x2800 || c == 0x3164 || c == 0xFFA0;
}

static bool visible_is_shown(uint32_t c, uint32_t last, str rest)
{
    if (c == '\n' || c == '\t' || (c == '\r' && str_starts(rest, STR("\r\n"))))
        return true;
    if (c < 0x20 || c == 0x7F || is_filler(c))
        return false;
    if (c < 0x80)
        return true;
    return is_part_of(c, last) || (utf8_kind(c) != UTF8_UNSEEN && !is_selector(c) &&
                                   !(c >= 0xE0100 && c <= 0xE01EF));
}

static bool all_visible(str text)
{
    uint32_t last = 0;
    for (size_t i = 0, n; i < text.n; i += n) {
        str rest = str_skip(text, i);
        uint32_t c = utf8_decode(rest, &n);
        if (!visible_is_shown(c, last, rest))
            return false;
        last = c;
    }
    return true;
}

str visible_text(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    uint32_t last = 0;
    char utf8[4];
    if (all_visible(text))
        return text;
    for (size_t i = 0, n; i < text.n; i += n) {
        str rest = str_skip(text, i);
        uint32_t c = utf8_decode(rest, &n);
        if (visible_is_shown(c, last, rest))
            sbuf_add(&out, (str){utf8, utf8_encode(c, utf8)});
        else
            sbuf_printf(&out, "‹U+%04X›", (unsigned)c);
        last = c;
    }
    return sbuf_str(&out);
}
