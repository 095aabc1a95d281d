/* The inline fields of one line, and the emoji dates of a task. */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/inline_parts.h"

static struct span trimmed(str text, uint32_t start, uint32_t end)
{
    while (start < end && is_space(text.p[start]))
        start++;
    while (end > start && is_space(text.p[end - 1]))
        end--;
    return (struct span){start, end};
}

/* --- in brackets --- */

/* Fields of one kind of bracket that are not closed yet. */
struct inline_open {
    uint32_t fields[INLINE_DEPTH], depths[INLINE_DEPTH];
    uint32_t n, depth; /* depth: brackets that are open, with and without a field */
};

struct inline_line {
    struct inline_scan *scan;
    str text;
    struct inline_open square, round;
    uint32_t bracket;   /* the last one, opening or not; 0: none since the last "::" */
    uint32_t separator; /* the first "::", or 0 */
    bool hidden;        /* something hidden is before the first "::" */
};

static struct inline_open *kind_of(struct inline_line *l, char c)
{
    return c == '[' || c == ']' ? &l->square : &l->round;
}

static void open_field(struct inline_line *l, uint32_t open, uint32_t at)
{
    struct inline_open *o = kind_of(l, l->text.p[open]);
    struct span key = trimmed(l->text, open + 1, at);
    struct inline_field *f;
    if (key.start == key.end || key.end - key.start > INLINE_KEY_MAX ||
        o->n == INLINE_DEPTH || (f = inline_add(l->scan)) == NULL)
        return;
    f->key = key;
    f->value.start = at + 2; /* no end: it is open */
    o->fields[o->n] = l->scan->n - 1;
    o->depths[o->n++] = o->depth;
}

static void take_separator(struct inline_line *l, uint32_t at)
{
    if (l->separator == 0)
        l->separator = at;
    char c = l->bracket != 0 ? l->text.p[l->bracket - 1] : '\0';
    if (c == '[' || c == '(')
        open_field(l, l->bracket - 1, at);
    l->bracket = 0;
}

static void close_bracket(struct inline_line *l, uint32_t at)
{
    struct inline_open *o = kind_of(l, l->text.p[at]);
    if (o->n > 0 && o->depths[o->n - 1] == o->depth)
        l->scan->fields[o->fields[--o->n]].value.end = at;
    o->depth -= o->depth > 0;
}

/* Returns where to continue. */
static uint32_t take(struct inline_line *l, uint32_t at, uint32_t end)
{
    char c = l->text.p[at];
    switch (c) {
    case '\\':
        return at + 2;
    case ':':
        if (at + 1 >= end || l->text.p[at + 1] != ':')
            return at + 1;
        take_separator(l, at);
        return at + 2;
    case '[':
    case '(':
        kind_of(l, c)->depth++;
        l->bracket = at + 1;
        return at + 1;
    case ']':
    case ')':
        close_bracket(l, at);
        l->bracket = at + 1;
        return at + 1;
    default:
        return at + 1;
    }
}

/* Keep the fields from first on that are closed and not in another one. */
static void keep_closed(struct inline_scan *s, uint32_t first)
{
    uint32_t n = first, end = 0;
    for (uint32_t i = first; i < s->n; i++) {
        struct inline_field f = s->fields[i];
        if (f.value.end == 0 || f.key.start < end)
            continue;
        end = f.value.end;
        f.value = trimmed(s->note->text, f.value.start, f.value.end);
        s->fields[n++] = f;
    }
    s->n = n;
}

/* --- the whole line --- */

static bool is_formatting(char c)
{
    return c == '_' || c == '*' || c == '~' || c == '`';
}

/* The key in [start, end), without what is around it; empty if it is not one. */
static struct span line_key(str text, uint32_t start, uint32_t end)
{
    struct span none = {start, start};
    size_t size = 0;
    for (; start < end; start += (uint32_t)size) {
        uint32_t c = utf8_decode(str_slice(text, start, end), &size);
        if (utf8_is_word(c) || c == '_')
            break;
    }
    while (end > start && is_formatting(text.p[end - 1]) && text.p[end - 1] != '_')
        end--;
    while (end > start + 1 && text.p[start] == '_' && text.p[end - 1] == '_')
        start++, end--;
    for (uint32_t at = start; at < end; at += (uint32_t)size)
        if (!inline_is_key_char(utf8_decode(str_slice(text, at, end), &size)))
            return none;
    return trimmed(text, start, end);
}

static void inline_line_add_line(struct inline_line *l, struct span line, uint32_t start)
{
    struct span whole = trimmed(l->text, start, line.end);
    struct span before = trimmed(l->text, whole.start, l->separator);
    bool row = before.start < before.end && l->text.p[before.start] == '|';
    if (row || before.end - before.start > INLINE_KEY_MAX)
        return;
    struct span key = line_key(l->text, before.start, before.end);
    struct inline_field *f;
    if (key.start == key.end || (f = inline_add(l->scan)) == NULL)
        return;
    f->key = key;
    f->value = trimmed(l->text, l->separator + 2, whole.end);
}

void inline_read_line(struct inline_scan *s, struct span line, uint32_t text)
{
    struct inline_line l = {.scan = s, .text = s->note->text};
    uint32_t first = s->n, h = inline_hidden_after(s, line.start);
    for (uint32_t at = line.start; at < line.end;) {
        if (h < s->n_hidden && s->hidden[h].start <= at) {
            l.hidden |= l.separator == 0;
            at = s->hidden[h++].end;
        } else {
            at = take(&l, at, line.end);
        }
        while (h < s->n_hidden && s->hidden[h].end <= at)
            h++;
    }
    keep_closed(s, first);
    if (s->n == first && l.separator != 0 && !l.hidden && !s->of_task)
        inline_line_add_line(&l, line, text);
}

/* --- emoji dates --- */

enum { DUE = 1, START = 2, SCHEDULED = 4, CREATED = 8, COMPLETION = 16 };

static const struct inline_emoji {
    str emoji, name;
    unsigned bit;
} emojis[] = {
    {STR("\xF0\x9F\x93\x85"), STR("due"), DUE},           /* 📅 */
    {STR("\xF0\x9F\x93\x86"), STR("due"), DUE},           /* 📆 */
    {STR("\xF0\x9F\x97\x93"), STR("due"), DUE},           /* 🗓 */
    {STR("\xF0\x9F\x9B\xAB"), STR("start"), START},       /* 🛫 */
    {STR("\xE2\x8F\xB3"), STR("scheduled"), SCHEDULED},   /* ⏳ */
    {STR("\xE2\x8C\x9B"), STR("scheduled"), SCHEDULED},   /* ⌛ */
    {STR("\xE2\x9E\x95"), STR("created"), CREATED},       /* ➕ */
    {STR("\xE2\x9C\x85"), STR("completion"), COMPLETION}, /* ✅ */
};

/* The one that a text begins with, or NULL. */
static const struct inline_emoji *emoji_at(str text)
{
    for (size_t i = 0; i < COUNT_OF(emojis); i++)
        if (str_starts(text, emojis[i].emoji))
            return &emojis[i];
    return NULL;
}

str inline_key(str text, const struct inline_field *f)
{
    str key = span_of(text, f->key);
    const struct inline_emoji *e = emoji_at(key);
    return e != NULL && e->emoji.n == key.n ? e->name : key;
}

/* YYYY-MM-DD */
static bool is_date(str s)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (i >= s.n || (form[i] == 'd' ? !is_digit(s.p[i]) : s.p[i] != form[i]))
            return false;
    return true;
}

/* The date after an emoji that ends at at, and perhaps a variation selector. */
static bool read_date(str text, uint32_t at, uint32_t end, struct span *out)
{
    enum { DATE_LENGTH = 10 };
    str rest = str_slice(text, at, end);
    size_t skip = str_starts(rest, STR("\xEF\xB8\x8F")) ? 3 : 0;
    skip = text_skip_blanks(rest, skip);
    out->start = at + (uint32_t)skip;
    out->end = out->start + DATE_LENGTH;
    return is_date(str_skip(rest, skip));
}

/* The next bytes that emojis of the table begin with; the end if there are none. */
struct inline_search {
    str text;
    uint32_t end, four, three; /* 0xF0 begins four bytes, 0xE2 three */
};

static uint32_t find_byte(const struct inline_search *s, uint32_t at, int byte)
{
    const char *found = at < s->end ? memchr(s->text.p + at, byte, s->end - at) : NULL;
    return found != NULL ? (uint32_t)(found - s->text.p) : s->end;
}

/* The first from at on; each byte is looked at twice at most. */
static uint32_t next_emoji(struct inline_search *s, uint32_t at)
{
    if (s->four < at)
        s->four = find_byte(s, at, 0xF0);
    if (s->three < at)
        s->three = find_byte(s, at, 0xE2);
    return s->four < s->three ? s->four : s->three;
}

static bool is_hidden(const struct inline_scan *s, uint32_t at)
{
    uint32_t h = inline_hidden_after(s, at);
    return h < s->n_hidden && s->hidden[h].start <= at;
}

static void read_task(struct inline_scan *s, const struct note_task *t)
{
    str text = s->note->text;
    unsigned seen = 0; /* of several dates of a kind, the first counts */
    s->line = s->item = t->line;
    s->of_task = true;
    struct inline_search search = {.text = text, .end = t->text.end};
    for (uint32_t at = t->text.start; (at = next_emoji(&search, at)) < search.end; at++) {
        const struct inline_emoji *e = emoji_at(str_slice(text, at, t->text.end));
        struct span key = {at, at + (e != NULL ? (uint32_t)e->emoji.n : 0)}, value;
        if (e == NULL || (seen & e->bit) != 0 ||
            !read_date(text, key.end, t->text.end, &value) || is_hidden(s, at))
            continue;
        seen |= e->bit;
        struct inline_field *f = inline_add(s);
        if (f == NULL)
            return;
        f->key = key;
        f->value = value;
    }
}

void inline_read_dates(struct inline_scan *s)
{
    for (uint32_t i = 0; i < s->note->n_tasks; i++)
        read_task(s, &s->note->tasks[i]);
}
