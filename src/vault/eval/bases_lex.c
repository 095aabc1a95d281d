#include "vault/eval/bases_lex.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/eval/expr.h"

static char bases_lex_byte_at(str s, size_t i)
{
    return i < s.n ? s.p[i] : '\0';
}

/* --- names and numbers --- */

/* The length of a letter of a name at at; 0 if there is none. */
static size_t name_letter(str s, size_t at, bool first)
{
    size_t n = 1;
    char c = bases_lex_byte_at(s, at);
    if (at >= s.n)
        return 0;
    if (!(c & 0x80))
        return is_letter(c) || c == '_' || c == '$' || (!first && is_digit(c));
    return utf8_is_word(utf8_decode(str_skip(s, at), &n)) ? n : 0;
}

static void lex_name(str s, struct bases_token *t)
{
    size_t n;
    t->kind = BASES_NAME;
    for (t->end = t->at; (n = name_letter(s, t->end, t->end == t->at)) > 0;)
        t->end += n;
    t->text = str_slice(s, t->at, t->end);
}

/* A dot belongs to the number only if a digit follows: 1.isTruthy() is a call. */
static bool lex_number(struct expr_maker *m, struct bases_token *t)
{
    str s = m->text;
    char copy[400];
    size_t end = text_skip_digits(s, t->at);
    if (bases_lex_byte_at(s, end) == '.' && is_digit(bases_lex_byte_at(s, end + 1)))
        end = text_skip_digits(s, end + 1);
    size_t sign =
        bases_lex_byte_at(s, end + 1) == '-' || bases_lex_byte_at(s, end + 1) == '+';
    if ((bases_lex_byte_at(s, end) | 0x20) == 'e' &&
        is_digit(bases_lex_byte_at(s, end + 1 + sign)))
        end = text_skip_digits(s, end + 1 + sign);
    t->kind = BASES_NUMBER;
    t->end = end;
    t->text = str_slice(s, t->at, end);
    if (t->text.n >= sizeof(copy))
        return expr_fail(m, t->at, "a number with fewer digits");
    memcpy(copy, t->text.p, t->text.n);
    copy[t->text.n] = '\0';
    t->number = strtod(copy, NULL);
    return true;
}

/* --- strings --- */

/* Four hexadecimal digits. */
static bool read_hex(str s, size_t at, uint32_t *out)
{
    *out = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = to_lower(bases_lex_byte_at(s, i));
        if (!is_hex(c))
            return false;
        *out = *out * 16 + (uint32_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static void bases_lex_add_char(struct sbuf *b, uint32_t c)
{
    char utf8[4];
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    sbuf_add(b, (str){utf8, utf8_encode(surrogate ? 0xFFFD : c, utf8)});
}

/* \uXXXX at at, or a pair of them; returns its end, or at if it is not one. */
static size_t lex_unicode(str s, size_t at, struct sbuf *b)
{
    uint32_t high, low;
    if (bases_lex_byte_at(s, at + 1) != 'u' || !read_hex(s, at + 2, &high))
        return at;
    at += 6;
    if (high >= 0xD800 && high < 0xDC00 && bases_lex_byte_at(s, at) == '\\' &&
        bases_lex_byte_at(s, at + 1) == 'u' && read_hex(s, at + 2, &low) &&
        low >= 0xDC00 && low <= 0xDFFF) {
        high = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        at += 6;
    }
    bases_lex_add_char(b, high);
    return at;
}

/* The escape at at, which is a backslash; returns its end. */
static size_t lex_escape(str s, size_t at, struct sbuf *b)
{
    static const char names[] = "ntr", meanings[] = "\n\t\r";
    size_t n, end = lex_unicode(s, at, b);
    if (end > at)
        return end;
    str rest = str_skip(s, at + 1);
    if (rest.n == 0)
        return at + 1;
    size_t known = str_find_char(str_c(names), rest.p[0]);
    (void)utf8_decode(rest, &n);
    if (known != STR_NONE)
        sbuf_char(b, meanings[known]);
    else
        sbuf_add(b, str_slice(rest, 0, n));
    return at + 1 + n;
}

static bool lex_string(struct expr_maker *m, struct bases_token *t)
{
    str s = m->text;
    struct sbuf b = SBUF_ON(m->arena);
    size_t i = t->at + 1;
    while (i < s.n && s.p[i] != s.p[t->at]) {
        if (s.p[i] == '\\')
            i = lex_escape(s, i, &b);
        else
            sbuf_char(&b, s.p[i++]);
    }
    if (i >= s.n)
        return expr_fail(m, t->at, "a closing quote for the text that begins");
    t->kind = BASES_STRING;
    t->text = sbuf_str(&b);
    t->end = i + 1;
    return true;
}

/* --- regular expressions and signs --- */

static bool lex_regexp(struct expr_maker *m, struct bases_token *t)
{
    str s = m->text;
    bool in_class = false;
    size_t i = t->at + 1;
    for (; i < s.n && s.p[i] != '\n' && (s.p[i] != '/' || in_class); i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '[' || s.p[i] == ']')
            in_class = s.p[i] == '[';
    }
    if (bases_lex_byte_at(s, i) != '/')
        return expr_fail(m, t->at, "a closing / for the regular expression that begins");
    size_t flags = i + 1;
    t->kind = BASES_REGEXP;
    t->text = str_slice(s, t->at + 1, i);
    for (t->end = flags; is_letter(bases_lex_byte_at(s, t->end));)
        t->end++;
    t->flags = str_slice(s, flags, t->end);
    for (size_t k = 0; k < t->flags.n; k++)
        if (str_find_char(STR("gimsuy"), t->flags.p[k]) == STR_NONE)
            return expr_fail(m, flags + k, "a flag of g, i, m, s, u and y");
    return true;
}

static bool bases_lex_lex_sign(struct expr_maker *m, struct bases_token *t)
{
    static const str signs[] = {STR("=="), STR("!="), STR(">="), STR("<="), STR("&&"),
                                STR("||"), STR("+"),  STR("-"),  STR("*"),  STR("/"),
                                STR("%"),  STR("!"),  STR(">"),  STR("<"),  STR("("),
                                STR(")"),  STR("["),  STR("]"),  STR("{"),  STR("}"),
                                STR("."),  STR(","),  STR(":")};
    str rest = str_skip(m->text, t->at);
    t->kind = BASES_SIGN;
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        if (!str_starts(rest, signs[i]))
            continue;
        t->end = t->at + signs[i].n;
        t->text = signs[i];
        return true;
    }
    return expr_fail(m, t->at,
                     rest.p[0] == '=' ? "an operator (equality is written ==)"
                                      : "a value or an operator");
}

static bool follows_value(const struct bases_token *before)
{
    static const str closing = STR(")]}");
    if (before->kind == BASES_SIGN)
        return before->text.n == 1 &&
               str_find_char(closing, before->text.p[0]) != STR_NONE;
    return before->kind != BASES_END;
}

bool bases_lex(struct expr_maker *m, struct bases_token *t)
{
    bool divides = follows_value(t);
    *t = (struct bases_token){.at = text_skip_spaces(m->text, t->end)};
    t->end = t->at;
    if (t->at >= m->text.n)
        return true;
    char c = m->text.p[t->at];
    if (is_digit(c) ||
        (c == '.' && !divides && is_digit(bases_lex_byte_at(m->text, t->at + 1))))
        return lex_number(m, t);
    if (c == '"' || c == '\'')
        return lex_string(m, t);
    if (c == '/' && !divides)
        return lex_regexp(m, t);
    if (name_letter(m->text, t->at, true) == 0)
        return bases_lex_lex_sign(m, t);
    lex_name(m->text, t);
    return true;
}
