#include "vault/note/yaml_emit.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/yaml_scalar.h"
#include "vault/text/yaml_text.h"

enum {
    STEP = 2,            /* spaces per level */
    LAST_SEEN = 0xFFFFF, /* yaml_text.h uses the characters above */
};

static bool yaml_emit_has_any(str s, const char *bytes)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\0' && strchr(bytes, s.p[i]) != NULL)
            return true;
    return false;
}

static bool is_blank_at(str s, size_t at)
{
    return at >= s.n || is_blank(s.p[at]);
}

/* Whether a plain scalar cannot begin like this. */
static bool begins_special(str s)
{
    if (strchr("[]{},#&*!|>'\"%@`", s.p[0]) != NULL)
        return true;
    return strchr("-?:", s.p[0]) != NULL && is_blank_at(s, 1);
}

/* ": ", " #", or ':' at the end. */
static bool has_mark(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] == ':' && is_blank_at(s, i + 1)) ||
            (s.p[i] == '#' && i > 0 && is_blank_at(s, i - 1)))
            return true;
    return false;
}

static bool is_seen(str s)
{
    if (!yaml_text_is_plain(s) || yaml_emit_has_any(s, "\t\r\n"))
        return false;
    for (size_t i = 0, n; i < s.n; i += n)
        if (utf8_decode(str_skip(s, i), &n) > LAST_SEEN)
            return false;
    return true;
}

/* Whether s without quotes reads back as the same text. */
static bool yaml_emit_is_plain(str s)
{
    if (s.n == 0 || is_blank_at(s, 0) || is_blank_at(s, s.n - 1) || begins_special(s) ||
        has_mark(s) || !is_seen(s))
        return false;
    struct prop read = {.text = s};
    yaml_scalar_plain(&read);
    return read.type == PROP_TEXT;
}

static void emit_escape(struct sbuf *out, uint32_t c)
{
    static const struct {
        char c, name;
    } short_ones[] = {{'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}, {'"', '"'}, {'\\', '\\'}};
    sbuf_char(out, '\\');
    for (size_t i = 0; i < COUNT_OF(short_ones); i++)
        if (c == (uint32_t)short_ones[i].c) {
            sbuf_char(out, short_ones[i].name);
            return;
        }
    sbuf_printf(out, c <= 0xFFFF ? "u%04X" : "U%08X", c);
}

static void emit_quoted(struct sbuf *out, str s)
{
    sbuf_char(out, '"');
    for (size_t i = 0, n; i < s.n; i += n) {
        str rest = str_skip(s, i);
        uint32_t c = utf8_decode(rest, &n);
        str as_is = str_slice(rest, 0, n);
        if (c == '"' || c == '\\' || !is_seen(as_is))
            emit_escape(out, c);
        else
            sbuf_add(out, as_is);
    }
    sbuf_char(out, '"');
}

/*
 * Whether a literal block reads back as s, whatever follows it: s has no leading spaces,
 * no lines of only spaces, and at most one line break at the end.
 */
static bool is_literal(str s)
{
    str rest = s, line;
    if (str_find_char(s, '\n') == STR_NONE || strchr(" \t\n", s.p[0]) != NULL ||
        str_ends(s, STR("\n\n")))
        return false;
    while (str_next(&rest, '\n', &line))
        if (!is_seen(line) || (line.n > 0 && str_trim(line).n == 0))
            return false;
    return true;
}

static void emit_break(struct sbuf *out, unsigned indent, str eol)
{
    sbuf_add(out, eol);
    for (; indent > 0; indent--)
        sbuf_char(out, ' ');
}

static void emit_literal(struct sbuf *out, str s, unsigned indent, str eol)
{
    bool clip = str_ends(s, STR("\n"));
    str rest = clip ? str_slice(s, 0, s.n - 1) : s, line;
    sbuf_add(out, clip ? STR("|") : STR("|-"));
    while (str_next(&rest, '\n', &line)) {
        emit_break(out, line.n > 0 ? indent : 0, eol);
        sbuf_add(out, line);
    }
}

/* A scalar, or an empty list or map. */
static void emit_inline(struct sbuf *out, const struct prop *p, unsigned indent,
                        const struct yaml_style *style)
{
    if (p->type == PROP_LIST || p->type == PROP_MAP)
        sbuf_add(out, p->type == PROP_LIST ? STR("[]") : STR("{}"));
    else if (p->type != PROP_TEXT)
        sbuf_add(out, p->type == PROP_NULL ? STR("") : p->text);
    else if (yaml_emit_is_plain(p->text))
        sbuf_add(out, p->text);
    else if (!style->no_literal && is_literal(p->text))
        emit_literal(out, p->text, indent, style->eol);
    else
        emit_quoted(out, p->text);
}

/* The lines of a list or map, the first without indentation. */
static void emit_children(struct sbuf *out, const struct prop *p, unsigned indent,
                          const struct yaml_style *style)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (c != p->child)
            emit_break(out, indent, style->eol);
        if (p->type == PROP_LIST) {
            yaml_emit_item(out, c, indent, style);
            continue;
        }
        yaml_emit_key(out, c->key);
        sbuf_char(out, ':');
        if (c->type != PROP_NULL && c->n == 0)
            sbuf_char(out, ' ');
        yaml_emit_value(out, c, indent + STEP, style);
    }
}

void yaml_emit_item(struct sbuf *out, const struct prop *item, unsigned indent,
                    const struct yaml_style *style)
{
    sbuf_add(out, item->type == PROP_NULL ? STR("-") : STR("- "));
    if (item->n > 0)
        emit_children(out, item, indent + STEP, style);
    else
        emit_inline(out, item, indent + STEP, style);
}

void yaml_emit_value(struct sbuf *out, const struct prop *value, unsigned indent,
                     const struct yaml_style *style)
{
    if (value->n == 0) {
        emit_inline(out, value, indent, style);
        return;
    }
    emit_break(out, indent, style->eol);
    emit_children(out, value, indent, style);
}

static void emit_flow_text(struct sbuf *out, str s, bool quoted)
{
    if (!quoted && yaml_emit_is_plain(s) && !yaml_emit_has_any(s, ",[]{}:?\"'"))
        sbuf_add(out, s);
    else
        emit_quoted(out, s);
}

void yaml_emit_flow(struct sbuf *out, const struct prop *value, bool quoted)
{
    if (value->type == PROP_NULL) {
        sbuf_add(out, STR("null"));
    } else if (value->type == PROP_TEXT) {
        emit_flow_text(out, value->text, quoted);
    } else if (value->n == 0) {
        emit_inline(out, value, 0, &(struct yaml_style){0});
    } else {
        bool map = value->type == PROP_MAP;
        sbuf_char(out, map ? '{' : '[');
        for (const struct prop *c = value->child; c != NULL; c = c->next) {
            sbuf_add(out, c == value->child ? STR("") : STR(", "));
            if (map)
                yaml_emit_flow_key(out, c->key);
            sbuf_add(out, map ? STR(": ") : STR(""));
            yaml_emit_flow(out, c, quoted);
        }
        sbuf_char(out, map ? '}' : ']');
    }
}

void yaml_emit_key(struct sbuf *out, str key)
{
    bool marker = str_starts(key, STR("---")) || str_starts(key, STR("..."));
    if (yaml_emit_is_plain(key) && !marker)
        sbuf_add(out, key);
    else
        emit_quoted(out, key);
}

void yaml_emit_flow_key(struct sbuf *out, str key)
{
    emit_quoted(out, key);
}
