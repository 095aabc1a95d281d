#include "oauth/html.h"

#include "base/err.h"
#include "base/utf8.h"

/* --- escaping --- */

static str reference_of(uint32_t c)
{
    switch (c) {
    case '&':
        return STR("&amp;");
    case '<':
        return STR("&lt;");
    case '>':
        return STR("&gt;");
    case '"':
        return STR("&quot;");
    case '\'':
        return STR("&#39;");
    default:
        return (str){0};
    }
}

static bool is_control(uint32_t c)
{
    return (c < ' ' && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0);
}

void html_escape(struct sbuf *out, str text)
{
    while (text.n > 0) {
        size_t n;
        uint32_t c = utf8_decode(text, &n);
        str reference = reference_of(c);
        if (reference.n > 0)
            sbuf_add(out, reference);
        else if (is_control(c) || c == 0xfffd)
            sbuf_add(out, STR("\xef\xbf\xbd"));
        else
            sbuf_add(out, str_slice(text, 0, n));
        text = str_skip(text, n);
    }
}

/* --- elements --- */

static void put_tag(struct html *h, const char *element,
                    const struct html_attribute *list, size_t n)
{
    sbuf_char(&h->out, '<');
    sbuf_add(&h->out, str_c(element));
    for (size_t i = 0; i < n; i++) {
        if (list[i].name == NULL)
            continue;
        sbuf_char(&h->out, ' ');
        sbuf_add(&h->out, str_c(list[i].name));
        if (list[i].value.p == NULL)
            continue; /* an optional attribute that is left out */
        sbuf_add(&h->out, STR("=\""));
        html_escape(&h->out, list[i].value);
        sbuf_char(&h->out, '"');
    }
    sbuf_char(&h->out, '>');
}

void html_begin(struct html *h, const char *element, const struct html_attribute *list,
                size_t n)
{
    if (h->depth == HTML_DEPTH_MAX)
        BUG("more than %d nested elements", HTML_DEPTH_MAX);
    h->open[h->depth++] = element;
    put_tag(h, element, list, n);
}

void html_empty(struct html *h, const char *element, const struct html_attribute *list,
                size_t n)
{
    put_tag(h, element, list, n);
}

void html_text(struct html *h, str text)
{
    html_escape(&h->out, text);
}

void html_end(struct html *h)
{
    if (h->depth == 0)
        BUG("an element is closed that was not opened");
    sbuf_add(&h->out, STR("</"));
    sbuf_add(&h->out, str_c(h->open[--h->depth]));
    sbuf_char(&h->out, '>');
}

void html_line(struct html *h, const char *element, const char *css, str text)
{
    html_begin(h, element, &(struct html_attribute){"class", str_c(css)}, css != NULL);
    html_text(h, text);
    html_end(h);
}

void html_raw(struct html *h, str literal)
{
    sbuf_add(&h->out, literal);
}

str html_done(struct html *h)
{
    if (h->depth != 0)
        BUG("<%s> is not closed", h->open[h->depth - 1]);
    return sbuf_str(&h->out);
}
