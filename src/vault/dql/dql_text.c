/* DQL's functions of texts, and those that read or write other values as text. */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/dql/dql_functions.h"
#include "vault/eval/eval.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"
#include "vault/eval/value_duration.h"
#include "vault/eval/value_inline.h"

struct value function_dql_null(struct eval *e, const struct call *c)
{
    return value_null();
}

/* --- contains --- */

enum dql_text_within { WITHIN_EXACTLY, WITHIN_LISTS, WITHIN_ANY_CASE };

static bool dql_text_is_same(struct eval *e, const struct value *a, const struct value *b,
                             enum dql_text_within how)
{
    if (how != WITHIN_ANY_CASE || !value_is_textual(a) || !value_is_textual(b))
        return value_same(&e->reader, a, b);
    return str_eq(utf8_fold(e->reader.arena, a->text),
                  utf8_fold(e->reader.arena, b->text));
}

static bool text_within(struct eval *e, str whole, str part, enum dql_text_within how)
{
    struct arena *a = e->reader.arena;
    if (how == WITHIN_ANY_CASE)
        return str_find(utf8_fold(a, whole), utf8_fold(a, part)) != STR_NONE;
    return str_find(whole, part) != STR_NONE;
}

/* In a list, an item equals what is wanted or, unless exactly, contains it. */
static bool dql_text_is_within(struct eval *e, const struct value *whole,
                               const struct value *part, enum dql_text_within how)
{
    if (whole->type == VALUE_MAP)
        return value_member(&e->reader, whole, part->text).type != VALUE_NULL;
    if (whole->type != VALUE_LIST)
        return value_is_textual(whole) ? text_within(e, value_text_of(&e->reader, whole),
                                                     value_text_of(&e->reader, part), how)
                                       : dql_text_is_same(e, whole, part, how);
    struct value_items it = {.list = whole};
    for (struct value item; eval_step(e, 1) && value_next(&e->reader, &it, &item);)
        if (dql_text_is_same(e, &item, part, how) ||
            (how != WITHIN_EXACTLY && item.type != VALUE_MAP &&
             dql_text_is_within(e, &item, part, how)))
            return true;
    return false;
}

static struct value contains(struct eval *e, const struct call *c,
                             enum dql_text_within how)
{
    bool nothing = c->self.type == VALUE_NULL || c->args[0].type == VALUE_NULL;
    return value_bool(!nothing && dql_text_is_within(e, &c->self, &c->args[0], how));
}

struct value function_dql_contains(struct eval *e, const struct call *c)
{
    return contains(e, c, WITHIN_LISTS);
}

struct value function_dql_icontains(struct eval *e, const struct call *c)
{
    return contains(e, c, WITHIN_ANY_CASE);
}

struct value function_dql_econtains(struct eval *e, const struct call *c)
{
    return contains(e, c, WITHIN_EXACTLY);
}

static bool is_word_byte(str s, size_t at)
{
    return at < s.n && (is_alnum(s.p[at]) || s.p[at] == '_' || (s.p[at] & 0x80) != 0);
}

/* A whole word, case ignored. */
struct value function_dql_containsword(struct eval *e, const struct call *c)
{
    struct arena *a = e->reader.arena;
    str text = utf8_fold(a, function_text(&c->self));
    str word = utf8_fold(a, value_text_of(&e->reader, &c->args[0]));
    size_t at = 0, found;
    if (word.n == 0)
        return value_bool(false);
    while ((found = str_find(str_skip(text, at), word)) != STR_NONE) {
        at += found;
        bool begins = at == 0 || !is_word_byte(text, at - 1);
        if (begins && !is_word_byte(text, at + word.n))
            return value_bool(true);
        at++;
    }
    return value_bool(false);
}

/* --- regular expressions --- */

/* Their patterns are compiled by the parser. */
struct value function_dql_regextest(struct eval *e, const struct call *c)
{
    if (c->args[0].type == VALUE_NULL)
        return value_bool(false);
    return function_matches(e, c);
}

struct value function_dql_no_pattern(struct eval *e, const struct call *c)
{
    return eval_error(e, "a regular expression must be written as text, \"in quotes\"");
}

struct value function_dql_regexreplace(struct eval *e, const struct call *c)
{
    return c->args[0].type == VALUE_REGEXP ? function_replace(e, c)
                                           : function_dql_no_pattern(e, c);
}

struct value function_dql_split(struct eval *e, const struct call *c)
{
    return c->args[0].type == VALUE_REGEXP ? function_split(e, c)
                                           : function_dql_no_pattern(e, c);
}

/* --- other types --- */

/* The first number in a text. */
struct value function_dql_number(struct eval *e, const struct call *c)
{
    str text = c->self.text;
    if (c->self.type == VALUE_NUMBER)
        return c->self;
    for (size_t at = 0; at < text.n; at++) {
        if (!is_digit(text.p[at]))
            continue;
        size_t start = at - (at > 0 && text.p[at - 1] == '-');
        size_t end = text_skip_digits(text, at);
        if (end + 1 < text.n && text.p[end] == '.' && is_digit(text.p[end + 1]))
            end = text_skip_digits(text, end + 1);
        return value_of_number(str_slice(text, start, end));
    }
    return value_null();
}

struct value function_dql_date(struct eval *e, const struct call *c)
{
    struct date d;
    str text = c->self.type == VALUE_LINK ? value_link_text(&c->self) : c->self.text;
    if (c->self.type == VALUE_DATE)
        return c->self;
    return value_iso_date(str_trim(text), e->reader.utc_offset, &d) ? value_date(d)
                                                                    : value_null();
}

struct value function_dql_dur(struct eval *e, const struct call *c)
{
    struct duration d;
    if (c->self.type == VALUE_DURATION)
        return c->self;
    return duration_parse(c->self.text, DURATION_DQL, &d) ? value_duration(d)
                                                          : value_null();
}

/* Luxon's format as one of Moment.js. */
static str moment_format_of(struct arena *a, str luxon)
{
    static const struct {
        const char *luxon, *moment;
    } tokens[] = {
        {"yyyy", "YYYY"}, {"yy", "YY"},     {"y", "Y"},       {"LLLL", "MMMM"},
        {"LLL", "MMM"},   {"LL", "MM"},     {"L", "M"},       {"dd", "DD"},
        {"d", "D"},       {"EEEE", "dddd"}, {"EEE", "ddd"},   {"E", "E"},
        {"cccc", "dddd"}, {"ccc", "ddd"},   {"c", "E"},       {"a", "A"},
        {"ooo", "DDDD"},  {"o", "DDD"},     {"kkkk", "GGGG"}, {"kk", "GG"},
        {"ZZZ", "ZZ"},    {"ZZ", "Z"},      {"q", "Q"},       {"MMMM", "MMMM"},
        {"MMM", "MMM"},   {"MM", "MM"},     {"M", "M"},       {"HH", "HH"},
        {"H", "H"},       {"hh", "hh"},     {"h", "h"},       {"mm", "mm"},
        {"m", "m"},       {"ss", "ss"},     {"s", "s"},       {"SSS", "SSS"},
        {"WW", "WW"},     {"W", "W"},       {"X", "X"},       {"x", "x"},
    };
    struct sbuf b = SBUF_ON(a);
    while (luxon.n > 0) {
        size_t i = 0, quote;
        if (luxon.p[0] == '\'' &&
            (quote = str_find_char(str_skip(luxon, 1), '\'')) != STR_NONE) {
            sbuf_printf(&b, "[" STR_FMT "]", STR_ARG(str_slice(luxon, 1, quote + 1)));
            luxon = str_skip(luxon, quote + 2);
            continue;
        }
        while (i < COUNT_OF(tokens) && !str_starts(luxon, str_c(tokens[i].luxon)))
            i++;
        if (i < COUNT_OF(tokens))
            sbuf_add(&b, str_c(tokens[i].moment));
        else
            sbuf_printf(&b, is_letter(luxon.p[0]) ? "[%c]" : "%c", luxon.p[0]);
        luxon = str_skip(luxon, i < COUNT_OF(tokens) ? strlen(tokens[i].luxon) : 1);
    }
    return sbuf_str(&b);
}

struct value function_dql_dateformat(struct eval *e, const struct call *c)
{
    struct value format =
        value_text(moment_format_of(e->reader.arena, value_text_of(&e->reader, c->args)));
    struct call call = {.node = c->node, .self = c->self, .args = &format, .n = 1};
    return function_format(e, &call);
}

/* --- any value --- */

struct value function_dql_default(struct eval *e, const struct call *c)
{
    return c->self.type == VALUE_NULL ? c->args[0] : c->self;
}

struct value function_dql_typeof(struct eval *e, const struct call *c)
{
    if (c->self.type == VALUE_LIST)
        return value_text(STR("array"));
    return value_text(
        str_c(c->self.type == VALUE_FILE ? "object" : value_type_name(c->self.type)));
}

/* What a link consists of. */
struct value function_dql_meta(struct eval *e, const struct call *c)
{
    static const str keys[] = {STR("display"), STR("embed"), STR("path"), STR("subpath"),
                               STR("type")};
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, COUNT_OF(keys));
    str target = value_link_text(&c->self);
    size_t hash = str_find_char(target, '#');
    str subpath = hash != STR_NONE ? str_skip(target, hash + 1) : (str){0};
    bool block = str_starts(subpath, STR("^"));
    items[0] = c->self.display.n > 0 ? value_text(c->self.display) : value_null();
    items[1] = value_bool(str_starts(c->self.text, STR("!")));
    items[2] = value_text(c->self.path);
    items[3] = subpath.n > 0 ? value_text(str_skip(subpath, block)) : value_null();
    items[4] = value_text(subpath.n == 0 ? STR("file")
                          : block        ? STR("block")
                                         : STR("header"));
    return value_map(keys, items, COUNT_OF(keys));
}
