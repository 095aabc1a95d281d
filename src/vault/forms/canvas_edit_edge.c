/* Connecting and disconnecting the nodes of a canvas. */
#include "base/array.h"
#include "base/utf8.h"
#include "vault/forms/canvas_edit_parts.h"
#include "vault/forms/canvas_step.h"
#include "vault/forms/canvas_write.h"

static void set_edge(struct canvas_editing *e, size_t i, const char *key, str value)
{
    struct canvas_edge *g = &e->map.edges[i];
    str source = g->source;
    str raw = canvas_set_member(e->arena, g->raw, str_c(key), value);
    canvas_read_edge(canvas_parse_own(e->arena, raw), g);
    g->source = source;
}

static bool find_ends(const struct canvas_editing *e, const struct canvas_step *s,
                      size_t *from, size_t *to, struct err *err)
{
    str word = canvas_step_str(s, "to");
    if (word.n == 0)
        return err_named(err, E_INVALID_ARGUMENT, "to is missing: give the other node");
    return canvas_find_node(&e->map, s->target, from, err) &&
           canvas_find_node(&e->map, word, to, err);
}

/* The next edge from one node to another, after the first `start`. */
static size_t find_edge(const struct canvas_editing *e, size_t from, size_t to,
                        size_t start)
{
    size_t i = start;
    for (; i < e->map.n_edges; i++) {
        const struct canvas_edge *g = &e->map.edges[i];
        if (!g->gone && str_eq(g->from, e->map.nodes[from].id) &&
            str_eq(g->to, e->map.nodes[to].id))
            break;
    }
    return i;
}

static str write_edge(struct canvas_editing *e, const struct canvas_step *s, size_t from,
                      size_t to)
{
    static const char *const others[] = {"fromEnd", "toEnd", "color", "label"};
    struct sbuf text = SBUF_ON(e->arena);
    struct jsonw w = JSONW_ON(&text);
    enum canvas_side leaves, arrives, wanted;
    canvas_choose_sides(&e->map.nodes[from].at, &e->map.nodes[to].at, &leaves, &arrives);
    wanted = canvas_step_side(s, "fromSide");
    leaves = wanted == CANVAS_ANY_SIDE ? leaves : wanted;
    wanted = canvas_step_side(s, "toSide");
    arrives = wanted == CANVAS_ANY_SIDE ? arrives : wanted;
    jsonw_object(&w);
    jsonw_put_str(&w, STR("id"), canvas_new_id(e));
    jsonw_put_str(&w, STR("fromNode"), e->map.nodes[from].id);
    jsonw_put_str(&w, STR("fromSide"), str_c(canvas_sides[leaves]));
    jsonw_put_str(&w, STR("toNode"), e->map.nodes[to].id);
    jsonw_put_str(&w, STR("toSide"), str_c(canvas_sides[arrives]));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (canvas_step_str(s, others[i]).n > 0)
            jsonw_put_str(&w, str_c(others[i]), canvas_step_str(s, others[i]));
    jsonw_end(&w);
    return sbuf_str(&text);
}

bool canvas_connect(struct canvas_editing *e, const struct canvas_step *s,
                    struct err *err)
{
    size_t from, to;
    if (!find_ends(e, s, &from, &to, err))
        return false;
    if (from == to)
        return err_named(err, E_INVALID_ARGUMENT, "a node is not connected to itself");
    size_t old = find_edge(e, from, to, 0);
    if (old < e->map.n_edges)
        return err_named(err, E_INVALID_ARGUMENT,
                         "they are connected already: change the edge " STR_FMT,
                         STR_ARG(e->map.edges[old].id));
    if (e->map.n_edges >= CANVAS_NODES_MAX)
        return err_set(err, ERR_LIMIT, "a canvas can have at most %d edges here",
                       CANVAS_NODES_MAX);
    str raw = write_edge(e, s, from, to);
    struct canvas_edge *g = ARRAY_ADD(e->arena, e->map.edges, e->map.n_edges);
    canvas_read_edge(canvas_parse_own(e->arena, raw), g);
    return canvas_did(e,
                      arena_printf(e->arena, "connected " STR_FMT ": " STR_FMT,
                                   STR_ARG(g->id), STR_ARG(canvas_describe_edge(e, g))));
}

bool canvas_cut_edge(struct canvas_editing *e, size_t i)
{
    struct canvas_edge *g = &e->map.edges[i];
    str line = arena_printf(e->arena, "disconnected " STR_FMT ": " STR_FMT,
                            STR_ARG(g->id), STR_ARG(canvas_describe_edge(e, g)));
    g->gone = true;
    return canvas_did(e, line);
}

bool canvas_disconnect(struct canvas_editing *e, const struct canvas_step *s,
                       struct err *err)
{
    size_t from, to, edge = canvas_edge_with_id(&e->map, s->target);
    if (edge < e->map.n_edges && !canvas_step_has(s, "to"))
        return canvas_cut_edge(e, edge);
    if (!canvas_step_has(s, "to"))
        return err_named(err, E_INVALID_ARGUMENT,
                         "no edge '" STR_FMT "': give the id of an edge, or two nodes "
                         "with disconnect and to",
                         STR_ARG(utf8_cut(s->target, CANVAS_TITLE_SHOWN)));
    if (!find_ends(e, s, &from, &to, err))
        return false;
    edge = find_edge(e, from, to, 0);
    if (edge == e->map.n_edges)
        return err_named(
            err, E_INVALID_ARGUMENT,
            "no edge leads from '" STR_FMT "' to '" STR_FMT "'%s",
            STR_ARG(canvas_shown_title(e->arena, &e->map.nodes[from])),
            STR_ARG(canvas_shown_title(e->arena, &e->map.nodes[to])),
            find_edge(e, to, from, 0) < e->map.n_edges ? ", only the other way" : "");
    for (; edge < e->map.n_edges; edge = find_edge(e, from, to, edge + 1))
        if (!canvas_cut_edge(e, edge))
            return false;
    return true;
}

bool canvas_change_edge(struct canvas_editing *e, const struct canvas_step *s, size_t i,
                        struct err *err)
{
    static const char *const keys[] = {"fromSide", "toSide", "fromEnd",
                                       "toEnd",    "color",  "label"};
    size_t found = 0;
    for (size_t k = 0; k < COUNT_OF(keys); k++)
        if (canvas_step_has(s, keys[k])) {
            set_edge(e, i, keys[k], canvas_new_value(e, s, keys[k]));
            found++;
        }
    if (s->json->n != found + 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "an edge has label, color, fromSide, toSide, fromEnd, toEnd");
    const struct canvas_edge *g = &e->map.edges[i];
    return canvas_did(e,
                      arena_printf(e->arena, "changed " STR_FMT ": " STR_FMT,
                                   STR_ARG(g->id), STR_ARG(canvas_describe_edge(e, g))));
}
