#include "vault/forms/canvas.h"

#include "base/array.h"
#include "base/json.h"
#include "base/map.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/note.h"

struct canvas_reader {
    struct arena *arena;
    str text;
    struct canvas *out;
    size_t at;     /* lines are counted up to here; strings come in order */
    uint32_t line; /* of at */
};

static uint32_t canvas_line_of(struct canvas_reader *r, str raw)
{
    size_t to = (size_t)(raw.p - r->text.p);
    r->line += (uint32_t)text_count_ends(r->text, r->at, to);
    r->at = to > r->at ? to : r->at;
    return r->line;
}

static struct canvas_link *canvas_add_link(struct canvas_reader *r,
                                           enum canvas_place place,
                                           const struct json *node,
                                           const struct json *value)
{
    struct canvas *c = r->out;
    struct canvas_link *link = ARRAY_ADD(r->arena, c->links, c->n_links);
    *link = (struct canvas_link){
        .place = place,
        .line = canvas_line_of(r, value->raw),
        .node = json_get_str(node, STR("id")),
        .value = value->text,
        .raw = value->raw,
    };
    return link;
}

/* Add a path that is a member of the node. */
static void add_path(struct canvas_reader *r, enum canvas_place place,
                     const struct json *node, str member)
{
    const struct json *value = json_get(node, member);
    if (!json_is(value, JSON_STRING) || value->text.n == 0)
        return;
    struct canvas_link *link = canvas_add_link(r, place, node, value);
    link->path = value->text;
    str subpath = json_get_str(node, STR("subpath"));
    if (place == CANVAS_FILE && str_starts(subpath, STR("#"))) {
        link->subpath = subpath;
        link->raw_subpath = json_get(node, STR("subpath"))->raw;
    }
}

static void canvas_add_text(struct canvas_reader *r, const struct json *node)
{
    const struct json *value = json_get(node, STR("text"));
    if (!json_is(value, JSON_STRING))
        return;
    struct note note;
    note_scan(r->arena, value->text, &note);
    for (uint32_t i = 0; i < note.n_links; i++) {
        if (note.links[i].kind == NOTE_DEFINITION)
            continue;
        struct canvas_link *link = canvas_add_link(r, CANVAS_TEXT, node, value);
        link->link = note.links[i];
        link->path = span_of(value->text, link->link.path);
        link->subpath = span_of(value->text, link->link.subpath);
    }
}

static void read_node(struct canvas_reader *r, const struct json *node)
{
    str type = json_get_str(node, STR("type"));
    if (str_eq(type, STR("file")))
        add_path(r, CANVAS_FILE, node, STR("file"));
    else if (str_eq(type, STR("group")))
        add_path(r, CANVAS_BACKGROUND, node, STR("background"));
    else if (str_eq(type, STR("text")))
        canvas_add_text(r, node);
}

static str canvas_without_bom(str text)
{
    return str_skip(text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
}

static const struct json *first_of(const struct json *root, str key)
{
    const struct json *list = root != NULL ? json_get(root, key) : NULL;
    return json_is(list, JSON_ARRAY) ? list->child : NULL;
}

/* *node is the first one; NULL if there is none. */
static bool open_nodes(struct arena *a, str text, const struct json **node,
                       struct err *err)
{
    const struct json *root = NULL;
    if (text.n > CANVAS_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "a canvas of %zu bytes is too large", text.n);
    if (str_trim_line(text).n > 0 && !json_parse(a, text, &root, err))
        return false;
    *node = first_of(root, STR("nodes"));
    return true;
}

bool canvas_scan(struct arena *a, str text, struct canvas *out, struct err *err)
{
    const struct json *node;
    *out = (struct canvas){0};
    text = canvas_without_bom(text);
    if (!open_nodes(a, text, &node, err))
        return false;
    struct canvas_reader r = {.arena = a, .text = text, .out = out, .line = 1};
    for (; node != NULL; node = node->next)
        read_node(&r, node);
    return true;
}

bool canvas_texts(struct arena *a, str text, struct canvas_text **out, size_t *n,
                  struct err *err)
{
    const struct json *node;
    *out = NULL;
    *n = 0;
    if (!open_nodes(a, canvas_without_bom(text), &node, err))
        return false;
    for (; node != NULL; node = node->next) {
        const struct json *value = json_get(node, STR("text"));
        if (str_eq(json_get_str(node, STR("type")), STR("text")) &&
            json_is(value, JSON_STRING))
            *ARRAY_ADD(a, *out, *n) = (struct canvas_text){value->text, value->raw};
    }
    return true;
}

/* --- checking --- */

static size_t canvas_line_at(str text, const struct json *value)
{
    return text_count_ends(text, 0, (size_t)(value->raw.p - text.p)) + 1;
}

static bool canvas_fail(str text, const struct json *value, const char *what, str name,
                        struct err *err)
{
    return err_named(err, E_INVALID_CONTENT, "line %zu: %s" STR_FMT,
                     canvas_line_at(text, value), what, STR_ARG(name));
}

/* Whether object has all these members, of that type; names end with NULL. */
static bool has_all(str text, const struct json *object, const char *const *names,
                    enum json_type type, const char *what, struct err *err)
{
    for (; *names != NULL; names++)
        if (!json_is(json_get(object, str_c(*names)), type))
            return canvas_fail(text, object, what, str_c(*names), err);
    return true;
}

static bool check_node(str text, const struct json *node, struct err *err)
{
    static const char *const texts[] = {"id", "type", NULL};
    static const char *const numbers[] = {"x", "y", "width", "height", NULL};
    static const struct {
        const char *type, *needs[2];
    } kinds[] = {{"text", {"text"}}, {"file", {"file"}}, {"link", {"url"}}};
    if (!has_all(text, node, texts, JSON_STRING, "a node needs the text member ", err) ||
        !has_all(text, node, numbers, JSON_NUMBER, "a node needs the number ", err))
        return false;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(json_get_str(node, STR("type")), str_c(kinds[i].type)) &&
            !has_all(text, node, kinds[i].needs, JSON_STRING,
                     "a node of this type needs the text member ", err))
            return false;
    return true;
}

static bool check_edge(str text, const struct json *edge, struct err *err)
{
    static const char *const texts[] = {"id", "fromNode", "toNode", NULL};
    return has_all(text, edge, texts, JSON_STRING, "an edge needs the text member ", err);
}

static bool check_list(str text, const struct json *root, str key,
                       bool (*check)(str text, const struct json *item, struct err *err),
                       struct err *err)
{
    const struct json *list = json_get(root, key);
    if (list == NULL)
        return true;
    if (!json_is(list, JSON_ARRAY))
        return canvas_fail(text, list, "this must be a list: ", key, err);
    for (const struct json *j = list->child; j != NULL; j = j->next)
        if (!json_is(j, JSON_OBJECT))
            return canvas_fail(text, j, "this must contain objects: ", key, err);
        else if (!check(text, j, err))
            return false;
    return true;
}

bool canvas_check(struct arena *a, str text, struct err *err)
{
    const struct json *root;
    struct err why;
    size_t at;
    text = canvas_without_bom(text);
    if (text.n > CANVAS_MAX_BYTES || str_trim_line(text).n == 0)
        return true;
    if (!json_parse_at(a, text, &root, &at, &why))
        return why.code == ERR_LIMIT ||
               err_named(err, E_INVALID_CONTENT, "line %zu: %s",
                         text_count_ends(text, 0, at) + 1, why.msg);
    if (!json_is(root, JSON_OBJECT))
        return canvas_fail(text, root, "a canvas is an object with nodes and edges",
                           STR(""), err);
    return check_list(text, root, STR("nodes"), check_node, err) &&
           check_list(text, root, STR("edges"), check_edge, err);
}

/* --- where edges lead --- */

static bool check_ends(str text, const struct json *edge, const struct map *ids,
                       struct err *err)
{
    static const char *const ends[] = {"fromNode", "toNode"};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        str id = json_get_str(edge, str_c(ends[i]));
        if (map_find(ids, id) == MAP_NONE)
            return err_named(
                err, E_INVALID_CONTENT,
                "line %zu: the %s of an edge is '" STR_FMT "', and no node has that id",
                canvas_line_at(text, edge), ends[i], STR_ARG(utf8_cut(id, 80)));
    }
    return true;
}

bool canvas_check_ends(struct arena *a, str text, struct err *err)
{
    const struct json *root;
    struct map ids = {.arena = a};
    struct err ignored;
    bool ok = true;
    text = canvas_without_bom(text);
    if (text.n > CANVAS_MAX_BYTES || !json_parse(a, text, &root, &ignored))
        return true;
    for (const struct json *n = first_of(root, STR("nodes")); n != NULL; n = n->next)
        (void)map_add(&ids, json_get_str(n, STR("id")));
    for (const struct json *e = first_of(root, STR("edges")); e != NULL && ok;
         e = e->next)
        ok = check_ends(text, e, &ids, err);
    return ok;
}
