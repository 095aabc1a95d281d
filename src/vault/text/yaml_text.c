#include "vault/text/yaml_text.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"

enum { HIDDEN = 0x100000 };

/* U+000D is passed only if no line feed follows. */
static bool is_special(uint32_t c)
{
    if (c < 0x20)
        return c != '\t' && c != '\n';
    return (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
           c == 0xFFFE || c == 0xFFFF;
}

static bool is_crlf(str rest)
{
    return rest.n >= 2 && rest.p[0] == '\r' && rest.p[1] == '\n';
}

bool yaml_text_is_plain(str block)
{
    for (size_t i = 0, n; i < block.n; i += n) {
        unsigned char byte = (unsigned char)block.p[i];
        n = 1;
        if (byte >= 0x20 && byte < 0x7F)
            continue;
        str rest = str_skip(block, i);
        uint32_t c = utf8_decode(rest, &n);
        bool invalid = c == 0xFFFD && !str_starts(rest, STR("\uFFFD"));
        if (invalid || (is_special(c) && !is_crlf(rest)))
            return false;
    }
    return true;
}

/* Padding of a repaired text, which is not part of its values. */
static bool is_filler(uint32_t c)
{
    return c == 0x10FFFC;
}

static void yaml_text_add(struct sbuf *out, uint32_t c)
{
    sbuf_took(out, utf8_encode(c, sbuf_room(out, 4)));
}

bool yaml_text_hide(struct arena *a, str block, str *out)
{
    struct sbuf hidden = SBUF_ON(a);
    sbuf_room(&hidden, block.n + 1);
    for (size_t i = 0, n; i < block.n; i += n) {
        str rest = str_skip(block, i);
        uint32_t c = utf8_decode(rest, &n);
        if (is_filler(c) || (c >= HIDDEN && is_special(c - HIDDEN)))
            return false;
        yaml_text_add(&hidden, is_special(c) && !is_crlf(rest) ? c + HIDDEN : c);
    }
    if (!str_ends(block, STR("\n")))
        sbuf_char(&hidden, '\n');
    *out = sbuf_str(&hidden);
    return true;
}

str yaml_text_show(struct arena *a, str value)
{
    struct sbuf shown = SBUF_ON(a);
    sbuf_room(&shown, value.n + 1);
    for (size_t i = 0, n; i < value.n; i += n) {
        uint32_t c = utf8_decode(str_skip(value, i), &n);
        bool hidden = c >= HIDDEN && (is_special(c - HIDDEN) || c == HIDDEN + '\t');
        if (!is_filler(c))
            yaml_text_add(&shown, hidden ? c - HIDDEN : c);
    }
    return sbuf_str(&shown);
}

static void replace(struct arena *a, str *text, size_t from, size_t to, str by)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, str_slice(*text, 0, from));
    sbuf_add(&out, by);
    sbuf_add(&out, str_skip(*text, to));
    *text = sbuf_str(&out);
}

/* A tab after the indentation at the start of a block scalar is text. */
static bool mend_block_scalar(struct arena *a, str *text, size_t at)
{
    if (at == 0 || text->p[at - 1] != ' ')
        return false;
    char hidden[4];
    replace(a, text, at, at + 1, (str){hidden, utf8_encode(HIDDEN + '\t', hidden)});
    return true;
}

/*
 * Whether the line is a single value: lists and maps in block style cannot be indented by
 * tabs.
 */
static bool is_on_one_line(str line)
{
    line = str_trim_line(line);
    if (line.n == 0 || line.p[0] == '[' || line.p[0] == '{')
        return true;
    bool nested = strchr("-?:", line.p[0]) != NULL && (line.n == 1 || line.p[1] == ' ');
    return !nested && str_find(line, STR(": ")) == STR_NONE && line.p[line.n - 1] != ':';
}

/* Replace tabs in a line of white space, before a comment, or between '-' and its
 * value. */
static bool mend_blanks(struct arena *a, str *text, size_t at)
{
    str rest = str_skip(*text, at), line;
    (void)str_next(&rest, '\n', &line);
    size_t n = 0;
    while (n < line.n && is_blank(line.p[n]))
        n++;
    str after = str_skip(line, n);
    bool blank = after.n == 0 || after.p[0] == '#' || after.p[0] == '\r';
    bool item = at > 0 && text->p[at - 1] == '-' && is_on_one_line(after);
    if (!blank && !item)
        return false;
    char *spaces = arena_alloc(a, n);
    memset(spaces, ' ', n);
    replace(a, text, at, at + n, (str){spaces, n});
    return true;
}

/* The value of "\uD83D" at byte at; 0 if there is no such escape. */
static uint32_t surrogate_at(str text, size_t at)
{
    uint32_t c = 0;
    if (at < 2 || text.n - at < 4 || memcmp(text.p + at - 2, "\\u", 2) != 0)
        return 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned char digit = (unsigned char)text.p[at + i];
        bool letter = digit > '9';
        c = c << 4 | (uint32_t)(letter ? (digit | 0x20) - 'a' + 10 : digit - '0');
    }
    return c >= 0xD800 && c < 0xE000 ? c : 0;
}

/* A pair becomes its character, half a pair U+FFFD; both are padded to the old width. */
static bool mend_surrogate(struct arena *a, str *text, size_t at)
{
    uint32_t first = surrogate_at(*text, at), c = 0xFFFD;
    if (first == 0)
        return false;
    uint32_t second =
        first < 0xDC00 && text->n - at >= 6 ? surrogate_at(*text, at + 6) : 0;
    size_t width = 6;
    if (second >= 0xDC00) {
        c = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        width = 12;
    }
    struct sbuf wide = SBUF_ON(a);
    yaml_text_add(&wide, c);
    for (size_t i = 1; i < width; i++)
        yaml_text_add(&wide, 0x10FFFC);
    replace(a, text, at - 2, at - 2 + width, sbuf_str(&wide));
    return true;
}

static size_t byte_of(str text, size_t character)
{
    size_t at = 0, n;
    for (; character > 0 && at < text.n; character--, at += n)
        (void)utf8_decode(str_skip(text, at), &n);
    return at;
}

bool yaml_text_mend(struct arena *a, str *text, size_t at, str problem)
{
    at = byte_of(*text, at);
    if (at == text->n)
        return false;
    if (str_find(problem, STR("Unicode character escape")) != STR_NONE)
        return mend_surrogate(a, text, at);
    if (text->p[at] != '\t')
        return false;
    if (str_find(problem, STR("indentation space")) != STR_NONE)
        return mend_block_scalar(a, text, at);
    return mend_blanks(a, text, at);
}
