#include "app/answers/reading.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/drawing.h"
#include "vault/note/edit.h"
#include "vault/text/encoding.h"
#include "vault/text/hidden.h"
#include "vault/text/pages.h"
#include "vault/vault.h"

void reading_convert(struct reading *r, struct arena *a, str bytes)
{
    r->bytes = bytes;
    r->encoding = encoding_of(bytes);
    r->text = encoding_convert(a, bytes, r->encoding);
}

bool reading_load(struct reading *r, struct vault *v, struct arena *a, struct err *err)
{
    struct vault_text whole;
    if (!vault_read(v, a, r->path, 1, 0, &whole, err))
        return false;
    str bytes = whole.content;
    if (encoding_is_other(whole.encoding) &&
        !vault_bytes(v, a, r->path, VAULT_READ_MAX, &bytes, err))
        return false;
    reading_convert(r, a, bytes);
    return true;
}

str reading_encoding_note(const struct reading *r, struct arena *a)
{
    if (r->encoding == ENCODING_UTF8 || r->bytes.p == NULL)
        return STR("");
    return arena_printf(
        a, "stored as %s, shown as UTF-8%s", encoding_name(r->encoding),
        encoding_is_other(r->encoding)
            ? ": edits keep the encoding; writing all of it converts it to UTF-8"
            : "");
}

bool reading_find_pages(str section, uint32_t *first, uint32_t *last, struct err *err)
{
    return pages_parse(section, first, last) ||
           err_named(err, E_HEADING_NOT_FOUND,
                     "a PDF has pages instead of headings: section \"page=3\" or "
                     "\"page=3-5\"");
}

/* The bytes of the pages that the section names. */
static bool find_pages(const struct reading *r, str section, struct edit_range *out,
                       struct err *err)
{
    const struct reading_pages *p = &r->pages;
    uint32_t first, last;
    if (!reading_find_pages(section, &first, &last, err))
        return false;
    uint32_t end = last < p->count ? last : p->count;
    if (first >= p->first && first <= end &&
        pages_find(r->text, first - p->first + 1, end - p->first + 1, &out->start,
                   &out->end))
        return true;
    return err_named(err, E_INVALID_RANGE,
                     "'" STR_FMT "' has no such pages; it has %u, and the text of %u to "
                     "%u",
                     STR_ARG(r->path), p->count, p->first,
                     p->first + pages_at(r->text, r->text.n) - 1);
}

/* The bytes of the section or block; all bytes if neither is given. */
static bool find_range(const struct reading *r, struct arena *a,
                       const struct reading_request *request, struct edit_range *out,
                       struct err *err)
{
    *out = (struct edit_range){0, r->text.n};
    if (request->section.n > 0 && request->block.n > 0)
        return err_set(err, ERR_INVALID, "give section or block, not both");
    if (request->section.n > 0 && r->pages.count > 0)
        return find_pages(r, request->section, out, err);
    if (request->section.n > 0)
        return edit_find_section(a, r->text, request->section, out, err);
    return request->block.n == 0 || edit_find_block(a, r->text, request->block, out, err);
}

static bool is_outside(const struct reading *r, size_t line, size_t begin,
                       struct err *err)
{
    return err_named(
        err, E_INVALID_RANGE,
        "line %zu is outside the requested part, which begins at line %zu of '" STR_FMT
        "'",
        line, begin, STR_ARG(r->path));
}

static void show_pages(struct reading *r, struct arena *a)
{
    str *content = &r->part.content;
    size_t start = content->n > 0 ? (size_t)(content->p - r->text.p) : 0;
    uint32_t before = start > 0 ? pages_at(r->text, start - 1) : 0;
    *content = pages_show(a, *content, r->pages.first + before);
}

void reading_draw(struct reading *r, struct arena *a)
{
    struct err broken;
    str texts;
    if (!drawing_is_json(r->path) || !drawing_texts(a, r->text, &texts, &broken))
        return;
    r->text = texts;
    r->is_drawing = true;
}

str reading_drawing_note(const struct reading *r, struct arena *a)
{
    if (r->is_drawing)
        return STR("the texts and links of a drawing; view text shows its data");
    return r->left_out == 0
               ? STR("")
               : arena_printf(a,
                              "the data of the drawing, from line %zu on, is left out; "
                              "view text shows it",
                              r->left_out);
}

/* The line at which the data of a drawing begins, if that is to be left out; or 0. */
static size_t drawing_line(const struct reading *r, struct arena *a,
                           const struct reading_request *request)
{
    str data;
    size_t start = request->no_drawing ? drawing_find(a, r->text, &data) : r->text.n;
    size_t line = text_count_ends(r->text, 0, start) + 1;
    return start < r->text.n && request->first < line ? line : 0;
}

bool reading_cut(struct reading *r, struct arena *a, const struct reading_request *asked,
                 struct err *err)
{
    struct reading_request cut = *asked, *request = &cut;
    size_t drawing = drawing_line(r, a, asked);
    if (drawing > 0 && (cut.limit == 0 || cut.limit > drawing - cut.first))
        cut.limit = drawing - cut.first;
    struct vault_text whole;
    struct edit_range range;
    if (!find_range(r, a, request, &range, err))
        return false;
    size_t before = text_count_ends(r->text, 0, range.start);
    if (request->first > 1 && request->first <= before)
        return is_outside(r, request->first, before + 1, err);
    size_t first = request->first > before ? request->first - before : 1;
    if (!vault_cut(r->path, r->text, 1, 0, &whole, err))
        return false;
    if (!vault_cut(r->path, str_slice(r->text, range.start, range.end), first,
                   request->limit, &r->part, err))
        return before > 0 ? is_outside(r, request->first, before + 1, err) : false;
    r->is_block = request->block.n > 0;
    r->truncated = request->by_default && r->part.last < r->part.total_lines;
    r->next = r->truncated ? r->part.last + before + 1 : 0;
    if (drawing > 0 && r->part.last + before + 1 == drawing) {
        r->truncated = false;
        r->next = 0;
        r->left_out = drawing;
    }
    if (r->part.last > 0) {
        r->part.first += before;
        r->part.last += before;
    }
    r->part.total_lines = whole.total_lines;
    if (r->part.last > 0)
        hidden_find_read(r->text, r->part.first, r->part.last, &r->hidden);
    if (r->pages.count > 0)
        show_pages(r, a);
    return true;
}

enum { ESCAPED = 2, BY_NUMBER = 6 }; /* bytes of a character in JSON, at most */

/* The size of a character in JSON. */
static size_t written_size(char c)
{
    if (c == '\n' || c == '"' || c == '\\' || c == '\r' || c == '\t')
        return ESCAPED;
    return (unsigned char)c < ' ' ? BY_NUMBER : 1;
}

/* The room left after reporting what is hidden; if room is short, only the first place is
 * reported. */
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

/* Do not report hidden text in lines that are not shown. */
static void forget_hidden(struct reading *r)
{
    struct hidden_list *h = &r->hidden;
    size_t before = h->n;
    while (h->n > 0 && h->items[h->n - 1].line > r->part.last)
        h->n--;
    if (h->n < before)
        h->total = h->n;
}

void reading_fit(struct reading *r, size_t room, enum reading_form form)
{
    room = room_beside_hidden(r, room);
    str content = r->part.content;
    size_t at = 0, lines = 0, lines_end = 0, line_end = text_line_end(content, 0);
    if (content.n <= (form == READING_JSON ? room / BY_NUMBER : room))
        return;
    for (size_t used = 0; at < content.n; at++) {
        used += form == READING_JSON ? written_size(content.p[at]) : 1;
        if (used > room)
            break;
        if (at == line_end) {
            lines++;
            lines_end = at + 1;
            line_end = text_line_end(content, lines_end);
        }
    }
    if (at == content.n)
        return;
    r->truncated = true;
    r->cut_line = lines == 0;
    r->next = r->part.first + (lines > 0 ? lines : 1);
    if (r->cut_line && text_line_end(content, 0) == content.n)
        r->next = 0;
    r->part.content =
        lines > 0 ? str_slice(content, 0, lines_end) : utf8_cut(content, at);
    r->part.last = r->part.first + (lines > 0 ? lines - 1 : 0);
    forget_hidden(r);
}
