/*
 * libyaml knows YAML 1.1 and no schema, so it only supplies events; types, duplicate
 * keys, aliases and limits are handled here. It is quadratic in the depth of flow
 * collections, but they arrive event by event, so stopping at the limit of depth keeps
 * every block within milliseconds.
 *
 * libyaml's marks count characters. Events come in order, so a cursor that only moves
 * forward converts them to bytes.
 */
#include "vault/note/yaml_tree.h"

#include <yaml.h>

#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/yaml_scalar.h"
#include "vault/text/yaml_problem.h"
#include "vault/text/yaml_text.h"

enum {
    ANCHORS_MAX = 256,
    KEY_SHOWN = 60,
    NOT_CHECKED = -1, /* for reader.indent */
};

struct anchor {
    str name;
    const struct prop *node;
    size_t values, text; /* totals of everything below the node, aliases repeated */
    bool whole;          /* its end has been read */
};

struct yaml_tree_reader {
    const struct yaml_source *from;
    yaml_parser_t yaml;
    size_t cursor, cursor_char; /* a byte of block, and the number of its character */
    size_t values, text;
    int indent;             /* column of the enclosing block list or map */
    struct anchor *anchors; /* ANCHORS_MAX of them, or NULL */
    size_t n_anchors;
    struct err *err;
};

static bool yaml_tree_fail(struct yaml_tree_reader *r, enum err_code code, yaml_mark_t at,
                           const char *what)
{
    return err_set(r->err, code, "line %zu, column %zu: %s",
                   r->from->first_line + at.line, at.column + 1, what);
}

static bool limit(struct yaml_tree_reader *r, yaml_mark_t at, const char *what, int most)
{
    return err_set(r->err, ERR_LIMIT, "line %zu, column %zu: %s %d",
                   r->from->first_line + at.line, at.column + 1, what, most);
}

/* The place of a byte as a mark of libyaml, without its index. */
static yaml_mark_t mark_of(const struct yaml_tree_reader *r, size_t byte)
{
    yaml_mark_t mark = {0};
    str before = str_slice(r->from->block, 0, byte), line = {0};
    for (str rest = before; text_take_line(&rest, &line); mark.line++)
        ;
    mark.line--;
    for (size_t i = 0; i < line.n; i++)
        mark.column += ((uint8_t)line.p[i] & 0xC0) != 0x80;
    return mark;
}

static bool next(struct yaml_tree_reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->yaml, event))
        return true;
    if (r->yaml.error == YAML_MEMORY_ERROR)
        BUG("out of memory");
    const struct yaml_problem p = {
        .problem = str_c(r->yaml.problem),
        .context = str_c(r->yaml.context),
        .line = r->yaml.problem_mark.line,
        .column = r->yaml.problem_mark.column,
        .context_line = r->yaml.context_mark.line,
        .context_column = r->yaml.context_mark.column,
    };
    return yaml_problem_set(&p, r->from->block, r->from->first_line, r->err);
}

static uint32_t byte_of(struct yaml_tree_reader *r, yaml_mark_t mark)
{
    if (mark.index < r->cursor_char)
        r->cursor = r->cursor_char = 0;
    while (r->cursor_char < mark.index && r->cursor < r->from->block.n) {
        size_t n;
        (void)utf8_decode(str_skip(r->from->block, r->cursor), &n);
        r->cursor += n;
        r->cursor_char++;
    }
    return (uint32_t)r->cursor;
}

static str copy_text(struct yaml_tree_reader *r, const yaml_char_t *p, size_t n)
{
    str text = {(const char *)p, n};
    return r->from->hidden ? yaml_text_show(r->from->arena, text)
                           : arena_str(r->from->arena, text);
}

/* Count values and text against the limits. */
static bool yaml_tree_count(struct yaml_tree_reader *r, yaml_mark_t at, size_t values,
                            size_t text)
{
    r->values += values;
    r->text += text;
    if (r->values > r->from->limits->values)
        return limit(r, at, "the number of values is above",
                     (int)r->from->limits->values);
    if (r->text > FRONTMATTER_MAX_TEXT)
        return limit(r, at, "with aliases repeated, the number of bytes is above",
                     FRONTMATTER_MAX_TEXT);
    return true;
}

static struct anchor *find_anchor(struct yaml_tree_reader *r, const yaml_char_t *name)
{
    str wanted = str_c((const char *)name);
    for (size_t i = r->n_anchors; i > 0; i--)
        if (str_eq(r->anchors[i - 1].name, wanted))
            return &r->anchors[i - 1];
    return NULL;
}

/* Levels of lists and maps, node itself included. */
static int height(const struct prop *node)
{
    int most = 0;
    for (const struct prop *c = node->child; c != NULL; c = c->next) {
        int h = height(c);
        most = h > most ? h : most;
    }
    return node->type >= PROP_LIST ? most + 1 : 0;
}

/* The children are shared with the node that has the anchor. */
static bool read_alias(struct yaml_tree_reader *r, const yaml_event_t *event, int depth,
                       struct prop *out)
{
    str after = str_skip(r->from->block, byte_of(r, event->end_mark));
    if (str_starts(after, STR(":"))) /* libyaml ends the name here */
        return yaml_tree_fail(r, ERR_INVALID, event->end_mark,
                              "a space is missing before this ':'");
    const struct anchor *anchor = find_anchor(r, event->data.alias.anchor);
    if (anchor == NULL)
        return yaml_tree_fail(
            r, ERR_INVALID, event->start_mark,
            "this alias has no anchor before it: put the text in quotes");
    if (!anchor->whole)
        return yaml_tree_fail(r, ERR_INVALID, event->start_mark,
                              "this alias contains itself");
    if (!yaml_tree_count(r, event->start_mark, anchor->values, anchor->text))
        return false;
    if (depth + height(anchor->node) > r->from->limits->depth)
        return limit(r, event->start_mark, "the depth of lists and maps is above",
                     r->from->limits->depth);
    struct prop place = *out;
    *out = *anchor->node;
    out->next = NULL;
    out->key = place.key;
    out->line = place.line;
    out->start = place.start;
    out->end = place.end;
    return true;
}

static bool read_scalar(struct yaml_tree_reader *r, const yaml_event_t *event,
                        struct prop *out)
{
    if (!yaml_tree_count(r, event->start_mark, 1, event->data.scalar.length))
        return false;
    out->text = copy_text(r, event->data.scalar.value, event->data.scalar.length);
    if (event->data.scalar.tag != NULL)
        yaml_scalar_tagged(out, str_c((const char *)event->data.scalar.tag));
    else if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        yaml_scalar_plain(out);
    else
        out->type = PROP_TEXT;
    return true;
}

static bool read_node(struct yaml_tree_reader *r, yaml_event_t *event, int depth,
                      struct prop **out);

static bool read_list(struct yaml_tree_reader *r, yaml_mark_t *end, int depth,
                      struct prop *list)
{
    struct prop **link = &list->child;
    yaml_event_t event;
    while (next(r, &event)) {
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            *end = event.end_mark;
            return true;
        }
        if (!read_node(r, &event, depth, link))
            return false;
        link = &(*link)->next;
        list->n++;
    }
    return false;
}

static bool twice(struct yaml_tree_reader *r, const struct prop *member)
{
    yaml_mark_t at = mark_of(r, member->key_start);
    str shown = str_slice(member->key, 0, KEY_SHOWN);
    shown.n = utf8_valid_prefix(shown);
    return err_set(r->err, ERR_INVALID,
                   "line %zu, column %zu: duplicate key '" STR_FMT "'",
                   r->from->first_line + at.line, at.column + 1, STR_ARG(shown));
}

static bool read_map(struct yaml_tree_reader *r, yaml_mark_t *end, int depth,
                     struct prop *map)
{
    struct prop **link = &map->child, *key;
    yaml_event_t event;
    while (next(r, &event)) {
        if (event.type == YAML_MAPPING_END_EVENT) {
            *end = event.end_mark;
            const struct prop *again = yaml_key_twice(map);
            return again == NULL || twice(r, again);
        }
        if (!read_node(r, &event, depth, &key) || !next(r, &event) ||
            !read_node(r, &event, depth, link))
            return false;
        struct prop *member = *link;
        member->key = yaml_key_text(r->from->arena, key);
        member->key_start = key->start;
        member->line = key->line;
        link = &member->next;
        map->n++;
    }
    return false;
}

static bool is_flow(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_START_EVENT
               ? event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
               : event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
}

static bool has_properties(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_START_EVENT
               ? event->data.sequence_start.anchor || event->data.sequence_start.tag
               : event->data.mapping_start.anchor || event->data.mapping_start.tag;
}

static bool read_collection(struct yaml_tree_reader *r, const yaml_event_t *event,
                            int depth, struct prop *out, yaml_mark_t *end)
{
    if (depth == r->from->limits->depth)
        return limit(r, event->start_mark, "the depth of lists and maps is above",
                     r->from->limits->depth);
    if (!yaml_tree_count(r, event->start_mark, 1, 0))
        return false;
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    out->type = list ? PROP_LIST : PROP_MAP;
    /* After an anchor or tag, the event's column is not that of its items. */
    int around = r->indent;
    bool unknown = is_flow(event) || has_properties(event);
    r->indent = unknown ? NOT_CHECKED : (int)event->start_mark.column;
    bool ok = list ? read_list(r, end, depth + 1, out) : read_map(r, end, depth + 1, out);
    r->indent = around;
    return ok;
}

/*
 * libyaml allows the lines of a quoted text or flow collection to begin anywhere, and a
 * comment to begin directly after it; YAML does not. A closing bracket may be as far left
 * as the enclosing lines.
 */
static bool check_lines(struct yaml_tree_reader *r, const struct prop *node, bool quoted)
{
    str text = str_slice(r->from->block, node->start, node->end);
    if (node->end < r->from->block.n && r->from->block.p[node->end] == '#')
        return yaml_tree_fail(r, ERR_INVALID, mark_of(r, node->end),
                              "a space is missing before this comment");
    for (size_t i = 0; i < text.n && r->indent != NOT_CHECKED; i++) {
        if (text.p[i] != '\n')
            continue;
        size_t at = i + 1;
        while (at < text.n && text.p[at] == ' ')
            at++;
        int column = (int)(at - i - 1);
        bool blank = at < text.n && strchr(quoted ? "\r\n" : "\r\n#", text.p[at]) != NULL;
        bool close = !quoted && at + 1 == text.n && column == r->indent;
        if (column <= r->indent && !blank && !close)
            return yaml_tree_fail(
                r, ERR_INVALID, mark_of(r, node->start + at),
                "this line must be indented further than the one it belongs to");
    }
    return true;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

static bool add_anchor(struct yaml_tree_reader *r, const yaml_event_t *event,
                       struct prop *node, struct anchor **out)
{
    const yaml_char_t *name = anchor_of(event);
    *out = NULL;
    if (name == NULL)
        return true;
    if (r->n_anchors == ANCHORS_MAX)
        return limit(r, event->start_mark, "the number of anchors is above", ANCHORS_MAX);
    if (r->anchors == NULL)
        r->anchors = ARENA_ARRAY(r->from->arena, struct anchor, ANCHORS_MAX);
    *out = &r->anchors[r->n_anchors++];
    **out = (struct anchor){
        .name = arena_str(r->from->arena, str_c((const char *)name)),
        .node = node,
        .values = r->values,
        .text = r->text,
    };
    return true;
}

static bool is_quoted(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT &&
           (event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
            event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

/*
 * libyaml reports the end of a block list or map where the next node begins; its real end
 * is that of its last child.
 */
static uint32_t end_of_last(const struct prop *node)
{
    uint32_t end = node->start;
    for (const struct prop *c = node->child; c != NULL; c = c->next)
        end = c->end;
    return end;
}

static bool fill_node(struct yaml_tree_reader *r, const yaml_event_t *event, int depth,
                      struct prop *node)
{
    struct anchor *anchor;
    yaml_mark_t end = event->end_mark;
    node->line = r->from->first_line + (uint32_t)event->start_mark.line;
    node->start = byte_of(r, event->start_mark);
    if (!add_anchor(r, event, node, &anchor))
        return false;
    bool ok = event->type == YAML_ALIAS_EVENT ? read_alias(r, event, depth, node)
              : event->type == YAML_SCALAR_EVENT
                  ? read_scalar(r, event, node)
                  : read_collection(r, event, depth, node, &end);
    if (ok && anchor != NULL) {
        anchor->values = r->values - anchor->values;
        anchor->text = r->text - anchor->text;
        anchor->whole = true;
    }
    if (!ok)
        return false;
    bool collection = event->type != YAML_ALIAS_EVENT && node->type >= PROP_LIST;
    bool flow = collection && is_flow(event), quoted = is_quoted(event);
    node->end = collection && !flow ? end_of_last(node) : byte_of(r, end);
    return (!quoted && !flow) || check_lines(r, node, quoted);
}

/*
 * Read the node that event begins, and delete event. depth is the number of enclosing
 * lists and maps.
 */
static bool read_node(struct yaml_tree_reader *r, yaml_event_t *event, int depth,
                      struct prop **out)
{
    *out = ARENA_NEW(r->from->arena, struct prop);
    bool ok = fill_node(r, event, depth, *out);
    yaml_event_delete(event);
    return ok;
}

static bool check_root(struct yaml_tree_reader *r, yaml_mark_t at,
                       const struct prop *root)
{
    if (root->type == PROP_LIST)
        return yaml_tree_fail(
            r, ERR_INVALID, at,
            "this is a list: properties are lines such as 'name: value'");
    if (root->type != PROP_MAP && root->type != PROP_NULL)
        return yaml_tree_fail(
            r, ERR_INVALID, at,
            "this is not a property: write 'name: value', with a space after ':'");
    return true;
}

/* From the start of the document to the end of its root. */
static bool read_document(struct yaml_tree_reader *r, yaml_event_t *start,
                          struct prop **root)
{
    yaml_version_directive_t *version = start->data.document_start.version_directive;
    bool old = version != NULL && version->minor != 2;
    yaml_mark_t at = start->start_mark;
    yaml_event_delete(start);
    if (old)
        return yaml_tree_fail(r, ERR_INVALID, at,
                              "this is not YAML 1.2: remove the %YAML line");
    yaml_event_t event;
    if (!next(r, &event))
        return false;
    at = event.start_mark;
    if (!read_node(r, &event, 0, root) || !check_root(r, at, *root))
        return false;
    return next(r, &event); /* the end of the document; this event owns no memory */
}

static bool read_stream(struct yaml_tree_reader *r, struct prop **root)
{
    yaml_event_t event;
    *root = NULL;
    if (!next(r, &event)) /* the start of the stream; this event owns no memory */
        return false;
    if (!next(r, &event))
        return false;
    if (event.type == YAML_DOCUMENT_START_EVENT) {
        if (!read_document(r, &event, root) || !next(r, &event))
            return false;
        if (event.type != YAML_STREAM_END_EVENT) {
            yaml_mark_t at = event.start_mark;
            yaml_event_delete(&event);
            return yaml_tree_fail(r, ERR_INVALID, at, "a second document begins here");
        }
    }
    if (*root == NULL || (*root)->type == PROP_NULL) {
        *root = ARENA_NEW(r->from->arena, struct prop);
        (*root)->type = PROP_MAP;
        (*root)->line = r->from->first_line;
    }
    return true;
}

bool yaml_tree_read(const struct yaml_source *from, struct prop **root,
                    struct yaml_stop *stop, struct err *err)
{
    struct yaml_tree_reader r = {.from = from, .indent = NOT_CHECKED, .err = err};
    str text = from->text;
    if (!yaml_parser_initialize(&r.yaml))
        BUG("out of memory");
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &r.yaml, (const unsigned char *)(text.n > 0 ? text.p : ""), text.n);
    bool ok = read_stream(&r, root);
    *stop = (struct yaml_stop){str_c(r.yaml.problem), r.yaml.problem_mark.index};
    yaml_parser_delete(&r.yaml);
    return ok;
}
