#include "vault/forms/task_stray.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/task.h"

struct task_stray {
    size_t start, end;
    str value;
    enum task_format format;
};

static const struct task_sign *sign_of(enum task_field field, enum task_date date)
{
    for (size_t i = 0; i < n_task_signs; i++)
        if (task_signs[i].field == field &&
            (field != TASK_FIELD_DATE || task_signs[i].date == date))
            return &task_signs[i];
    BUG("a field without a sign");
}

/* --- finding --- */

static bool is_value(enum task_field field, str value)
{
    int32_t date;
    return field == TASK_FIELD_DATE ? task_date_parse(value, &date) : value.n > 0;
}

/* The value that follows an emoji, and where it ends. */
static str emoji_value(str text, size_t at, enum task_field field, size_t *end)
{
    enum { DATE_LENGTH = 10 };
    if (str_starts(str_skip(text, at), TASK_VARIANT))
        at += TASK_VARIANT.n;
    at = text_skip_blanks(text, at);
    *end = at;
    if (field == TASK_FIELD_DATE)
        *end = at + DATE_LENGTH < text.n ? at + DATE_LENGTH : text.n;
    else
        while (*end < text.n && task_is_rule_char(text.p[*end]))
            ++*end;
    return str_trim(str_slice(text, at, *end));
}

/* A date ends where it does: 2026-11-201 is not one. */
static bool task_stray_goes_on(str text, size_t end, enum task_field field)
{
    return field == TASK_FIELD_DATE && end < text.n && is_alnum(text.p[end]);
}

static bool read_emoji(str text, size_t at, const struct task_sign *sign,
                       struct task_stray *out)
{
    for (size_t i = 0; i < COUNT_OF(sign->signs) && sign->signs[i] != NULL; i++) {
        str emoji = str_c(sign->signs[i]);
        if (!str_starts(str_skip(text, at), emoji))
            continue;
        out->start = at;
        out->value = emoji_value(text, at + emoji.n, sign->field, &out->end);
        out->format = TASK_EMOJI;
        return is_value(sign->field, out->value) &&
               !task_stray_goes_on(text, out->end, sign->field);
    }
    return false;
}

/* "[due:: 2026-11-20]" or the same in parentheses. */
static bool read_inline(str text, size_t at, const struct task_sign *sign,
                        struct task_stray *out)
{
    str key = str_c(sign->key);
    size_t name = text_skip_blanks(text, at + 1);
    size_t colons = text_skip_blanks(text, name + key.n);
    if ((text.p[at] != '[' && text.p[at] != '(') ||
        !str_starts(str_skip(text, name), key) ||
        !str_starts(str_skip(text, colons), STR("::")))
        return false;
    str rest = str_skip(text, colons + 2);
    size_t close = str_find_char(rest, text.p[at] == '[' ? ']' : ')');
    *out = (struct task_stray){
        .start = at,
        .end = colons + 2 + close + 1,
        .value = str_trim(str_slice(rest, 0, close)),
        .format = TASK_DATAVIEW,
    };
    return close != STR_NONE && is_value(sign->field, out->value);
}

/* The first one from there on, in any format. */
static bool stray_next(str text, size_t from, const struct task_sign *sign,
                       struct task_stray *out)
{
    bool code = false;
    for (size_t at = from; at < text.n; at++) {
        code ^= text.p[at] == '`';
        if (!code &&
            (read_emoji(text, at, sign, out) || read_inline(text, at, sign, out)))
            return true;
    }
    return false;
}

/* --- what is done with them --- */

str task_stray_drop(struct arena *a, str description, enum task_date date)
{
    const struct task_sign *sign = sign_of(TASK_FIELD_DATE, date);
    struct sbuf out = SBUF_ON(a);
    struct task_stray found;
    size_t done = 0;
    while (stray_next(description, done, sign, &found)) {
        while (found.start > done && is_blank(description.p[found.start - 1]))
            found.start--;
        sbuf_add(&out, str_slice(description, done, found.start));
        done = found.end;
    }
    if (done == 0)
        return description;
    sbuf_add(&out, str_skip(description, done));
    return str_trim(sbuf_str(&out));
}

str task_stray_rule(struct arena *a, const struct task_settings *s, str description)
{
    enum { SHOWN = 60 };
    struct task_stray found;
    if (!stray_next(description, 0, sign_of(TASK_FIELD_RULE, 0), &found))
        return (str){0};
    str rule = utf8_cut(found.value, SHOWN);
    if (found.format == s->format)
        return arena_printf(a,
                            "no next occurrence was added: text follows the recurrence "
                            "'" STR_FMT "', so the Tasks plugin does not read it; put it "
                            "at the end of the line",
                            STR_ARG(rule));
    return arena_printf(a,
                        "no next occurrence was added: the recurrence '" STR_FMT
                        "' is written %s, and the Tasks plugin of this vault reads "
                        "only %s",
                        STR_ARG(rule),
                        found.format == TASK_EMOJI ? "with an emoji" : "for Dataview",
                        s->format == TASK_EMOJI ? "emojis" : "the Dataview format");
}
