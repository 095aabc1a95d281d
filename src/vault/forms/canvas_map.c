#include "vault/forms/canvas_map.h"

#include "base/array.h"
#include "base/json.h"
#include "base/near.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/canvas.h"

const char *const canvas_types[] = {[CANVAS_IS_TEXT] = "text",
                                    [CANVAS_IS_FILE] = "file",
                                    [CANVAS_IS_LINK] = "link",
                                    [CANVAS_IS_GROUP] = "group",
                                    NULL};

const char *const canvas_contents[] = {[CANVAS_IS_TEXT] = "text",
                                       [CANVAS_IS_FILE] = "file",
                                       [CANVAS_IS_LINK] = "url",
                                       [CANVAS_IS_GROUP] = "label",
                                       NULL};

/* --- reading --- */

/* Numbers that no screen has would overflow when they are added. */
static double read_number(const struct json *node, const char *key)
{
    const double far = 1e9;
    double n = 0;
    (void)json_num(json_get(node, str_c(key)), &n);
    return n > far ? far : n < -far ? -far : n;
}

static enum canvas_type read_type(str type)
{
    int i = 0;
    while (canvas_types[i] != NULL && !str_eq(type, str_c(canvas_types[i])))
        i++;
    return (enum canvas_type)i;
}

void canvas_read_node(const struct json *j, struct canvas_node *out)
{
    enum canvas_type type = read_type(json_get_str(j, STR("type")));
    str content = {0}, subpath = json_get_str(j, STR("subpath"));
    if (type != CANVAS_IS_OTHER)
        content = json_get_str(j, str_c(canvas_contents[type]));
    if (type != CANVAS_IS_FILE || !str_starts(subpath, STR("#")))
        subpath = (str){0};
    *out = (struct canvas_node){
        .id = json_get_str(j, STR("id")),
        .type = type,
        .at = {read_number(j, "x"), read_number(j, "y"), read_number(j, "width"),
               read_number(j, "height")},
        .content = content,
        .subpath = subpath,
        .color = json_get_str(j, STR("color")),
        .group = CANVAS_NO_NODE,
        .raw = j->raw,
    };
}

void canvas_read_edge(const struct json *j, struct canvas_edge *out)
{
    *out = (struct canvas_edge){
        .id = json_get_str(j, STR("id")),
        .from = json_get_str(j, STR("fromNode")),
        .to = json_get_str(j, STR("toNode")),
        .label = json_get_str(j, STR("label")),
        .arrow_back = str_eq(json_get_str(j, STR("fromEnd")), STR("arrow")),
        .arrow = !str_eq(json_get_str(j, STR("toEnd")), STR("none")),
        .raw = j->raw,
    };
}

static bool read_lists(struct canvas_map *m, const struct json *root, struct err *err)
{
    const struct json *nodes = json_get(root, STR("nodes"));
    const struct json *edges = json_get(root, STR("edges"));
    if ((nodes != NULL && nodes->n > CANVAS_NODES_MAX) ||
        (edges != NULL && edges->n > CANVAS_NODES_MAX))
        return err_set(err, ERR_LIMIT, "the canvas has more than %d nodes or edges",
                       CANVAS_NODES_MAX);
    for (const struct json *j = nodes != NULL ? nodes->child : NULL; j; j = j->next) {
        struct canvas_node *n = ARRAY_ADD(m->arena, m->nodes, m->n_nodes);
        canvas_read_node(j, n);
        n->source = n->raw;
    }
    for (const struct json *j = edges != NULL ? edges->child : NULL; j; j = j->next) {
        struct canvas_edge *e = ARRAY_ADD(m->arena, m->edges, m->n_edges);
        canvas_read_edge(j, e);
        e->source = e->raw;
    }
    return true;
}

bool canvas_map_read(struct arena *a, str text, struct canvas_map *out, struct err *err)
{
    const struct json *root;
    *out = (struct canvas_map){.arena = a};
    if (text.n > CANVAS_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "a canvas of %zu bytes is too large", text.n);
    if (!canvas_check(a, text, err))
        return false;
    text = str_skip(text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
    return str_trim_line(text).n == 0 ||
           (json_parse(a, text, &root, err) && read_lists(out, root, err));
}

/* --- places --- */

bool canvas_contains(const struct canvas_rect *outer, const struct canvas_rect *inner)
{
    return inner->x >= outer->x && inner->y >= outer->y &&
           inner->x + inner->width <= outer->x + outer->width &&
           inner->y + inner->height <= outer->y + outer->height;
}

bool canvas_overlaps(const struct canvas_rect *a, const struct canvas_rect *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* Of two groups with the same rectangle, the first is outside. */
static bool is_around(const struct canvas_map *m, size_t group, size_t node)
{
    const struct canvas_node *g = &m->nodes[group], *n = &m->nodes[node];
    if (g->gone || g->type != CANVAS_IS_GROUP || group == node ||
        !canvas_contains(&g->at, &n->at))
        return false;
    return n->type != CANVAS_IS_GROUP || group < node || !canvas_contains(&n->at, &g->at);
}

size_t canvas_group_of(const struct canvas_map *m, size_t node)
{
    size_t best = CANVAS_NO_NODE;
    for (size_t i = 0; i < m->n_nodes; i++)
        if (is_around(m, i, node) && (best == CANVAS_NO_NODE || is_around(m, best, i)))
            best = i;
    return best;
}

void canvas_nest(struct canvas_map *m)
{
    for (size_t i = 0; i < m->n_nodes; i++)
        m->nodes[i].group = canvas_group_of(m, i);
    for (size_t i = 0; i < m->n_nodes; i++) {
        m->nodes[i].depth = 0;
        for (size_t g = m->nodes[i].group; g != CANVAS_NO_NODE; g = m->nodes[g].group)
            m->nodes[i].depth++;
    }
}

/* --- order --- */

static int compare_places(const void *x, const void *y, void *arg)
{
    const struct canvas_map *m = arg;
    size_t i = *(const size_t *)x, k = *(const size_t *)y;
    const struct canvas_rect *a = &m->nodes[i].at, *b = &m->nodes[k].at;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return i < k ? -1 : i > k;
}

/* The lists of what is in each group, and at the end of what is in none. */
struct canvas_children {
    size_t *first, *next; /* CANVAS_NO_NODE ends a list */
};

static struct canvas_children find_children(const struct canvas_map *m,
                                            const size_t *sorted)
{
    struct canvas_children c = {ARENA_ARRAY(m->arena, size_t, m->n_nodes + 1),
                                ARENA_ARRAY(m->arena, size_t, m->n_nodes + 1)};
    for (size_t i = 0; i <= m->n_nodes; i++)
        c.first[i] = CANVAS_NO_NODE;
    for (size_t i = m->n_nodes; i > 0; i--) {
        size_t node = sorted[i - 1], group = m->nodes[node].group;
        size_t *list = &c.first[group != CANVAS_NO_NODE ? group : m->n_nodes];
        c.next[node] = *list;
        *list = node;
    }
    return c;
}

size_t *canvas_order(const struct canvas_map *m)
{
    size_t *sorted = ARENA_ARRAY(m->arena, size_t, m->n_nodes + 1);
    size_t *out = ARENA_ARRAY(m->arena, size_t, m->n_nodes + 1);
    for (size_t i = 0; i < m->n_nodes; i++)
        sorted[i] = i;
    sort_with(sorted, m->n_nodes, sizeof(*sorted), compare_places, (void *)m);
    struct canvas_children c = find_children(m, sorted);
    size_t n = 0, at = c.first[m->n_nodes];
    while (at != CANVAS_NO_NODE) {
        out[n++] = at;
        size_t next = c.first[at];
        while (next == CANVAS_NO_NODE && at != CANVAS_NO_NODE) {
            next = c.next[at];
            at = m->nodes[at].group;
        }
        at = next;
    }
    return out;
}

/* --- names --- */

static str title_of_text(str text)
{
    str line = {0};
    while (str_trim_line(line).n == 0 && text_take_line(&text, &line))
        ;
    line = str_trim_line(line);
    size_t marks = 0;
    while (marks < line.n && line.p[marks] == '#')
        marks++;
    return marks < line.n && line.p[marks] == ' ' ? str_trim(str_skip(line, marks))
                                                  : line;
}

str canvas_title(const struct canvas_node *n)
{
    if (n->type == CANVAS_IS_TEXT)
        return title_of_text(n->content);
    if (n->type != CANVAS_IS_FILE)
        return n->content;
    str name = path_name(n->content);
    return str_eq_nocase(path_extension(name), STR("md")) ? str_slice(name, 0, name.n - 3)
                                                          : name;
}

size_t canvas_node_with_id(const struct canvas_map *m, str id)
{
    for (size_t i = 0; i < m->n_nodes; i++)
        if (!m->nodes[i].gone && str_eq(m->nodes[i].id, id))
            return i;
    return CANVAS_NO_NODE;
}

size_t canvas_edge_with_id(const struct canvas_map *m, str id)
{
    size_t i = 0;
    while (i < m->n_edges && (m->edges[i].gone || !str_eq(m->edges[i].id, id)))
        i++;
    return i;
}

static bool is_called(const struct canvas_map *m, const struct canvas_node *n, str folded)
{
    if (n->gone)
        return false;
    const str names[] = {canvas_title(n), n->content,
                         n->type == CANVAS_IS_FILE ? path_name(n->content) : (str){0}};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].n > 0 && str_eq(utf8_fold(m->arena, names[i]), folded))
            return true;
    return false;
}

static bool no_such_node(const struct canvas_map *m, str word, struct err *err)
{
    enum { SLIPS = 3 };
    struct near_search near;
    str best = {0};
    near_search(&near, utf8_fold(m->arena, word), SLIPS);
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct canvas_node *n = &m->nodes[i];
        const str names[] = {n->id, canvas_title(n)};
        for (size_t k = 0; k < COUNT_OF(names) && !n->gone; k++)
            if (near_offer(&near, utf8_fold(m->arena, names[k])))
                best = names[k];
    }
    word = utf8_cut(word, 80);
    if (best.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "no node '" STR_FMT "'; did you mean '" STR_FMT "'?",
                         STR_ARG(word), STR_ARG(utf8_cut(best, 80)));
    err_named(err, E_INVALID_ARGUMENT, "no node '" STR_FMT "': give an id or title",
              STR_ARG(word));
    return err_remedy(err, REMEDY_READ_CANVAS);
}

bool canvas_find_node(const struct canvas_map *m, str word, size_t *out, struct err *err)
{
    enum { SHOWN = 5 };
    struct sbuf ids = SBUF_ON(m->arena);
    size_t found = 0;
    str folded = utf8_fold(m->arena, word);
    *out = canvas_node_with_id(m, word);
    if (*out != CANVAS_NO_NODE)
        return true;
    for (size_t i = 0; i < m->n_nodes; i++) {
        if (!is_called(m, &m->nodes[i], folded))
            continue;
        if (found++ < SHOWN)
            sbuf_printf(&ids, "%s" STR_FMT, found > 1 ? ", " : "",
                        STR_ARG(m->nodes[i].id));
        *out = i;
    }
    if (found == 0)
        return no_such_node(m, word, err);
    return found == 1 ||
           err_named(err, E_AMBIGUOUS,
                     "%zu nodes are called '" STR_FMT "': give the id: " STR_FMT, found,
                     STR_ARG(utf8_cut(word, 80)), STR_ARG(sbuf_str(&ids)));
}
