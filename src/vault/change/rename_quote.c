/* Changes in quoted and escaped values: only the changed part is rewritten. */
#include "base/json_write.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/note/yaml_scalar.h"
#include "vault/text/yaml_text.h"

/* --- JSON --- */

static unsigned hex4(const char *p)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++) {
        unsigned c = (unsigned char)p[i];
        n = n * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return n;
}

/* Length of the character or escape at p, raw and in the value; p is valid JSON. */
static void json_piece(const char *p, size_t *raw, size_t *value)
{
    *raw = *value = 1;
    if (*p != '\\')
        return;
    *raw = 2;
    if (p[1] != 'u')
        return;
    char bytes[4];
    unsigned c = hex4(p + 2);
    bool pair = c >= 0xD800 && c < 0xDC00;
    *raw = pair ? 12 : 6;
    *value = pair ? 4 : utf8_encode(c, bytes);
}

/* s as written between the quotes of a JSON string. */
static str json_escaped(struct arena *a, str s)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_str(&w, s);
    return str_slice(sbuf_str(&out), 1, out.n - 1);
}

str quote_json(struct arena *a, str raw, const struct splices *s)
{
    struct splices out = {.arena = a};
    size_t at = 1, value = 0, raw_n, value_n;
    for (size_t i = 0; i < s->n; i++) {
        const struct rename_splice *p = &s->items[i];
        size_t start = 0;
        for (;; at += raw_n, value += value_n) {
            if (value <= p->start)
                start = at;
            if (value >= p->end)
                break;
            json_piece(raw.p + at, &raw_n, &value_n);
        }
        rename_splice_add(&out, start, at, json_escaped(a, p->text));
    }
    return rename_splice_apply(&out, raw);
}

/* --- YAML --- */

static str rename_quote_joined(struct arena *a, str x, str y, str z)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, x);
    sbuf_add(&out, y);
    sbuf_add(&out, z);
    return sbuf_str(&out);
}

/* Escapes only where necessary, so a value without escapes keeps all its bytes. */
static str double_quoted(struct arena *a, str s)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_char(&out, '"');
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '"' || c == '\\')
            sbuf_char(&out, '\\');
        if ((unsigned char)c < 0x20 && c != '\t')
            sbuf_printf(&out, "\\x%02x", (unsigned)c);
        else
            sbuf_char(&out, c);
    }
    sbuf_char(&out, '"');
    return sbuf_str(&out);
}

static str single_quoted(struct arena *a, str s)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_char(&out, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            sbuf_char(&out, '\'');
        sbuf_char(&out, s.p[i]);
    }
    sbuf_char(&out, '\'');
    return sbuf_str(&out);
}

/* Whether s needs no quotes, even inside [ ]: only words, '-', '_' and '/'. */
static bool rename_quote_is_plain(str s)
{
    struct prop p = {.text = s};
    yaml_scalar_plain(&p);
    if (p.type != PROP_TEXT || !yaml_text_is_plain(s))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool word = is_alnum(c) || (unsigned char)c >= 0x80;
        if (!word && (i == 0 || (c != '-' && c != '/' && c != '_')))
            return false;
    }
    return true;
}

/* "|-" and ">-": replaced in place if the value occurs there in one piece. */
static str block_scalar(struct arena *a, str raw, str value, str after)
{
    size_t lf = str_find_char(raw, '\n');
    str lines = str_skip(raw, lf != STR_NONE ? lf : raw.n);
    size_t at = str_find(lines, value), end = raw.n;
    if (at != STR_NONE && value.n > 0)
        return rename_quote_joined(a, str_slice(raw, 0, raw.n - lines.n + at), after,
                                   str_skip(lines, at + value.n));
    while (end > 0 && (unsigned char)raw.p[end - 1] <= ' ')
        end--;
    return rename_quote_joined(a, double_quoted(a, after), str_skip(raw, end), STR(""));
}

bool quote_yaml(struct arena *a, str raw, str value, str after, str *out)
{
    size_t marks = yaml_scalar_marks(raw);
    str scalar = str_skip(raw, marks);
    if (scalar.n == 0 || scalar.p[0] == '*')
        return false;
    switch (scalar.p[0]) {
    case '\'':
        after = single_quoted(a, after);
        break;
    case '|':
    case '>':
        after = block_scalar(a, scalar, value, after);
        break;
    case '"':
        after = double_quoted(a, after);
        break;
    default:
        after = rename_quote_is_plain(after) ? after : double_quoted(a, after);
    }
    *out = rename_quote_joined(a, str_slice(raw, 0, marks), after, STR(""));
    return true;
}

/* Whether a name needs no quotes as a key of a block map. */
static bool is_plain_key(str s)
{
    struct prop p = {.text = s};
    yaml_scalar_plain(&p);
    bool plain = p.type == PROP_TEXT && yaml_text_is_plain(s) && !is_blank(s.p[0]) &&
                 !is_blank(s.p[s.n - 1]);
    for (size_t i = 0; i < s.n && plain; i++) {
        char c = s.p[i];
        bool word = is_alnum(c) || (unsigned char)c >= 0x80 || c == '_';
        plain = word || (i > 0 && (c == ' ' || c == '-' || c == '.' || c == '/'));
    }
    return plain;
}

bool quote_yaml_key(struct arena *a, str yaml, const struct prop *member, str name,
                    struct span *key, str *out)
{
    size_t start = member->key_start;
    char first = start < yaml.n ? yaml.p[start] : '\0';
    size_t quote = first == '"' || first == '\'', end = start + quote + member->key.n;
    if (!str_eq(str_slice(yaml, start + quote, end), member->key) ||
        (quote > 0 && (end >= yaml.n || yaml.p[end] != first)))
        return false;
    *key = (struct span){(uint32_t)start, (uint32_t)(end + quote)};
    *out = first == '\''                         ? single_quoted(a, name)
           : first == '"' || !is_plain_key(name) ? double_quoted(a, name)
                                                 : name;
    return true;
}
