/* What pdftotext prints, as text with page marks. */
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "pdf/pdf.h"

/* A line without control characters and spaces at its end; invalid bytes become U+FFFD. */
static void clean_line(struct sbuf *out, str line)
{
    char bytes[4];
    while (line.n > 0 && (is_space(line.p[line.n - 1]) || line.p[line.n - 1] == '\r'))
        line.n--;
    for (size_t n; line.n > 0; line = str_skip(line, n)) {
        uint32_t c = utf8_decode(line, &n);
        bool control = c < ' ' || (c >= 0x7F && c <= 0x9F);
        if (c == '\t' || !control)
            sbuf_add(out, (str){bytes, utf8_encode(c, bytes)});
    }
}

/* One empty line at most between two others, none at the end of a page. */
static void clean_page(struct sbuf *out, str page)
{
    str line;
    bool gap = false, any = false;
    sbuf_add(out, STR("\f\n"));
    while (str_next(&page, '\n', &line)) {
        size_t before = out->n;
        if (gap && any)
            sbuf_char(out, '\n');
        size_t start = out->n;
        clean_line(out, line);
        bool empty = out->n == start;
        if (empty)
            out->n = before;
        else
            sbuf_char(out, '\n');
        any = any || !empty;
        gap = empty;
    }
}

bool pdf_clean(struct arena *a, str printed, size_t max, str *out)
{
    struct sbuf text = SBUF_ON(a);
    str page;
    while (printed.n > 0 && text.n <= max && str_next(&printed, '\f', &page))
        clean_page(&text, page);
    *out = sbuf_str(&text);
    if (text.n <= max)
        return false;
    out->n = text_line_start(*out, utf8_cut(*out, max).n);
    return true;
}
