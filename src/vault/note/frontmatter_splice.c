/*
 *     tags : # mine        key, colon, gap (up to the value)
 *       # own line
 *       - a   # one        value; its end, then the rest of its last line
 *       - b
 *
 * A value ends with its last visible character: for libyaml, blank lines after a literal
 * block are part of it, but here they are left alone.
 */
#include "vault/note/frontmatter_splice.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "vault/note/prop.h"
#include "vault/note/yaml_emit.h"

enum { STEP = 2 };

static bool is_flow(const struct splice *s)
{
    const struct prop *root = s->root;
    return root->end > root->start && s->block.p[root->start] == '{' &&
           (root->child == NULL || root->child->key_start > root->start);
}

/* --- places --- */

/* Before the line break. */
static size_t frontmatter_splice_line_end(str block, size_t at)
{
    at = text_line_end(block, at);
    return at > 0 && at < block.n && block.p[at - 1] == '\r' ? at - 1 : at;
}

static unsigned indent_at(str block, size_t at)
{
    size_t start = text_line_start(block, at);
    return (unsigned)(text_skip_blanks(block, start) - start);
}

static size_t value_end(str block, const struct prop *p)
{
    size_t end = p->end;
    while (end > p->start && is_white(block.p[end - 1]))
        end--;
    return end;
}

/* Where a line can be inserted after p, even if blank lines at its end belong to it. */
static size_t lines_end(str block, const struct prop *p)
{
    bool whole = p->end > p->start && block.p[p->end - 1] == '\n';
    return whole ? p->end : text_next_line(block, p->end);
}

/*
 * The end of the comments at at (a line start) that are indented further than indent:
 * they belong to the value above them.
 */
static size_t comments_end(str block, size_t at, unsigned indent)
{
    size_t end = at;
    while (at < block.n) {
        size_t text = text_skip_blanks(block, at);
        bool comment = text < block.n && block.p[text] == '#';
        if (comment ? text - at <= indent : text < block.n && !is_white(block.p[text]))
            break;
        at = text_next_line(block, at);
        end = comment ? at : end;
    }
    return end;
}

/* The style for a value that ends before the line at byte at. */
static struct yaml_style style_before(const struct splice *s, size_t at, unsigned indent)
{
    return (struct yaml_style){s->eol, comments_end(s->block, at, indent) > at};
}

static size_t quoted_end(str block, size_t at)
{
    char quote = block.p[at++];
    for (; at < block.n; at++) {
        if (block.p[at] == '\\' && quote == '"')
            at++;
        else if (block.p[at] == quote && quote == '\'' && at + 1 < block.n &&
                 block.p[at + 1] == quote)
            at++;
        else if (block.p[at] == quote)
            return at + 1;
    }
    return at;
}

/* Whether the ':' at at ends a plain key. */
static bool ends_key(const struct splice *s, size_t at)
{
    char next = at + 1 < s->block.n ? s->block.p[at + 1] : '\n';
    return s->block.p[at] == ':' &&
           (is_white(next) || (is_flow(s) && next != '\0' && strchr(",[]{}", next)));
}

/* The end of the key, and the position after its colon. */
static bool find_key(const struct splice *s, const struct prop *m, size_t *end,
                     size_t *after)
{
    size_t at = m->key_start, last = m->start;
    char first = at < last ? s->block.p[at] : '\0';
    if (first == '\0' || strchr("[{&*!|>", first) != NULL)
        return false;
    if (first == '"' || first == '\'')
        *end = at = quoted_end(s->block, at);
    else
        while (at < last && !ends_key(s, at))
            at++;
    while (at < last && is_white(s->block.p[at]))
        at++;
    if (at >= last || s->block.p[at] != ':')
        return false;
    *after = at + 1;
    if (first != '"' && first != '\'')
        for (*end = at; is_white(s->block.p[*end - 1]);)
            --*end;
    return true;
}

static str replaced(const struct splice *s, size_t from, size_t to, str by)
{
    struct sbuf out = SBUF_ON(s->arena);
    sbuf_room(&out, s->block.n + by.n);
    sbuf_add(&out, str_slice(s->block, 0, from));
    sbuf_add(&out, by);
    sbuf_add(&out, str_skip(s->block, to));
    return sbuf_str(&out);
}

/* --- lists: items that stay keep their bytes --- */

struct list_edit {
    const struct prop *old;
    bool *keep;             /* for each item of old */
    const struct prop *add; /* new items to append, linked by next */
};

/* Which items of the old list the new one begins with, in order; false if none. */
static bool compare_lists(const struct splice *s, const struct prop *old,
                          const struct prop *wanted, struct list_edit *edit)
{
    *edit = (struct list_edit){
        .old = old,
        .keep = ARENA_ARRAY(s->arena, bool, old->n),
        .add = wanted->child,
    };
    size_t i = 0;
    for (const struct prop *x = old->child; x != NULL; x = x->next, i++) {
        if (edit->add == NULL || !prop_same(x, edit->add))
            continue;
        edit->keep[i] = true;
        edit->add = edit->add->next;
    }
    return edit->add != wanted->child;
}

/* A list or map in [ ] or { } with text added; text may be empty. */
static str flow_edited(const struct splice *s, const struct prop *old, const bool *keep,
                       str text)
{
    struct sbuf out = SBUF_ON(s->arena);
    bool map = old->type == PROP_MAP, any = false;
    size_t i = 0, last = old->start + 1, from = last;
    str between = {0};
    for (const struct prop *x = old->child; x != NULL; x = x->next, i++) {
        size_t start = map ? x->key_start : x->start;
        if (i == 0)
            from = start;
        last = x->end;
        if (!keep[i])
            continue;
        sbuf_add(&out, between);
        sbuf_add(&out, str_slice(s->block, start, last));
        size_t next = x->next == NULL ? last : map ? x->next->key_start : x->next->start;
        between = next > last ? str_slice(s->block, last, next) : STR(", ");
        any = true;
    }
    if (any && text.n > 0)
        sbuf_add(&out, STR(", "));
    sbuf_add(&out, text);
    return replaced(s, from, last, sbuf_str(&out));
}

static str flow_list(const struct splice *s, const struct list_edit *edit)
{
    struct sbuf text = SBUF_ON(s->arena);
    bool quoted = s->block.p[edit->old->child->start] == '"';
    for (const struct prop *x = edit->add; x != NULL; x = x->next) {
        sbuf_add(&text, x == edit->add ? STR("") : STR(", "));
        yaml_emit_flow(&text, x, quoted);
    }
    return flow_edited(s, edit->old, edit->keep, sbuf_str(&text));
}

/* The next line, from at (a line start), that is not a comment. */
static size_t next_item_line(str block, size_t at)
{
    for (; at < block.n; at = text_next_line(block, at)) {
        size_t text = text_skip_blanks(block, at);
        if (text < block.n && !is_white(block.p[text]) && block.p[text] != '#')
            break;
    }
    return at;
}

/* False if the lines do not have the expected form. */
static bool block_list(const struct splice *s, const struct list_edit *edit, str *out)
{
    struct sbuf lines = SBUF_ON(s->arena);
    str block = s->block;
    size_t first = text_line_start(block, edit->old->start), at = first, i = 0;
    unsigned indent = (unsigned)(edit->old->start - first);
    for (const struct prop *x = edit->old->child; x != NULL; x = x->next, i++) {
        size_t line = next_item_line(block, at), dash = line + indent;
        if (indent_at(block, line) != indent || dash > x->start || block.p[dash] != '-')
            return false;
        sbuf_add(&lines, str_slice(block, at, line));
        at = x->next != NULL ? text_next_line(block, value_end(block, x))
                             : lines_end(block, x);
        if (edit->keep[i])
            sbuf_add(&lines, str_slice(block, line, at));
        else
            at = comments_end(block, at, indent);
    }
    struct yaml_style style = style_before(s, at, indent);
    for (const struct prop *x = edit->add; x != NULL; x = x->next) {
        sbuf_add(&lines, str_slice(block, first, edit->old->start));
        yaml_emit_item(&lines, x, indent, &style);
        sbuf_add(&lines, s->eol);
    }
    *out = replaced(s, first, at, sbuf_str(&lines));
    return true;
}

static bool frontmatter_splice_put_list(const struct splice *s, const struct prop *old,
                                        const struct prop *wanted, str *out)
{
    struct list_edit edit;
    if (old->type != PROP_LIST || wanted->type != PROP_LIST || old->n == 0 ||
        !compare_lists(s, old, wanted, &edit))
        return false;
    if (s->block.p[old->start] == '[') {
        *out = flow_list(s, &edit);
        return true;
    }
    return s->block.p[old->start] == '-' && block_list(s, &edit, out);
}

/* --- values --- */

static str flow_value(const struct splice *s, const struct prop *m,
                      const struct prop *value)
{
    struct sbuf out = SBUF_ON(s->arena);
    if (m->start == m->end)
        sbuf_char(&out, ' ');
    yaml_emit_flow(&out, value, true);
    return replaced(s, m->start, value_end(s->block, m), sbuf_str(&out));
}

/* The comment lines between the line of the key and that of the value. */
static str own_lines(str gap, size_t first_end)
{
    size_t last = str_find_last(gap, '\n');
    last -= last > first_end && gap.p[last - 1] == '\r';
    return str_slice(gap, first_end, last);
}

/* The new text from after the colon to the end of the value's last line. */
static str block_value(const struct splice *s, const struct prop *m, size_t colon,
                       const struct prop *value)
{
    struct sbuf text = SBUF_ON(s->arena), out = SBUF_ON(s->arena);
    unsigned indent = indent_at(s->block, m->key_start);
    size_t end = value_end(s->block, m);
    struct yaml_style style = style_before(s, text_next_line(s->block, end), indent);
    yaml_emit_value(&text, value, indent + STEP, &style);
    size_t cut = str_find(sbuf_str(&text), s->eol);
    str head = str_slice(sbuf_str(&text), 0, cut), tail = str_skip(sbuf_str(&text), cut);
    str gap = str_slice(s->block, colon, m->start);
    size_t first = frontmatter_splice_line_end(gap, 0);
    bool below = str_find_char(gap, '\n') != STR_NONE;
    if (head.n > 0)
        sbuf_add(&out, below || gap.n == 0 ? STR(" ") : gap);
    sbuf_add(&out, head);
    if (below)
        sbuf_add(&out, str_slice(gap, 0, first));
    if (!below || m->type < PROP_LIST)
        sbuf_add(&out,
                 str_slice(s->block, end, frontmatter_splice_line_end(s->block, end)));
    if (below && !str_starts(head, STR("|")))
        sbuf_add(&out, own_lines(gap, first));
    sbuf_add(&out, tail);
    return sbuf_str(&out);
}

bool splice_put(const struct splice *s, const struct prop *member,
                const struct prop *value, str *out)
{
    size_t end, colon;
    if (frontmatter_splice_put_list(s, member, value, out))
        return true;
    if (!find_key(s, member, &end, &colon))
        return false;
    if (is_flow(s)) {
        *out = flow_value(s, member, value);
        return true;
    }
    size_t to = frontmatter_splice_line_end(s->block, value_end(s->block, member));
    *out = replaced(s, colon, to, block_value(s, member, colon, value));
    return true;
}

/* --- members --- */

bool splice_rename(const struct splice *s, const struct prop *member, str key, str *out)
{
    struct sbuf text = SBUF_ON(s->arena);
    size_t end = 0, colon = 0;
    if (!find_key(s, member, &end, &colon))
        return false;
    if (is_flow(s))
        yaml_emit_flow_key(&text, key);
    else
        yaml_emit_key(&text, key);
    *out = replaced(s, member->key_start, end, sbuf_str(&text));
    return true;
}

static bool *all_but(const struct splice *s, const struct prop *left_out)
{
    bool *keep = ARENA_ARRAY(s->arena, bool, s->root->n + 1);
    size_t i = 0;
    for (const struct prop *m = s->root->child; m != NULL; m = m->next)
        keep[i++] = m != left_out;
    return keep;
}

/* The end of the block, or of the document if a line "..." ends it earlier. */
static size_t members_end(const struct splice *s)
{
    str block = s->block;
    for (size_t at = text_line_start(block, s->root->end); at < block.n;
         at = text_next_line(block, at))
        if (at >= s->root->end && str_starts(str_skip(block, at), STR("...")) &&
            (at + 3 == block.n || is_white(block.p[at + 3])))
            return at;
    return block.n;
}

str splice_append(const struct splice *s, str key, const struct prop *value)
{
    struct sbuf text = SBUF_ON(s->arena);
    if (is_flow(s)) {
        yaml_emit_flow_key(&text, key);
        sbuf_add(&text, STR(": "));
        yaml_emit_flow(&text, value, true);
        return flow_edited(s, s->root, all_but(s, NULL), sbuf_str(&text));
    }
    const struct prop *first = s->root->child;
    unsigned indent = first != NULL ? indent_at(s->block, first->key_start) : 0;
    for (unsigned i = 0; i < indent; i++)
        sbuf_char(&text, ' ');
    yaml_emit_key(&text, key);
    sbuf_char(&text, ':');
    if (value->type != PROP_NULL && value->n == 0)
        sbuf_char(&text, ' ');
    yaml_emit_value(&text, value, indent + STEP, &(struct yaml_style){.eol = s->eol});
    sbuf_add(&text, s->eol);
    size_t at = members_end(s);
    return replaced(s, at, at, sbuf_str(&text));
}

str splice_drop(const struct splice *s, const struct prop *member)
{
    if (is_flow(s))
        return flow_edited(s, s->root, all_but(s, member), STR(""));
    size_t from = text_line_start(s->block, member->key_start);
    size_t to = text_next_line(s->block, value_end(s->block, member));
    unsigned indent = indent_at(s->block, member->key_start);
    return replaced(s, from, comments_end(s->block, to, indent), STR(""));
}
