#include "vault/forms/canvas_write.h"

#include "base/sbuf.h"
#include "base/text.h"

str canvas_json_str(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    jsonw_str(&w, text);
    return sbuf_str(&out);
}

str canvas_json_num(struct arena *a, double n)
{
    return arena_printf(a, "%lld", (long long)n);
}

/* --- one object --- */

/* The position in text of a piece of it, and of the end of that piece. */
static size_t start_in(str text, str piece)
{
    return (size_t)(piece.p - text.p);
}

static size_t end_in(str text, str piece)
{
    return start_in(text, piece) + piece.n;
}

static str canvas_splice(struct arena *a, str text, size_t from, size_t to, str by)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, str_slice(text, 0, from));
    sbuf_add(&out, by);
    sbuf_add(&out, str_skip(text, to));
    return sbuf_str(&out);
}

/* A member to add after the last one, in its style: with the spaces around its key. */
static str added_member(struct arena *a, str object, const struct json *root, str key,
                        str value, size_t *at)
{
    const struct json *before = NULL, *last = root->child;
    for (; last->next != NULL; last = last->next)
        before = last;
    size_t from =
        before != NULL ? end_in(object, before->raw) : start_in(object, root->raw) + 1;
    str style = str_slice(object, from, start_in(object, last->raw));
    size_t quote = str_find_char(style, '"'), end = str_find_last(style, '"') + 1;
    *at = end_in(object, last->raw);
    return arena_printf(a, "%s" STR_FMT STR_FMT STR_FMT STR_FMT,
                        before != NULL ? "" : ",", STR_ARG(str_slice(style, 0, quote)),
                        STR_ARG(canvas_json_str(a, key)), STR_ARG(str_skip(style, end)),
                        STR_ARG(value));
}

static str remove_member(struct arena *a, str object, const struct json *root,
                         const struct json *member)
{
    const struct json *before = root->child;
    if (before == member) { /* then what is before its key is before the next one */
        size_t key = str_find_char(object, '"');
        size_t after = end_in(object, member->raw);
        size_t next = after + str_find_char(str_skip(object, after), '"');
        return canvas_splice(a, object, key, next, STR(""));
    }
    while (before->next != member)
        before = before->next;
    return canvas_splice(a, object, end_in(object, before->raw),
                         end_in(object, member->raw), STR(""));
}

str canvas_set_member(struct arena *a, str object, str key, str value)
{
    const struct json *root;
    struct err err;
    if (!json_parse(a, object, &root, &err) || root->n == 0)
        BUG("not an object of a canvas: %s", err.msg);
    const struct json *member = json_get(root, key);
    if (member == NULL && value.n == 0)
        return object;
    if (member == NULL) {
        size_t at;
        str added = added_member(a, object, root, key, value, &at);
        return canvas_splice(a, object, at, at, added);
    }
    if (value.n == 0)
        return remove_member(a, object, root, member);
    return canvas_splice(a, object, start_in(object, member->raw),
                         end_in(object, member->raw), value);
}

/* --- a list --- */

/* A node or an edge of the map. */
struct canvas_item {
    str raw, source;
    bool gone;
};

typedef struct canvas_item item_at(const struct canvas_map *m, size_t i);

static struct canvas_item node_at(const struct canvas_map *m, size_t i)
{
    const struct canvas_node *n = &m->nodes[i];
    return (struct canvas_item){n->raw, n->source, n->gone};
}

static struct canvas_item edge_at(const struct canvas_map *m, size_t i)
{
    const struct canvas_edge *e = &m->edges[i];
    return (struct canvas_item){e->raw, e->source, e->gone};
}

struct canvas_list {
    const struct canvas_map *map;
    item_at *at;
    size_t n;
    const char *key;
};

static bool is_list_changed(const struct canvas_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        struct canvas_item item = l->at(l->map, i);
        if (item.gone ? item.source.n > 0 : !str_eq(item.raw, item.source))
            return true;
    }
    return false;
}

/* What is around the items of a list in the file, or as Obsidian has it. */
struct canvas_style {
    str lead, between, trail;
};

/* old is the list in the file, with brackets; or empty. */
static struct canvas_style style_of(const struct canvas_list *l, str text, str old)
{
    str ending = text_line_ending(text);
    struct arena *a = l->map->arena;
    struct canvas_style s = {.lead = arena_printf(a, STR_FMT "\t\t", STR_ARG(ending)),
                             .trail = arena_printf(a, STR_FMT "\t", STR_ARG(ending))};
    str last = {0}, before = {0};
    for (size_t i = 0; i < l->n; i++) {
        str source = l->at(l->map, i).source;
        if (source.n == 0)
            continue;
        if (last.n == 0)
            s.lead = str_slice(old, 1, start_in(old, source));
        before = last;
        last = source;
    }
    if (last.n > 0)
        s.trail = str_slice(old, end_in(old, last), old.n - 1);
    s.between = before.n > 0 ? str_slice(old, end_in(old, before), start_in(old, last))
                             : arena_printf(a, "," STR_FMT, STR_ARG(s.lead));
    return s;
}

/* Items of the file keep what is before them. */
static str write_list(const struct canvas_list *l, str text, str old)
{
    struct sbuf out = SBUF_ON(l->map->arena);
    struct canvas_style style = style_of(l, text, old);
    str before = {0};
    size_t written = 0;
    sbuf_char(&out, '[');
    for (size_t i = 0; i < l->n; i++) {
        struct canvas_item item = l->at(l->map, i);
        str gap = item.source.n > 0 && before.n > 0
                      ? str_slice(old, end_in(old, before), start_in(old, item.source))
                      : style.between;
        before = item.source.n > 0 ? item.source : before;
        if (item.gone)
            continue;
        sbuf_add(&out, written++ == 0 ? style.lead : gap);
        sbuf_add(&out, item.raw);
    }
    sbuf_add(&out, written > 0 ? style.trail : STR(""));
    sbuf_char(&out, ']');
    return sbuf_str(&out);
}

/* --- the whole --- */

static str write_new(const struct canvas_list lists[2])
{
    struct sbuf out = SBUF_ON(lists[0].map->arena);
    sbuf_add(&out, STR("{\n\t\"nodes\":"));
    sbuf_add(&out, write_list(&lists[0], STR(""), STR("")));
    sbuf_add(&out, STR(",\n\t\"edges\":"));
    sbuf_add(&out, write_list(&lists[1], STR(""), STR("")));
    sbuf_add(&out, STR("\n}"));
    return sbuf_str(&out);
}

/* text with one list of the map instead of that in the file, which root is. */
static str replace_list(const struct canvas_list *l, str text, str file,
                        const struct json *root)
{
    struct arena *a = l->map->arena;
    const struct json *old = json_get(root, str_c(l->key));
    size_t at;
    if (!is_list_changed(l))
        return text;
    if (old != NULL)
        return canvas_splice(a, text, start_in(file, old->raw), end_in(file, old->raw),
                             write_list(l, file, old->raw));
    str added =
        added_member(a, file, root, str_c(l->key), write_list(l, file, STR("")), &at);
    return canvas_splice(a, text, at, at, added);
}

str canvas_write(const struct canvas_map *m, str text)
{
    const struct canvas_list lists[] = {{m, node_at, m->n_nodes, "nodes"},
                                        {m, edge_at, m->n_edges, "edges"}};
    const struct json *root = NULL;
    struct err err;
    size_t bom = str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0;
    str file = str_skip(text, bom), out = file;
    if (str_trim_line(file).n > 0 && !json_parse(m->arena, file, &root, &err))
        BUG("not a canvas: %s", err.msg);
    if (root == NULL || root->n == 0)
        return canvas_splice(m->arena, text, bom, text.n, write_new(lists));
    /* what comes later in the file goes first, so that places before it stay right */
    const struct json *nodes = json_get(root, STR("nodes"));
    const struct json *edges = json_get(root, STR("edges"));
    bool nodes_last = edges != NULL && (nodes == NULL || nodes->raw.p > edges->raw.p);
    out = replace_list(&lists[nodes_last ? 0 : 1], out, file, root);
    out = replace_list(&lists[nodes_last ? 1 : 0], out, file, root);
    return canvas_splice(m->arena, text, bom, text.n, out);
}
