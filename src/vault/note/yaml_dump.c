#include "vault/note/yaml_dump.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/yaml_scalar.h"

enum {
    STEP = 2,            /* spaces per level */
    LAST_SEEN = 0xFFFFF, /* yaml_text.h uses the characters above */
};

/* --- which style a text takes --- */

static bool is_printable(uint32_t c)
{
    return (c >= 0x20 && c <= 0x7E) ||
           (c >= 0xA1 && c <= 0xFFFD && c != 0x2028 && c != 0x2029 && c != 0xFEFF) ||
           (c > 0xFFFF && c <= LAST_SEEN);
}

static bool is_printable_text(str s, bool breaks)
{
    for (size_t i = 0, n; i < s.n; i += n) {
        uint32_t c = utf8_decode(str_skip(s, i), &n);
        if (!is_printable(c) && !(breaks && c == '\n'))
            return false;
    }
    return true;
}

/* Words that are not text in YAML 1.1, but are in 1.2. */
static bool is_old_word(str s)
{
    static const char *const words[] = {"y",  "Y",   "yes", "Yes", "YES", "on",
                                        "On", "ON",  "n",   "N",   "no",  "No",
                                        "NO", "off", "Off", "OFF", "<<"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq(s, str_c(words[i])))
            return true;
    return false;
}

static bool is_date(str s)
{
    static const char form[] = "0000-00-00";
    if (s.n != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (form[i] == '-' ? s.p[i] != '-' : !is_digit(s.p[i]))
            return false;
    return true;
}

static bool is_binary(str digits)
{
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] != '0' && digits.p[i] != '1')
            return false;
    return digits.n > 0;
}

/* YAML 1.1 allows '_' in numbers, and binary numbers. */
static bool yaml_dump_is_number(struct arena *a, str s)
{
    struct sbuf digits = SBUF_ON(a);
    if (s.p[0] == '_' || s.p[s.n - 1] == '_')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '_')
            sbuf_char(&digits, s.p[i]);
    struct prop read = {.text = sbuf_str(&digits)};
    yaml_scalar_plain(&read);
    str number = str_starts(read.text, STR("+")) ? str_skip(read.text, 1) : read.text;
    return read.type != PROP_TEXT ||
           (str_starts(number, STR("0b")) && is_binary(str_skip(number, 2)));
}

/* Whether s needs no quotes, neither as a value nor as a key. */
static bool yaml_dump_is_plain(struct arena *a, str s)
{
    if (strchr(" -?:,[]{}#&*!|=>'\"%@`", s.p[0]) != NULL || s.p[s.n - 1] == ' ')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (strchr(",[]{}:", s.p[i]) != NULL || (s.p[i] == '#' && s.p[i - 1] == ' '))
            return false;
    return !is_old_word(s) && !is_date(s) && !yaml_dump_is_number(a, s);
}

/* --- the styles --- */

static void add_single(struct sbuf *out, str s)
{
    sbuf_char(out, '\'');
    for (size_t i = 0; i < s.n; i++)
        sbuf_add(out, s.p[i] == '\'' ? STR("''") : str_slice(s, i, i + 1));
    sbuf_char(out, '\'');
}

static void add_escape(struct sbuf *out, uint32_t c)
{
    static const struct {
        uint32_t c;
        const char *name;
    } names[] = {{0, "0"},     {7, "a"},    {8, "b"},    {'\t', "t"},   {'\n', "n"},
                 {0x0B, "v"},  {0x0C, "f"}, {'\r', "r"}, {0x1B, "e"},   {'"', "\""},
                 {'\\', "\\"}, {0x85, "N"}, {0xA0, "_"}, {0x2028, "L"}, {0x2029, "P"}};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (c == names[i].c) {
            sbuf_printf(out, "\\%s", names[i].name);
            return;
        }
    sbuf_printf(out, c <= 0xFF ? "\\x%02X" : c <= 0xFFFF ? "\\u%04X" : "\\U%08X", c);
}

static void add_double(struct sbuf *out, str s)
{
    sbuf_char(out, '"');
    for (size_t i = 0, n; i < s.n; i += n) {
        str rest = str_skip(s, i);
        uint32_t c = utf8_decode(rest, &n);
        if (is_printable(c) && c != '"' && c != '\\')
            sbuf_add(out, str_slice(rest, 0, n));
        else
            add_escape(out, c);
    }
    sbuf_char(out, '"');
}

static void add_spaces(struct sbuf *out, unsigned n)
{
    for (; n > 0; n--)
        sbuf_char(out, ' ');
}

/* Whether the text begins with a space, which a reader would take for indentation. */
static bool begins_with_space(str s)
{
    size_t i = 0;
    while (i < s.n && s.p[i] == '\n')
        i++;
    return i < s.n && s.p[i] == ' ';
}

static void add_literal(struct sbuf *out, str s, unsigned indent)
{
    bool clip = str_ends(s, STR("\n"));
    bool keep = str_ends(s, STR("\n\n")) || str_eq(s, STR("\n"));
    str rest = clip ? str_slice(s, 0, s.n - 1) : s, line;
    sbuf_add(out, begins_with_space(s) ? STR("|2") : STR("|"));
    sbuf_add(out, keep ? STR("+") : clip ? STR("") : STR("-"));
    while (str_next(&rest, '\n', &line)) {
        sbuf_char(out, '\n');
        add_spaces(out, line.n > 0 ? indent : 0);
        sbuf_add(out, line);
    }
}

static void yaml_dump_add_text(struct sbuf *out, str s, bool key, unsigned indent)
{
    bool lines = !key && str_find_char(s, '\n') != STR_NONE;
    if (!is_printable_text(s, lines))
        add_double(out, s);
    else if (lines)
        add_literal(out, s, indent);
    else if (s.n > 0 && yaml_dump_is_plain(out->arena, s))
        sbuf_add(out, s);
    else
        add_single(out, s);
}

/* --- values --- */

static void add_children(struct sbuf *out, const struct prop *p, unsigned indent);

static void add_scalar(struct sbuf *out, const struct prop *p, unsigned indent)
{
    if (p->type == PROP_LIST || p->type == PROP_MAP)
        sbuf_add(out, p->type == PROP_LIST ? STR("[]") : STR("{}"));
    else if (p->type == PROP_NULL)
        sbuf_add(out, STR("null"));
    else if (p->type == PROP_TEXT)
        yaml_dump_add_text(out, p->text, false, indent);
    else
        sbuf_add(out, p->text);
}

static void yaml_dump_add_item(struct sbuf *out, const struct prop *p, unsigned indent)
{
    sbuf_add(out, STR("- "));
    if (p->n > 0)
        add_children(out, p, indent + STEP);
    else
        add_scalar(out, p, indent + STEP);
}

static void add_member(struct sbuf *out, const struct prop *p, unsigned indent)
{
    yaml_dump_add_text(out, p->key, true, indent);
    sbuf_char(out, ':');
    if (p->n == 0) {
        sbuf_char(out, ' ');
        add_scalar(out, p, indent + STEP);
        return;
    }
    sbuf_char(out, '\n');
    add_spaces(out, indent + STEP);
    add_children(out, p, indent + STEP);
}

/*
 * The lines of a list or map; the first is indented already, the last has no line break.
 */
static void add_children(struct sbuf *out, const struct prop *p, unsigned indent)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (c != p->child) {
            sbuf_char(out, '\n');
            add_spaces(out, indent);
        }
        if (p->type == PROP_LIST)
            yaml_dump_add_item(out, c, indent);
        else
            add_member(out, c, indent);
    }
}

void yaml_dump(struct sbuf *out, const struct prop *map)
{
    add_children(out, map, 0);
    sbuf_char(out, '\n');
}
