#include "vault/forms/canvas_edit.h"

#include "base/array.h"
#include "base/utf8.h"
#include "vault/forms/canvas_edit_parts.h"
#include "vault/forms/canvas_step.h"
#include "vault/forms/canvas_write.h"

bool canvas_did(struct canvas_editing *e, str line)
{
    *ARRAY_ADD(e->arena, e->out->did, e->out->n_did) = line;
    return true;
}

/* --- objects --- */

str canvas_new_id(const struct canvas_editing *e)
{
    for (unsigned n = 0;; n++) {
        str seed =
            arena_printf(e->arena, "%016llx %u", (unsigned long long)e->seed.low, n);
        str id =
            arena_printf(e->arena, "%016llx", (unsigned long long)hash_content(seed).low);
        if (canvas_node_with_id(&e->map, id) == CANVAS_NO_NODE &&
            canvas_edge_with_id(&e->map, id) == e->map.n_edges)
            return id;
    }
}

const struct json *canvas_parse_own(struct arena *a, str raw)
{
    const struct json *j;
    struct err err;
    if (!json_parse(a, raw, &j, &err))
        BUG("wrote a broken object: %s", err.msg);
    return j;
}

/* Read a node again after its raw was changed. */
void canvas_reread_node(struct canvas_editing *e, size_t i)
{
    struct canvas_node *n = &e->map.nodes[i];
    str source = n->source;
    canvas_read_node(canvas_parse_own(e->arena, n->raw), n);
    n->source = source;
}

void canvas_set_node(struct canvas_editing *e, size_t i, const char *key, str value)
{
    struct canvas_node *n = &e->map.nodes[i];
    n->raw = canvas_set_member(e->arena, n->raw, str_c(key), value);
}

/* Numbers that stay the same keep their bytes. */
void canvas_set_rect(struct canvas_editing *e, size_t i, const struct canvas_rect *to)
{
    struct canvas_rect was = e->map.nodes[i].at;
    const struct {
        const char *key;
        double was, is;
    } members[] = {{"x", was.x, to->x},
                   {"y", was.y, to->y},
                   {"width", was.width, to->width},
                   {"height", was.height, to->height}};
    for (size_t k = 0; k < COUNT_OF(members); k++)
        if (members[k].was != members[k].is)
            canvas_set_node(e, i, members[k].key,
                            canvas_json_num(e->arena, members[k].is));
    canvas_reread_node(e, i);
}

/* null removes label and color. */
str canvas_new_value(const struct canvas_editing *e, const struct canvas_step *s,
                     const char *key)
{
    const struct json *j = json_get(s->json, str_c(key));
    return j->type == JSON_NULL ? (str){0} : canvas_json_str(e->arena, j->text);
}

/* --- words --- */

str canvas_shown_title(struct arena *a, const struct canvas_node *n)
{
    str title = canvas_title(n), cut = utf8_cut(title, CANVAS_TITLE_SHOWN);
    return cut.n < title.n ? arena_printf(a, STR_FMT "...", STR_ARG(cut)) : cut;
}

/* "text 'Idea'", or only the type. */
str canvas_describe(struct arena *a, const struct canvas_node *n)
{
    const char *type = n->type == CANVAS_IS_OTHER ? "node" : canvas_types[n->type];
    str title = canvas_shown_title(a, n);
    return title.n == 0 ? str_c(type)
                        : arena_printf(a, "%s '" STR_FMT "'", type, STR_ARG(title));
}

str canvas_describe_edge(const struct canvas_editing *e, const struct canvas_edge *g)
{
    const str ids[] = {g->from, g->to};
    str ends[2];
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        size_t node = canvas_node_with_id(&e->map, ids[i]);
        ends[i] = node == CANVAS_NO_NODE
                      ? (str){0}
                      : canvas_shown_title(e->arena, &e->map.nodes[node]);
        if (ends[i].n == 0)
            ends[i] = ids[i];
    }
    bool labelled = g->label.n > 0;
    return arena_printf(e->arena, STR_FMT " -> " STR_FMT "%s" STR_FMT "%s",
                        STR_ARG(ends[0]), STR_ARG(ends[1]), labelled ? " (" : "",
                        STR_ARG(utf8_cut(g->label, CANVAS_TITLE_SHOWN)),
                        labelled ? ")" : "");
}

/* --- remove --- */

static bool remove_node(struct canvas_editing *e, size_t i)
{
    struct canvas_node *n = &e->map.nodes[i];
    size_t edges = 0;
    for (size_t k = 0; k < e->map.n_edges; k++) {
        struct canvas_edge *g = &e->map.edges[k];
        if (!g->gone && (str_eq(g->from, n->id) || str_eq(g->to, n->id))) {
            g->gone = true;
            edges++;
        }
    }
    n->gone = true;
    if (e->above == i)
        e->above = CANVAS_NO_NODE;
    str line = arena_printf(e->arena, "removed " STR_FMT ": " STR_FMT, STR_ARG(n->id),
                            STR_ARG(canvas_describe(e->arena, n)));
    if (edges > 0)
        line = arena_printf(e->arena, STR_FMT ", with %zu %s", STR_ARG(line), edges,
                            edges == 1 ? "edge" : "edges");
    return canvas_did(e, line);
}

/* --- steps --- */

/* A node by its id, an edge by its id, or a node by its title. */
static bool find_target(const struct canvas_editing *e, str word, size_t *node,
                        size_t *edge, struct err *err)
{
    *edge = canvas_edge_with_id(&e->map, word);
    *node = canvas_node_with_id(&e->map, word);
    return *node != CANVAS_NO_NODE || *edge < e->map.n_edges ||
           canvas_find_node(&e->map, word, node, err);
}

static bool run_step(struct canvas_editing *e, const struct json *j, struct err *err)
{
    struct canvas_step s;
    size_t node, edge;
    if (!canvas_step_read(e->arena, j, &s, err))
        return false;
    if (s.verb == CANVAS_ADD)
        return canvas_add_node(e, &s, err);
    if (s.verb == CANVAS_CONNECT)
        return canvas_connect(e, &s, err);
    if (s.verb == CANVAS_CUT)
        return canvas_disconnect(e, &s, err);
    if (!find_target(e, s.target, &node, &edge, err))
        return false;
    bool is_node = node != CANVAS_NO_NODE;
    if (s.verb == CANVAS_REMOVE)
        return is_node ? remove_node(e, node) : canvas_cut_edge(e, edge);
    if (j->n == 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "nothing to change: give text, file, "
                         "url, label, color, in, near, x or y");
    return is_node ? canvas_change_node(e, &s, node, err)
                   : canvas_change_edge(e, &s, edge, err);
}

/* --- reading it again --- */

static bool is_same_node(const struct canvas_node *x, const struct canvas_node *y)
{
    return str_eq(x->raw, y->raw) && str_eq(x->id, y->id) && x->type == y->type &&
           str_eq(x->content, y->content) && str_eq(x->color, y->color) &&
           x->at.x == y->at.x && x->at.y == y->at.y && x->at.width == y->at.width &&
           x->at.height == y->at.height;
}

static bool is_same_edge(const struct canvas_edge *x, const struct canvas_edge *y)
{
    return str_eq(x->raw, y->raw) && str_eq(x->id, y->id) && str_eq(x->from, y->from) &&
           str_eq(x->to, y->to) && str_eq(x->label, y->label);
}

/* Whether the new text has the nodes and edges of the map, in their order. */
static bool canvas_is_as_meant(const struct canvas_map *m, str text)
{
    struct canvas_map is;
    struct err ignored;
    size_t nodes = 0, edges = 0;
    if (!canvas_map_read(m->arena, text, &is, &ignored))
        return false;
    for (size_t i = 0; i < m->n_nodes; i++)
        if (!m->nodes[i].gone &&
            (nodes == is.n_nodes || !is_same_node(&m->nodes[i], &is.nodes[nodes++])))
            return false;
    for (size_t i = 0; i < m->n_edges; i++)
        if (!m->edges[i].gone &&
            (edges == is.n_edges || !is_same_edge(&m->edges[i], &is.edges[edges++])))
            return false;
    return nodes == is.n_nodes && edges == is.n_edges;
}

bool canvas_edit(struct arena *a, str text, const struct canvas_edit *edit,
                 struct canvas_edited *out, struct err *err)
{
    struct canvas_editing e = {
        .arena = a, .edit = edit, .above = CANVAS_NO_NODE, .out = out};
    size_t number = 1;
    *out = (struct canvas_edited){0};
    if (edit->steps->n == 0 || edit->steps->n > CANVAS_STEPS_MAX)
        return err_set(err, edit->steps->n == 0 ? ERR_INVALID : ERR_LIMIT,
                       "give 1 to %d steps, not %u", CANVAS_STEPS_MAX, edit->steps->n);
    if (!canvas_map_read(a, text, &e.map, err))
        return false;
    e.seed = hash_content(
        arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(text), STR_ARG(edit->steps->raw)));
    for (const struct json *j = edit->steps->child; j != NULL; j = j->next, number++)
        if (!run_step(&e, j, err))
            return edit->steps->n == 1
                       ? false
                       : err_reword(err, "step %zu: %s", number, err->msg);
    out->text = canvas_write(&e.map, text);
    return canvas_is_as_meant(&e.map, out->text) ||
           err_named(err, E_INVALID_CONTENT,
                     "the canvas would not be read as these steps mean it: nothing was "
                     "changed");
}
