/* Words, texts, links and tags of a DQL query. */
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/dql/dql_parser.h"
#include "vault/eval/expr.h"

static char dql_byte(const struct dql_parser *p, size_t at)
{
    return at < p->make.text.n ? p->make.text.p[at] : '\0';
}

char dql_look(struct dql_parser *p)
{
    str text = p->make.text;
    for (;;) {
        while (p->at < text.n && is_space(text.p[p->at]))
            p->at++;
        if (!str_starts(str_skip(text, p->at), STR("//")))
            return dql_byte(p, p->at);
        p->at = text_line_end(text, p->at);
    }
}

static bool is_word_start(char c)
{
    return is_letter(c) || c == '_' || (c & 0x80) != 0;
}

str dql_word(struct dql_parser *p)
{
    size_t end = p->at;
    if (!is_word_start(dql_look(p)))
        return (str){0};
    for (end = p->at; is_word_start(dql_byte(p, end)) || is_digit(dql_byte(p, end)) ||
                      dql_byte(p, end) == '-';)
        end++;
    return str_slice(p->make.text, p->at, end);
}

bool dql_take_word(struct dql_parser *p, const char *word)
{
    str next = dql_word(p);
    if (!str_eq_nocase(next, str_c(word)))
        return false;
    p->at += next.n;
    return true;
}

bool dql_take_sign(struct dql_parser *p, const char *sign)
{
    (void)dql_look(p);
    if (!str_starts(str_skip(p->make.text, p->at), str_c(sign)))
        return false;
    p->at += strlen(sign);
    return true;
}

bool dql_is_keyword(str word)
{
    static const str words[] = {STR("from"),  STR("where"), STR("sort"),
                                STR("group"), STR("limit"), STR("flatten"),
                                STR("as"),    STR("and"),   STR("or")};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq_nocase(word, words[i]))
            return true;
    return false;
}

bool dql_fail(struct dql_parser *p, const char *expected)
{
    (void)dql_look(p);
    return expr_fail(&p->make, p->at, expected);
}

bool dql_quoted(struct dql_parser *p, str *out)
{
    struct sbuf b = SBUF_ON(p->make.arena);
    for (size_t at = p->at + 1; at < p->make.text.n; at++) {
        char c = p->make.text.p[at];
        if (c == '"') {
            p->at = at + 1;
            *out = sbuf_str(&b);
            return true;
        }
        if (c == '\\' && (dql_byte(p, at + 1) == '"' || dql_byte(p, at + 1) == '\\'))
            c = p->make.text.p[++at];
        sbuf_char(&b, c);
    }
    return expr_fail(&p->make, p->at, "a text that is closed with \"");
}

bool dql_link(struct dql_parser *p, str *target, str *display)
{
    size_t start = p->at + (dql_byte(p, p->at) == '!') + 2;
    size_t n = str_find(str_skip(p->make.text, start), STR("]]"));
    if (n == STR_NONE)
        return expr_fail(&p->make, p->at, "a link that is closed with ]]");
    str inner = str_slice(p->make.text, start, start + n);
    size_t bar = str_find_char(inner, '|');
    *target = str_trim(str_slice(inner, 0, bar));
    *display = bar != STR_NONE ? str_trim(str_skip(inner, bar + 1)) : (str){0};
    p->at = start + n + 2;
    size_t at = (size_t)(target->p - p->make.text.p);
    dql_use(p, USE_LINK, at, at + target->n, *target);
    return true;
}

bool dql_tag(struct dql_parser *p, str *out)
{
    static const str ends = STR("\"'`,;:.!?()[]{}<>=+*%&|\\^$@~#");
    size_t start = p->at + 1, end = start;
    while (end < p->make.text.n && !is_space(p->make.text.p[end]) &&
           str_find_char(ends, p->make.text.p[end]) == STR_NONE)
        end++;
    if (end == start)
        return expr_fail(&p->make, p->at, "a tag");
    *out = str_slice(p->make.text, start, end);
    p->at = end;
    dql_use(p, USE_TAG, start, end, *out);
    return true;
}
