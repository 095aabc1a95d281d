/*
 * libyaml takes 10 µs for a small block, and a vault may have 10,000 of them. So the
 * forms that nearly all notes use are read here, and everything else is left to libyaml:
 *
 *     title: A plain text      no '#', no ':' before a space, no tab
 *     due date: "quoted"       no escape, on one line
 *     tags: [a, 'b', c d]      of plain words and quoted texts
 *     aliases:
 *       - x                    of plain and quoted texts, all with the same indentation
 *
 * Apart from these, only empty lines are allowed. A value that continues on the next line
 * is noticed, because that line is then neither a key nor an item.
 */
#include "base/text.h"
#include "vault/note/frontmatter_parts.h"
#include "vault/note/yaml_scalar.h"
#include "vault/text/yaml_text.h"

enum {
    LINES_MAX = 500, /* so that no limit on values can be exceeded */
    KEY_MAX = 200,   /* libyaml allows 1024 characters */
};

struct simple {
    struct arena *arena;
    str block;
    size_t at;         /* where the next line begins */
    uint32_t line;     /* its number */
    size_t start, end; /* the current line, without its line break */
};

static bool frontmatter_simple_next_line(struct simple *s)
{
    if (s->at >= s->block.n)
        return false;
    const char *from = s->block.p + s->at;
    const char *lf = memchr(from, '\n', s->block.n - s->at);
    s->start = s->at;
    s->end = lf != NULL ? (size_t)(lf - s->block.p) : s->block.n;
    s->at = lf != NULL ? s->end + 1 : s->end;
    s->end -= s->end > s->start && s->block.p[s->end - 1] == '\r';
    s->line++;
    return true;
}

/* Read the current line again. */
static void put_back(struct simple *s)
{
    s->at = s->start;
    s->line--;
}

static bool is_word(char c)
{
    return is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static struct prop *new_value(const struct simple *s, size_t start, size_t end)
{
    struct prop *p = ARENA_NEW(s->arena, struct prop);
    p->type = PROP_TEXT;
    p->text = str_slice(s->block, start, end);
    p->line = s->line;
    p->start = (uint32_t)start;
    p->end = (uint32_t)end;
    return p;
}

/* Plain text may begin with a word character or the sign of a number. */
static bool begins_plain(const char *p, size_t n)
{
    return is_word(p[0]) || (n > 1 && (p[0] == '-' || p[0] == '.') && is_digit(p[1]));
}

/* Plain text to the end of the line, or NULL. */
static struct prop *plain_line(const struct simple *s, size_t start, size_t end)
{
    const char *p = s->block.p;
    if (!begins_plain(p + start, end - start))
        return NULL;
    for (size_t i = start; i < end; i++)
        if (p[i] == '#' || p[i] == '\t' ||
            (p[i] == ':' && (i + 1 == end || p[i + 1] == ' ')))
            return NULL;
    struct prop *value = new_value(s, start, end);
    yaml_scalar_plain(value);
    return value;
}

/* The quoted text that begins at start, or NULL. *next is the position after it. */
static struct prop *frontmatter_simple_quoted(const struct simple *s, size_t start,
                                              size_t end, size_t *next)
{
    const char *p = s->block.p;
    size_t i = start + 1;
    while (i < end && p[i] != p[start] && p[i] != '\\' && p[i] != '\t')
        i++;
    if (i >= end || p[i] != p[start] || (i + 1 < end && p[i + 1] == p[start]))
        return NULL;
    *next = i + 1;
    struct prop *value = new_value(s, start, i + 1);
    value->text = str_slice(s->block, start + 1, i);
    return value;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static struct prop *flow_item(const struct simple *s, size_t start, size_t end,
                              size_t *next)
{
    const char *p = s->block.p;
    if (start < end && is_quote(p[start]))
        return frontmatter_simple_quoted(s, start, end, next);
    size_t i = start;
    while (i < end && (is_word(p[i]) || p[i] == '-' || p[i] == '/' || p[i] == ' '))
        i++;
    *next = i;
    while (i > start && p[i - 1] == ' ')
        i--;
    if (i == start || !begins_plain(p + start, i - start))
        return NULL;
    struct prop *value = new_value(s, start, i);
    yaml_scalar_plain(value);
    return value;
}

static size_t frontmatter_simple_skip_spaces(const struct simple *s, size_t at,
                                             size_t end)
{
    while (at < end && s->block.p[at] == ' ')
        at++;
    return at;
}

/* "[a, b]" from start to end, or NULL. */
static struct prop *flow_list(const struct simple *s, size_t start, size_t end)
{
    struct prop *list = new_value(s, start, end);
    list->type = PROP_LIST;
    list->text = STR("");
    struct prop **link = &list->child;
    size_t at = frontmatter_simple_skip_spaces(s, start + 1, end);
    if (at + 1 == end && s->block.p[at] == ']')
        return list;
    for (; at < end; at = frontmatter_simple_skip_spaces(s, at + 1, end)) {
        *link = flow_item(s, at, end, &at);
        if (*link == NULL)
            return NULL;
        link = &(*link)->next;
        list->n++;
        at = frontmatter_simple_skip_spaces(s, at, end);
        if (at + 1 == end && s->block.p[at] == ']')
            return list;
        if (at >= end || s->block.p[at] != ',')
            return NULL;
    }
    return NULL;
}

/* The rest of the line as a value, or NULL. */
static struct prop *value_at(const struct simple *s, size_t start, bool item)
{
    size_t end = s->end, next;
    while (end > start && s->block.p[end - 1] == ' ')
        end--;
    if (start == end)
        return NULL;
    char c = s->block.p[start];
    if (is_quote(c)) {
        struct prop *value = frontmatter_simple_quoted(s, start, end, &next);
        return value != NULL && next == end ? value : NULL;
    }
    if (c == '[' && !item)
        return flow_list(s, start, end);
    return plain_line(s, start, end);
}

/* The list in the lines below a key, or NULL. */
static struct prop *block_list(struct simple *s)
{
    struct prop *list = NULL, **link = NULL;
    size_t indent = 0;
    while (frontmatter_simple_next_line(s)) {
        if (s->start == s->end)
            continue;
        size_t dash = frontmatter_simple_skip_spaces(s, s->start, s->end);
        if (dash == s->start && is_word(s->block.p[dash])) {
            put_back(s);
            break;
        }
        if (dash + 1 >= s->end || s->block.p[dash] != '-' || s->block.p[dash + 1] != ' ')
            return NULL;
        if (list == NULL) {
            list = new_value(s, dash, dash);
            list->type = PROP_LIST;
            list->text = STR("");
            link = &list->child;
            indent = dash - s->start;
        }
        if (dash - s->start != indent)
            return NULL;
        *link = value_at(s, frontmatter_simple_skip_spaces(s, dash + 1, s->end), true);
        if (*link == NULL)
            return NULL;
        list->end = (*link)->end;
        link = &(*link)->next;
        list->n++;
    }
    return list;
}

/* The value after the ':' at colon: on this line, on the lines below, or nothing. */
static struct prop *member_value(struct simple *s, size_t colon)
{
    size_t start = frontmatter_simple_skip_spaces(s, colon + 1, s->end);
    if (start < s->end)
        return start > colon + 1 ? value_at(s, start, false) : NULL;
    struct simple before = *s;
    while (frontmatter_simple_next_line(s))
        if (s->start < s->end)
            break;
    bool below =
        s->line > before.line && s->start < s->end && !is_word(s->block.p[s->start]);
    *s = before;
    if (below)
        return block_list(s);
    struct prop *nothing = new_value(s, colon + 1, colon + 1);
    nothing->type = PROP_NULL;
    return nothing;
}

/* The current line as "key: value", or NULL. */
static struct prop *frontmatter_simple_member(struct simple *s)
{
    const char *p = s->block.p;
    size_t colon = s->start;
    uint32_t line = s->line, start = (uint32_t)s->start;
    while (colon < s->end && (is_word(p[colon]) || p[colon] == '-' || p[colon] == ' '))
        colon++;
    if (colon == s->end || p[colon] != ':' || !is_word(p[s->start]) ||
        colon - s->start > KEY_MAX || p[colon - 1] == ' ')
        return NULL;
    struct prop key = {.text = str_slice(s->block, s->start, colon)};
    yaml_scalar_plain(&key);
    if (key.type != PROP_TEXT)
        return NULL;
    struct prop *value = member_value(s, colon);
    if (value == NULL)
        return NULL;
    value->key = key.text;
    value->key_start = start;
    value->line = line;
    return value;
}

bool frontmatter_simple(struct arena *a, str block, uint32_t first_line,
                        struct prop **root)
{
    if (!yaml_text_is_plain(block))
        return false;
    struct simple s = {.arena = a, .block = block, .line = first_line - 1};
    struct prop *map = ARENA_NEW(a, struct prop), **link = &map->child;
    map->type = PROP_MAP;
    map->line = first_line;
    while (frontmatter_simple_next_line(&s)) {
        if (s.start == s.end)
            continue;
        *link = frontmatter_simple_member(&s);
        if (*link == NULL || s.line - first_line > LINES_MAX)
            return false;
        if (map->n++ == 0) {
            map->line = (*link)->line;
            map->start = (*link)->key_start;
        }
        map->end = (*link)->end;
        link = &(*link)->next;
    }
    if (yaml_key_twice(map) != NULL)
        return false;
    *root = map;
    return true;
}
