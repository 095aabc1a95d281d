#include "mcp/schema.h"

#include "base/near.h"
#include "base/text.h"
#include "base/utf8.h"

static const char *const type_names[] = {
    [MCP_STR] = "string",    [MCP_INT] = "integer", [MCP_NUM] = "number",
    [MCP_BOOL] = "boolean",  [MCP_ENUM] = "string", [MCP_STRS] = "array",
    [MCP_OBJECT] = "object", [MCP_LIST] = "array",  [MCP_ANY] = "any",
};

static const struct mcp_field no_fields[] = {{0}};

const char *mcp_type_name(const struct mcp_field *f)
{
    return type_names[(f->flags & MCP_AS_TEXT) != 0 ? MCP_STR : f->type];
}

/* --- the schema --- */

/* Write a value that the row gives as JSON text. */
static void write_text(struct jsonw *w, str key, const char *text)
{
    struct arena a = {0};
    const struct json *j;
    struct err err;
    if (!json_parse(&a, str_c(text), &j, &err))
        BUG("field with %s: %s", text, err.msg);
    jsonw_put_value(w, key, j);
    arena_release(&a);
}

/* An empty default is what a model expects anyway, so it need not be in the schema. */
static bool is_tacit(const struct mcp_field *f)
{
    static const char *const nothing[] = {"0", "false", "\"\""};
    for (size_t i = 0; i < COUNT_OF(nothing); i++)
        if (strcmp(f->dflt, nothing[i]) == 0)
            return true;
    return false;
}

/* A maximum above MCP_RANGE_SHOWN only keeps numbers sane, so a model need not know. */
static void write_range(struct jsonw *w, const struct mcp_field *f)
{
    if ((f->flags & MCP_CLAMPED) == 0 || f->max > MCP_RANGE_SHOWN)
        return;
    jsonw_put_int(w, STR("minimum"), f->min);
    jsonw_put_int(w, STR("maximum"), f->max);
}

static void write_property(struct jsonw *w, const struct mcp_field *f)
{
    jsonw_put_object(w, str_c(f->name));
    if (f->type != MCP_ANY)
        jsonw_put_str(w, STR("type"), str_c(mcp_type_name(f)));
    jsonw_put_text(w, STR("title"), str_c(f->title));
    if (f->about != NULL && (f->flags & MCP_TERSE) == 0)
        jsonw_put_str(w, STR("description"), str_c(f->about));
    if (f->type == MCP_ENUM) {
        jsonw_put_array(w, STR("enum"));
        for (const char *const *choice = f->choices; *choice != NULL; choice++)
            jsonw_str(w, str_c(*choice));
        jsonw_end(w);
    }
    if (f->type == MCP_STRS) {
        jsonw_put_object(w, STR("items"));
        jsonw_put_str(w, STR("type"), STR("string"));
        jsonw_end(w);
    }
    if (f->type == MCP_LIST)
        write_text(w, STR("items"), f->items);
    write_range(w, f);
    if (f->dflt != NULL && !is_tacit(f))
        write_text(w, STR("default"), f->dflt);
    jsonw_put_text(w, STR("x-mcp-header"), str_c(f->header));
    jsonw_end(w);
}

void mcp_schema_write(struct jsonw *w, const struct mcp_field *fields)
{
    bool required = false;
    if (fields == NULL)
        fields = no_fields;
    jsonw_object(w);
    jsonw_put_str(w, STR("type"), STR("object"));
    jsonw_put_object(w, STR("properties"));
    for (const struct mcp_field *f = fields; f->name != NULL; f++) {
        if (f->flags & MCP_UNLISTED)
            continue;
        write_property(w, f);
        required |= (f->flags & MCP_REQUIRED) != 0;
    }
    jsonw_end(w);
    if (required) {
        jsonw_put_array(w, STR("required"));
        for (const struct mcp_field *f = fields; f->name != NULL; f++)
            if (f->flags & MCP_REQUIRED)
                jsonw_str(w, str_c(f->name));
        jsonw_end(w);
    }
    jsonw_end(w);
}

/* --- reading arguments --- */

/* dryRun, dry-run and dry_run are the same name. */
static bool same_name(str a, str b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.n && (a.p[i] == '_' || a.p[i] == '-'))
            i++;
        while (j < b.n && (b.p[j] == '_' || b.p[j] == '-'))
            j++;
        if (i == a.n || j == b.n)
            return i == a.n && j == b.n;
        if (to_lower(a.p[i++]) != to_lower(b.p[j++]))
            return false;
    }
}

/* Whether key is the name of the field, or another one for it. */
static bool is_called(const struct mcp_field *f, str key)
{
    str also = str_c(f->also), name;
    bool is = same_name(key, str_c(f->name));
    while (!is && str_next(&also, ' ', &name))
        is = same_name(key, name);
    return is;
}

const struct json *mcp_schema_find(const struct mcp_field *field,
                                   const struct json *arguments)
{
    const struct json *found = json_get(arguments, str_c(field->name));
    if (found == NULL && json_is(arguments, JSON_OBJECT))
        for (found = arguments->child; found != NULL; found = found->next)
            if (is_called(field, found->key))
                break;
    return json_is(found, JSON_NULL) ? NULL : found;
}

/* The value of a string that consists of JSON text, such as "[1]" or "5". */
static const struct json *unwrap(struct arena *a, const struct json *j)
{
    const struct json *inner;
    struct err err;
    if (json_is(j, JSON_STRING) && json_parse(a, str_trim_line(j->text), &inner, &err))
        return inner;
    return j;
}

static bool read_enum(const struct mcp_field *f, const struct json *j, int *out)
{
    str text;
    if (!json_str(j, &text))
        return false;
    for (int i = 0; f->choices[i] != NULL; i++) {
        if (str_eq_nocase(text, str_c(f->choices[i]))) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool read_bool(struct arena *a, const struct json *j, bool *out)
{
    return json_bool(unwrap(a, j), out);
}

static bool read_strs(struct arena *a, const struct json *j, struct mcp_strs *out)
{
    const struct json *list = unwrap(a, j);
    if (!json_is(list, JSON_ARRAY)) {
        str one;
        if (!json_str(j, &one))
            return false;
        *out = (struct mcp_strs){ARENA_NEW(a, str), 1};
        out->items[0] = one;
        return true;
    }
    str *items = ARENA_ARRAY(a, str, list->n);
    size_t n = 0;
    for (const struct json *item = list->child; item != NULL; item = item->next)
        if (!json_str(item, &items[n++]))
            return false;
    *out = (struct mcp_strs){items, n};
    return true;
}

static bool schema_read_json(struct arena *a, const struct json *j, enum json_type type,
                             const struct json **out)
{
    const struct json *value = unwrap(a, j);
    if (!json_is(value, type))
        return false;
    *out = value;
    return true;
}

static bool schema_read_value(struct arena *a, const struct mcp_field *f,
                              const struct json *j, void *at)
{
    switch (f->type) {
    case MCP_STR:
        return json_str(j, at);
    case MCP_INT:
        return json_int(unwrap(a, j), at);
    case MCP_NUM:
        return json_num(unwrap(a, j), at);
    case MCP_BOOL:
        return read_bool(a, j, at);
    case MCP_ENUM:
        return read_enum(f, j, at);
    case MCP_STRS:
        return read_strs(a, j, at);
    case MCP_OBJECT:
        if ((f->flags & MCP_AS_TEXT) != 0 && json_is(j, JSON_STRING) &&
            str_trim_line(j->text).n == 0)
            return true;
        return schema_read_json(a, j, JSON_OBJECT, at);
    case MCP_LIST:
        return schema_read_json(a, j, JSON_ARRAY, at);
    case MCP_ANY:
        *(const struct json **)at = j;
        return true;
    }
    return false;
}

static bool wrong_type(struct arena *a, const struct mcp_field *f, struct err *err)
{
    if (f->type != MCP_ENUM) {
        const char *type = f->type == MCP_STRS             ? "array of strings"
                           : (f->flags & MCP_AS_TEXT) != 0 ? "object as JSON text"
                                                           : type_names[f->type];
        return err_named(err, E_INVALID_ARGUMENT, "%s must be %s %s", f->name,
                         strchr("aio", type[0]) != NULL ? "an" : "a", type);
    }
    struct sbuf list = SBUF_ON(a);
    sbuf_join(&list, f->choices, ", ");
    return err_named(err, E_INVALID_ARGUMENT, "%s must be one of: " STR_FMT, f->name,
                     STR_ARG(sbuf_str(&list)));
}

static bool schema_is_within(const struct mcp_field *f, const void *at)
{
    if (f->max <= f->min || (f->type != MCP_INT && f->type != MCP_NUM))
        return true;
    double value =
        f->type == MCP_INT ? (double)*(const int64_t *)at : *(const double *)at;
    return value >= (double)f->min && value <= (double)f->max;
}

/* Take a number outside of its range as the nearest one in it. */
static void clamp(const struct mcp_field *f, void *at)
{
    if (f->type == MCP_INT) {
        int64_t *number = at;
        *number = *number < f->min ? f->min : f->max;
    } else {
        double *number = at;
        *number = (double)(*number < (double)f->min ? f->min : f->max);
    }
}

static bool check_range(const struct mcp_field *f, void *at, struct err *err)
{
    if (schema_is_within(f, at))
        return true;
    if ((f->flags & MCP_CLAMPED) == 0)
        return err_named(err, E_INVALID_ARGUMENT, "%s must be from %lld to %lld", f->name,
                         (long long)f->min, (long long)f->max);
    clamp(f, at);
    return true;
}

static bool read_absent(struct arena *a, const struct mcp_field *f, void *at,
                        struct err *err)
{
    if (f->flags & MCP_REQUIRED)
        return err_named(err, E_INVALID_ARGUMENT, "%s is missing: %s", f->name,
                         f->about != NULL ? f->about : type_names[f->type]);
    if (f->dflt != NULL) {
        const struct json *j;
        if (!json_parse(a, str_c(f->dflt), &j, err) || !schema_read_value(a, f, j, at))
            BUG("default of %s does not fit its type", f->name);
    } else if (f->type == MCP_INT) {
        *(int64_t *)at = MCP_ABSENT;
    } else if (f->type == MCP_ENUM) {
        *(int *)at = -1;
    }
    return true;
}

static bool schema_is_field(const struct mcp_field *fields, str key)
{
    for (const struct mcp_field *f = fields; f->name != NULL; f++)
        if (is_called(f, key))
            return true;
    return false;
}

static bool has_listed(const struct mcp_field *fields)
{
    while (fields->name != NULL && (fields->flags & MCP_UNLISTED) != 0)
        fields++;
    return fields->name != NULL;
}

/* Whether shorter is a word of longer, as old is of old_text. */
static bool is_word_of(str shorter, str longer)
{
    str word;
    while (str_next(&longer, '_', &word))
        if (same_name(word, shorter))
            return true;
    return false;
}

/* The field that key probably means: a misspelling, or one with a word more or less. NULL
 * if there is none. */
static const char *nearest(const struct mcp_field *fields, str key)
{
    const char *found = NULL;
    struct near_search s;
    near_search(&s, key, key.n / 3); /* a third may be wrong */
    for (const struct mcp_field *f = fields; f->name != NULL; f++)
        if (near_offer(&s, str_c(f->name)))
            found = f->name;
    for (const struct mcp_field *f = fields; f->name != NULL && found == NULL; f++)
        if (is_word_of(key, str_c(f->name)) || is_word_of(str_c(f->name), key))
            found = f->name;
    return found;
}

static str describe_unknown(struct arena *a, const struct mcp_field *fields, str key)
{
    struct sbuf out = SBUF_ON(a);
    const char *meant = nearest(fields, key), *between = "";
    sbuf_printf(&out, "unknown argument '" STR_FMT "', nothing was done; ",
                STR_ARG(utf8_cut(key, 60)));
    if (meant != NULL)
        sbuf_printf(&out, "did you mean '%s'? ", meant);
    sbuf_add(&out, STR("known arguments: "));
    for (const struct mcp_field *f = fields; f->name != NULL; f++) {
        if ((f->flags & MCP_UNLISTED) != 0)
            continue;
        sbuf_printf(&out, "%s%s", between, f->name);
        between = ", ";
    }
    return sbuf_str(&out);
}

str mcp_schema_unknown(struct arena *a, const struct mcp_field *fields,
                       const struct json *arguments)
{
    if (!json_is(arguments, JSON_OBJECT) || fields == NULL || !has_listed(fields))
        return (str){0};
    for (const struct json *j = arguments->child; j != NULL; j = j->next)
        if (!schema_is_field(fields, j->key))
            return describe_unknown(a, fields, j->key);
    return (str){0};
}

static bool refuse_unknown(struct arena *a, const struct mcp_field *fields,
                           const struct json *arguments, struct err *err)
{
    str why = mcp_schema_unknown(a, fields, arguments);
    return why.n == 0 || err_named(err, E_INVALID_ARGUMENT, STR_FMT, STR_ARG(why));
}

/* JSON has no key twice, but two names or spellings of one argument may have two values. */
static bool is_spelled_once(const struct mcp_field *f, const struct json *arguments,
                            struct err *err)
{
    const struct json *first = NULL;
    for (const struct json *j = arguments != NULL ? arguments->child : NULL; j != NULL;
         j = j->next) {
        if (!is_called(f, j->key))
            continue;
        if (first != NULL)
            return err_named(err, E_INVALID_ARGUMENT,
                             "%s is given twice, as '" STR_FMT "' and '" STR_FMT
                             "', nothing was done: give it once",
                             f->name, STR_ARG(utf8_cut(first->key, 60)),
                             STR_ARG(utf8_cut(j->key, 60)));
        first = j;
    }
    return true;
}

bool mcp_schema_read(struct arena *a, const struct mcp_field *fields,
                     const struct json *arguments, bool strict, void *out,
                     struct err *err)
{
    if (json_is(arguments, JSON_NULL))
        arguments = NULL;
    if (arguments != NULL && !json_is(arguments, JSON_OBJECT))
        return err_named(err, E_INVALID_ARGUMENT, "arguments must be an object");
    if (fields == NULL)
        fields = no_fields;
    for (const struct mcp_field *f = fields; f->name != NULL; f++) {
        void *at = (char *)out + f->offset;
        const struct json *j = mcp_schema_find(f, arguments);
        if (!is_spelled_once(f, arguments, err))
            return false;
        if (j == NULL) {
            if (!read_absent(a, f, at, err))
                return false;
        } else if (!schema_read_value(a, f, j, at)) {
            return wrong_type(a, f, err);
        } else if (!check_range(f, at, err)) {
            return false;
        }
    }
    return !strict || refuse_unknown(a, fields, arguments, err);
}
