#include "vault/meaning/plain_text.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/note.h"

enum { PLAIN_TEXT_NESTED = 4 }; /* links in links; what is deeper is left out */

struct plain_text_state {
    struct plain_text *c;
    str text;
    uint32_t at, end;
    bool line_start, space;        /* a space is due before the next character */
    bool code;                     /* until code_end, everything is kept, and then */
    uint32_t code_end, code_after; /* it continues here */
    uint32_t display[PLAIN_TEXT_NESTED],
        after[PLAIN_TEXT_NESTED]; /* where links continue */
    unsigned nested;
    struct sbuf out;
};

static char plain_text_byte_at(const struct plain_text_state *k, uint32_t at)
{
    return at < k->end ? k->text.p[at] : '\0';
}

static void put(struct plain_text_state *k, char c)
{
    if (is_space(c) || (unsigned char)c < 0x20 || c == 0x7f) {
        k->space = k->out.n > 0;
        return;
    }
    if (k->space)
        sbuf_char(&k->out, ' ');
    k->space = false;
    sbuf_char(&k->out, c);
}

static void put_all(struct plain_text_state *k, str s)
{
    for (size_t i = 0; i < s.n; i++)
        put(k, s.p[i]);
}

static void skip_to(struct plain_text_state *k, uint32_t at)
{
    k->at = at < k->end ? at : k->end;
}

static uint32_t end_of_line(const struct plain_text_state *k)
{
    return (uint32_t)text_find_break(str_slice(k->text, 0, k->end), k->at);
}

/* --- regions --- */

/* The lines ``` at both ends of a block of code. */
static void enter_fence(struct plain_text_state *k, struct span s)
{
    str block = span_of(k->text, s);
    size_t last = block.n;
    while (last > 0 && is_break(block.p[last - 1]))
        last--;
    size_t start = text_line_start(str_slice(block, 0, last), last);
    char mark = str_trim(block).n > 0 ? str_trim(block).p[0] : '\0';
    str line = str_trim(str_slice(block, start, last));
    bool closed = start > 0 && line.n > 0 && line.p[0] == mark;
    skip_to(k, end_of_line(k));
    if (closed)
        k->code_end = s.start + (uint32_t)start;
}

static void enter_code(struct plain_text_state *k, const struct note_region *r)
{
    k->code = true;
    k->code_end = k->code_after = r->span.end;
    if (r->kind == NOTE_FENCED_CODE && r->span.start == k->at)
        enter_fence(k, r->span);
}

/* Enter the region at the current place; false if there is none, or none that matters. A
 * region may begin in an earlier part of the note, so it is only passed at its end. */
static bool enter_region(struct plain_text_state *k)
{
    const struct note *n = k->c->note;
    for (; k->c->region < n->n_regions; k->c->region++) {
        const struct note_region *r = &n->regions[k->c->region];
        if (r->span.start > k->at)
            return false;
        if (r->span.end <= k->at || r->kind == NOTE_HTML_BLOCK ||
            r->kind == NOTE_TABLE_REGION)
            continue;
        if (r->kind == NOTE_HTML_COMMENT || r->kind == NOTE_COMMENT) {
            skip_to(k, r->span.end);
            k->space = k->out.n > 0;
        } else {
            enter_code(k, r);
        }
        return true;
    }
    return false;
}

/* --- links --- */

static bool is_attachment(const struct note *n, const struct note_link *l)
{
    str path = span_of(n->text, l->path);
    size_t dot = str_find_last(path, '.');
    return l->external || (dot != STR_NONE && path.n - dot <= 5 &&
                           !str_eq_nocase(str_skip(path, dot), STR(".md")));
}

/* What is displayed of a link without a text of its own: the name of the note. */
static void put_target(struct plain_text_state *k, const struct note_link *l)
{
    str path = span_of(k->text, l->path), sub = span_of(k->text, l->subpath);
    size_t slash = str_find_last(path, '/');
    if (slash != STR_NONE)
        path = str_skip(path, slash + 1);
    if (str_ends(path, STR(".md")))
        path = str_slice(path, 0, path.n - 3);
    put_all(k, path);
    if (path.n > 0 && sub.n > 0)
        k->space = true;
    for (size_t i = 0; i < sub.n; i++)
        put(k, sub.p[i] == '#' || sub.p[i] == '^' ? ' ' : sub.p[i]);
}

static void enter_link(struct plain_text_state *k, const struct note_link *l)
{
    bool empty = l->display.start == l->display.end;
    if (l->kind == NOTE_DEFINITION) {
        skip_to(k, end_of_line(k));
    } else if ((l->embed && is_attachment(k->c->note, l)) ||
               k->nested == PLAIN_TEXT_NESTED) {
        skip_to(k, l->whole.end);
    } else if (!empty && l->display.start >= k->at && l->display.end <= l->whole.end) {
        k->display[k->nested] = l->display.end;
        k->after[k->nested++] = l->whole.end;
        skip_to(k, l->display.start);
    } else {
        if (empty && l->kind == NOTE_WIKILINK)
            put_target(k, l);
        skip_to(k, l->whole.end);
    }
}

static bool at_link(struct plain_text_state *k)
{
    const struct note *n = k->c->note;
    if (k->nested > 0 && k->at >= k->display[k->nested - 1]) {
        uint32_t after = k->after[--k->nested];
        skip_to(k, after > k->at ? after : k->at);
        return true;
    }
    while (k->c->link < n->n_links && n->links[k->c->link].whole.start < k->at)
        k->c->link++;
    if (k->c->link == n->n_links || n->links[k->c->link].whole.start != k->at)
        return false;
    enter_link(k, &n->links[k->c->link++]);
    return true;
}

/* --- the beginning of a line --- */

static void plain_text_skip_blanks(struct plain_text_state *k)
{
    while (is_blank(plain_text_byte_at(k, k->at)))
        k->at++;
}

/* "- ", "12. " */
static uint32_t list_marker(const struct plain_text_state *k)
{
    uint32_t at = k->at;
    char c = plain_text_byte_at(k, at);
    if (c == '-' || c == '*' || c == '+') {
        at++;
    } else {
        while (is_digit(plain_text_byte_at(k, at)))
            at++;
        if (at == k->at ||
            (plain_text_byte_at(k, at) != '.' && plain_text_byte_at(k, at) != ')'))
            return 0;
        at++;
    }
    return is_blank(plain_text_byte_at(k, at)) ? at - k->at : 0;
}

/* "[x] " of a task, "[!note]-" of a callout */
static uint32_t line_label(const struct plain_text_state *k, bool quoted)
{
    if (plain_text_byte_at(k, k->at) != '[')
        return 0;
    if (quoted && plain_text_byte_at(k, k->at + 1) == '!') {
        str line = str_slice(k->text, k->at, end_of_line(k));
        size_t close = str_find_char(line, ']');
        if (close == STR_NONE)
            return 0;
        char fold = close + 1 < line.n ? line.p[close + 1] : '\0';
        return (uint32_t)close + (fold == '+' || fold == '-' ? 2 : 1);
    }
    return plain_text_byte_at(k, k->at + 2) == ']' &&
                   is_blank(plain_text_byte_at(k, k->at + 3))
               ? 3
               : 0;
}

/* A line of a table, or a rule, that has no words. */
static bool is_ruler(str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (memchr("-=*_|: \t", line.p[i], 8) == NULL)
            return false;
    return true;
}

static void begin_line(struct plain_text_state *k)
{
    k->line_start = false;
    k->space = k->out.n > 0;
    plain_text_skip_blanks(k);
    bool quoted = plain_text_byte_at(k, k->at) == '>';
    while (plain_text_byte_at(k, k->at) == '>') {
        k->at++;
        plain_text_skip_blanks(k);
    }
    if (is_ruler(str_slice(k->text, k->at, end_of_line(k)))) {
        skip_to(k, end_of_line(k));
        return;
    }
    k->at += list_marker(k);
    plain_text_skip_blanks(k);
    k->at += line_label(k, quoted);
}

/* --- characters --- */

static bool is_word_byte(char c)
{
    return is_alnum(c) || (c & 0x80) != 0;
}

static bool is_punct(char c)
{
    return c > ' ' && c < 0x7f && !is_alnum(c);
}

/* "<b class=x>", "</b>", "<https://...>" */
static bool skip_tag(struct plain_text_state *k)
{
    char next = plain_text_byte_at(k, k->at + 1);
    if (!is_letter(next) && next != '/' && next != '!')
        return false;
    if (k->c->close <= k->at) {
        const char *close = memchr(k->text.p + k->at, '>', k->text.n - k->at);
        k->c->close = close != NULL ? (uint32_t)(close - k->text.p) : UINT32_MAX;
    }
    if (k->c->close >= k->end)
        return false;
    k->space = k->out.n > 0;
    skip_to(k, k->c->close + 1);
    return true;
}

static bool skip_url(struct plain_text_state *k)
{
    str rest = str_slice(k->text, k->at, k->end);
    if (!str_starts(rest, STR("http://")) && !str_starts(rest, STR("https://")))
        return false;
    while (k->at < k->end && !is_space(k->text.p[k->at]) &&
           strchr("<>)\"", k->text.p[k->at]) == NULL)
        k->at++;
    return true;
}

/* " ^id" at the end of a line */
static bool skip_block_id(struct plain_text_state *k)
{
    uint32_t at = k->at + 1, end = end_of_line(k);
    if (k->at == 0 || !is_white(k->text.p[k->at - 1]))
        return false;
    while (at < end && (is_alnum(k->text.p[at]) || k->text.p[at] == '-'))
        at++;
    if (at != end || at == k->at + 1)
        return false;
    skip_to(k, end);
    return true;
}

static bool skip_footnote(struct plain_text_state *k)
{
    uint32_t at = k->at + 2;
    if (plain_text_byte_at(k, k->at + 1) != '^')
        return false;
    while (at < k->end && (is_alnum(k->text.p[at]) || k->text.p[at] == '-'))
        at++;
    if (plain_text_byte_at(k, at) != ']')
        return false;
    skip_to(k, at + 1 + (plain_text_byte_at(k, at + 1) == ':'));
    return true;
}

/* Whether the character is a mark of Markdown here, and not a part of the text. */
static bool plain_text_is_mark(const struct plain_text_state *k, char c)
{
    char before = k->at > 0 ? k->text.p[k->at - 1] : ' ',
         after = plain_text_byte_at(k, k->at + 1);
    switch (c) {
    case '*':
    case '`':
        return true;
    case '_':
        return !is_word_byte(before) || !is_word_byte(after);
    case '~':
    case '=':
        return before == c || after == c;
    case '#':
        return !is_word_byte(before) && is_word_byte(after);
    default:
        return false;
    }
}

static void one_char(struct plain_text_state *k)
{
    char c = k->text.p[k->at];
    if (is_break(c)) {
        k->line_start = true;
        k->at++;
    } else if ((c == '<' && skip_tag(k)) || (c == 'h' && skip_url(k)) ||
               (c == '^' && skip_block_id(k)) || (c == '[' && skip_footnote(k))) {
        return;
    } else if (c == '\\' && is_punct(plain_text_byte_at(k, k->at + 1))) {
        put(k, k->text.p[k->at + 1]);
        k->at += 2;
    } else {
        if (c == '|')
            put(k, ' ');
        else if (!plain_text_is_mark(k, c))
            put(k, c);
        k->at++;
    }
}

static void one_code_char(struct plain_text_state *k)
{
    char c = k->text.p[k->at++];
    if (c != '`' && c != '$')
        put(k, c);
    else
        k->space = k->space || (c == '$' && k->out.n > 0);
}

static void one_step(struct plain_text_state *k)
{
    if (k->code && k->at >= k->code_end) {
        k->code = false;
        skip_to(k, k->code_after > k->at ? k->code_after : k->at);
        return;
    }
    if (k->code) {
        one_code_char(k);
        return;
    }
    if (k->line_start)
        begin_line(k);
    if (k->at < k->end && !enter_region(k) && !at_link(k))
        one_char(k);
}

str plain_text_part(struct plain_text *c, struct arena *a, struct span part)
{
    struct plain_text_state k = {.c = c,
                                 .text = c->note->text,
                                 .at = part.start,
                                 .end = part.end,
                                 .line_start = true,
                                 .out = SBUF_ON(a)};
    while (k.at < k.end)
        one_step(&k);
    return utf8_repair(a, sbuf_str(&k.out));
}
