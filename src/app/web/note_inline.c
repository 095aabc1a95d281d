/*
 * The text of a paragraph. It becomes tokens: texts, nodes (links, code and the like, as the
 * scanner found them), breaks, and runs of characters that may be emphasis. Runs are paired
 * by the rules of CommonMark (emphasis and strong emphasis), so what is opened is closed in order; then everything
 * is written.
 */
#include "app/web/note_html.h"

#include "base/array.h"
#include "base/chars.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "oauth/html.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

enum {
    TAGS_MAX = 4,   /* elements that one run opens or closes */
    LOOK_BACK = 64, /* runs that a closing one is compared with */
    RUN_MAX = 9,    /* characters; longer runs are text */
    DEPTH_INLINE = 52,
};

enum element { EM, STRONG, DEL, MARK };
static const char *const elements[] = {
    [EM] = "em", [STRONG] = "strong", [DEL] = "del", [MARK] = "mark"};

enum token_kind {
    TOKEN_TEXT,
    TOKEN_BREAK,
    TOKEN_RUN,
    TOKEN_CODE,
    TOKEN_MATH,
    TOKEN_LINK,
    TOKEN_TAG,
    TOKEN_URL,
    TOKEN_FOOTNOTE
};

struct inline_token {
    enum token_kind kind;
    str text;
    const struct note_link *link;
    uint32_t number; /* of a footnote */
    /* of a run: */
    uint8_t left, n_opened, n_closed; /* left: characters that are not used */
    bool opens, closes, done;
    uint8_t opened[TAGS_MAX]; /* elements, innermost first */
};

struct inline_tokens {
    struct note_writer *w;
    struct inline_token *items;
    size_t n;
};

static struct inline_token *add_token(struct inline_tokens *t, enum token_kind kind,
                                      str text)
{
    struct inline_token *item = ARRAY_ADD(t->w->a, t->items, t->n);
    *item = (struct inline_token){.kind = kind, .text = text};
    return item;
}

/* --- what the scanner found --- */

const struct note_link *note_inline_link(const struct note_writer *w, uint32_t at)
{
    size_t low = 0, high = w->note->n_links;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->note->links[middle].whole.start < at)
            low = middle + 1;
        else
            high = middle;
    }
    bool is = low < w->note->n_links && w->note->links[low].whole.start == at;
    return is ? &w->note->links[low] : NULL;
}

const struct note_region *note_inline_region(const struct note_writer *w, uint32_t at)
{
    size_t low = 0, high = w->note->n_regions;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->note->regions[middle].span.start < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->note->n_regions ? &w->note->regions[low] : NULL;
}

static const struct note_tag *tag_at(const struct note_writer *w, uint32_t name)
{
    size_t low = 0, high = w->note->n_tags;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->note->tags[middle].name.start < name)
            low = middle + 1;
        else
            high = middle;
    }
    bool is = low < w->note->n_tags && w->note->tags[low].name.start == name;
    return is ? &w->note->tags[low] : NULL;
}

/* The number of a footnote, from 1, in the order of references; 0: it has no definition. */
static uint32_t footnote_number(struct note_writer *w, const struct note_footnote *f)
{
    const struct note *n = w->note;
    str key = note_label_key(w->a, span_of(n->text, f->id));
    for (uint32_t i = 0; i < n->n_footnotes && i < NOTE_HTML_FOOTNOTES; i++) {
        const struct note_footnote *d = &n->footnotes[i];
        if (!d->definition || !str_eq(note_label_key(w->a, span_of(n->text, d->id)), key))
            continue;
        for (size_t k = 0; k < w->n_footnotes; k++)
            if (w->footnotes[k] == i)
                return (uint32_t)k + 1;
        *ARRAY_ADD(w->a, w->footnotes, w->n_footnotes) = i;
        return (uint32_t)w->n_footnotes;
    }
    return 0;
}

static const struct note_footnote *footnote_at(const struct note_writer *w, uint32_t at)
{
    for (uint32_t i = 0; i < w->note->n_footnotes && i < NOTE_HTML_FOOTNOTES; i++)
        if (w->note->footnotes[i].whole.start == at && !w->note->footnotes[i].definition)
            return &w->note->footnotes[i];
    return NULL;
}

/* --- tokens --- */

static bool is_mark(char c)
{
    return c != '\0' && strchr("\\`*_~=[!#<$%^h", c) != NULL;
}

static bool is_word_part(char c)
{
    return is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Whether a run may open or close, by the characters on both sides. */
static void judge_run(struct inline_token *run, char c, char before, char after)
{
    bool space_before = before == '\0' || is_space(before),
         space_after = after == '\0' || is_space(after);
    bool punct_before = !space_before && !is_word_part(before),
         punct_after = !space_after && !is_word_part(after);
    bool left = !space_after && (!punct_after || space_before || punct_before);
    bool right = !space_before && (!punct_before || space_after || punct_after);
    run->opens = left && (c != '_' || !right || punct_before);
    run->closes = right && (c != '_' || !left || punct_after);
}

static size_t take_run(struct inline_tokens *t, str line, size_t at)
{
    char c = line.p[at];
    size_t n = 1;
    while (at + n < line.n && line.p[at + n] == c)
        n++;
    bool pairs = c == '~' || c == '=';
    if (n > RUN_MAX || (pairs && n != 2)) {
        add_token(t, TOKEN_TEXT, str_slice(line, at, at + n));
        return n;
    }
    struct inline_token *run = add_token(t, TOKEN_RUN, str_slice(line, at, at + n));
    run->left = (uint8_t)n;
    judge_run(run, c, at > 0 ? line.p[at - 1] : '\0',
              at + n < line.n ? line.p[at + n] : '\0');
    return n;
}

static bool is_web(str s)
{
    return str_starts(s, STR("https://")) || str_starts(s, STR("http://"));
}

/* An address in the text ends before a space, and without what belongs to the sentence. */
static size_t url_size(str s)
{
    size_t n = 0;
    while (n < s.n && !is_space(s.p[n]) && s.p[n] != '<' && s.p[n] != '>' &&
           s.p[n] != '"')
        n++;
    while (n > 0 && strchr(".,;:!?'*_~)]", s.p[n - 1]) != NULL)
        n--;
    return n;
}

static size_t take_url(struct inline_tokens *t, str line, size_t at)
{
    str rest = str_skip(line, at);
    bool angle = rest.p[0] == '<';
    str inside = str_skip(rest, angle);
    if (!is_web(inside) || (!angle && at > 0 && is_word_part(line.p[at - 1])))
        return 0;
    size_t n = url_size(inside);
    if (angle && (n >= inside.n || inside.p[n] != '>'))
        return 0;
    add_token(t, TOKEN_URL, str_slice(inside, 0, n));
    return n + 2 * angle;
}

/* Code, math and comments; what is hidden in Obsidian is left out. */
static size_t take_region(struct inline_tokens *t, str line, size_t at)
{
    uint32_t here = note_at(t->w, line) + (uint32_t)at;
    const struct note_region *r = note_inline_region(t->w, here);
    if (r == NULL || r->span.start != here)
        return 0;
    size_t end = r->span.end - here;
    str inside = str_slice(line, at, at + end < line.n ? at + end : line.n);
    switch (r->kind) {
    case NOTE_INLINE_CODE:
        add_token(t, TOKEN_CODE, inside);
        return inside.n;
    case NOTE_INLINE_MATH:
        add_token(t, TOKEN_MATH, inside);
        return inside.n;
    case NOTE_COMMENT:
    case NOTE_HTML_COMMENT:
        return inside.n;
    default:
        return 0;
    }
}

static size_t take_bracket(struct inline_tokens *t, str line, size_t at)
{
    uint32_t here = note_at(t->w, line) + (uint32_t)at;
    const struct note_link *l = note_inline_link(t->w, here);
    const struct note_footnote *f =
        l == NULL && line.p[at] == '[' ? footnote_at(t->w, here) : NULL;
    uint32_t number = f != NULL ? footnote_number(t->w, f) : 0;
    size_t end;
    if (l != NULL && l->kind != NOTE_DEFINITION) {
        end = at + l->whole.end - l->whole.start;
        add_token(t, TOKEN_LINK, str_slice(line, at, end))->link = l;
    } else if (number > 0) {
        end = at + f->whole.end - f->whole.start;
        add_token(t, TOKEN_FOOTNOTE, str_slice(line, at, end))->number = number;
    } else {
        return 0;
    }
    return (end < line.n ? end : line.n) - at;
}

static size_t take_tag(struct inline_tokens *t, str line, size_t at)
{
    const struct note_tag *tag = tag_at(t->w, note_at(t->w, line) + (uint32_t)at + 1);
    if (tag == NULL)
        return 0;
    size_t n = 1 + tag->name.end - tag->name.start;
    add_token(t, TOKEN_TAG, str_slice(line, at, at + n));
    return n;
}

static size_t take_escape(struct inline_tokens *t, str line, size_t at)
{
    bool is = at + 1 < line.n && line.p[at + 1] > ' ' && !is_word_part(line.p[at + 1]);
    if (is)
        add_token(t, TOKEN_TEXT, str_slice(line, at + 1, at + 2));
    return is ? 2 : 0;
}

/* What begins at a mark; 0: it is text. */
static size_t take_mark(struct inline_tokens *t, str line, size_t at)
{
    switch (line.p[at]) {
    case '\\':
        return take_escape(t, line, at);
    case '*':
    case '_':
    case '~':
    case '=':
        return take_run(t, line, at);
    case '[':
    case '!':
        return take_bracket(t, line, at);
    case '#':
        return take_tag(t, line, at);
    case 'h':
        return take_url(t, line, at);
    case '<': {
        size_t n = take_region(t, line, at);
        return n > 0 ? n : take_url(t, line, at);
    }
    default:
        return take_region(t, line, at);
    }
}

/* The id of a block at the end of a line is for links, not for readers. */
static str drop_block_id(str line)
{
    size_t hat = str_find_last(line, '^');
    if (hat == STR_NONE || hat + 1 == line.n || (hat > 0 && !is_blank(line.p[hat - 1])))
        return line;
    for (size_t i = hat + 1; i < line.n; i++)
        if (!is_alnum(line.p[i]) && line.p[i] != '-')
            return line;
    return str_slice(line, 0, hat);
}

static void read_inline_line(struct inline_tokens *t, str line)
{
    size_t from = 0;
    for (size_t at = 0; at < line.n;) {
        size_t before = t->n;
        size_t n = is_mark(line.p[at]) ? take_mark(t, line, at) : 0;
        if (n == 0) {
            at++;
            continue;
        }
        if (at > from) { /* the text before goes before what was added */
            struct inline_token *text =
                add_token(t, TOKEN_TEXT, str_slice(line, from, at));
            struct inline_token kept = *text;
            for (size_t i = t->n - 1; i > before; i--)
                t->items[i] = t->items[i - 1];
            t->items[before] = kept;
        }
        at += n;
        from = at;
    }
    if (from < line.n)
        add_token(t, TOKEN_TEXT, str_skip(line, from));
}

/* --- emphasis --- */

static uint8_t element_of(char c, size_t n)
{
    return c == '~' ? DEL : c == '=' ? MARK : n == 2 ? STRONG : EM;
}

static bool can_pair(const struct inline_token *open, const struct inline_token *close)
{
    if (open->kind != TOKEN_RUN || !open->opens || open->done || open->left == 0 ||
        open->text.p[0] != close->text.p[0] || open->n_opened == TAGS_MAX)
        return false;
    bool odd = (open->closes || close->opens) &&
               (open->text.n + close->text.n) % 3 == 0 &&
               (open->text.n % 3 != 0 || close->text.n % 3 != 0);
    return !odd;
}

/* What is between a pair can only be paired inside of it, which has been done. */
static void pair(struct inline_tokens *t, size_t open, size_t close)
{
    struct inline_token *o = &t->items[open], *c = &t->items[close];
    bool two =
        c->text.p[0] == '~' || c->text.p[0] == '=' || (o->left >= 2 && c->left >= 2);
    uint8_t n = two ? 2 : 1;
    o->opened[o->n_opened++] = element_of(c->text.p[0], n);
    c->n_closed++;
    o->left = (uint8_t)(o->left - n);
    c->left = (uint8_t)(c->left - n);
    for (size_t i = open + 1; i < close; i++)
        t->items[i].done = true;
}

static void close_run(struct inline_tokens *t, size_t at)
{
    struct inline_token *close = &t->items[at];
    size_t looks = 0;
    for (size_t i = at; i-- > 0 && looks < LOOK_BACK && close->left > 0;) {
        looks += t->items[i].kind == TOKEN_RUN;
        while (close->left > 0 && close->n_closed < TAGS_MAX &&
               can_pair(&t->items[i], close))
            pair(t, i, at);
    }
}

static void pair_all(struct inline_tokens *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].kind == TOKEN_RUN && t->items[i].closes)
            close_run(t, i);
}

/* --- writing --- */

static bool changes_order(uint32_t c)
{
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void note_inline_text(struct note_writer *w, str text)
{
    size_t from = 0, n;
    for (size_t i = 0; i < text.n; i += n) {
        uint32_t c = utf8_decode(str_skip(text, i), &n);
        if (!changes_order(c))
            continue;
        html_text(w->h, str_slice(text, from, i));
        html_text(w->h, arena_printf(w->a, "‹U+%04X›", c));
        from = i + n;
    }
    html_text(w->h, str_skip(text, from));
}

/* A text that a mark surrounds on both sides. */
static str without_fence(str text, char c)
{
    size_t n = 0;
    while (n < text.n && text.p[n] == c)
        n++;
    return 2 * n <= text.n ? str_slice(text, n, text.n - n) : text;
}

static bool is_safe_address(str s)
{
    return is_web(s) || str_starts(s, STR("mailto:"));
}

static void put_outside(struct note_writer *w, str address, str label)
{
    bool link = is_safe_address(address) && !w->in_link;
    html_open(w->h, link ? "a" : "span", {link ? "href" : NULL, address},
              {"class", STR("outside")},
              {link ? "rel" : NULL, STR("noreferrer noopener nofollow")});
    note_inline_text(w, label);
    html_end(w->h);
}

static str label_of(struct note_writer *w, const struct note_link *l)
{
    str text = w->note->text, display = span_of(text, l->display),
        path = span_of(text, l->path), sub = span_of(text, l->subpath);
    if (display.n > 0)
        return display;
    if (l->kind != NOTE_WIKILINK)
        return path;
    sub = str_skip(sub, sub.n > 0);
    return sub.n == 0 ? path
           : path.n == 0
               ? sub
               : arena_printf(w->a, STR_FMT " › " STR_FMT, STR_ARG(path), STR_ARG(sub));
}

/* The file that a link means; NULL: there is none. The path is also the label of what is
 * missing. */
static const struct file *target_of(struct note_writer *w, const struct note_link *l,
                                    str *path)
{
    struct names_answer answer;
    *path = span_of(w->note->text, l->path);
    if (l->kind != NOTE_WIKILINK)
        *path = file_decoded(w->a, *path);
    names_resolve(w->to->x->names, NULL, *path, w->path, w->id, &answer);
    return answer.file != NO_FILE ? index_file(w->to->x, answer.file) : NULL;
}

/* "#h-3" of a heading, "#b-id" of a block; empty if there is no such place. */
static str place_in(struct note_writer *w, const struct note *n, str subpath)
{
    if (subpath.n < 2)
        return STR("");
    if (subpath.p[1] == '^') {
        const struct note_block *b = note_find_block(n, subpath);
        return b == NULL
                   ? STR("")
                   : arena_printf(w->a, "#b-" STR_FMT, STR_ARG(span_of(n->text, b->id)));
    }
    const struct note_heading *heading = note_find_heading(n, subpath);
    return heading == NULL ? STR("")
                           : arena_printf(w->a, "#" STR_FMT,
                                          STR_ARG(note_html_heading_id(
                                              w->a, (size_t)(heading - n->headings))));
}

static void put_label(struct note_writer *w, const struct note_link *l)
{
    bool was = w->in_link;
    str label = label_of(w, l);
    w->in_link = true;
    if (l->kind != NOTE_WIKILINK && l->display.end > l->display.start)
        note_inline_put(w, &label, 1);
    else
        note_inline_text(w, label);
    w->in_link = was;
}

static void put_inside(struct note_writer *w, const struct note_link *l)
{
    str path, sub = span_of(w->note->text, l->subpath);
    const struct file *f = target_of(w, l, &path);
    bool own = path.n == 0;
    if (f == NULL && !own) {
        html_open(w->h, "span", {"class", STR("missing")},
                  {"title", STR("not written yet")});
    } else {
        const struct note *n = own ? w->note : &f->note;
        str place =
            place_in(w, n, l->kind == NOTE_WIKILINK ? sub : file_decoded(w->a, sub));
        str to = own ? STR("") : note_html_address(w->to, f->path);
        html_open(w->h, "a",
                  {"href", arena_printf(w->a, STR_FMT STR_FMT, STR_ARG(to),
                                        STR_ARG(own && place.n == 0 ? STR("#") : place))},
                  {"class", STR("inside")});
    }
    put_label(w, l);
    html_end(w->h);
}

static void put_link(struct note_writer *w, const struct inline_token *t)
{
    const struct note_link *l = t->link;
    if (l->embed && note_html_embed(w, l))
        return;
    if (w->in_link)
        put_label(w, l);
    else if (l->external || names_is_external(span_of(w->note->text, l->path)))
        put_outside(w, span_of(w->note->text, l->path), label_of(w, l));
    else
        put_inside(w, l);
}

static void put_footnote(struct note_writer *w, uint32_t number)
{
    html_open(w->h, "sup");
    html_open(w->h, w->in_link ? "span" : "a",
              {w->in_link ? NULL : "href",
               arena_printf(w->a, "#" STR_FMT "fn-%u", STR_ARG(w->prefix), number)});
    html_text(w->h, arena_printf(w->a, "%u", number));
    html_end(w->h);
    html_end(w->h);
}

/* A tag is a search for it. */
static void put_tag(struct note_writer *w, str tag)
{
    str query = w->to->query;
    html_open(
        w->h, w->in_link ? "span" : "a", {"class", STR("tag")},
        {w->in_link ? NULL : "href",
         arena_printf(w->a, STR_FMT "/search" STR_FMT "%cq=tag:%%23" STR_FMT,
                      STR_ARG(w->to->site->base), STR_ARG(query), query.n > 0 ? '&' : '?',
                      STR_ARG(encode_percent(w->a, str_skip(tag, 1))))});
    note_inline_text(w, tag);
    html_end(w->h);
}

/* Elements beyond a limit are left out, and so are their ends. */
struct inline_depth {
    struct note_writer *w;
    size_t skipped;
};

static void open_element(struct inline_depth *d, const char *element)
{
    if (d->skipped > 0 || !note_html_has_room(d->w, DEPTH_INLINE)) {
        d->skipped++;
        return;
    }
    html_open(d->w->h, element);
}

static void close_element(struct inline_depth *d)
{
    if (d->skipped > 0)
        d->skipped--;
    else
        html_end(d->w->h);
}

static void put_run(struct inline_depth *d, const struct inline_token *t)
{
    for (size_t i = 0; i < t->n_closed; i++)
        close_element(d);
    html_text(d->w->h, str_slice(t->text, 0, t->left));
    for (size_t i = t->n_opened; i-- > 0;)
        open_element(d, elements[t->opened[i]]);
}

static void put_token(struct inline_depth *d, const struct inline_token *t)
{
    struct note_writer *w = d->w;
    switch (t->kind) {
    case TOKEN_TEXT:
        note_inline_text(w, t->text);
        break;
    case TOKEN_BREAK:
        html_void(w->h, "br");
        break;
    case TOKEN_RUN:
        put_run(d, t);
        break;
    case TOKEN_CODE:
        html_line(w->h, "code", "in", str_trim(without_fence(t->text, '`')));
        break;
    case TOKEN_MATH:
        html_line(w->h, "code", "in math", without_fence(t->text, '$'));
        break;
    case TOKEN_LINK:
        put_link(w, t);
        break;
    case TOKEN_TAG:
        put_tag(w, t->text);
        break;
    case TOKEN_URL:
        put_outside(w, t->text, t->text);
        break;
    case TOKEN_FOOTNOTE:
        put_footnote(w, t->number);
        break;
    }
}

void note_inline_put(struct note_writer *w, const str *lines, size_t n)
{
    struct inline_tokens t = {.w = w};
    struct inline_depth d = {.w = w};
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            add_token(&t, TOKEN_BREAK, STR(""));
        read_inline_line(&t, str_trim(i + 1 == n ? drop_block_id(lines[i]) : lines[i]));
    }
    pair_all(&t);
    for (size_t i = 0; i < t.n; i++)
        put_token(&d, &t.items[i]);
}
