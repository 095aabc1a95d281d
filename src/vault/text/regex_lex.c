/*
 * The letters of a pattern: the cursor, escapes, and characters written for the engine.
 */
#include "base/text.h"
#include "vault/text/regex_rust.h"

#include "base/utf8.h"

bool rust_fail(struct rust_parser *p, size_t at, const char *what)
{
    return err_set(p->err, ERR_INVALID, "invalid regular expression at byte %zu: %s", at,
                   what);
}

bool rust_ended(const struct rust_parser *p)
{
    return p->at >= p->in.n;
}

uint32_t rust_char(const struct rust_parser *p)
{
    size_t n;
    return rust_ended(p) ? 0 : utf8_decode(str_skip(p->in, p->at), &n);
}

bool rust_bump(struct rust_parser *p)
{
    size_t n = 0;
    if (!rust_ended(p))
        utf8_decode(str_skip(p->in, p->at), &n);
    p->at += n;
    return !rust_ended(p);
}

bool rust_is_blank(uint32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

void rust_skip_blanks(struct rust_parser *p)
{
    while ((p->flags & RUST_BLANKS) && !rust_ended(p)) {
        if (rust_is_blank(rust_char(p))) {
            rust_bump(p);
        } else if (rust_char(p) == '#') {
            while (rust_bump(p) && rust_char(p) != '\n')
                ;
        } else {
            break;
        }
    }
}

bool rust_bump_blanks(struct rust_parser *p)
{
    rust_bump(p);
    rust_skip_blanks(p);
    return !rust_ended(p);
}

uint32_t rust_peek(const struct rust_parser *p, bool skip_blanks)
{
    struct rust_parser ahead = *p;
    rust_bump(&ahead);
    if (skip_blanks)
        rust_skip_blanks(&ahead);
    return rust_char(&ahead);
}

void rust_write_char(struct sbuf *b, uint32_t c)
{
    char utf8[4];
    if (c >= 0x80)
        sbuf_add(b, (str){utf8, utf8_encode(c, utf8)});
    else if (c < 0x20 || c == 0x7F)
        sbuf_printf(b, "\\x%02x", c);
    else if (is_alnum((int)c) || strchr(" _\"'!%,/;<>@`", (int)c) != NULL)
        sbuf_char(b, (char)c);
    else
        sbuf_printf(b, "\\%c", (int)c);
}

bool rust_is_caseless(const struct rust_parser *p)
{
    return (p->flags & RUST_NOCASE) &&
           ((p->flags & RUST_UNICODE) || p->options->target != RUST_UTF);
}

void rust_set_caseless(struct rust_parser *p, bool on)
{
    if (p->caseless != on)
        sbuf_add(&p->out, on ? STR("(?i)") : STR("(?-i)"));
    p->caseless = on;
}

static int hex_digit(uint32_t c)
{
    if (is_digit((int)c))
        return (int)c - '0';
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (int)(c | 0x20) - 'a' + 10 : -1;
}

static bool hex_value(struct rust_parser *p, size_t at, uint64_t value, uint32_t *out)
{
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return rust_fail(p, at, "hexadecimal literal is not a Unicode scalar value");
    *out = (uint32_t)value;
    return true;
}

/* \x{...}, with the cursor on the brace. */
static bool hex_braces(struct rust_parser *p, uint32_t *out)
{
    size_t brace = p->at;
    uint64_t value = 0;
    bool any = false;
    while (rust_bump_blanks(p) && rust_char(p) != '}') {
        int digit = hex_digit(rust_char(p));
        if (digit < 0)
            return rust_fail(p, p->at, "invalid hexadecimal digit");
        value = value > 0xFFFFFFF ? UINT32_MAX : value << 4 | (unsigned)digit;
        any = true;
    }
    if (rust_ended(p))
        return rust_fail(p, brace, "incomplete escape sequence");
    rust_bump_blanks(p);
    if (!any)
        return rust_fail(p, brace, "hexadecimal literal empty");
    return hex_value(p, brace + 1, value, out);
}

/* With the cursor on x, u or U. */
static bool hex_escape(struct rust_parser *p, struct rust_item *out)
{
    uint32_t kind = rust_char(p);
    if (!rust_bump_blanks(p))
        return rust_fail(p, p->at, "incomplete escape sequence");
    if (rust_char(p) == '{')
        return hex_braces(p, &out->c);
    size_t start = p->at;
    uint64_t value = 0;
    for (int i = 0, n = kind == 'x' ? 2 : kind == 'u' ? 4 : 8; i < n; i++) {
        if (i > 0 && !rust_bump_blanks(p))
            return rust_fail(p, p->at, "incomplete escape sequence");
        int digit = hex_digit(rust_char(p));
        if (digit < 0)
            return rust_fail(p, p->at, "invalid hexadecimal digit");
        value = value << 4 | (unsigned)digit;
    }
    rust_bump_blanks(p);
    out->byte = kind == 'x';
    return hex_value(p, start, value, &out->c);
}

/* The character that a one-letter escape means, or 0. */
static uint32_t simple_escape(const struct rust_parser *p, uint32_t c)
{
    static const char names[] = "aftnrv", values[] = "\a\f\t\n\r\v";
    if (c == 0 || c >= 0x80)
        return 0;
    if (strchr("\\.+*?()|[]{}^$#&-~", (int)c) != NULL ||
        (c == ' ' && (p->flags & RUST_BLANKS)))
        return c;
    const char *at = strchr(names, (int)c);
    return at != NULL ? (uint32_t)values[at - names] : 0;
}

bool rust_escape(struct rust_parser *p, struct rust_item *out)
{
    *out = (struct rust_item){.kind = RUST_CHAR, .start = p->at};
    if (!rust_bump(p))
        return rust_fail(p, out->start, "incomplete escape sequence");
    uint32_t c = rust_char(p);
    if (is_digit((int)c))
        return rust_fail(p, out->start, "backreferences are not supported");
    if (c == 'x' || c == 'u' || c == 'U')
        return hex_escape(p, out);
    if (c == 'p' || c == 'P') {
        out->kind = RUST_SET;
        return rust_property(p, &out->set);
    }
    rust_bump(p);
    if (c != 0 && c < 0x80 && strchr("dswDSW", (int)c) != NULL) {
        out->kind = RUST_SET;
        out->set = rust_perl_class(p, (char)c);
        return true;
    }
    if (c == 'A' || c == 'z' || c == 'b' || c == 'B') {
        out->kind = RUST_ASSERT;
        out->c = c;
        return true;
    }
    out->c = simple_escape(p, c);
    return out->c != 0 || rust_fail(p, out->start, "unrecognized escape sequence");
}
