/* Functions of texts; links and tags are texts, too. */
#include <math.h>

#include "base/array.h"
#include "base/chars.h"
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"
#include "vault/text/regex.h"

str function_text(const struct value *v)
{
    return v->type == VALUE_LINK ? value_link_text(v) : v->text;
}

/* --- searching --- */

static bool text_contains(struct eval *e, const struct value *self,
                          const struct value *part)
{
    struct arena *a = e->reader.arena;
    str text = utf8_fold(a, function_text(self));
    return str_find(text, utf8_fold(a, value_text_of(&e->reader, part))) != STR_NONE;
}

struct value function_contains_text(struct eval *e, const struct call *c)
{
    return value_bool(text_contains(e, &c->self, &c->args[0]));
}

struct value function_contains_all_text(struct eval *e, const struct call *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!text_contains(e, &c->self, &c->args[i]))
            return value_bool(false);
    return value_bool(true);
}

struct value function_contains_any_text(struct eval *e, const struct call *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (text_contains(e, &c->self, &c->args[i]))
            return value_bool(true);
    return value_bool(false);
}

struct value function_starts(struct eval *e, const struct call *c)
{
    return value_bool(
        str_starts(function_text(&c->self), value_text_of(&e->reader, &c->args[0])));
}

struct value function_ends(struct eval *e, const struct call *c)
{
    return value_bool(
        str_ends(function_text(&c->self), value_text_of(&e->reader, &c->args[0])));
}

/* --- letters --- */

static void add_letter(struct sbuf *b, uint32_t letter)
{
    char utf8[4];
    sbuf_add(b, (str){utf8, utf8_encode(letter, utf8)});
}

static struct value each_letter(struct eval *e, const struct call *c,
                                uint32_t (*change)(uint32_t))
{
    struct sbuf b = SBUF_ON(e->reader.arena);
    size_t n;
    for (str rest = function_text(&c->self); rest.n > 0; rest = str_skip(rest, n))
        add_letter(&b, change(utf8_decode(rest, &n)));
    return eval_text(e, sbuf_str(&b));
}

struct value function_lower(struct eval *e, const struct call *c)
{
    return each_letter(e, c, utf8_lower_char);
}

struct value function_upper(struct eval *e, const struct call *c)
{
    return each_letter(e, c, utf8_title_char);
}

struct value function_title(struct eval *e, const struct call *c)
{
    struct sbuf b = SBUF_ON(e->reader.arena);
    bool inside = false;
    size_t n;
    for (str rest = function_text(&c->self); rest.n > 0; rest = str_skip(rest, n)) {
        uint32_t letter = utf8_decode(rest, &n);
        add_letter(&b, inside ? utf8_lower_char(letter) : utf8_title_char(letter));
        inside = utf8_is_word(letter) || letter == '\'' || letter == 0x2019;
    }
    return eval_text(e, sbuf_str(&b));
}

struct value function_trim(struct eval *e, const struct call *c)
{
    return value_text(str_trim_line(function_text(&c->self)));
}

struct value function_reverse_text(struct eval *e, const struct call *c)
{
    str text = function_text(&c->self);
    char *out = arena_alloc(e->reader.arena, text.n + 1);
    size_t n, end = text.n;
    for (str rest = text; rest.n > 0; rest = str_skip(rest, n)) {
        (void)utf8_decode(rest, &n);
        end -= n;
        memcpy(out + end, rest.p, n);
    }
    return eval_text(e, (str){out, text.n});
}

struct value function_repeat(struct eval *e, const struct call *c)
{
    str text = function_text(&c->self);
    double times = c->args[0].type == VALUE_NUMBER ? c->args[0].real : -1;
    if (times < 0 || times != floor(times))
        return eval_error(e, "repeat() needs a whole number from 0");
    if (times * (double)text.n > (double)EVAL_TEXT_MAX)
        return eval_error(e, "the text is longer than %d bytes", EVAL_TEXT_MAX);
    struct sbuf b = SBUF_ON(e->reader.arena);
    for (size_t i = 0; text.n > 0 && i < (size_t)times; i++)
        sbuf_add(&b, text);
    return eval_text(e, sbuf_str(&b));
}

/* --- parts --- */

/* A bound: negative counts from the end. */
static size_t bound(const struct value *v, size_t n, size_t missing)
{
    if (v == NULL || v->type != VALUE_NUMBER)
        return missing;
    double at = trunc(v->real), size = (double)n;
    if (at < 0)
        at += size;
    return at > size ? n : at > 0 ? (size_t)at : 0;
}

void function_bounds(const struct call *c, size_t n, size_t *from, size_t *to)
{
    *from = bound(c->n > 0 ? &c->args[0] : NULL, n, 0);
    *to = bound(c->n > 1 ? &c->args[1] : NULL, n, n);
    *to = *to < *from ? *from : *to;
}

/* The byte at which letter number i begins. */
static size_t letter_start(str text, size_t letter)
{
    size_t at = 0, n;
    while (at < text.n && letter-- > 0) {
        (void)utf8_decode(str_skip(text, at), &n);
        at += n;
    }
    return at;
}

struct value function_slice_text(struct eval *e, const struct call *c)
{
    str text = function_text(&c->self);
    size_t letters = 0, from, to;
    for (size_t i = 0; i < text.n; i++)
        letters += (text.p[i] & 0xC0) != 0x80;
    function_bounds(c, letters, &from, &to);
    return value_text(str_slice(text, letter_start(text, from), letter_start(text, to)));
}

bool function_find_match(struct eval *e, const struct value *regexp, str text,
                         size_t from, struct regex_group *groups, struct value *why)
{
    bool limited;
    if (!eval_step(e, 16 + (text.n - from) / 64)) {
        *why = eval_stopped(e);
        return false;
    }
    if (regex_captures_text(regexp->regexp, eval_scratch(e), text, from, groups,
                            &limited))
        return true;
    if (limited)
        *why = eval_error(e, "the regular expression needs more than %d steps",
                          REGEX_STEPS_MAX);
    return false;
}

/* --- splitting --- */

struct function_text_pieces {
    struct value *items;
    size_t n;
};

static void add_piece(struct eval *e, struct function_text_pieces *p, str text)
{
    *ARRAY_ADD(e->reader.arena, p->items, p->n) = value_text(text);
}

/* The byte after the letter at at. */
static size_t after_letter(str text, size_t at)
{
    size_t n = 1;
    if (at < text.n)
        (void)utf8_decode(str_skip(text, at), &n);
    return at + n;
}

static void split_letters(struct eval *e, str text, struct function_text_pieces *out)
{
    for (size_t at = 0, end; at < text.n && out->n <= VALUE_LIST_MAX; at = end) {
        end = after_letter(text, at);
        add_piece(e, out, str_slice(text, at, end));
    }
}

static void split_text(struct eval *e, str text, str by, struct function_text_pieces *out)
{
    size_t at;
    while (out->n <= VALUE_LIST_MAX && (at = str_find(text, by)) != STR_NONE) {
        add_piece(e, out, str_slice(text, 0, at));
        text = str_skip(text, at + by.n);
    }
    add_piece(e, out, text);
}

/* As JavaScript: an empty match does not split at the start of a piece, and what groups
 * matched is among the pieces. */
static void split_regexp(struct eval *e, str text, const struct value *by,
                         struct function_text_pieces *out, struct value *why)
{
    struct regex_group *g =
        ARENA_ARRAY(e->reader.arena, struct regex_group, REGEX_GROUPS_MAX + 1);
    size_t from = 0, at = 0;
    while (at < text.n && out->n <= VALUE_LIST_MAX &&
           function_find_match(e, by, text, at, g, why) && g[0].start < text.n) {
        if (g[0].end == from) {
            at = after_letter(text, at);
            continue;
        }
        add_piece(e, out, str_slice(text, from, g[0].start));
        for (size_t i = 1; i <= regex_n_groups(by->regexp); i++)
            add_piece(e, out,
                      g[i].start == REGEX_NO_GROUP
                          ? (str){0}
                          : str_slice(text, g[i].start, g[i].end));
        from = at = g[0].end;
    }
    add_piece(e, out, str_skip(text, from));
}

struct value function_split(struct eval *e, const struct call *c)
{
    str text = function_text(&c->self);
    const struct value *by = &c->args[0];
    struct function_text_pieces p = {0};
    struct value why = {0};
    if (by->type == VALUE_REGEXP)
        split_regexp(e, text, by, &p, &why);
    else if (by->text.n == 0)
        split_letters(e, text, &p);
    else
        split_text(e, text, by->text, &p);
    if (why.type == VALUE_ERROR)
        return why;
    double most =
        c->n > 1 && c->args[1].type == VALUE_NUMBER ? c->args[1].real : INFINITY;
    return eval_list(e, p.items,
                     most < (double)p.n ? (size_t)(most > 0 ? most : 0) : p.n);
}

/* --- replacing --- */

/* $1, $12, $& and $$ in what replaces a match; returns the bytes that were read. */
static size_t function_text_add_reference(struct sbuf *b, str with, str text,
                                          const struct regex_group *g, unsigned groups)
{
    char next = with.n > 1 ? with.p[1] : '\0';
    unsigned number = 0;
    size_t n = 2;
    if (next == '$') {
        sbuf_char(b, '$');
        return 2;
    }
    if (is_digit(next)) {
        number = (unsigned)(next - '0');
        if (with.n > 2 && is_digit(with.p[2]) &&
            number * 10 + (unsigned)(with.p[2] - '0') <= groups) {
            number = number * 10 + (unsigned)(with.p[2] - '0');
            n = 3;
        }
    }
    if ((number == 0 && next != '&') || number > groups) {
        sbuf_char(b, '$');
        return 1;
    }
    if (g[number].start != REGEX_NO_GROUP)
        sbuf_add(b, str_slice(text, g[number].start, g[number].end));
    return n;
}

static void add_replacement(struct sbuf *b, str with, str text,
                            const struct regex_group *g, unsigned groups)
{
    while (with.n > 0) {
        size_t n = 1;
        if (with.p[0] == '$')
            n = function_text_add_reference(b, with, text, g, groups);
        else
            sbuf_char(b, with.p[0]);
        with = str_skip(with, n);
    }
}

static struct value replace_regexp(struct eval *e, str text, const struct value *by,
                                   str with)
{
    struct sbuf b = SBUF_ON(e->reader.arena);
    struct regex_group *g =
        ARENA_ARRAY(e->reader.arena, struct regex_group, REGEX_GROUPS_MAX + 1);
    struct value why = {0};
    size_t from = 0, at = 0;
    while (at <= text.n && b.n <= EVAL_TEXT_MAX &&
           function_find_match(e, by, text, at, g, &why)) {
        sbuf_add(&b, str_slice(text, from, g[0].start));
        add_replacement(&b, with, text, g, regex_n_groups(by->regexp));
        from = g[0].end;
        at = g[0].end > g[0].start ? from : after_letter(text, from);
        if (!by->is_global)
            break;
    }
    if (why.type == VALUE_ERROR)
        return why;
    sbuf_add(&b, str_skip(text, from));
    return eval_text(e, sbuf_str(&b));
}

struct value function_replace(struct eval *e, const struct call *c)
{
    str text = function_text(&c->self), with = value_text_of(&e->reader, &c->args[1]);
    const struct value *by = &c->args[0];
    struct sbuf b = SBUF_ON(e->reader.arena);
    size_t at;
    if (by->type == VALUE_REGEXP)
        return replace_regexp(e, text, by, with);
    while (by->text.n > 0 && b.n <= EVAL_TEXT_MAX &&
           (at = str_find(text, by->text)) != STR_NONE) {
        sbuf_add(&b, str_slice(text, 0, at));
        sbuf_add(&b, with);
        text = str_skip(text, at + by->text.n);
    }
    sbuf_add(&b, text);
    return eval_text(e, sbuf_str(&b));
}

struct value function_matches(struct eval *e, const struct call *c)
{
    struct regex_group *g =
        ARENA_ARRAY(e->reader.arena, struct regex_group, REGEX_GROUPS_MAX + 1);
    struct value why = {0};
    str text = value_text_of(&e->reader, &c->args[0]);
    bool found = function_find_match(e, &c->self, text, 0, g, &why);
    return why.type == VALUE_ERROR ? why : value_bool(found);
}
