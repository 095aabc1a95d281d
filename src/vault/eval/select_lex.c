/* Tokens of a query. Words may contain - . / between letters: in-progress, file.name. */
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/eval/expr.h"
#include "vault/eval/select_parser.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"

enum { DURATION_MAX = 1000000 };

/* --- characters --- */

static char select_lex_look(str s, size_t i)
{
    return i < s.n ? s.p[i] : '\0';
}

static bool is_name_byte(char c)
{
    return is_letter(c) || c == '_' || (c & 0x80);
}

static bool select_lex_is_plain(str s, size_t i)
{
    return (is_name_byte(select_lex_look(s, i)) || is_digit(select_lex_look(s, i))) &&
           text_space(s, i) == 0;
}

/* --- words --- */

/* "today-7d" is a sum, not a word. */
static bool is_moved_date(str word, char after)
{
    static const str dates[] = {STR("today"), STR("now"), STR("tomorrow"),
                                STR("yesterday")};
    for (size_t i = 0; i < COUNT_OF(dates); i++)
        if (str_eq_nocase(word, dates[i]))
            return is_digit(after);
    return false;
}

/* The offset after the backtick that closes the one at i, or i if there is none. */
static size_t backtick_end(str s, size_t i)
{
    size_t n = str_find_char(str_skip(s, i + 1), '`');
    return n == STR_NONE || n == 0 ? i : i + n + 2;
}

static bool is_joint(str s, size_t start, size_t i)
{
    char c = select_lex_look(s, i);
    if (c != '.' && c != '-' && c != '/')
        return false;
    if (c == '.' && select_lex_look(s, i + 1) == '`')
        return true;
    return select_lex_is_plain(s, i + 1) &&
           !(c == '-' &&
             is_moved_date(str_slice(s, start, i), select_lex_look(s, i + 1)));
}

/* The end of the part of a word at i, which may be in backticks; i if there is none. */
static size_t part_end(str s, size_t start, size_t i)
{
    if (select_lex_look(s, i) == '`')
        return backtick_end(s, i);
    while (select_lex_is_plain(s, i) ||
           (i > start && select_lex_look(s, i) != '.' && is_joint(s, start, i)))
        i++;
    return i;
}

/* The end of the word at start: parts separated by dots; start if a backtick is open. */
static size_t word_end(str s, size_t start)
{
    size_t i = start;
    for (;;) {
        size_t end = part_end(s, start, i);
        if (end == i)
            return start;
        if (select_lex_look(s, end) != '.' || !is_joint(s, start, end))
            return end;
        i = end + 1;
    }
}

/* --- numbers, dates, durations --- */

/* Digits that continue like a word are a word: 2nd, 2026-plan. */
static bool select_lex_goes_on(str s, size_t i)
{
    char c = select_lex_look(s, i);
    return select_lex_is_plain(s, i) ||
           ((c == '-' || c == '/') && is_name_byte(select_lex_look(s, i + 1)) &&
            text_space(s, i + 1) == 0);
}

/* "7d", "7 days": whole numbers only. */
static bool lex_duration(str s, struct select_token *t)
{
    size_t start = text_skip_spaces(s, t->end), end = start;
    struct duration unit;
    while (select_lex_is_plain(s, end))
        end++;
    if (t->kind != SELECT_INTEGER || t->number > DURATION_MAX ||
        select_lex_goes_on(s, end) ||
        !duration_unit(str_slice(s, start, end), DURATION_QUERY, &unit))
        return false;
    t->kind = SELECT_DURATION;
    t->duration = duration_times(unit, (double)t->number);
    t->end = end;
    return true;
}

static void lex_number(str s, struct select_token *t)
{
    size_t end = text_skip_digits(s, t->at);
    bool real = select_lex_look(s, end) == '.' && is_digit(select_lex_look(s, end + 1));
    if (real)
        end = text_skip_digits(s, end + 1);
    size_t sign =
        select_lex_look(s, end + 1) == '-' || select_lex_look(s, end + 1) == '+';
    if ((select_lex_look(s, end) | 0x20) == 'e' &&
        is_digit(select_lex_look(s, end + 1 + sign))) {
        end = text_skip_digits(s, end + 1 + sign);
        real = true;
    }
    char copy[64];
    str text = str_slice(s, t->at, end);
    bool fits = !real && str_to_int(text, &t->number);
    t->kind = fits ? SELECT_INTEGER : SELECT_REAL;
    t->end = end;
    text = str_slice(text, 0, sizeof(copy) - 1); /* further digits make no difference */
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    t->real = strtod(copy, NULL);
}

static bool lex_digits(struct expr_maker *m, int utc_offset, struct select_token *t)
{
    str s = m->text, rest = str_skip(s, t->at);
    size_t date = date_parse(rest, utc_offset, &t->date);
    if (date > 0 && !select_lex_goes_on(s, t->at + date)) {
        t->kind = SELECT_DATE;
        t->end = t->at + date;
        return true;
    }
    if (date == 0 && date_looks_like(rest))
        return expr_fail(m, t->at, "a date that exists");
    lex_number(s, t);
    if (!lex_duration(s, t) && select_lex_goes_on(s, t->end)) {
        t->kind = SELECT_WORD;
        t->end = word_end(s, t->at);
        if (t->end == t->at)
            return expr_fail(m, t->at, "a closing backtick");
    }
    return true;
}

/* --- everything else --- */

static bool lex_quoted(struct expr_maker *m, struct select_token *t)
{
    str s = m->text;
    struct sbuf text = SBUF_ON(m->arena);
    t->kind = SELECT_QUOTED;
    t->quote = s.p[t->at];
    for (size_t i = t->at + 1; i < s.n; i++) {
        if (s.p[i] == t->quote) {
            t->text = sbuf_str(&text);
            t->end = i + 1;
            return true;
        }
        char next = select_lex_look(s, i + 1);
        if (s.p[i] == '\\' && (next == '\\' || next == '"' || next == '\''))
            i++;
        sbuf_char(&text, s.p[i]);
    }
    return expr_fail(m, t->at, "a closing quote for the text that begins");
}

static bool lex_tag(struct expr_maker *m, struct select_token *t)
{
    str s = m->text;
    size_t end = t->at + 1;
    while (select_lex_is_plain(s, end) || select_lex_look(s, end) == '-' ||
           select_lex_look(s, end) == '/')
        end++;
    t->kind = SELECT_TAG;
    t->end = end;
    return end > t->at + 1 || expr_fail(m, t->at, "a tag such as #work");
}

static bool lex_link(struct expr_maker *m, struct select_token *t)
{
    str s = m->text;
    size_t n = str_find(str_skip(s, t->at), STR("]]"));
    t->kind = SELECT_LINK;
    t->end = t->at + n + 2;
    return n != STR_NONE || expr_fail(m, t->at, "a closing ]] for the link that begins");
}

static bool select_lex_lex_sign(struct expr_maker *m, struct select_token *t)
{
    str s = m->text;
    static const str signs[] = {STR("=="), STR("!="), STR("<>"), STR("<="), STR(">="),
                                STR("&&"), STR("||"), STR("="),  STR("<"),  STR(">"),
                                STR("!"),  STR("("),  STR(")"),  STR("["),  STR("]"),
                                STR(","),  STR("+"),  STR("-")};
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        if (!str_starts(str_skip(s, t->at), signs[i]))
            continue;
        t->kind = SELECT_SIGN;
        t->end = t->at + signs[i].n;
        return true;
    }
    return expr_fail(m, t->at, "a field, a value or an operator");
}

static bool lex_some(struct expr_maker *m, int utc_offset, struct select_token *t)
{
    str s = m->text;
    char c = s.p[t->at];
    if (is_digit(c))
        return lex_digits(m, utc_offset, t);
    if (c == '"' || c == '\'')
        return lex_quoted(m, t);
    if (c == '#')
        return lex_tag(m, t);
    if (str_starts(str_skip(s, t->at), STR("[[")))
        return lex_link(m, t);
    if (!is_name_byte(c) && c != '`')
        return select_lex_lex_sign(m, t);
    t->kind = SELECT_WORD;
    t->end = word_end(s, t->at);
    return t->end > t->at || expr_fail(m, t->at, "a closing backtick");
}

bool select_lex(struct expr_maker *m, int utc_offset, size_t at, struct select_token *out)
{
    str text = m->text;
    struct select_token t = {.at = text_skip_spaces(text, at)};
    t.end = t.at;
    if (t.at < text.n && !lex_some(m, utc_offset, &t))
        return false;
    if (t.kind != SELECT_QUOTED)
        t.text = str_slice(text, t.at + (t.kind == SELECT_TAG), t.end);
    *out = t;
    return true;
}
