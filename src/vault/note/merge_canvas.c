/* Canvases: nodes and edges are matched by id, and each is merged by its keys. */
#include "base/json.h"
#include "base/json_write.h"
#include "vault/note/merge_parts.h"

enum { BASE, OUR, THEIR, SIDES };

/* The nodes or edges of all three, and those of the result. */
struct merge_canvas_list {
    const struct json *of[SIDES];
    struct sbuf out;
};

struct canvas_merge {
    struct merge *m;
    str texts[SIDES];
    const struct json *roots[SIDES];
    struct merge_canvas_list nodes, edges;
    str *node_ids; /* in the result */
    size_t n_nodes;
};

static const struct json *with_id(const struct json *list, str id)
{
    for (const struct json *j = list != NULL ? list->child : NULL; j != NULL; j = j->next)
        if (str_eq(json_get_str(j, STR("id")), id))
            return j;
    return NULL;
}

static bool same(const struct json *x, const struct json *y)
{
    return x == NULL || y == NULL ? x == y : str_eq(x->raw, y->raw);
}

/* The value of the side that changed it; *collides if both did. */
static const struct json *pick(const struct json *const of[SIDES], bool *collides)
{
    if (same(of[OUR], of[BASE]))
        return of[THEIR];
    *collides = *collides || (!same(of[THEIR], of[BASE]) && !same(of[OUR], of[THEIR]));
    return of[OUR];
}

/* --- one node or edge --- */

static bool merge_canvas_put_member(struct jsonw *w, const struct json *const of[SIDES],
                                    str key)
{
    const struct json *const values[] = {json_get(of[BASE], key), json_get(of[OUR], key),
                                         json_get(of[THEIR], key)};
    bool collides = false;
    const struct json *value = pick(values, &collides);
    if (value == NULL && collides) /* changed in theirs, removed in ours */
        value = values[THEIR];
    if (value != NULL)
        jsonw_put_value(w, key, value);
    return !collides;
}

/* Both have it and both changed it: merge it key by key. */
static str merge_object(struct canvas_merge *c, const struct json *const of[SIDES],
                        bool *collides)
{
    struct sbuf text = SBUF_ON(c->m->scratch);
    struct jsonw w = JSONW_ON(&text);
    jsonw_object(&w);
    for (int side = OUR; side <= THEIR; side++)
        for (const struct json *j = of[side]->child; j != NULL; j = j->next)
            if ((side == OUR || json_get(of[OUR], j->key) == NULL) &&
                !merge_canvas_put_member(&w, of, j->key))
                *collides = true;
    jsonw_end(&w);
    return sbuf_str(&text);
}

/* The text of a node or edge; empty if it was removed. */
static str merge_item(struct canvas_merge *c, const struct json *const of[SIDES],
                      bool *collides)
{
    bool differ = false;
    const struct json *picked = pick(of, &differ);
    if (differ && of[OUR] != NULL && of[THEIR] != NULL)
        return merge_object(c, of, collides);
    if (differ && picked == NULL) /* one removed it, the other changed it: it stays */
        picked = of[THEIR];
    return picked != NULL ? picked->raw : (str){0};
}

/* --- lists --- */

static bool merge_canvas_is_list(const struct json *list)
{
    if (list == NULL)
        return true;
    for (const struct json *j = list->child; j != NULL; j = j->next) {
        str id = json_get_str(j, STR("id"));
        if (j->type != JSON_OBJECT || id.n == 0 || with_id(list, id) != j)
            return false;
    }
    return list->type == JSON_ARRAY;
}

/* The first of j and its successors that the list has, too. */
static const struct json *common(const struct json *j, const struct json *list)
{
    while (j != NULL && with_id(list, json_get_str(j, STR("id"))) == NULL)
        j = j->next;
    return j;
}

/* Whether the common entries of both are in the same order. */
static bool same_order(const struct json *x, const struct json *y)
{
    const struct json *i = x != NULL ? common(x->child, y) : NULL;
    const struct json *j = y != NULL ? common(y->child, x) : NULL;
    while (i != NULL && str_eq(json_get_str(i, STR("id")), json_get_str(j, STR("id")))) {
        i = common(i->next, y);
        j = common(j->next, x);
    }
    return i == NULL;
}

static void put_item(struct canvas_merge *c, struct merge_canvas_list *l, str id)
{
    const struct json *const of[] = {with_id(l->of[BASE], id), with_id(l->of[OUR], id),
                                     with_id(l->of[THEIR], id)};
    bool collides = false;
    str text = merge_item(c, of, &collides);
    if (text.n == 0)
        return;
    if (l->out.n > 0)
        sbuf_char(&l->out, ',');
    sbuf_add(&l->out, STR("\n\t\t"));
    sbuf_add(&l->out, text);
    if (l == &c->nodes)
        c->node_ids[c->n_nodes++] = id;
    if (collides)
        merge_collide(
            c->m, c->m->out.n, (uint32_t)(of[THEIR]->raw.p - c->texts[THEIR].p),
            (uint32_t)(of[THEIR]->raw.p - c->texts[THEIR].p + of[THEIR]->raw.n));
}

/*
 * In our order, unless only theirs changed it; entries that only the other has come last.
 */
static void merge_list(struct canvas_merge *c, struct merge_canvas_list *l)
{
    bool they_did =
        same_order(l->of[OUR], l->of[BASE]) && !same_order(l->of[THEIR], l->of[BASE]);
    int first = they_did ? THEIR : OUR;
    const int sides[] = {first, first == OUR ? THEIR : OUR};
    l->out = (struct sbuf)SBUF_ON(c->m->scratch);
    for (int i = 0; i < 2; i++) {
        const struct json *list = l->of[sides[i]];
        for (const struct json *j = list != NULL ? list->child : NULL; j; j = j->next) {
            str id = json_get_str(j, STR("id"));
            if (i == 0 || with_id(l->of[first], id) == NULL)
                put_item(c, l, id);
        }
    }
}

/*
 * Whether all edges have both nodes: an edge of one side may need a node that the other
 * removed.
 */
static bool edges_have_ends(const struct canvas_merge *c, const struct json *edges)
{
    static const str ends[] = {STR("fromNode"), STR("toNode")};
    for (const struct json *j = edges->child; j != NULL; j = j->next)
        for (size_t e = 0; e < COUNT_OF(ends); e++) {
            str id = json_get_str(j, ends[e]);
            bool found = id.n == 0;
            for (size_t i = 0; i < c->n_nodes && !found; i++)
                found = str_eq(c->node_ids[i], id);
            if (!found)
                return false;
        }
    return true;
}

/* --- the whole --- */

static bool read_sides(struct canvas_merge *c)
{
    struct err err;
    size_t n = 1;
    for (int s = 0; s < SIDES; s++) {
        str text = c->texts[s].n > 0 ? c->texts[s] : STR("{}");
        if (!json_parse(c->m->scratch, text, &c->roots[s], &err) ||
            c->roots[s]->type != JSON_OBJECT)
            return false;
        c->nodes.of[s] = json_get(c->roots[s], STR("nodes"));
        c->edges.of[s] = json_get(c->roots[s], STR("edges"));
        if (!merge_canvas_is_list(c->nodes.of[s]) ||
            !merge_canvas_is_list(c->edges.of[s]))
            return false;
        n += c->nodes.of[s] != NULL ? c->nodes.of[s]->n : 0;
    }
    c->node_ids = ARENA_ARRAY(c->m->scratch, str, n);
    return n <= MERGE_NODES_MAX;
}

static void merge_canvas_put_list(struct sbuf *out, const struct sbuf *items)
{
    sbuf_char(out, '[');
    sbuf_add(out, (str){items->p, items->n});
    sbuf_add(out, items->n > 0 ? STR("\n\t]") : STR("]"));
}

/* A member of the canvas itself. False if both changed it. */
static bool put_root(struct canvas_merge *c, str key)
{
    struct sbuf *out = &c->m->out;
    const struct json *const of[] = {json_get(c->roots[BASE], key),
                                     json_get(c->roots[OUR], key),
                                     json_get(c->roots[THEIR], key)};
    bool nodes = str_eq(key, STR("nodes")), edges = str_eq(key, STR("edges"));
    bool collides = false;
    const struct json *value = pick(of, &collides);
    if (!nodes && !edges && (collides || value == NULL))
        return !collides;
    sbuf_add(out, out->n > 1 ? STR(",\n\t") : STR("\n\t"));
    struct jsonw w = JSONW_ON(out);
    jsonw_str(&w, key);
    sbuf_char(out, ':');
    if (nodes || edges)
        merge_canvas_put_list(out, nodes ? &c->nodes.out : &c->edges.out);
    else
        sbuf_add(out, value->raw);
    return true;
}

static bool put_roots(struct canvas_merge *c)
{
    sbuf_char(&c->m->out, '{');
    for (int side = OUR; side <= THEIR; side++)
        for (const struct json *j = c->roots[side]->child; j != NULL; j = j->next)
            if ((side == OUR || json_get(c->roots[OUR], j->key) == NULL) &&
                !put_root(c, j->key))
                return false;
    sbuf_add(&c->m->out, STR("\n}"));
    if (str_ends(c->texts[OUR], STR("\n")))
        sbuf_char(&c->m->out, '\n');
    return true;
}

bool merge_canvas(struct merge *m, const str texts[3])
{
    struct canvas_merge c = {.m = m, .texts = {texts[BASE], texts[OUR], texts[THEIR]}};
    const struct json *all;
    struct err err;
    if (!read_sides(&c))
        return false;
    merge_list(&c, &c.nodes);
    merge_list(&c, &c.edges);
    const struct json *edges;
    return put_roots(&c) && json_parse(m->scratch, sbuf_str(&m->out), &all, &err) &&
           ((edges = json_get(all, STR("edges"))) == NULL || edges_have_ends(&c, edges));
}
