#include "app/web/diff_html.h"

#include "base/text.h"
#include "oauth/html.h"
#include "vault/text/visible.h"
#include "vault/text/word_diff.h"

static void put_sign(struct html *h, const char *css, str sign)
{
    html_open(h, "span", {"class", str_c(css)});
    html_line(h, "i", "sign", sign);
}

/* One line of a diff; a line break at its end is not shown. */
static void put_diff_line(struct html *h, struct arena *a, const char *css, str sign,
                          str line)
{
    size_t n = line.n - str_ends(line, STR("\n"));
    n -= n > 0 && line.p[n - 1] == '\r';
    put_sign(h, css, sign);
    html_text(h, visible_text(a, str_slice(line, 0, n)));
    html_end(h);
    html_raw(h, STR("\n"));
}

void diff_html_lines(struct html *h, struct arena *a, const char *css, str sign, str text)
{
    for (size_t at = 0, end; at < text.n; at = end) {
        end = text_next_line(text, at);
        put_diff_line(h, a, css, sign, str_slice(text, at, end));
    }
}

/* Words that are gone and new, in their lines. */
static void put_words(struct html *h, struct arena *a, const struct word_part *parts,
                      size_t n)
{
    static const char *const elements[] = {NULL, "del", "ins"};
    bool open = false;
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0, end; at < parts[i].text.n; at = end) {
            end = text_next_line(parts[i].text, at);
            str line = str_slice(parts[i].text, at, end);
            bool ends = str_ends(line, STR("\n"));
            size_t shown = line.n - (str_ends(line, STR("\r\n")) ? 2 : ends);
            if (!open)
                put_sign(h, "mix", STR("~"));
            open = true;
            str text = visible_text(a, str_slice(line, 0, shown));
            if (elements[parts[i].kind] == NULL)
                html_text(h, text);
            else if (text.n > 0)
                html_line(h, elements[parts[i].kind], NULL, text);
            if (!ends)
                continue;
            html_end(h);
            html_raw(h, STR("\n"));
            open = false;
        }
    if (open) {
        html_end(h);
        html_raw(h, STR("\n"));
    }
}

void diff_html_change(struct html *h, struct arena *a, str old_text, str new_text)
{
    struct word_part *parts;
    bool similar = false;
    size_t n =
        old_text.n > 0 && new_text.n > 0 ? word_diff(a, old_text, new_text, &parts) : 0;
    for (size_t i = 0; i < n; i++)
        similar = similar || parts[i].kind == WORD_SAME;
    if (similar) {
        put_words(h, a, parts, n);
        return;
    }
    diff_html_lines(h, a, "del", STR("−"), old_text);
    diff_html_lines(h, a, "add", STR("+"), new_text);
}

/* Lines that are gone, and those in their place, until something else follows. */
struct diff_run {
    struct sbuf old_text, new_text;
};

static void end_diff_run(struct html *h, struct arena *a, struct diff_run *run)
{
    diff_html_change(h, a, sbuf_str(&run->old_text), sbuf_str(&run->new_text));
    *run = (struct diff_run){SBUF_ON(a), SBUF_ON(a)};
}

static void put_unified_line(struct html *h, struct arena *a, struct diff_run *run,
                             str line)
{
    char sign = line.n > 0 ? line.p[0] : ' ';
    struct sbuf *to = sign == '-' ? &run->old_text : &run->new_text;
    if (sign == '\\') /* no line break at the end: nothing that people see */
        return;
    if ((sign != '-' && sign != '+') || (sign == '-' && run->new_text.n > 0))
        end_diff_run(h, a, run);
    if (sign == '-' || sign == '+') {
        sbuf_add(to, str_skip(line, 1));
        sbuf_char(to, '\n');
    } else if (sign == '@') {
        put_diff_line(h, a, "at", STR(" "), line);
    } else {
        put_diff_line(h, a, "ctx", STR(" "), str_skip(line, 1));
    }
}

void diff_html_unified(struct html *h, struct arena *a, str diff)
{
    struct diff_run run = {SBUF_ON(a), SBUF_ON(a)};
    str line;
    size_t hunks = str_find(diff, STR("\n@@"));
    if (hunks == STR_NONE)
        return;
    diff = str_slice(diff, hunks + 1, diff.n - str_ends(diff, STR("\n")));
    html_open(h, "pre", {"class", STR("diff")}, {"tabindex", STR("0")});
    while (str_next(&diff, '\n', &line))
        put_unified_line(h, a, &run, line);
    end_diff_run(h, a, &run);
    html_end(h);
}
