/*
 * Only lines with "::" are looked at. A line is read once, from left to right: "::" makes
 * a field of the nearest bracket before it, if that opens; a closing bracket ends the
 * field that was opened at its depth. What is left open or lies in another field is
 * dropped at the end of the line.
 */
#include "vault/forms/inline.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/inline_parts.h"

/* --- what is hidden --- */

static bool hides(enum note_region_kind kind)
{
    return kind != NOTE_COMMENT && kind != NOTE_TABLE_REGION;
}

static void find_hidden(struct inline_scan *s)
{
    const struct note *n = s->note;
    uint32_t end = 0;
    s->hidden = ARENA_ARRAY(s->arena, struct span, n->n_regions);
    for (uint32_t i = 0; i < n->n_regions; i++) {
        struct span span = n->regions[i].span;
        if (!hides(n->regions[i].kind) || span.end <= end)
            continue;
        s->hidden[s->n_hidden++] = span;
        end = span.end;
    }
}

uint32_t inline_hidden_after(const struct inline_scan *s, uint32_t at)
{
    uint32_t low = 0, high = s->n_hidden;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->hidden[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- lines --- */

/* The next "::" from at, or the end of the text. */
static uint32_t next_separator(str text, uint32_t at)
{
    const char *end = text.p + text.n, *p = text.p + at;
    while (p < end && (p = memchr(p, ':', (size_t)(end - p))) != NULL) {
        if (p + 1 < end && p[1] == ':')
            return (uint32_t)(p - text.p);
        p++;
    }
    return (uint32_t)text.n;
}

static uint32_t line_start(str text, uint32_t at, uint32_t from)
{
    while (at > from && !is_break(text.p[at - 1]))
        at--;
    return at;
}

/* The end of the line before the one that begins at start, which is not the first. */
static uint32_t line_before(str text, uint32_t start, uint32_t from)
{
    uint32_t end = start - 1;
    return end > from && text.p[end] == '\n' && text.p[end - 1] == '\r' ? end - 1 : end;
}

/* After the marks of quotes and spaces at the start of a line. */
static uint32_t inline_indent(str text, struct span line)
{
    while (line.start < line.end &&
           (is_blank(text.p[line.start]) || text.p[line.start] == '>'))
        line.start++;
    return line.start;
}

/* Where the text of the item begins whose first line this is; 0 if it is not one. */
static uint32_t item_text(str text, struct span line)
{
    uint32_t start = inline_indent(text, line);
    uint32_t at = (uint32_t)text_skip_digits(str_slice(text, 0, line.end), start);
    char c = at < line.end ? text.p[at] : '\0';
    bool bullet = at == start && (c == '-' || c == '+' || c == '*');
    bool number = at > start && (c == '.' || c == ')');
    bool spaced = at + 1 < line.end && is_blank(text.p[at + 1]);
    return (bullet || number) && spaced ? at + 2 : 0;
}

/* --- whose fields they are --- */

/* Items come in order, so the search for tasks never goes back. */
static void set_item(struct inline_scan *s, struct span line, uint32_t number)
{
    const struct note *n = s->note;
    while (s->task < n->n_tasks && n->tasks[s->task].text.start < line.start)
        s->task++;
    s->item = number;
    s->of_task = s->task < n->n_tasks && n->tasks[s->task].text.start <= line.end;
}

/*
 * A line without a marker belongs to the item above it, unless a blank line or a heading
 * is between them. The last line that was read knows its item.
 */
static void find_item(struct inline_scan *s, struct span line, uint32_t number)
{
    str text = s->note->text;
    uint32_t from = s->note->body;
    for (;; number--) {
        uint32_t first = inline_indent(text, line);
        if (first == line.end || text.p[first] == '#')
            break;
        if (item_text(text, line) != 0) {
            set_item(s, line, number);
            return;
        }
        if (line.start == from)
            break;
        uint32_t end = line_before(text, line.start, from);
        if (s->last.end > 0 && end <= s->last.end)
            return;
        line = (struct span){line_start(text, end, from), end};
    }
    s->item = 0;
    s->of_task = false;
}

/* --- the scan --- */

struct inline_field *inline_add(struct inline_scan *s)
{
    if (s->n == INLINE_FIELDS_MAX)
        return NULL;
    struct inline_field *f = ARRAY_ADD(s->arena, s->fields, s->n);
    *f = (struct inline_field){.line = s->line, .item = s->item, .of_task = s->of_task};
    return f;
}

/* Read the line around the separator at at. */
static struct span read_around(struct inline_scan *s, uint32_t at)
{
    str text = s->note->text;
    struct span line = {line_start(text, at, s->note->body),
                        (uint32_t)text_find_break(text, at)};
    s->line += text_line_number(str_skip(text, s->counted), line.start - s->counted) - 1;
    s->counted = line.start;
    uint32_t first = item_text(text, line);
    find_item(s, line, s->line);
    inline_read_line(s, line, first != 0 ? first : line.start);
    s->last = line;
    return line;
}

static int inline_by_place(const void *a, const void *b)
{
    const struct inline_field *x = a, *y = b;
    return (x->key.start > y->key.start) - (x->key.start < y->key.start);
}

uint32_t inline_scan(struct arena *a, const struct note *n, struct inline_field **out)
{
    str text = n->text;
    *out = NULL;
    if (text.n == 0)
        return 0;
    uint32_t at = next_separator(text, n->body);
    struct inline_scan s = {.arena = a, .note = n, .line = 1};
    if (at < text.n || n->n_tasks > 0)
        find_hidden(&s);
    while (at < text.n)
        at = next_separator(text, read_around(&s, at).end);
    uint32_t n_written = s.n;
    inline_read_dates(&s);
    if (s.n > n_written && n_written > 0)
        sort_items(s.fields, s.n, sizeof(*s.fields), inline_by_place);
    *out = s.fields;
    return s.n;
}

/* --- names --- */

static bool is_emoji(uint32_t c)
{
    return c >= 0x1F000 || (c >= 0x2190 && c <= 0x2BFF) || c == 0xFE0F || c == 0x200D;
}

bool inline_is_key_char(uint32_t c)
{
    return utf8_is_word(c) || c == '_' || c == '-' || c == '/' || c == ' ' || c == '\t' ||
           is_emoji(c);
}

str inline_name(struct arena *a, str key)
{
    str folded = utf8_fold(a, key);
    char *name = arena_alloc(a, folded.n);
    size_t n = 0;
    for (size_t at = 0, size; at < folded.n; at += size) {
        uint32_t c = utf8_decode(str_skip(folded, at), &size);
        bool space = c < 0x80 && is_space((int)c);
        if (space && (at == 0 || !is_space(folded.p[at - 1])))
            name[n++] = '-';
        if (space || c == '/' || !inline_is_key_char(c))
            continue;
        memcpy(name + n, folded.p + at, size);
        n += size;
    }
    return (str){name, n};
}

bool inline_has_name(str key)
{
    for (size_t i = 0; i < key.n; i++)
        if (!is_alnum(key.p[i]) && key.p[i] != '_' && key.p[i] != '-')
            return true;
    return false;
}
