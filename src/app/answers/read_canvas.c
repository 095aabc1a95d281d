/* The outline of a canvas: groups and what is in them, then edges. */
#include "app/answers/answer.h"
#include "app/answers/changed.h"
#include "app/answers/model_text.h"
#include "app/answers/read_parts.h"
#include "app/answers/term.h"
#include "base/map.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/canvas_map.h"

enum {
    CONTENT_MAX = 1500, /* bytes of a card in the outline */
    NAME_MAX_BYTES = 60 /* of a node at the end of an edge */
};

struct canvas_outline {
    struct canvas_map map;
    const size_t *order;
    size_t skip;          /* nodes and edges before the first that is shown */
    struct map titles;    /* folded, */
    uint32_t *title_uses; /* and how often each occurs */
};

bool read_is_canvas(const struct read_file *f)
{
    return f->view == READ_OUTLINE &&
           str_eq_nocase(path_extension(f->text.path), STR("canvas"));
}

static str folded_title(const struct canvas_outline *o, size_t i)
{
    return utf8_fold(o->map.arena, canvas_title(&o->map.nodes[i]));
}

static bool outline_of(const struct read_file *f, struct canvas_outline *o,
                       struct err *err)
{
    *o = (struct canvas_outline){.skip = f->first > 0 ? f->first - 1 : 0};
    if (!canvas_map_read(f->arena, f->text.text, &o->map, err))
        return false;
    canvas_nest(&o->map);
    o->order = canvas_order(&o->map);
    o->titles.arena = f->arena;
    o->title_uses = ARENA_ARRAY(f->arena, uint32_t, o->map.n_nodes + 1);
    for (size_t i = 0; i < o->map.n_nodes; i++)
        o->title_uses[map_add(&o->titles, folded_title(o, i))]++;
    return true;
}

/* What a step of vault_canvas may call the node: its title if that is short and it is the
 * only one, otherwise its id. */
static str canvas_name_of(const struct canvas_outline *o, str id)
{
    size_t node = canvas_node_with_id(&o->map, id);
    if (node == CANVAS_NO_NODE)
        return id;
    str title = canvas_title(&o->map.nodes[node]);
    uint32_t number = map_find(&o->titles, folded_title(o, node));
    bool only = number != MAP_NONE && o->title_uses[number] == 1;
    return only && title.n > 0 && title.n <= NAME_MAX_BYTES ? title : id;
}

static const struct canvas_node *shown_node(const struct canvas_outline *o, size_t i)
{
    return &o->map.nodes[o->order[i + o->skip]];
}

static size_t nodes_left(const struct canvas_outline *o)
{
    return o->skip < o->map.n_nodes ? o->map.n_nodes - o->skip : 0;
}

/* How many edges are skipped. */
static size_t edges_skipped(const struct canvas_outline *o)
{
    size_t skip = o->skip > o->map.n_nodes ? o->skip - o->map.n_nodes : 0;
    return skip < o->map.n_edges ? skip : o->map.n_edges;
}

/* --- JSON --- */

static void put_node(struct answer_out *out, const void *result, size_t i)
{
    const struct canvas_outline *o = result;
    const struct canvas_node *n = shown_node(o, i);
    bool known = n->type != CANVAS_IS_OTHER;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("id"), n->id);
    jsonw_put_str(out->w, STR("type"), str_c(known ? canvas_types[n->type] : "other"));
    if (n->group != CANVAS_NO_NODE)
        jsonw_put_str(out->w, STR("in"), o->map.nodes[n->group].id);
    if (known && n->content.n > 0)
        jsonw_put_str(out->w, str_c(canvas_contents[n->type]), n->content);
    jsonw_put_text(out->w, STR("subpath"), n->subpath);
    jsonw_put_text(out->w, STR("color"), n->color);
    jsonw_end(out->w);
}

static void put_edge(struct answer_out *out, const void *result, size_t i)
{
    const struct canvas_outline *o = result;
    const struct canvas_edge *e = &o->map.edges[i + edges_skipped(o)];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("id"), e->id);
    jsonw_put_str(out->w, STR("from"), e->from);
    jsonw_put_str(out->w, STR("to"), e->to);
    jsonw_put_text(out->w, STR("label"), e->label);
    jsonw_end(out->w);
}

void read_canvas_json(struct answer_out *out, const struct read_file *f)
{
    struct canvas_outline o;
    struct err err;
    if (!outline_of(f, &o, &err)) {
        jsonw_put_str(out->w, STR("problem"), str_c(err.msg));
        return;
    }
    jsonw_put_int(out->w, STR("total_lines"), (int64_t)changed_lines(f->text.text));
    size_t nodes = answer_items(out, STR("nodes"), &o, nodes_left(&o), put_node);
    if (nodes < nodes_left(&o)) {
        answer_next(out, o.skip + nodes + 1, SIZE_MAX);
        return;
    }
    size_t left = o.map.n_edges - edges_skipped(&o);
    size_t edges = answer_items(out, STR("edges"), &o, left, put_edge);
    if (edges < left)
        answer_next(out, o.map.n_nodes + edges_skipped(&o) + edges + 1, SIZE_MAX);
}

/* --- plain text --- */

static const char *arrow_of(const struct canvas_edge *e)
{
    if (e->arrow)
        return e->arrow_back ? "<->" : "->";
    return e->arrow_back ? "<-" : "--";
}

/* The first line, and the others below it, without empty ones. */
static void say_content(struct model_text *s, const struct canvas_node *n)
{
    str text = str_trim_line(utf8_cut(n->content, CONTENT_MAX)), line;
    bool first = true;
    while (text.n > 0 && text_take_line(&text, &line)) {
        if (str_trim_line(line).n == 0)
            continue;
        if (!first)
            sbuf_printf(s->out, "\n%*s", 2 * (int)n->depth + 4, "");
        mt_line(s, text_drop_return(line));
        first = false;
    }
    if (n->content.n > CONTENT_MAX)
        sbuf_add(s->out, STR(" [cut]"));
    mt_line(s, n->subpath);
}

static void say_node(struct model_text *s, const void *result, size_t i)
{
    const struct canvas_node *n = shown_node(result, i);
    const char *type = n->type == CANVAS_IS_OTHER ? "other" : canvas_types[n->type];
    sbuf_printf(s->out, "%*s", 2 * (int)n->depth, "");
    mt_line(s, n->id);
    sbuf_printf(s->out, " %s", type);
    if (n->color.n > 0) {
        sbuf_add(s->out, STR(" (color "));
        mt_line(s, n->color);
        sbuf_char(s->out, ')');
    }
    sbuf_add(s->out, n->content.n > 0 ? STR(": ") : STR(""));
    say_content(s, n);
    sbuf_char(s->out, '\n');
}

static void say_edge(struct model_text *s, const void *result, size_t i)
{
    const struct canvas_outline *o = result;
    const struct canvas_edge *e = &o->map.edges[i + edges_skipped(o)];
    mt_line(s, e->id);
    sbuf_add(s->out, STR(": "));
    mt_line(s, canvas_name_of(o, e->from));
    sbuf_printf(s->out, " %s ", arrow_of(e));
    mt_line(s, canvas_name_of(o, e->to));
    if (e->label.n > 0) {
        sbuf_add(s->out, STR(" ("));
        mt_line(s, e->label);
        sbuf_char(s->out, ')');
    }
    sbuf_char(s->out, '\n');
}

void read_canvas_text(struct model_text *s, const struct read_file *f)
{
    struct canvas_outline o;
    struct err err;
    if (!outline_of(f, &o, &err)) {
        mt_note(s, arena_printf(f->arena, "%s; view text shows the file", err.msg));
        return;
    }
    size_t nodes = mt_items(s, &o, nodes_left(&o), say_node);
    if (nodes < nodes_left(&o)) {
        mt_next(s, o.skip + nodes + 1, SIZE_MAX);
        return;
    }
    size_t left = o.map.n_edges - edges_skipped(&o);
    size_t edges = mt_items(s, &o, left, say_edge);
    if (edges < left)
        mt_next(s, o.map.n_nodes + edges_skipped(&o) + edges + 1, SIZE_MAX);
    if (o.map.n_nodes + o.map.n_edges == 0)
        mt_note(s, STR("the canvas is empty"));
}

/* --- a terminal --- */

void read_canvas_term(struct term *t, const struct read_file *f)
{
    struct sbuf text = SBUF_ON(f->arena);
    read_canvas_text(&(struct model_text){&text, SIZE_MAX}, f);
    term_text(t, sbuf_str(&text));
}
