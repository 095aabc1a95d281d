#include "vault/note/frontmatter.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/frontmatter_parts.h"
#include "vault/note/prop.h"
#include "vault/note/yaml_tree.h"
#include "vault/text/yaml_text.h"

enum { MENDS_MAX = 32 };

static bool read_yaml(struct arena *a, str block, uint32_t first_line,
                      const struct frontmatter_limits *limits, struct prop **root,
                      struct err *err)
{
    struct yaml_source from = {
        .arena = a,
        .block = block,
        .text = block,
        .first_line = first_line,
        .limits = limits,
    };
    struct yaml_stop stop;
    if (!yaml_text_is_plain(block) || !str_ends(block, STR("\n")))
        from.hidden = yaml_text_hide(a, block, &from.text);
    for (int mends = 0; !yaml_tree_read(&from, root, &stop, err); mends++) {
        if (mends == MENDS_MAX ||
            (!from.hidden && !yaml_text_hide(a, block, &from.text)) ||
            !yaml_text_mend(a, &from.text, stop.at, stop.problem))
            return false;
        from.hidden = true;
    }
    return true;
}

bool frontmatter_full(struct arena *a, str block, uint32_t first_line, struct prop **root,
                      struct err *err)
{
    static const struct frontmatter_limits limits = {
        .bytes = FRONTMATTER_MAX_BYTES,
        .depth = FRONTMATTER_MAX_DEPTH,
        .values = FRONTMATTER_MAX_VALUES,
    };
    return read_yaml(a, block, first_line, &limits, root, err);
}

bool frontmatter_read_map(struct arena *a, str text, uint32_t first_line,
                          const struct frontmatter_limits *limits, struct prop **root,
                          struct err *err)
{
    if (text.n > limits->bytes)
        return err_set(err, ERR_LIMIT, "line %u: the text has %zu bytes, more than %zu",
                       first_line, text.n, limits->bytes);
    return read_yaml(a, text, first_line, limits, root, err);
}

void frontmatter_read(struct arena *a, str block, uint32_t first_line,
                      struct frontmatter *out)
{
    *out = (struct frontmatter){0};
    if (block.n > FRONTMATTER_MAX_BYTES)
        out->broken =
            !err_set(&out->why, ERR_LIMIT,
                     "line %u, column 1: the properties have %zu bytes, more than %d",
                     first_line, block.n, FRONTMATTER_MAX_BYTES);
    else
        out->broken = !frontmatter_simple(a, block, first_line, &out->props) &&
                      !frontmatter_full(a, block, first_line, &out->props, &out->why);
    if (out->broken)
        out->props = NULL;
}

const struct prop *frontmatter_get(const struct frontmatter *f, str key)
{
    if (f->props == NULL)
        return NULL;
    const struct prop *other = NULL;
    for (const struct prop *m = f->props->child; m != NULL; m = m->next) {
        if (str_eq(m->key, key))
            return m;
        if (other == NULL && prop_same_name(m->key, key))
            other = m;
    }
    return other;
}

/*
 * The tag without '#'. Empty if it is not a tag: it has a space or comma, or only digits.
 */
static str valid_tag(str s)
{
    if (s.n > 0 && s.p[0] == '#')
        s = str_skip(s, 1);
    bool digits = true;
    for (size_t i = 0; i < s.n; i++) {
        if ((uint8_t)s.p[i] <= ' ' || s.p[i] == ',')
            return STR("");
        digits = digits && is_digit(s.p[i]);
    }
    return digits ? STR("") : s;
}

static str valid_alias(str s)
{
    return str_trim_line(s);
}

/* The valid texts of a list, or of a single text. */
static struct str_list texts(struct arena *a, const struct prop *p, str (*valid)(str))
{
    struct str_list list = {0};
    if (p == NULL || (p->type != PROP_LIST && p->type != PROP_TEXT))
        return list;
    bool many = p->type == PROP_LIST;
    list.items = ARENA_ARRAY(a, str, many ? p->n : 1);
    for (const struct prop *c = many ? p->child : p; c != NULL;
         c = many ? c->next : NULL) {
        str text = c->type == PROP_TEXT ? valid(c->text) : STR("");
        if (text.n > 0)
            list.items[list.n++] = text;
    }
    return list;
}

struct str_list frontmatter_tags(struct arena *a, const struct frontmatter *f)
{
    return texts(a, frontmatter_get(f, STR("tags")), valid_tag);
}

struct str_list frontmatter_aliases(struct arena *a, const struct frontmatter *f)
{
    return texts(a, frontmatter_get(f, STR("aliases")), valid_alias);
}

static bool frontmatter_has_any(str s, const char *bytes)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\0' && strchr(bytes, s.p[i]) != NULL)
            return true;
    return false;
}

static bool is_wikilink(str s)
{
    return s.n > 4 && str_starts(s, STR("[[")) && str_ends(s, STR("]]")) &&
           !frontmatter_has_any(str_slice(s, 2, s.n - 2), "[]\r\n");
}

/* The position of the bracket that closes the one at the start of s, or STR_NONE. */
static size_t closing(str s, char open, char close)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == open)
            depth++;
        else if (s.p[i] == close && --depth == 0)
            return i;
    }
    return STR_NONE;
}

static bool is_markdown_link(str s)
{
    if (s.n < 4 || s.p[0] != '[' || frontmatter_has_any(s, "\r\n"))
        return false;
    size_t label = closing(s, '[', ']');
    if (label == STR_NONE || label + 1 >= s.n || s.p[label + 1] != '(')
        return false;
    str rest = str_skip(s, label + 1);
    if (rest.n > 2 &&
        rest.p[1] == '<') { /* <…> may contain parentheses; a title may follow */
        size_t angle = str_find_char(rest, '>');
        str after = str_skip(rest, angle != STR_NONE ? angle + 1 : rest.n);
        return after.n > 0 && str_find_char(after, ')') == after.n - 1;
    }
    return closing(rest, '(', ')') == rest.n - 1;
}

bool frontmatter_is_link(str value)
{
    return is_wikilink(value) || is_markdown_link(value);
}

static void walk(const struct prop *p, void (*fn)(void *arg, str link, uint32_t line),
                 void *arg)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (c->type == PROP_TEXT && frontmatter_is_link(c->text))
            fn(arg, c->text, c->line);
        walk(c, fn, arg);
    }
}

void frontmatter_links(const struct frontmatter *f,
                       void (*fn)(void *arg, str link, uint32_t line), void *arg)
{
    if (f->props != NULL)
        walk(f->props, fn, arg);
}
