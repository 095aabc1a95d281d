/* Members of values: a.b and a["b"]. */
#include <math.h>

#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/function.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"

/* --- fields of types --- */

static const char *const date_fields[] = {"year",   "month",  "day",        "hour",
                                          "minute", "second", "millisecond"};

static struct value date_field(struct date d, size_t field)
{
    struct date_parts p = date_split(d);
    const int values[] = {p.year, p.month, p.day, p.hour, p.minute, p.second, p.ms};
    return value_number(values[field]);
}

static const struct {
    const char *name;
    double ms;
} duration_fields[] = {
    {"years", 86400000 * (146097 / 400.0)},
    {"months", 86400000 * (146097 / 4800.0)},
    {"weeks", 604800000},
    {"days", 86400000},
    {"hours", 3600000},
    {"minutes", 60000},
    {"seconds", 1000},
    {"milliseconds", 1},
};

/* Months as they are: 1y is exactly 12 of them. */
static double duration_in(struct duration d, size_t field)
{
    bool calendar = d.days == 0 && d.ms == 0 && field <= 1;
    return calendar ? d.months / (field == 0 ? 12 : 1)
                    : duration_ms(d) / duration_fields[field].ms;
}

static double count_letters(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += (s.p[i] & 0xC0) != 0x80;
    return (double)n;
}

static bool field_of_type(const struct value *v, str name, struct value *out)
{
    for (size_t i = 0; v->type == VALUE_DATE && i < COUNT_OF(date_fields); i++)
        if (str_eq(name, str_c(date_fields[i]))) {
            *out = date_field(v->date, i);
            return true;
        }
    for (size_t i = 0; v->type == VALUE_DURATION && i < COUNT_OF(duration_fields); i++)
        if (str_eq(name, str_c(duration_fields[i].name))) {
            *out = value_number(duration_in(v->duration, i));
            return true;
        }
    if (!str_eq(name, STR("length")))
        return false;
    if (v->type == VALUE_TEXT || v->type == VALUE_TAG)
        *out = value_number(count_letters(v->text));
    else if (v->type == VALUE_LIST)
        *out = value_number((double)v->n);
    else
        return false;
    return true;
}

/* --- files, rows, maps --- */

static const struct file_field *find_file_field(const struct dialect *d, str name)
{
    for (const struct file_field *f = d->file_fields; f != NULL && f->name != NULL; f++)
        if (str_eq(name, str_c(f->name)))
            return f;
    return NULL;
}

static struct value file_member(struct eval *e, const struct value *v, str name)
{
    const struct file *f = index_file(e->index, v->target);
    if (f == NULL)
        return value_null();
    if (v->is_this)
        return str_eq(name, STR("file")) ? value_file(f->id, f->path)
                                         : eval_property(e, f, name);
    const struct file_field *field = find_file_field(e->dialect, name);
    if (field == NULL)
        return eval_error(e, "Cannot find \"" STR_FMT "\" on type File", STR_ARG(name));
    return field->read(e, f);
}

static struct value row_member(struct eval *e, const struct row *row, str name)
{
    for (const struct row_name *n = row->names; n != NULL; n = n->next)
        if (str_eq(n->name, name))
            return n->value;
    return e->dialect->row_member != NULL ? e->dialect->row_member(e, row, name)
                                          : value_null();
}

/* Members of all properties of a note are properties, of which the type counts. */
static struct value map_member(struct eval *e, const struct value *v, str name)
{
    const struct file *f = index_file(e->index, v->target);
    bool whole =
        f != NULL && f->props != NULL && v->props != NULL && v->props == f->props->child;
    return whole ? eval_property(e, f, name) : value_member(&e->reader, v, name);
}

static struct value spread_member(struct eval *e, const struct value *v, str name)
{
    size_t n;
    const struct value *items = eval_items(e, v, &n);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n; i++)
        out[i] = eval_member(e, &items[i], name);
    return eval_list(e, out, n);
}

static struct value no_member(struct eval *e, const struct value *v, str name)
{
    const char *type = value_type_name(v->type);
    name = utf8_cut(name, 60);
    if (v->type == VALUE_LINK)
        return eval_error(
            e, "Cannot find \"" STR_FMT "\" on type Link: use asFile() to get its file",
            STR_ARG(name));
    return eval_error(e, "Cannot find \"" STR_FMT "\" on type %c%s", STR_ARG(name),
                      type[0] - ('a' - 'A'), type + 1);
}

struct value eval_member(struct eval *e, const struct value *v, str name)
{
    struct value out;
    switch (v->type) {
    case VALUE_NULL:
    case VALUE_ERROR:
        return *v;
    case VALUE_MAP:
        return map_member(e, v, name);
    case VALUE_FILE:
        return file_member(e, v, name);
    case VALUE_ROW:
        return row_member(e, v->row, name);
    default:
        break;
    }
    if (e->dialect->evaluates.through_links && v->type == VALUE_LINK) {
        const struct file *f = eval_file(e, v);
        struct row row = {.file = f};
        return f != NULL ? row_member(e, &row, name) : value_null();
    }
    if (field_of_type(v, name, &out))
        return out;
    if (e->dialect->evaluates.lists_by_item && v->type == VALUE_LIST)
        return spread_member(e, v, name);
    return no_member(e, v, name);
}

/* --- by number --- */

static struct value letter_at(const struct value *v, double at)
{
    size_t n;
    for (str rest = v->text; rest.n > 0 && at >= 0; rest = str_skip(rest, n)) {
        (void)utf8_decode(rest, &n);
        if (at-- == 0)
            return value_text(str_slice(rest, 0, n));
    }
    return value_null();
}

static struct value item_at(struct eval *e, const struct value *v, double at)
{
    if (at < 0 || at != floor(at) || at >= (double)v->n)
        return value_null();
    if (v->items != NULL)
        return v->items[(size_t)at];
    struct value_items it = {.list = v};
    struct value item = value_null();
    for (size_t i = 0; i <= (size_t)at && eval_step(e, 1); i++)
        if (!value_next(&e->reader, &it, &item))
            return value_null();
    return item;
}

struct value eval_index(struct eval *e, const struct value *v, const struct value *key)
{
    if (v->type == VALUE_NULL || v->type == VALUE_ERROR)
        return *v;
    if (key->type == VALUE_NUMBER && v->type == VALUE_LIST)
        return item_at(e, v, key->real);
    if (key->type == VALUE_NUMBER && (v->type == VALUE_TEXT || v->type == VALUE_TAG))
        return letter_at(v, key->real);
    if (key->type == VALUE_NULL)
        return *key;
    return eval_member(e, v, value_text_of(&e->reader, key));
}
