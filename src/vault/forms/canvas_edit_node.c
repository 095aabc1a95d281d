/* Adding and changing the nodes of a canvas. */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/canvas_edit_parts.h"
#include "vault/forms/canvas_step.h"
#include "vault/forms/canvas_write.h"

/* Sizes of new nodes, as in Obsidian. */
enum {
    GRID = 20,
    FILE_SIZE = 400,
    TEXT_WIDTH = 260,
    TEXT_HEIGHT = 60,
    TEXT_HEIGHT_MAX = 400,
    LINE_HEIGHT = 24,
    LINE_CHARS = 28, /* that fit into TEXT_WIDTH, about */
};

/* --- places --- */

static bool find_group(const struct canvas_editing *e, str word, size_t *out,
                       struct err *err)
{
    *out = CANVAS_NO_NODE;
    if (word.n == 0)
        return true;
    return canvas_find_node(&e->map, word, out, err) &&
           (e->map.nodes[*out].type == CANVAS_IS_GROUP ||
            err_named(err, E_INVALID_ARGUMENT, "'" STR_FMT "' is not a group",
                      STR_ARG(utf8_cut(word, CANVAS_TITLE_SHOWN))));
}

static bool read_request(const struct canvas_editing *e, const struct canvas_step *s,
                         struct canvas_request *out, struct err *err)
{
    str by = canvas_step_str(s, "near");
    out->near_node = CANVAS_NO_NODE;
    out->side = canvas_step_side(s, "side");
    return find_group(e, canvas_step_str(s, "in"), &out->group, err) &&
           (by.n == 0 || canvas_find_node(&e->map, by, &out->near_node, err));
}

/*
 * The group and those around it hold rect. Which groups these are is settled before the first
 * of them grows: a larger rectangle may contain other groups, or those around it. canvas_place()
 * has seen that no more of them have to grow.
 */
static void grow_groups(struct canvas_editing *e, size_t group, struct canvas_rect rect)
{
    size_t chain[CANVAS_NESTED_MAX], n = 0;
    for (; group != CANVAS_NO_NODE && n < CANVAS_NESTED_MAX; n++) {
        chain[n] = group;
        group = canvas_group_of(&e->map, group);
    }
    for (size_t i = 0; i < n; i++) {
        struct canvas_rect grown = canvas_grown(&e->map.nodes[chain[i]].at, &rect);
        if (canvas_contains(&e->map.nodes[chain[i]].at, &grown))
            return;
        canvas_set_rect(e, chain[i], &grown);
        rect = grown;
    }
}

static bool rect_around(const struct canvas_editing *e, const struct json *words,
                        struct canvas_rect *out, struct err *err)
{
    size_t i;
    for (const struct json *w = words->child; w != NULL; w = w->next) {
        if (!canvas_find_node(&e->map, w->text, &i, err))
            return false;
        *out = w == words->child ? e->map.nodes[i].at
                                 : canvas_around(out, &e->map.nodes[i].at);
    }
    *out = canvas_inflated(out, CANVAS_PADDING);
    return true;
}

/* --- add --- */

/* A card of one line, and more for a longer text, in steps of Obsidian's grid. */
static double text_height(str text)
{
    str line;
    size_t lines = 0;
    while (text.n > 0 && text_take_line(&text, &line) && lines < TEXT_HEIGHT_MAX)
        lines += 1 + line.n / LINE_CHARS;
    size_t more = lines > 1 ? (lines - 1) * LINE_HEIGHT : 0;
    size_t height = TEXT_HEIGHT + (more + GRID - 1) / GRID * GRID;
    return (double)(height < TEXT_HEIGHT_MAX ? height : TEXT_HEIGHT_MAX);
}

static struct canvas_rect default_size(const struct canvas_step *s)
{
    if (s->type == CANVAS_IS_TEXT)
        return (struct canvas_rect){0, 0, TEXT_WIDTH,
                                    text_height(canvas_step_str(s, "text"))};
    return (struct canvas_rect){0, 0, FILE_SIZE, FILE_SIZE};
}

static bool find_file(const struct canvas_editing *e, str word, str *path, str *subpath,
                      struct err *err)
{
    size_t hash = str_find_char(word, '#');
    *subpath = hash == STR_NONE ? (str){0} : str_skip(word, hash);
    return e->edit->find(e->edit->arg, str_slice(word, 0, hash), path, err);
}

static bool check_url(str url, struct err *err)
{
    size_t colon = str_find_char(url, ':');
    bool ok = colon != STR_NONE && colon > 0;
    for (size_t i = 0; ok && i < colon; i++)
        ok = is_letter(url.p[i]) || (i > 0 && is_digit(url.p[i])) || url.p[i] == '-' ||
             url.p[i] == '+' || url.p[i] == '.';
    return ok || err_named(err, E_INVALID_ARGUMENT,
                           "url must be a whole address, such as https://example.org");
}

/* Write the members that say what the node shows, as Obsidian orders them. */
static bool put_content(struct canvas_editing *e, const struct canvas_step *s,
                        struct jsonw *w, struct err *err)
{
    str path, subpath;
    switch (s->type) {
    case CANVAS_IS_TEXT:
        jsonw_put_str(w, STR("text"), canvas_step_str(s, "text"));
        return true;
    case CANVAS_IS_LINK:
        jsonw_put_str(w, STR("url"), canvas_step_str(s, "url"));
        return check_url(canvas_step_str(s, "url"), err);
    case CANVAS_IS_FILE:
        if (!find_file(e, canvas_step_str(s, "file"), &path, &subpath, err))
            return false;
        jsonw_put_str(w, STR("file"), path);
        if (subpath.n > 1)
            jsonw_put_str(w, STR("subpath"), subpath);
        return true;
    default:
        return true;
    }
}

static bool write_node(struct canvas_editing *e, const struct canvas_step *s, str id,
                       const struct canvas_rect *at, str *out, struct err *err)
{
    struct sbuf text = SBUF_ON(e->arena);
    struct jsonw w = JSONW_ON(&text);
    str label = canvas_step_str(s, "label"), color = canvas_step_str(s, "color");
    jsonw_object(&w);
    jsonw_put_str(&w, STR("id"), id);
    jsonw_put_str(&w, STR("type"), str_c(canvas_types[s->type]));
    if (!put_content(e, s, &w, err))
        return false;
    jsonw_put_int(&w, STR("x"), (int64_t)at->x);
    jsonw_put_int(&w, STR("y"), (int64_t)at->y);
    jsonw_put_int(&w, STR("width"), (int64_t)at->width);
    jsonw_put_int(&w, STR("height"), (int64_t)at->height);
    if (color.n > 0)
        jsonw_put_str(&w, STR("color"), color);
    if (label.n > 0)
        jsonw_put_str(&w, STR("label"), label);
    jsonw_end(&w);
    *out = sbuf_str(&text);
    return true;
}

/*
 * Later nodes are on top of earlier ones, so a group comes before what is in it: after the
 * groups that it is in.
 */
static size_t insert_node(struct canvas_editing *e, str raw)
{
    struct canvas_map *m = &e->map;
    struct canvas_node node;
    canvas_read_node(canvas_parse_own(e->arena, raw), &node);
    size_t at = m->n_nodes;
    if (node.type == CANVAS_IS_GROUP)
        for (at = m->n_nodes; at > 0; at--)
            if (m->nodes[at - 1].type == CANVAS_IS_GROUP &&
                canvas_contains(&m->nodes[at - 1].at, &node.at))
                break;
    (void)ARRAY_ADD(e->arena, m->nodes, m->n_nodes);
    memmove(&m->nodes[at + 1], &m->nodes[at], (m->n_nodes - 1 - at) * sizeof(*m->nodes));
    m->nodes[at] = node;
    if (e->above != CANVAS_NO_NODE && e->above >= at)
        e->above++;
    return at;
}

/* Where the new node goes; *group has to grow around it. */
static bool choose_place(struct canvas_editing *e, const struct canvas_step *s,
                         struct canvas_rect *at, size_t *group, struct err *err)
{
    struct canvas_request request = {.self = CANVAS_NO_NODE, .above = e->above};
    const struct json *around = json_get(s->json, STR("around"));
    *group = CANVAS_NO_NODE;
    *at = default_size(s);
    (void)canvas_step_num(s, "width", &at->width);
    (void)canvas_step_num(s, "height", &at->height);
    if (canvas_step_num(s, "x", &at->x) && canvas_step_num(s, "y", &at->y))
        return true;
    if (around != NULL)
        return rect_around(e, around, at, err);
    request.width = at->width;
    request.height = at->height;
    return read_request(e, s, &request, err) &&
           canvas_place(&e->map, &request, at, group, err);
}

bool canvas_add_node(struct canvas_editing *e, const struct canvas_step *s,
                     struct err *err)
{
    struct canvas_rect at;
    size_t group;
    str raw, id = canvas_new_id(e);
    bool anywhere = !canvas_step_has(s, "in") && !canvas_step_has(s, "near") &&
                    !canvas_step_has(s, "x") && !canvas_step_has(s, "around");
    if (e->map.n_nodes >= CANVAS_NODES_MAX)
        return err_set(err, ERR_LIMIT, "a canvas can have at most %d nodes here",
                       CANVAS_NODES_MAX);
    if (!choose_place(e, s, &at, &group, err) || !write_node(e, s, id, &at, &raw, err))
        return false;
    grow_groups(e, group, at);
    size_t i = insert_node(e, raw);
    if (anywhere)
        e->above = i;
    return canvas_did(e,
                      arena_printf(e->arena, "added " STR_FMT ": " STR_FMT, STR_ARG(id),
                                   STR_ARG(canvas_describe(e->arena, &e->map.nodes[i]))));
}

/* --- change --- */

static bool change_content(struct canvas_editing *e, const struct canvas_step *s,
                           size_t i, struct err *err)
{
    const struct canvas_node *n = &e->map.nodes[i];
    for (int k = 0; canvas_contents[k] != NULL; k++) {
        const char *key = canvas_contents[k];
        str path, subpath;
        if (!canvas_step_has(s, key))
            continue;
        if ((int)n->type != k)
            return err_named(err, E_INVALID_ARGUMENT, "a %s has no %s",
                             n->type == CANVAS_IS_OTHER ? "node of this type"
                                                        : canvas_types[n->type],
                             key);
        if (k == CANVAS_IS_FILE) {
            if (!find_file(e, canvas_step_str(s, key), &path, &subpath, err))
                return false;
            canvas_set_node(e, i, key, canvas_json_str(e->arena, path));
            canvas_set_node(e, i, "subpath",
                            subpath.n > 1 ? canvas_json_str(e->arena, subpath)
                                          : (str){0});
        } else {
            if (k == CANVAS_IS_LINK && !check_url(canvas_step_str(s, key), err))
                return false;
            canvas_set_node(e, i, key, canvas_new_value(e, s, key));
        }
    }
    return true;
}

/* What is in a group moves along with it. */
static void move_node(struct canvas_editing *e, size_t i, const struct canvas_rect *to)
{
    struct canvas_rect was = e->map.nodes[i].at;
    bool carries = e->map.nodes[i].type == CANVAS_IS_GROUP;
    double right = to->x - was.x, down = to->y - was.y;
    for (size_t k = 0; k < e->map.n_nodes && carries && (right != 0 || down != 0); k++) {
        struct canvas_rect r = e->map.nodes[k].at;
        if (k == i || e->map.nodes[k].gone || !canvas_contains(&was, &r))
            continue;
        r.x += right;
        r.y += down;
        canvas_set_rect(e, k, &r);
    }
    canvas_set_rect(e, i, to);
}

static bool change_place(struct canvas_editing *e, const struct canvas_step *s, size_t i,
                         struct err *err)
{
    struct canvas_rect at = e->map.nodes[i].at;
    struct canvas_request request = {.self = i, .above = CANVAS_NO_NODE};
    size_t group = CANVAS_NO_NODE;
    (void)canvas_step_num(s, "width", &at.width);
    (void)canvas_step_num(s, "height", &at.height);
    (void)canvas_step_num(s, "x", &at.x);
    (void)canvas_step_num(s, "y", &at.y);
    if (canvas_step_has(s, "in") || canvas_step_has(s, "near")) {
        request.width = at.width;
        request.height = at.height;
        if (!read_request(e, s, &request, err))
            return false;
        const size_t others[] = {request.near_node, request.group};
        for (size_t k = 0; k < COUNT_OF(others); k++)
            if (others[k] == i ||
                (others[k] != CANVAS_NO_NODE && e->map.nodes[i].type == CANVAS_IS_GROUP &&
                 canvas_contains(&e->map.nodes[i].at, &e->map.nodes[others[k]].at)))
                return err_named(err, E_INVALID_ARGUMENT,
                                 "a node cannot be moved into or next to itself");
        if (!canvas_place(&e->map, &request, &at, &group, err))
            return false;
    }
    grow_groups(e, group, at); /* before the move, which changes what is around what */
    move_node(e, i, &at);
    return true;
}

bool canvas_change_node(struct canvas_editing *e, const struct canvas_step *s, size_t i,
                        struct err *err)
{
    static const char *const of_edges[] = {"fromSide", "toSide", "fromEnd", "toEnd"};
    for (size_t k = 0; k < COUNT_OF(of_edges); k++)
        if (canvas_step_has(s, of_edges[k]))
            return err_named(err, E_INVALID_ARGUMENT, "%s is for edges", of_edges[k]);
    if (!change_content(e, s, i, err))
        return false;
    if (canvas_step_has(s, "color"))
        canvas_set_node(e, i, "color", canvas_new_value(e, s, "color"));
    canvas_reread_node(e, i);
    if (!change_place(e, s, i, err))
        return false;
    const struct canvas_node *n = &e->map.nodes[i];
    return canvas_did(e, arena_printf(e->arena, "changed " STR_FMT ": " STR_FMT,
                                      STR_ARG(n->id),
                                      STR_ARG(canvas_describe(e->arena, n))));
}
