/*
 * HTML as in CommonMark, but as in Obsidian every block except a comment
 * ends at a blank line. Blocks of a kind with an end marker also end there.
 */
#include "base/text.h"
#include "vault/note/scan.h"

/* Elements whose tag begins a block even inside a paragraph; sorted. */
static const char *const block_names[] = {
    "address",  "article",  "aside",  "base",     "basefont", "blockquote", "body",
    "caption",  "center",   "col",    "colgroup", "dd",       "details",    "dialog",
    "dir",      "div",      "dl",     "dt",       "fieldset", "figcaption", "figure",
    "footer",   "form",     "frame",  "frameset", "h1",       "h2",         "h3",
    "h4",       "h5",       "h6",     "head",     "header",   "hr",         "html",
    "iframe",   "legend",   "li",     "link",     "main",     "menu",       "menuitem",
    "nav",      "noframes", "ol",     "optgroup", "option",   "p",          "param",
    "search",   "section",  "source", "summary",  "table",    "tbody",      "td",
    "template", "tfoot",    "th",     "thead",    "title",    "tr",         "track",
    "ul",
};

static const char *const raw_names[] = {"pre", "script", "style", "textarea"};

enum { NAME_MAX_LENGTH = 10 };

/* The tag name at at in lower case; returns its length, or 0 if it is too long. */
static uint32_t lower_name(const struct scan *s, uint32_t at, uint32_t end,
                           char out[NAME_MAX_LENGTH + 1])
{
    uint32_t n = 0;
    for (; at + n < end && (is_letter(s->p[at + n]) || is_digit(s->p[at + n])); n++) {
        if (n == NAME_MAX_LENGTH)
            return 0;
        out[n] = (char)(s->p[at + n] | 0x20); /* digits have that bit already */
    }
    out[n] = '\0';
    return n;
}

static int scan_html_by_name(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

static bool scan_html_is_named(const char *name, const char *const *names, size_t n)
{
    return bsearch(name, names, n, sizeof(*names), scan_html_by_name) != NULL;
}

/* --- one tag --- */

static uint32_t scan_html_skip_spaces(const struct scan *s, uint32_t at, uint32_t end)
{
    while (at < end && is_white(s->p[at]))
        at++;
    return at;
}

static bool is_attribute_char(char c, bool first)
{
    return is_letter(c) || c == '_' || c == ':' ||
           (!first && (is_digit(c) || c == '.' || c == '-'));
}

/* Skip = and its value; *ok is false if the value is invalid. */
static uint32_t attribute_value(const struct scan *s, uint32_t at, uint32_t end, bool *ok)
{
    at = scan_html_skip_spaces(s, at, end);
    char quote = at < end ? s->p[at] : '\0';
    if (quote == '"' || quote == '\'') {
        const char *close = memchr(s->p + at + 1, quote, end - at - 1);
        *ok = close != NULL;
        return close != NULL ? (uint32_t)(close - s->p) + 1 : end;
    }
    uint32_t from = at;
    while (at < end && !is_white(s->p[at]) && strchr("\"'=<>`", s->p[at]) == NULL)
        at++;
    *ok = at > from;
    return at;
}

/* Skip all attributes, each with white space before it. */
static uint32_t attributes(const struct scan *s, uint32_t at, uint32_t end, bool *ok)
{
    *ok = true;
    while (*ok) {
        uint32_t name = scan_html_skip_spaces(s, at, end), to = name;
        while (to < end && is_attribute_char(s->p[to], to == name))
            to++;
        if (to == name)
            return name;
        *ok = name > at;
        at = to;
        uint32_t equals = scan_html_skip_spaces(s, at, end);
        if (*ok && equals < end && s->p[equals] == '=')
            at = attribute_value(s, equals + 1, end, ok);
    }
    return at;
}

/*
 * The end of the tag that begins at start, or 0. Bytes read in vain are taken from the
 * budget.
 */
static uint32_t tag_end(struct scan *s, uint32_t start, uint32_t end)
{
    uint32_t at = start + 1;
    bool closing = at < end && s->p[at] == '/', ok = true;
    at += closing;
    if (at >= end || !is_letter(s->p[at]) || s->html_budget == 0)
        return 0;
    while (at < end && (is_letter(s->p[at]) || is_digit(s->p[at]) || s->p[at] == '-'))
        at++;
    at = closing ? scan_html_skip_spaces(s, at, end) : attributes(s, at, end, &ok);
    at += ok && !closing && at < end && s->p[at] == '/';
    if (ok && at < end && s->p[at] == '>')
        return at + 1;
    uint32_t looked = at - start;
    s->html_budget -= looked < s->html_budget ? looked : s->html_budget;
    return 0;
}

/* --- in text --- */

/* <scheme:address> or <name@host> */
static uint32_t address_end(const struct scan *s, uint32_t at, uint32_t end)
{
    bool sign = false;
    for (at++; at < end && !is_white(s->p[at]) && s->p[at] != '<'; at++) {
        if (s->p[at] == '>')
            return sign ? at + 1 : 0;
        sign |= s->p[at] == ':' || s->p[at] == '@';
    }
    return 0;
}

uint32_t scan_html_inline(struct scan *s, uint32_t at)
{
    struct run *r = &s->run;
    uint32_t close, end = r->end;
    if (end - at >= 4 && memcmp(s->p + at, "<!--", 4) == 0) {
        if (r->no_comment || !scan_find(s, at + 2, end, "-->", &close)) {
            r->no_comment = true;
            return 0;
        }
        scan_add_region(s, NOTE_HTML_COMMENT, at, close + 3);
        return close + 3;
    }
    if (end - at < 3 || (!is_letter(s->p[at + 1]) && s->p[at + 1] != '/'))
        return 0;
    close = tag_end(s, at, end);
    return close != 0 ? close : address_end(s, at, end);
}

/* --- blocks --- */

static enum html_end declaration(const struct scan *s, uint32_t at, uint32_t end)
{
    uint32_t n = end - at;
    if (n >= 4 && memcmp(s->p + at, "<!--", 4) == 0)
        return HTML_COMMENT_END;
    if (n >= 9 && memcmp(s->p + at, "<![CDATA[", 9) == 0)
        return HTML_CDATA_END;
    if (n >= 3 && s->p[at + 1] == '!' && is_letter(s->p[at + 2]))
        return HTML_DECLARATION_END;
    return n >= 2 && s->p[at + 1] == '?' ? HTML_INSTRUCTION_END : HTML_NONE;
}

enum html_end scan_html_block(struct scan *s, uint32_t at, uint32_t end, bool interrupts)
{
    char name[NAME_MAX_LENGTH + 1];
    if (end - at >= 2 && (s->p[at + 1] == '!' || s->p[at + 1] == '?'))
        return declaration(s, at, end);
    bool closing = end - at >= 2 && s->p[at + 1] == '/';
    uint32_t from = at + 1 + closing, n = lower_name(s, from, end, name);
    char after = from + n < end ? s->p[from + n] : '\n';
    bool apart = is_white(after) || after == '>';
    if (n > 0 && apart && !closing &&
        scan_html_is_named(name, raw_names, COUNT_OF(raw_names)))
        return HTML_RAW_END;
    if (n > 0 && (apart || after == '/') &&
        scan_html_is_named(name, block_names, COUNT_OF(block_names)))
        return HTML_BLANK_END;
    uint32_t tag = interrupts ? 0 : tag_end(s, at, end);
    return tag > 0 && scan_trim(s, tag, end).start == end ? HTML_BLANK_END : HTML_NONE;
}

/* </pre> and the like, in upper or lower case. */
static bool has_raw_end(const struct scan *s, uint32_t at, uint32_t end)
{
    char name[NAME_MAX_LENGTH + 1];
    for (; scan_find(s, at, end, "</", &at); at += 2) {
        uint32_t n = lower_name(s, at + 2, end, name);
        if (n > 0 && at + 2 + n < end && s->p[at + 2 + n] == '>' &&
            scan_html_is_named(name, raw_names, COUNT_OF(raw_names)))
            return true;
    }
    return false;
}

bool scan_html_ends(const struct scan *s, enum html_end how, uint32_t at, uint32_t end)
{
    uint32_t found;
    switch (how) {
    case HTML_COMMENT_END:
        return scan_find(s, at, end, "-->", &found);
    case HTML_INSTRUCTION_END:
        return scan_find(s, at, end, "?>", &found);
    case HTML_DECLARATION_END:
        return scan_find(s, at, end, ">", &found);
    case HTML_CDATA_END:
        return scan_find(s, at, end, "]]>", &found);
    case HTML_RAW_END:
        return has_raw_end(s, at, end);
    case HTML_NONE:
    case HTML_BLANK_END:
        break;
    }
    return false;
}
