#include "vault/forms/base_source.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/forms/code_block.h"
#include "vault/note/note.h"
#include "vault/note/yaml_scalar.h"

/* --- from the file to YAML --- */

struct base_copy {
    struct arena *arena;
    struct base_source *out;
    struct sbuf text;
};

/* What is added next to the text is at that place of the file. */
static void base_anchor_at(struct base_copy *c, size_t in_file)
{
    struct base_source *s = c->out;
    const struct base_anchor *last =
        s->n_anchors > 0 ? &s->anchors[s->n_anchors - 1] : NULL;
    if (last != NULL && in_file - c->text.n == last->in_file - last->at)
        return;
    *ARRAY_ADD(c->arena, s->anchors, s->n_anchors) =
        (struct base_anchor){(uint32_t)c->text.n, (uint32_t)in_file};
}

/* A line with its break, from byte `at` of the file on. */
static void base_copy_line(struct base_copy *c, size_t at, size_t end)
{
    str file = c->out->file;
    for (; at < end && is_blank(file.p[at]); at++) {
        base_anchor_at(c, at);
        sbuf_add(&c->text, file.p[at] == '\t' ? STR("  ") : STR(" "));
    }
    base_anchor_at(c, at);
    sbuf_add(&c->text, str_slice(file, at, end));
}

static bool has_tab_indent(str text)
{
    for (size_t at = 0; at < text.n; at = text_next_line(text, at))
        if (str_find_char(str_slice(text, at, text_skip_blanks(text, at)), '\t') !=
            STR_NONE)
            return true;
    return false;
}

static void base_copy_lines(struct base_copy *c, struct span lines, str marks)
{
    str file = c->out->file;
    for (size_t at = lines.start, next; at < lines.end; at = next) {
        next = text_next_line(file, at);
        next = next < lines.end ? next : lines.end;
        base_copy_line(c, code_block_skip_marks(file, at, next, marks), next);
    }
    c->out->text = sbuf_str(&c->text);
}

static void base_source_make(struct arena *a, str file, struct span lines, str marks,
                             struct base_source *out)
{
    *out = (struct base_source){
        .file = file,
        .text = span_of(file, lines),
        .line = (uint32_t)text_count_ends(file, 0, lines.start) + 1,
    };
    struct base_copy c = {.arena = a, .out = out, .text = SBUF_ON(a)};
    if (marks.n > 0 || has_tab_indent(out->text))
        base_copy_lines(&c, lines, marks);
    else
        base_anchor_at(&c, lines.start);
}

void base_source_of_file(struct arena *a, str file, struct base_source *out)
{
    uint32_t bom = str_starts(file, STR("\xEF\xBB\xBF")) ? 3 : 0;
    base_source_make(a, file, (struct span){bom, (uint32_t)file.n}, STR(""), out);
}

void base_source_of_block(struct arena *a, const struct note *n, struct span block,
                          struct base_source *out)
{
    str marks;
    struct span lines = code_block_lines(n, block, &marks);
    base_source_make(a, n->text, lines, marks, out);
}

/* --- and back --- */

size_t base_source_place(const struct base_source *s, size_t at)
{
    size_t low = 0, high = s->n_anchors;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (s->anchors[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    if (s->n_anchors == 0)
        return s->file.n;
    size_t place = s->anchors[low].in_file + (at - s->anchors[low].at);
    if (low + 1 < s->n_anchors && place > s->anchors[low + 1].in_file)
        place = s->anchors[low + 1].in_file;
    return place < s->file.n ? place : s->file.n;
}

/* The length of an escape of a double-quoted scalar, raw and in its value. */
static void escape_lengths(str raw, size_t *raw_n, size_t *value_n)
{
    static const char wide[] = "xuU";
    char kind = raw.n > 1 ? raw.p[1] : '\0';
    const char *known = kind != '\0' ? strchr(wide, kind) : NULL;
    uint32_t c = 0;
    *raw_n = known != NULL ? 2 + ((size_t)2 << (known - wide)) : 2;
    for (size_t i = 2; i < *raw_n && i < raw.n; i++) {
        char digit = to_lower(raw.p[i]);
        c = c * 16 + (uint32_t)(is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    bool two = known != NULL ? c >= 0x80 : kind == 'N' || kind == '_';
    bool three = known != NULL ? c >= 0x800 : kind == 'L' || kind == 'P';
    *value_n = c >= 0x10000 ? 4 : three ? 3 : two ? 2 : 1;
}

/* Whether a byte of a scalar may be missing in its value: lines are folded. */
static bool is_folded(str raw, size_t at, char quote)
{
    return is_white(raw.p[at]) || (quote == '"' && raw.p[at] == '\\' && at + 1 < raw.n &&
                                   is_break(raw.p[at + 1]));
}

/*
 * One step through a scalar and its value together: lines are folded and indentation is
 * removed, so white space may be missing on either side. False if they do not fit.
 */
static bool scalar_step(str raw, size_t *at, str value, size_t *in_value, char quote)
{
    char c = raw.p[*at];
    size_t raw_n = 1, value_n = 1;
    bool folded = is_folded(raw, *at, quote);
    if (quote == '"' && c == '\\' && !folded)
        escape_lengths(str_skip(raw, *at), &raw_n, &value_n);
    else if (quote == '\'' && c == '\'')
        raw_n = 2;
    else if (c == value.p[*in_value])
        ;
    else if (folded)
        value_n = 0;
    else if (is_white(value.p[*in_value]))
        raw_n = 0;
    else
        return false;
    *at += raw_n;
    *in_value += value_n;
    return true;
}

struct span base_source_in_scalar(const struct base_source *s, struct span raw_span,
                                  str value, size_t wanted)
{
    str raw = span_of(s->text, raw_span);
    size_t at = yaml_scalar_marks(raw), in_value = 0;
    char first = at < raw.n ? raw.p[at] : '\0';
    char quote = first == '"' || first == '\'' ? first : '\0';
    if (first == '|' || first == '>')
        at = text_next_line(raw, at);
    else
        at += quote != '\0';
    size_t start = at;
    while (in_value <= wanted && at < raw.n) {
        start = at;
        if (in_value == value.n)
            break;
        if (!scalar_step(raw, &at, value, &in_value, quote))
            return (struct span){raw_span.start, raw_span.start};
    }
    if (in_value <= wanted)
        start = at; /* the end of the value is a place, too */
    return (struct span){(uint32_t)(raw_span.start + start),
                         (uint32_t)(raw_span.start + at)};
}

void base_source_line(const struct base_source *s, size_t place, size_t *line,
                      size_t *column)
{
    size_t start = text_line_start(s->file, place);
    *line = text_count_ends(s->file, 0, place) + 1;
    *column = 1;
    for (size_t i = start; i < place; i++)
        *column += ((uint8_t)s->file.p[i] & 0xC0) != 0x80;
}
