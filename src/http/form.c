#include "http/form.h"

#include "base/encode.h"
#include "base/sbuf.h"
#include "base/utf8.h"

bool form_decode(struct arena *a, str text, str *out)
{
    char *plain = arena_alloc(a, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        plain[i] = text.p[i] == '+' ? ' ' : text.p[i];
    return decode_percent(a, (str){plain, text.n}, out) &&
           str_find_char(*out, '\0') == STR_NONE && utf8_valid(*out);
}

static bool has_field(const struct form *f, str name)
{
    for (size_t i = 0; i < f->n; i++)
        if (str_eq(f->fields[i].name, name))
            return true;
    return false;
}

static bool form_add_field(struct arena *a, struct form *f, str part, str repeatable,
                           struct err *err)
{
    struct form_field field;
    size_t equals = str_find_char(part, '=');
    str value = equals == STR_NONE ? STR("") : str_skip(part, equals + 1);
    if (!form_decode(a, str_slice(part, 0, equals), &field.name) ||
        !form_decode(a, value, &field.value))
        return err_set(err, ERR_INVALID,
                       "a parameter has a malformed escape, a NUL or invalid UTF-8");
    if (!str_eq(field.name, repeatable) && has_field(f, field.name))
        return err_set(err, ERR_INVALID, "duplicate parameter");
    if (f->n == FORM_FIELDS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d parameters", FORM_FIELDS_MAX);
    f->fields[f->n++] = field;
    return true;
}

bool form_parse(struct arena *a, str text, str repeatable, struct form *out,
                struct err *err)
{
    struct form f = {.fields = ARENA_ARRAY(a, struct form_field, FORM_FIELDS_MAX)};
    str part;
    while (text.n > 0 && str_next(&text, '&', &part))
        if (part.n > 0 && !form_add_field(a, &f, part, repeatable, err))
            return false;
    *out = f;
    return true;
}

str form_get(const struct form *f, str name)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->fields[i].value.n > 0 && str_eq(f->fields[i].name, name))
            return f->fields[i].value;
    return (str){0};
}

str form_encode(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++) {
        if (encode_is_unreserved(text.p[i]))
            sbuf_char(&out, text.p[i]);
        else
            sbuf_printf(&out, "%%%02X", (unsigned)(unsigned char)text.p[i]);
    }
    return sbuf_str(&out);
}
