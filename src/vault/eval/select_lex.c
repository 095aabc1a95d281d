/* Tokens of a query. Words may contain - . / between letters: in-progress, file.name. */
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/eval/select_node.h"
#include "vault/eval/value_date.h"

enum { SHOWN_MAX = 24, DURATION_MAX = 1000000, DAY = 86400 };

static const struct {
    const char *name;
    int months, seconds;
} units[] = {
    {"d", 0, DAY},        {"day", 0, DAY},       {"days", 0, DAY},  {"w", 0, 7 * DAY},
    {"week", 0, 7 * DAY}, {"weeks", 0, 7 * DAY}, {"m", 1, 0},       {"mo", 1, 0},
    {"month", 1, 0},      {"months", 1, 0},      {"y", 12, 0},      {"yr", 12, 0},
    {"year", 12, 0},      {"years", 12, 0},      {"h", 0, 3600},    {"hour", 0, 3600},
    {"hours", 0, 3600},   {"min", 0, 60},        {"minute", 0, 60}, {"minutes", 0, 60},
    {"s", 0, 1},          {"sec", 0, 1},         {"second", 0, 1},  {"seconds", 0, 1},
};

/* The unit of a duration ("d", "weeks"), case ignored. */
static bool select_unit(str word, int64_t *months, int64_t *seconds)
{
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (!str_eq_nocase(word, str_c(units[i].name)))
            continue;
        *months = units[i].months;
        *seconds = units[i].seconds;
        return true;
    }
    return false;
}

bool select_fail(const char *what, str text, size_t at, const char *expected,
                 struct err *err)
{
    str rest = str_trim_line(str_skip(text, at));
    size_t blank = str_find_char(rest, ' ');
    rest = utf8_cut(rest, blank < SHOWN_MAX ? blank : SHOWN_MAX);
    if (rest.n == 0)
        return err_named(err, E_INVALID_QUERY,
                         "%s: expected %s at byte %zu, found the end", what, expected,
                         at);
    return err_named(err, E_INVALID_QUERY,
                     "%s: expected %s at byte %zu, found '" STR_FMT "'", what, expected,
                     at, STR_ARG(rest));
}

/* --- characters --- */

static char select_lex_look(str s, size_t i)
{
    return i < s.n ? s.p[i] : '\0';
}

static bool is_name_byte(char c)
{
    return is_letter(c) || c == '_' || (c & 0x80);
}

static bool is_plain(str s, size_t i)
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
    return is_plain(s, i + 1) && !(c == '-' && is_moved_date(str_slice(s, start, i),
                                                             select_lex_look(s, i + 1)));
}

/* The end of the part of a word at i, which may be in backticks; i if there is none. */
static size_t part_end(str s, size_t start, size_t i)
{
    if (select_lex_look(s, i) == '`')
        return backtick_end(s, i);
    while (is_plain(s, i) ||
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
static bool goes_on(str s, size_t i)
{
    char c = select_lex_look(s, i);
    return is_plain(s, i) ||
           ((c == '-' || c == '/') && is_name_byte(select_lex_look(s, i + 1)) &&
            text_space(s, i + 1) == 0);
}

/* "7d", "7 days": whole numbers only. */
static bool lex_duration(str s, struct select_token *t)
{
    size_t start = text_skip_spaces(s, t->end), end = start;
    int64_t months, seconds;
    while (is_plain(s, end))
        end++;
    if (t->kind != SELECT_INTEGER || t->number > DURATION_MAX || goes_on(s, end) ||
        !select_unit(str_slice(s, start, end), &months, &seconds))
        return false;
    t->kind = SELECT_DURATION;
    t->months = months * t->number;
    t->seconds = seconds * t->number;
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

static bool lex_digits(const struct select_plan *p, const char *what, str s,
                       struct select_token *t, struct err *err)
{
    str rest = str_skip(s, t->at);
    size_t date = date_parse(rest, p->reader.utc_offset, &t->date);
    if (date > 0 && !goes_on(s, t->at + date)) {
        t->kind = SELECT_DATE;
        t->end = t->at + date;
        return true;
    }
    if (date == 0 && date_looks_like(rest))
        return select_fail(what, s, t->at, "a date that exists", err);
    lex_number(s, t);
    if (!lex_duration(s, t) && goes_on(s, t->end)) {
        t->kind = SELECT_WORD;
        t->end = word_end(s, t->at);
        if (t->end == t->at)
            return select_fail(what, s, t->at, "a closing backtick", err);
    }
    return true;
}

/* --- everything else --- */

static bool lex_quoted(struct arena *a, const char *what, str s, struct select_token *t,
                       struct err *err)
{
    struct sbuf text = SBUF_ON(a);
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
    return select_fail(what, s, t->at, "a closing quote for the text that begins", err);
}

static bool lex_tag(const char *what, str s, struct select_token *t, struct err *err)
{
    size_t end = t->at + 1;
    while (is_plain(s, end) || select_lex_look(s, end) == '-' ||
           select_lex_look(s, end) == '/')
        end++;
    t->kind = SELECT_TAG;
    t->end = end;
    return end > t->at + 1 || select_fail(what, s, t->at, "a tag such as #work", err);
}

static bool lex_link(const char *what, str s, struct select_token *t, struct err *err)
{
    size_t n = str_find(str_skip(s, t->at), STR("]]"));
    t->kind = SELECT_LINK;
    t->end = t->at + n + 2;
    return n != STR_NONE ||
           select_fail(what, s, t->at, "a closing ]] for the link that begins", err);
}

static bool lex_sign(const char *what, str s, struct select_token *t, struct err *err)
{
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
    return select_fail(what, s, t->at, "a field, a value or an operator", err);
}

static bool lex_some(const struct select_plan *p, const char *what, str s,
                     struct select_token *t, struct err *err)
{
    char c = s.p[t->at];
    if (is_digit(c))
        return lex_digits(p, what, s, t, err);
    if (c == '"' || c == '\'')
        return lex_quoted(p->arena, what, s, t, err);
    if (c == '#')
        return lex_tag(what, s, t, err);
    if (str_starts(str_skip(s, t->at), STR("[[")))
        return lex_link(what, s, t, err);
    if (!is_name_byte(c) && c != '`')
        return lex_sign(what, s, t, err);
    t->kind = SELECT_WORD;
    t->end = word_end(s, t->at);
    return t->end > t->at || select_fail(what, s, t->at, "a closing backtick", err);
}

bool select_lex(const struct select_plan *p, const char *what, str text, size_t at,
                struct select_token *out, struct err *err)
{
    struct select_token t = {.at = text_skip_spaces(text, at)};
    t.end = t.at;
    if (t.at < text.n && !lex_some(p, what, text, &t, err))
        return false;
    if (t.kind != SELECT_QUOTED)
        t.text = str_slice(text, t.at + (t.kind == SELECT_TAG), t.end);
    *out = t;
    return true;
}
