#include "vault/text/textscan.h"

#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/text/needles.h"
#include "vault/text/regex.h"

struct textscan {
    struct arena arena;
    struct needles *needles; /* ASCII only */
    struct regex *regex;     /* everything else */
    struct regex_scratch *scratch;
};

bool textscan_create(str needle, struct textscan **out, struct err *err)
{
    if (needle.n == 0)
        return err_set(err, ERR_INVALID, "nothing to search for");
    if (needle.n > TEXTSCAN_NEEDLE_MAX)
        return err_set(err, ERR_LIMIT, "the text to search for is longer than %d bytes",
                       TEXTSCAN_NEEDLE_MAX);
    struct textscan *t = mem_zero(sizeof(*t));
    t->needles = needles_create(&t->arena, &needle, 1, true);
    if (t->needles == NULL) {
        unsigned flags = REGEX_LITERAL | REGEX_NOCASE | REGEX_BREAKS;
        if (!regex_compile(needle, flags, &t->regex, err)) {
            textscan_free(t);
            return false;
        }
        t->scratch = regex_scratch_create();
    }
    *out = t;
    return true;
}

void textscan_free(struct textscan *t)
{
    if (t == NULL)
        return;
    regex_scratch_free(t->scratch);
    regex_free(t->regex);
    arena_release(&t->arena);
    free(t);
}

bool textscan_find(struct textscan *t, str text, size_t from, size_t *start, size_t *end)
{
    uint32_t first, last;
    if (t->needles != NULL)
        return needles_next(t->needles, text, from, start, end);
    if (from >= text.n ||
        !regex_find(t->regex, t->scratch, str_skip(text, from), &first, &last))
        return false;
    *start = from + first;
    *end = from + last;
    return true;
}

bool textscan_in(struct textscan *t, str text)
{
    size_t start, end;
    return textscan_find(t, text, 0, &start, &end);
}

/* The position n characters before at. */
static size_t textscan_before(str text, size_t at, size_t n)
{
    for (; n > 0 && at > 0; n--) {
        size_t back = 1;
        while (back < 4 && back < at && ((unsigned char)text.p[at - back] & 0xC0) == 0x80)
            back++;
        size_t length;
        utf8_decode(str_slice(text, at - back, at), &length);
        at -= length == back ? back : 1; /* an invalid byte counts as a character */
    }
    return at;
}

static size_t after(str text, size_t at, size_t n)
{
    for (size_t length; n > 0 && at < text.n; n--, at += length)
        utf8_decode(str_skip(text, at), &length);
    return at;
}

/* Line breaks become spaces (CRLF, and the mark of a page, one space), invalid bytes
 * U+FFFD. */
static void add_flat(struct sbuf *b, str text)
{
    char utf8[4];
    for (size_t i = 0, n; i < text.n; i += n) {
        uint32_t c = utf8_decode(str_skip(text, i), &n);
        if ((c == '\r' || c == '\f') && i + 1 < text.n && text.p[i + 1] == '\n')
            continue;
        if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029)
            c = ' ';
        sbuf_add(b, (str){utf8, utf8_encode(c, utf8)});
    }
}

static void add_bold(struct sbuf *b, str match)
{
    if (match.n == 0)
        return;
    size_t shown = after(match, 0, TEXTSCAN_MATCH_MAX);
    sbuf_add(b, STR("**"));
    add_flat(b, str_slice(match, 0, shown));
    if (shown < match.n)
        sbuf_add(b, STR("..."));
    sbuf_add(b, STR("**"));
}

str textscan_snippet_marks(struct arena *a, str text, const struct textscan_mark *marks,
                           size_t n, size_t around)
{
    size_t from = textscan_before(text, marks[around].start, TEXTSCAN_AROUND), at = from;
    size_t to = after(text, marks[around].end, TEXTSCAN_AROUND);
    struct sbuf b = SBUF_ON(a);
    if (from > 0)
        sbuf_add(&b, STR("..."));
    for (size_t i = 0; i < n; i++) {
        if (marks[i].start < at || marks[i].end > to)
            continue;
        add_flat(&b, str_slice(text, at, marks[i].start));
        add_bold(&b, str_slice(text, marks[i].start, marks[i].end));
        at = marks[i].end;
    }
    add_flat(&b, str_slice(text, at, to));
    if (to < text.n)
        sbuf_add(&b, STR("..."));
    return sbuf_str(&b);
}

str textscan_snippet(struct arena *a, str text, size_t start, size_t end)
{
    struct textscan_mark mark = {.start = start, .end = end < text.n ? end : text.n};
    mark.start = mark.start < mark.end ? mark.start : mark.end;
    return textscan_snippet_marks(a, text, &mark, 1, 0);
}
