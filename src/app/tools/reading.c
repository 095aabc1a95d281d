#include "app/tools/reading.h"

#include "base/utf8.h"
#include "vault/note.h"

static size_t count_breaks(str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

/* The bytes that section or block mean; all of them when neither is given. */
static bool find_span(const struct reading *r, struct arena *a,
                      const struct reading_wish *wish, struct span *out, struct err *err)
{
    struct note note;
    *out = (struct span){0, (uint32_t)r->text.n};
    if (wish->section.n == 0 && wish->block.n == 0)
        return true;
    if (wish->section.n > 0 && wish->block.n > 0)
        return err_set(err, ERR_INVALID, "section or block, not both");
    note_scan(a, r->text, &note);
    if (wish->section.n > 0) {
        str subpath = arena_printf(a, "#" STR_FMT, STR_ARG(wish->section));
        const struct note_heading *h = note_find_heading(&note, subpath);
        if (h == NULL)
            return err_named(err, ERR_NOT_FOUND, "HEADING_NOT_FOUND",
                             "'" STR_FMT "' has no heading '" STR_FMT
                             "'; view outline lists them",
                             STR_ARG(r->path), STR_ARG(wish->section));
        *out = h->section;
        return true;
    }
    const struct note_block *b = note_find_block(&note, wish->block);
    if (b == NULL)
        return err_named(err, ERR_NOT_FOUND, "BLOCK_NOT_FOUND",
                         "'" STR_FMT "' has no block '" STR_FMT "'", STR_ARG(r->path),
                         STR_ARG(wish->block));
    *out = b->body;
    return true;
}

static bool is_outside(const struct reading *r, size_t line, size_t begin,
                       struct err *err)
{
    return err_named(err, ERR_INVALID, "INVALID_RANGE",
                     "line %zu is outside of what was asked for, which begins in line "
                     "%zu of '" STR_FMT "'",
                     line, begin, STR_ARG(r->path));
}

bool reading_cut(struct reading *r, struct arena *a, const struct reading_wish *wish,
                 struct err *err)
{
    struct vault_text whole;
    struct span span;
    if (!find_span(r, a, wish, &span, err))
        return false;
    size_t before = count_breaks(str_slice(r->text, 0, span.start));
    if (wish->first > 1 && wish->first <= before)
        return is_outside(r, wish->first, before + 1, err);
    size_t first = wish->first > before ? wish->first - before : 1;
    if (!vault_cut(r->path, r->text, 1, 0, &whole, err))
        return false;
    if (!vault_cut(r->path, span_of(r->text, span), first, wish->limit, &r->part, err))
        return before > 0 ? is_outside(r, wish->first, before + 1, err) : false;
    r->truncated = wish->by_default && r->part.last < r->part.total_lines;
    if (r->part.last > 0) {
        r->part.first += before;
        r->part.last += before;
    }
    r->part.total_lines = whole.total_lines;
    if (r->part.last > 0)
        hidden_find(r->text, r->part.first, r->part.last, &r->hidden);
    return true;
}

/* How long a character is in JSON. */
static size_t written_size(char c)
{
    enum { ESCAPED = 2, BY_NUMBER = 6 };
    if (c == '\n' || c == '"' || c == '\\' || c == '\r' || c == '\t')
        return ESCAPED;
    return (unsigned char)c < ' ' ? BY_NUMBER : 1;
}

/* What remains of room when it is told what is hidden; little room has the first place.
 */
static size_t room_beside_hidden(struct reading *r, size_t room)
{
    enum { PLACE = 60, WARNING = 250 };
    if (r->hidden.n == 0)
        return room;
    if (room / 2 < WARNING + r->hidden.n * PLACE)
        r->hidden.n = 1;
    size_t taken = WARNING + r->hidden.n * PLACE;
    return room > taken ? room - taken : 0;
}

/* Nothing is said of lines that are not shown. */
static void forget_hidden(struct reading *r)
{
    struct hidden_list *h = &r->hidden;
    size_t before = h->n;
    while (h->n > 0 && h->items[h->n - 1].line > r->part.last)
        h->n--;
    if (h->n < before)
        h->total = h->n;
}

void reading_fit(struct reading *r, size_t room)
{
    room = room_beside_hidden(r, room);
    str content = r->part.content;
    size_t at = 0, lines = 0, lines_end = 0;
    for (size_t used = 0; at < content.n; at++) {
        used += written_size(content.p[at]);
        if (used > room)
            break;
        if (content.p[at] == '\n') {
            lines++;
            lines_end = at + 1;
        }
    }
    if (at == content.n)
        return;
    r->truncated = true;
    r->cut_line = lines == 0;
    r->part.content =
        lines > 0 ? str_slice(content, 0, lines_end) : utf8_cut(content, at);
    r->part.last = r->part.first + (lines > 0 ? lines - 1 : 0);
    forget_hidden(r);
}
