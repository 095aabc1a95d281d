#include "vault/forms/template.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "vault/text/moment.h"

/* Write the value of the variable between the braces; false if it is not a variable. */
static bool add_variable(struct sbuf *out, str inner, const struct template_values *v)
{
    size_t colon = str_find_char(inner, ':');
    str name = str_trim(str_slice(inner, 0, colon));
    str format = str_trim(str_skip(inner, colon == STR_NONE ? inner.n : colon + 1));
    bool date = str_eq_nocase(name, STR("date")), time = str_eq_nocase(name, STR("time"));
    if (str_eq_nocase(name, STR("title")) && colon == STR_NONE) {
        sbuf_add(out, v->title);
        return true;
    }
    if (!date && !time)
        return false;
    if (format.n == 0)
        format = date ? v->date_format : v->time_format;
    sbuf_add(out, moment_format(out->arena, &v->now, format));
    return true;
}

str template_expand(struct arena *a, str text, const struct template_values *values)
{
    struct sbuf out = SBUF_ON(a);
    str rest = text, line;
    for (size_t open;
         out.n < TEMPLATE_TEXT_MAX && (open = str_find(rest, STR("{{"))) != STR_NONE;) {
        sbuf_add(&out, str_slice(rest, 0, open));
        rest = str_skip(rest, open);
        str after = str_skip(rest, 2), few = str_slice(after, 0, TEMPLATE_FORMAT_MAX + 2);
        (void)text_take_line(&few, &line);
        size_t close = str_find(line, STR("}}"));
        bool filled =
            close != STR_NONE && add_variable(&out, str_slice(after, 0, close), values);
        if (!filled)
            sbuf_char(&out, '{'); /* "{{{date}}" contains a variable, too */
        rest = filled ? str_skip(after, close + 2) : str_skip(rest, 1);
    }
    sbuf_add(&out, rest);
    return sbuf_str(&out);
}
