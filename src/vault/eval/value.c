#include "vault/eval/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/chars.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "vault/eval/dialect.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

/* --- making --- */

struct value value_null(void)
{
    return (struct value){.target = NO_FILE};
}

struct value value_bool(bool flag)
{
    return (struct value){.type = VALUE_BOOL, .truth = flag, .target = NO_FILE};
}

struct value value_number(double real)
{
    return (struct value){.type = VALUE_NUMBER, .real = real, .target = NO_FILE};
}

struct value value_integer(int64_t number)
{
    return (struct value){.type = VALUE_NUMBER,
                          .is_integer = true,
                          .number = number,
                          .real = (double)number,
                          .target = NO_FILE};
}

struct value value_text(str text)
{
    return (struct value){.type = VALUE_TEXT, .text = text, .target = NO_FILE};
}

struct value value_date(struct date date)
{
    return (struct value){.type = VALUE_DATE, .date = date, .target = NO_FILE};
}

struct value value_duration(struct duration d)
{
    return (struct value){.type = VALUE_DURATION, .duration = d, .target = NO_FILE};
}

struct value value_tag(str text)
{
    return (struct value){.type = VALUE_TAG, .text = text, .target = NO_FILE};
}

struct value value_file(file_id id, str path)
{
    return (struct value){.type = VALUE_FILE, .text = path, .path = path, .target = id};
}

/* What the items add up to, so that no list is too deep or too large to go through. */
static struct value of_items(enum value_type type, const struct value *items, size_t n)
{
    struct value v = {.type = type, .items = items, .n = n, .target = NO_FILE};
    uint64_t total = n;
    for (size_t i = 0; i < n; i++) {
        if ((items[i].type != VALUE_LIST && items[i].type != VALUE_MAP) ||
            items[i].items == NULL)
            continue;
        total += items[i].total;
        v.depth = items[i].depth > v.depth ? items[i].depth : v.depth;
    }
    v.depth++;
    v.total = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    return v;
}

struct value value_list(const struct value *items, size_t n)
{
    return of_items(VALUE_LIST, items, n);
}

struct value value_map(const str *keys, const struct value *items, size_t n)
{
    struct value v = of_items(VALUE_MAP, items, n);
    v.keys = keys;
    return v;
}

struct value value_error(struct arena *a, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    str whole = str_c(text);
    return (struct value){.type = VALUE_ERROR,
                          .text =
                              arena_str(a, str_slice(whole, 0, utf8_valid_prefix(whole))),
                          .target = NO_FILE};
}

/* --- links --- */

/* [[path#sub|display]] without anything that needs the scanner. */
static bool is_simple_link(str text, str *inner)
{
    if (!str_starts(text, STR("[[")) || !str_ends(text, STR("]]")) || text.n < 5)
        return false;
    *inner = str_slice(text, 2, text.n - 2);
    for (size_t i = 0; i < inner->n; i++)
        if (str_find_char(STR("[]\\\r\n"), inner->p[i]) != STR_NONE)
            return false;
    return true;
}

/* The parts of what is between the brackets. */
static void split_link(str inner, str *path, str *display)
{
    size_t bar = str_find_char(inner, '|');
    *display = bar == STR_NONE ? (str){0} : str_skip(inner, bar + 1);
    inner = str_slice(inner, 0, bar);
    *path = str_trim(str_slice(inner, 0, str_find_char(inner, '#')));
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

static void value_resolve(const struct value_reader *r, str path, struct value *out)
{
    struct names_answer answer = {.file = NO_FILE};
    names_resolve(r->names, NULL, path, r->source, r->source_id, &answer);
    out->type = VALUE_LINK;
    out->target = answer.file;
    out->path = answer.file != NO_FILE ? names_path(r->names, answer.file) : path;
}

/* A text that is exactly one link. */
static bool read_link(const struct value_reader *r, str text, struct value *out)
{
    str path, inner, display = {0};
    bool markdown = r->dialect == NULL || r->dialect->reads.markdown_links;
    if (is_simple_link(text, &inner))
        split_link(inner, &path, &display);
    else if (!markdown || !is_scanned_link(r->arena, text, &path))
        return false;
    if (names_is_external(path))
        return false;
    value_resolve(r, path, out);
    out->display = display;
    return true;
}

struct value value_link(const struct value_reader *r, str target, str display)
{
    struct value v = {.type = VALUE_LINK, .target = NO_FILE, .path = target};
    str inner, path, own;
    if (is_simple_link(target, &inner)) {
        split_link(inner, &path, &own);
        display = display.n > 0 ? display : own;
        target = str_slice(inner, 0, str_find_char(inner, '|'));
    }
    v.display = display;
    v.text = target;
    if (names_is_external(target))
        return v;
    split_link(target, &path, &own);
    value_resolve(r, path, &v);
    v.text = display.n > 0 ? arena_printf(r->arena, "[[" STR_FMT "|" STR_FMT "]]",
                                          STR_ARG(target), STR_ARG(display))
                           : arena_printf(r->arena, "[[" STR_FMT "]]", STR_ARG(target));
    return v;
}

str value_link_text(const struct value *link)
{
    str inner;
    if (!is_simple_link(link->text, &inner))
        return link->path;
    return str_slice(inner, 0, str_find_char(inner, '|'));
}

/* --- reading --- */

static struct value read_text(const struct value_reader *r, str text, bool no_dates)
{
    struct value v = value_text(text);
    struct date date;
    size_t n = no_dates ? 0 : date_parse(text, r->utc_offset, &date);
    if (n > 0 && n == text.n) {
        v.type = VALUE_DATE;
        v.date = date;
    } else {
        (void)read_link(r, text, &v);
    }
    return v;
}

struct value value_of_text(const struct value_reader *r, str text)
{
    return read_text(r, text, false);
}

static struct value read_prop(const struct value_reader *r, const struct prop *p,
                              bool no_dates)
{
    struct value v = {.text = p->text, .target = NO_FILE};
    switch (p->type) {
    case PROP_NULL:
        break;
    case PROP_BOOL:
        v.type = VALUE_BOOL;
        v.truth = p->flag;
        break;
    case PROP_INT:
    case PROP_FLOAT:
        v.type = VALUE_NUMBER;
        v.is_integer = p->type == PROP_INT;
        v.number = v.is_integer ? p->number : 0;
        v.real = prop_real(p);
        break;
    case PROP_TEXT:
        return read_text(r, p->text, no_dates);
    case PROP_LIST:
    case PROP_MAP:
        v.type = p->type == PROP_LIST ? VALUE_LIST : VALUE_MAP;
        v.no_dates = no_dates;
        v.props = p->child;
        v.n = p->n;
        v.source = r->source_id;
        break;
    }
    return v;
}

struct value value_of_prop(const struct value_reader *r, const struct prop *p)
{
    return read_prop(r, p, false);
}

/* Whether the type that is declared for a property says that its dates are text. */
static bool is_declared_text(const struct value_reader *r, const struct prop *p)
{
    if (r->property_type == NULL)
        return false;
    str type = r->property_type(r->type_arg, p->key);
    return type.n > 0 && !str_eq(type, STR("date")) && !str_eq(type, STR("datetime"));
}

static struct value tag_of_prop(const struct prop *p)
{
    return value_tag(str_skip(p->text, str_starts(p->text, STR("#"))));
}

static struct value read_tags(const struct value_reader *r, const struct prop *p)
{
    if (p->type == PROP_TEXT)
        return tag_of_prop(p);
    if (p->type != PROP_LIST)
        return read_prop(r, p, false);
    struct value *items = ARENA_ARRAY(r->arena, struct value, p->n);
    size_t n = 0;
    for (const struct prop *c = p->child; c != NULL; c = c->next)
        items[n++] = c->type == PROP_TEXT ? tag_of_prop(c) : read_prop(r, c, false);
    return value_list(items, n);
}

struct value value_of_property(const struct value_reader *r, const struct prop *p)
{
    bool tags = r->dialect != NULL && r->dialect->reads.tag_property;
    if (!tags && r->property_type == NULL)
        return read_prop(r, p, false);
    if (tags && str_eq_nocase(p->key, STR("tags")))
        return read_tags(r, p);
    struct value v = read_prop(r, p, false);
    if (v.type == VALUE_DATE && is_declared_text(r, p))
        return read_prop(r, p, true);
    if (v.type == VALUE_LIST || v.type == VALUE_MAP)
        v.no_dates = is_declared_text(r, p);
    return v;
}

/* A reader for what is in a list or map, which may be of another note. */
static struct value_reader reader_of(const struct value_reader *r, const struct value *v)
{
    struct value_reader other = *r;
    if (v->source != NO_FILE && v->source != r->source_id) {
        other.source_id = v->source;
        other.source = names_path(r->names, v->source);
    }
    return other;
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
    if (list->source == r->source_id) {
        *out = read_prop(r, it->prop, list->no_dates);
        return true;
    }
    struct value_reader other = reader_of(r, list);
    *out = read_prop(&other, it->prop, list->no_dates);
    return true;
}

static bool has_wide_byte(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] & 0x80)
            return true;
    return false;
}

/* Names that begin with different ASCII letters differ, which settles most of them. */
static bool begins_alike(str key, str folded)
{
    if (key.n == 0 || folded.n == 0)
        return key.n == folded.n;
    return ((key.p[0] | folded.p[0]) & 0x80) || to_lower(key.p[0]) == folded.p[0];
}

bool value_is_key(struct arena *a, str key, str folded)
{
    if (!begins_alike(key, folded))
        return false;
    if (!has_wide_byte(key))
        return str_eq_nocase(key, folded);
    return str_eq(utf8_fold(a, key), folded);
}

const struct prop *value_find_prop(struct arena *a, const struct prop *first, str name,
                                   str folded)
{
    const struct prop *similar = NULL;
    for (const struct prop *p = first; p != NULL; p = p->next) {
        if (str_eq(p->key, name))
            return p;
        if (similar == NULL && value_is_key(a, p->key, folded))
            similar = p;
    }
    return similar;
}

struct value value_member(const struct value_reader *r, const struct value *map, str name)
{
    for (size_t i = 0; map->items != NULL && i < map->n; i++)
        if (str_eq(map->keys[i], name))
            return map->items[i];
    if (map->items != NULL)
        return value_null();
    struct value_reader other = reader_of(r, map);
    const struct prop *p =
        value_find_prop(r->arena, map->props, name, utf8_fold(r->arena, name));
    return p != NULL ? read_prop(&other, p, map->no_dates) : value_null();
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
        return v->truth;
    if (v->type == VALUE_NUMBER)
        return v->real != 0 && !isnan(v->real);
    return v->type != VALUE_ERROR && !value_is_empty(v);
}
