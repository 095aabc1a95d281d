#include "vault/note/canvas.h"

#include "base/array.h"
#include "base/json.h"
#include "base/text.h"
#include "vault/note/note.h"

struct canvas_reader {
    struct arena *arena;
    str text;
    struct canvas *out;
    size_t at;     /* lines are counted up to here; strings come in order */
    uint32_t line; /* of at */
};

static uint32_t line_of(struct canvas_reader *r, str raw)
{
    size_t to = (size_t)(raw.p - r->text.p);
    r->line += (uint32_t)text_count_feeds(str_slice(r->text, r->at, to));
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
        .line = line_of(r, value->raw),
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

bool canvas_scan(struct arena *a, str text, struct canvas *out, struct err *err)
{
    const struct json *root;
    *out = (struct canvas){0};
    if (text.n > CANVAS_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "a canvas of %zu bytes is too large", text.n);
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        text = str_skip(text, 3);
    if (str_trim_line(text).n == 0)
        return true;
    if (!json_parse(a, text, &root, err))
        return false;
    const struct json *nodes = json_get(root, STR("nodes"));
    struct canvas_reader r = {.arena = a, .text = text, .out = out, .line = 1};
    if (json_is(nodes, JSON_ARRAY))
        for (const struct json *node = nodes->child; node != NULL; node = node->next)
            read_node(&r, node);
    return true;
}
