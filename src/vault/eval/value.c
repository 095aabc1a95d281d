#include "vault/eval/value.h"

#include <inttypes.h>

#include "base/encode.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

/* --- reading --- */

/* [[path#sub|display]] without anything that needs the scanner. */
static bool is_simple_link(str text, str *path)
{
    if (!str_starts(text, STR("[[")) || !str_ends(text, STR("]]")) || text.n < 5)
        return false;
    str inner = str_slice(text, 2, text.n - 2);
    for (size_t i = 0; i < inner.n; i++)
        if (str_find_char(STR("[]\\\r\n"), inner.p[i]) != STR_NONE)
            return false;
    inner = str_slice(inner, 0, str_find_char(inner, '|'));
    *path = str_trim(str_slice(inner, 0, str_find_char(inner, '#')));
    return true;
}

static bool is_scanned_link(struct arena *a, str text, str *path)
{
    struct note n;
    if (text.n < 4 || (text.p[0] != '[' && text.p[0] != '!'))
        return false;
    note_scan(a, text, &n);
    if (n.n_links == 0 || n.links[0].external || n.links[0].kind == NOTE_DEFINITION ||
        n.links[0].whole.start != 0 || n.links[0].whole.end != text.n)
        return false;
    str decoded;
    *path = span_of(text, n.links[0].path);
    if (n.links[0].kind != NOTE_WIKILINK && decode_percent(a, *path, &decoded))
        *path = decoded;
    return true;
}

/* A text that is exactly one link (obsidian.md 3.5). */
static bool read_link(const struct value_reader *r, str text, struct value *out)
{
    str path;
    if ((!is_simple_link(text, &path) && !is_scanned_link(r->arena, text, &path)) ||
        names_is_external(path))
        return false;
    struct names_answer answer = {.file = NO_FILE};
    names_resolve(r->names, NULL, path, r->source, r->source_id, &answer);
    out->type = VALUE_LINK;
    out->target = answer.file;
    out->path = answer.file != NO_FILE ? names_path(r->names, answer.file) : path;
    return true;
}

struct value value_of_text(const struct value_reader *r, str text)
{
    struct value v = {.type = VALUE_TEXT, .text = text, .target = NO_FILE};
    size_t n = date_parse(text, r->utc_offset, &v.date);
    if (n > 0 && n == text.n)
        v.type = VALUE_DATE;
    else
        (void)read_link(r, text, &v);
    return v;
}

struct value value_of_prop(const struct value_reader *r, const struct prop *p)
{
    struct value v = {.text = p->text, .target = NO_FILE};
    switch (p->type) {
    case PROP_NULL:
        break;
    case PROP_BOOL:
        v.type = VALUE_BOOL;
        v.flag = p->flag;
        break;
    case PROP_INT:
    case PROP_FLOAT:
        v.type = VALUE_NUMBER;
        v.flag = p->type == PROP_INT;
        v.number = p->number;
        v.real = v.flag ? (double)p->number : p->real;
        break;
    case PROP_TEXT:
        return value_of_text(r, p->text);
    case PROP_LIST:
    case PROP_MAP:
        v.type = p->type == PROP_LIST ? VALUE_LIST : VALUE_MAP;
        v.props = p->child;
        v.n = p->n;
        break;
    }
    return v;
}

bool value_next(const struct value_reader *r, struct value_items *it, struct value *out)
{
    const struct value *list = it->list;
    if (it->at >= list->n)
        return false;
    if (list->items != NULL) {
        *out = list->items[it->at++];
        return true;
    }
    it->prop = it->at++ == 0 ? list->props : it->prop->next;
    if (it->prop == NULL)
        return false;
    *out = value_of_prop(r, it->prop);
    return true;
}

bool value_is_empty(const struct value *v)
{
    switch (v->type) {
    case VALUE_NULL:
        return true;
    case VALUE_TEXT:
        return v->text.n == 0;
    case VALUE_LIST:
    case VALUE_MAP:
        return v->n == 0;
    default:
        return false;
    }
}

bool value_is_true(const struct value *v)
{
    if (v->type == VALUE_BOOL)
        return v->flag;
    if (v->type == VALUE_NUMBER)
        return v->real != 0;
    return !value_is_empty(v);
}

/* --- writing --- */

static str number_text(struct arena *a, const struct value *v)
{
    return v->flag ? arena_printf(a, "%" PRId64, v->number)
                   : arena_printf(a, "%.17g", v->real);
}

str value_plain(struct arena *a, const struct value *v)
{
    char date[DATE_TEXT_SIZE];
    if (v->type == VALUE_BOOL)
        return v->flag ? STR("true") : STR("false");
    if (v->type == VALUE_NULL || v->type == VALUE_LIST || v->type == VALUE_MAP)
        return (str){0};
    if (v->text.n > 0)
        return v->text;
    if (v->type == VALUE_NUMBER)
        return number_text(a, v);
    return v->type == VALUE_DATE ? arena_str(a, date_text(v->date, date)) : v->text;
}

static void prop_json(struct jsonw *w, const struct prop *p)
{
    switch (p->type) {
    case PROP_NULL:
        jsonw_null(w);
        return;
    case PROP_BOOL:
        jsonw_bool(w, p->flag);
        return;
    case PROP_INT:
        jsonw_int(w, p->number);
        return;
    case PROP_FLOAT:
        jsonw_num(w, p->real);
        return;
    case PROP_TEXT:
        jsonw_str(w, p->text);
        return;
    case PROP_LIST:
        jsonw_array(w);
        break;
    case PROP_MAP:
        jsonw_object(w);
        break;
    }
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (p->type == PROP_MAP)
            jsonw_key(w, c->key);
        prop_json(w, c);
    }
    jsonw_end(w);
}

static void items_json(struct jsonw *w, const struct value *v)
{
    if (v->props != NULL) {
        struct prop p = {.type = v->type == VALUE_MAP ? PROP_MAP : PROP_LIST,
                         .child = (struct prop *)v->props};
        prop_json(w, &p);
        return;
    }
    if (v->type == VALUE_MAP)
        jsonw_object(w);
    else
        jsonw_array(w);
    for (size_t i = 0; v->items != NULL && i < v->n; i++)
        value_json(w, &v->items[i]);
    jsonw_end(w);
}

void value_json(struct jsonw *w, const struct value *v)
{
    switch (v->type) {
    case VALUE_NULL:
        jsonw_null(w);
        break;
    case VALUE_BOOL:
        jsonw_bool(w, v->flag);
        break;
    case VALUE_NUMBER:
        if (v->flag)
            jsonw_int(w, v->number);
        else
            jsonw_num(w, v->real);
        break;
    case VALUE_LIST:
    case VALUE_MAP:
        items_json(w, v);
        break;
    default:
        jsonw_str(w, value_plain(w->out->arena, v));
        break;
    }
}

static void props_print(struct sbuf *out, const struct prop *first, bool map)
{
    for (const struct prop *p = first; p != NULL; p = p->next) {
        if (p != first)
            sbuf_add(out, STR(", "));
        if (map) {
            sbuf_add(out, p->key);
            sbuf_add(out, STR(": "));
        }
        if (p->type == PROP_MAP)
            sbuf_char(out, '{');
        if (p->type == PROP_LIST)
            sbuf_char(out, '[');
        if (p->type == PROP_MAP || p->type == PROP_LIST)
            props_print(out, p->child, p->type == PROP_MAP);
        else
            sbuf_add(out, p->text);
        if (p->type == PROP_LIST)
            sbuf_char(out, ']');
        if (p->type == PROP_MAP)
            sbuf_char(out, '}');
    }
}

void value_print(struct sbuf *out, const struct value *v)
{
    bool map = v->type == VALUE_MAP;
    if (!map && v->type != VALUE_LIST) {
        sbuf_add(out, value_plain(out->arena, v));
        return;
    }
    if (map)
        sbuf_char(out, '{');
    if (v->items == NULL)
        props_print(out, v->props, map);
    for (size_t i = 0; v->items != NULL && i < v->n; i++) {
        if (i > 0)
            sbuf_add(out, STR(", "));
        value_print(out, &v->items[i]);
    }
    if (map)
        sbuf_char(out, '}');
}
