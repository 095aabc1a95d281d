#include "base/toml_scalar.h"

#include "base/sbuf.h"
#include "base/utf8.h"

/* --- numbers, dates, times --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits of the alphabet with single underscores between them, from *at on. */
static bool digits(str s, size_t *at, const char *alphabet)
{
    size_t start = *at;
    for (; *at < s.n; ++*at) {
        if (s.p[*at] == '_' && *at > start && s.p[*at - 1] != '_' && *at + 1 < s.n)
            continue;
        if (strchr(alphabet, s.p[*at]) == NULL || s.p[*at] == '\0')
            break;
    }
    return *at > start && s.p[*at - 1] != '_';
}

static bool is_based(str s)
{
    static const char *const alphabets[] = {"0123456789abcdefABCDEF", "01234567", "01"};
    static const char letters[] = "xob";
    size_t at = 2;
    const char *letter = s.n > 2 && s.p[0] == '0' ? strchr(letters, s.p[1]) : NULL;
    return letter != NULL && s.p[1] != '\0' &&
           digits(s, &at, alphabets[letter - letters]) && at == s.n;
}

static bool is_decimal(str s)
{
    static const char ten[] = "0123456789";
    size_t at = s.n > 0 && (s.p[0] == '+' || s.p[0] == '-'), start = at;
    str rest = str_skip(s, at);
    if (str_eq(rest, STR("inf")) || str_eq(rest, STR("nan")))
        return true;
    if (!digits(s, &at, ten) || (s.p[start] == '0' && at > start + 1))
        return false;
    if (at < s.n && s.p[at] == '.') {
        at++;
        if (!digits(s, &at, ten))
            return false;
    }
    if (at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
        at++;
        at += at < s.n && (s.p[at] == '+' || s.p[at] == '-');
        if (!digits(s, &at, ten))
            return false;
    }
    return at == s.n;
}

/* Whether s begins with the pattern, in which d is any digit. */
static bool looks_like(str s, const char *pattern)
{
    size_t n = strlen(pattern);
    if (s.n < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (pattern[i] == 'd' ? !is_digit(s.p[i]) : s.p[i] != pattern[i])
            return false;
    return true;
}

static int two(str s, size_t at)
{
    return (s.p[at] - '0') * 10 + (s.p[at + 1] - '0');
}

static bool is_day(str s)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!looks_like(s, "dddd-dd-dd"))
        return false;
    int year = two(s, 0) * 100 + two(s, 2), month = two(s, 5), day = two(s, 8);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year > 0 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (leap && month == 2);
}

/* A time of the day from the start of s; its length, 0 when there is none. */
static size_t time_length(str s)
{
    if (!looks_like(s, "dd:dd:dd") || two(s, 0) > 23 || two(s, 3) > 59 || two(s, 6) > 59)
        return 0;
    size_t n = 8;
    if (n + 1 < s.n && s.p[n] == '.' && is_digit(s.p[n + 1]))
        for (n += 2; n < s.n && is_digit(s.p[n]);)
            n++;
    return n;
}

static bool is_moment(str s)
{
    enum { DAY = 10 };
    if (!is_day(s))
        return false;
    if (s.n == DAY)
        return true;
    str rest = str_skip(s, DAY + 1);
    size_t n =
        strchr("Tt ", s.p[DAY]) != NULL && s.p[DAY] != '\0' ? time_length(rest) : 0;
    rest = str_skip(rest, n);
    if (n == 0 || rest.n == 0)
        return n > 0;
    if (rest.n == 1)
        return rest.p[0] == 'Z' || rest.p[0] == 'z';
    return rest.n == 6 && (looks_like(rest, "+dd:dd") || looks_like(rest, "-dd:dd")) &&
           two(rest, 1) <= 23 && two(rest, 4) <= 59;
}

bool toml_word(str word, enum json_type *type)
{
    *type = JSON_NULL;
    if (is_decimal(word)) {
        bool odd = str_find_char(word, '_') != STR_NONE || word.p[0] == '+' ||
                   str_find_char(word, 'n') != STR_NONE;
        *type = odd ? JSON_NULL : JSON_NUMBER;
        return true;
    }
    return is_based(word) || is_moment(word) ||
           (word.n > 0 && time_length(word) == word.n);
}

/* --- strings --- */

struct strings {
    str text;
    size_t at;
    struct sbuf out;
};

static bool is_feed(const struct strings *s)
{
    return str_starts(str_skip(s->text, s->at), STR("\n")) ||
           str_starts(str_skip(s->text, s->at), STR("\r\n"));
}

static void skip_feed(struct strings *s)
{
    s->at += s->text.p[s->at] == '\r' ? 2 : 1;
}

static const char *code_point(struct strings *s, size_t n)
{
    uint32_t c = 0;
    char utf8[4];
    for (size_t i = 0; i < n; i++, s->at++) {
        static const char hex[] = "0123456789abcdef";
        char lower = s->at < s->text.n ? (char)(s->text.p[s->at] | 0x20) : '\0';
        bool digit = s->at < s->text.n && is_digit(s->text.p[s->at]);
        const char *found =
            digit || (lower >= 'a' && lower <= 'f') ? strchr(hex, lower) : NULL;
        if (found == NULL)
            return "a hexadecimal digit is expected here";
        c = c << 4 | (uint32_t)(found - hex);
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return "there is no such character";
    sbuf_add(&s->out, (str){utf8, utf8_encode(c, utf8)});
    return NULL;
}

/* Behind a backslash at the end of a line: everything up to the next word. */
static const char *skip_lines(struct strings *s)
{
    bool feed = false;
    for (; s->at < s->text.n; s->at++) {
        char c = s->text.p[s->at];
        if (is_feed(s)) {
            feed = true;
            skip_feed(s);
            s->at--;
        } else if (c != ' ' && c != '\t') {
            break;
        }
    }
    return feed ? NULL : "this character cannot be escaped";
}

static const char *escape(struct strings *s, bool multi)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    char c = s->at < s->text.n ? s->text.p[s->at] : '\0';
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found != NULL) {
        sbuf_char(&s->out, to[found - from]);
        s->at++;
        return NULL;
    }
    if (c == 'u' || c == 'U') {
        s->at++;
        return code_point(s, c == 'u' ? 4 : 8);
    }
    return multi ? skip_lines(s) : "this character cannot be escaped";
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7F;
}

/* One character of a string, or an escape. */
static const char *character(struct strings *s, char quote, bool multi)
{
    char c = s->text.p[s->at];
    if (c == '\\' && quote == '"') {
        s->at++;
        return escape(s, multi);
    }
    if (multi && is_feed(s)) {
        sbuf_char(&s->out, '\n');
        skip_feed(s);
        return NULL;
    }
    if (is_control(c))
        return c == '\n' || c == '\r' ? "this string does not end on its line"
                                      : "a string cannot have a control character in it";
    sbuf_char(&s->out, c);
    s->at++;
    return NULL;
}

/* Quotes in a row from at on. */
static size_t quotes(const struct strings *s, char quote)
{
    size_t n = 0;
    while (s->at + n < s->text.n && s->text.p[s->at + n] == quote)
        n++;
    return n;
}

static const char *multi_string(struct strings *s, char quote)
{
    enum { CLOSING = 3, CLOSING_MAX = 5 };
    s->at += CLOSING;
    if (is_feed(s))
        skip_feed(s);
    while (s->at < s->text.n) {
        size_t n = quotes(s, quote);
        if (n > CLOSING_MAX)
            n = CLOSING_MAX;
        for (size_t i = 0; i < (n < CLOSING ? n : n - CLOSING); i++)
            sbuf_char(&s->out, quote);
        s->at += n;
        if (n >= CLOSING)
            return NULL;
        const char *wrong = n == 0 ? character(s, quote, true) : NULL;
        if (wrong != NULL)
            return wrong;
    }
    return "this string does not end";
}

static const char *line_string(struct strings *s, char quote)
{
    s->at++;
    while (s->at < s->text.n) {
        if (s->text.p[s->at] == quote) {
            s->at++;
            return NULL;
        }
        const char *wrong = character(s, quote, false);
        if (wrong != NULL)
            return wrong;
    }
    return "this string does not end";
}

const char *toml_string(struct arena *a, str text, size_t *at, bool multi_line, str *out)
{
    struct strings s = {text, *at, SBUF_ON(a)};
    char quote = text.p[*at];
    bool multi = multi_line && quotes(&s, quote) >= 3;
    const char *wrong = multi ? multi_string(&s, quote) : line_string(&s, quote);
    *at = s.at;
    *out = sbuf_str(&s.out);
    return wrong;
}
