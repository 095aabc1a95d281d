#include "vault/text/pages.h"

#include "base/sbuf.h"
#include "base/text.h"

uint32_t pages_at(str text, size_t at)
{
    uint32_t page = 0;
    str rest = at < text.n ? str_slice(text, 0, at + 1) : text;
    for (size_t feed; (feed = str_find_char(rest, '\f')) != STR_NONE; page++)
        rest = str_skip(rest, feed + 1);
    return page;
}

bool pages_find(str text, uint32_t first, uint32_t last, size_t *start, size_t *end)
{
    uint32_t page = 0;
    size_t at = 0, from = 0;
    for (; at < text.n; at = text_next_line(text, at)) {
        if (text.p[at] != '\f')
            continue;
        if (page == last)
            break;
        if (++page == first)
            from = at;
    }
    *start = from;
    *end = at;
    return first >= 1 && first <= last && page == last;
}

static bool read_page(str s, uint32_t *out)
{
    int64_t n;
    bool ok = s.n > 0 && is_digit(s.p[0]) && str_to_int(s, &n) && n <= INT32_MAX;
    if (ok)
        *out = (uint32_t)n;
    return ok;
}

bool pages_parse(str request, uint32_t *first, uint32_t *last)
{
    static const str word = STR("page=");
    str rest = str_starts(request, STR("#")) ? str_skip(request, 1) : request, from;
    if (!str_starts(rest, word))
        return false;
    rest = str_skip(rest, word.n);
    bool range = str_find_char(rest, '-') != STR_NONE;
    if (!range)
        return read_page(rest, first) && read_page(rest, last);
    return str_next(&rest, '-', &from) && read_page(from, first) && read_page(rest, last);
}

bool pages_have_text(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_white(text.p[i]) && text.p[i] != '\f')
            return true;
    return false;
}

str pages_show(struct arena *a, str text, uint32_t first)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t feed; (feed = str_find_char(text, '\f')) != STR_NONE; first++) {
        sbuf_add(&out, str_slice(text, 0, feed));
        sbuf_printf(&out, "--- page %u ---", first);
        text = str_skip(text, feed + 1);
    }
    sbuf_add(&out, text);
    return sbuf_str(&out);
}
