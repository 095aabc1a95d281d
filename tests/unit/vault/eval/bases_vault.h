/*
 * bases_vault - the vault of tests/vectors/bases as an index, and values compared with
 * what the vectors expect.
 */
#pragma once

#include <math.h>

#include "vault/eval/eval.h"
#include "vectors.h"

struct bases_vault {
    const struct json *file;
    struct index *index;
    struct date now;
};

static inline struct date bases_date(str text)
{
    struct date d = {0};
    CHECK("date", date_parse(text, 0, &d) == text.n);
    return d;
}

static inline struct bases_vault bases_vault_open(struct arena *a)
{
    struct bases_vault v = {.file = vectors_read(a, "bases/vault.json"),
                            .index = index_create()};
    struct arena scratch = {0};
    const struct json *f = json_get(v.file, STR("files"))->child;
    for (; f != NULL; f = f->next) {
        str text = json_get_str(f, STR("content"));
        struct fs_info info = {.size = (int64_t)text.n};
        info.mtime = bases_date(json_get_str(f, STR("mtime"))).seconds;
        info.born_ns = bases_date(json_get_str(f, STR("ctime"))).seconds * 1000000000;
        index_put(v.index, file_make(&scratch, json_get_str(f, STR("path")), &info, text),
                  false);
    }
    arena_release(&scratch);
    v.now = bases_date(json_get_str(v.file, STR("now")));
    return v;
}

/* For value_reader.property_type; arg is the vault's file. */
static inline str bases_property_type(const void *arg, str name)
{
    return json_get_str(json_get(arg, STR("types")), name);
}

static inline struct value bases_file(const struct bases_vault *v, str path)
{
    const struct file *f = index_find(v->index, path);
    if (f == NULL)
        fail_msg("no file " STR_FMT, STR_ARG(path));
    return value_file(f->id, f->path);
}

/* --- expected values --- */

static inline bool bases_same(struct eval *e, const struct value *v,
                              const struct json *want);

static inline bool bases_same_number(double got, const struct json *want)
{
    double number;
    if (want->type == JSON_STRING)
        return str_eq(want->text, STR("NaN")) ? isnan(got) : isinf(got) && got > 0;
    return json_num(want, &number) && fabs(got - number) <= 1e-9 * fmax(1, fabs(number));
}

static inline bool bases_same_items(struct eval *e, const struct value *v,
                                    const struct json *want)
{
    struct value_items it = {.list = v};
    struct value item;
    const struct json *j = want->child;
    size_t i = 0;
    for (; j != NULL && value_next(&e->reader, &it, &item); j = j->next, i++) {
        str key = v->type != VALUE_MAP ? (str){0}
                  : v->items != NULL   ? v->keys[i]
                                       : it.prop->key;
        if (!bases_same(e, &item, j) || !str_eq(key, j->key))
            return false;
    }
    return j == NULL && v->n == want->n;
}

static inline bool bases_same_date(struct eval *e, const struct value *v, str want)
{
    char text[DATE_TEXT_SIZE];
    return str_eq(date_text(v->date, text), want);
}

/* A value in the long form: {"type": ..., "value": ...}. */
static inline bool bases_same_typed(struct eval *e, const struct value *v, str type,
                                    const struct json *want)
{
    const struct json *value = json_get(want, STR("value"));
    if (!str_eq(type, str_c(value_type_name(v->type))))
        return false;
    switch (v->type) {
    case VALUE_NULL:
        return true;
    case VALUE_BOOL:
        return json_is(value, v->truth ? JSON_TRUE : JSON_FALSE);
    case VALUE_NUMBER:
        return bases_same_number(v->real, value);
    case VALUE_DATE:
        return bases_same_date(e, v, value->text);
    case VALUE_DURATION:
        return bases_same_number(duration_ms(v->duration), value) &&
               str_eq(value_text_of(&e->reader, v), json_get_str(want, STR("text")));
    case VALUE_LIST:
    case VALUE_MAP:
        return bases_same_items(e, v, value);
    default:
        return str_eq(value_text_of(&e->reader, v), value->text);
    }
}

static inline bool bases_same(struct eval *e, const struct value *v,
                              const struct json *want)
{
    str type = json_get_str(want, STR("type"));
    switch (want->type) {
    case JSON_NULL:
        return v->type == VALUE_NULL;
    case JSON_TRUE:
    case JSON_FALSE:
        return v->type == VALUE_BOOL && v->truth == (want->type == JSON_TRUE);
    case JSON_NUMBER:
        return v->type == VALUE_NUMBER && bases_same_number(v->real, want);
    case JSON_STRING:
        return (v->type == VALUE_TEXT || v->type == VALUE_TAG) &&
               str_eq(v->text, want->text);
    default:
        return type.n > 0 ? bases_same_typed(e, v, type, want) : v->type == VALUE_ERROR;
    }
}
