/* Reading a task line. */
#include "vault/forms/task.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/recur.h"
#include "vault/text/moment.h"

enum {
    ROUNDS_MAX = 21,  /* as in the plugin */
    DATE_LENGTH = 10, /* YYYY-MM-DD */
};

const char *const task_priorities[] = {"highest", "high",   "medium", "none",
                                       "low",     "lowest", NULL};
const char *const task_priority_signs[] = {"🔺", "⏫", "🔼", NULL, "🔽", "⏬"};

/* In the order in which they are written; reading tries them in any order. */
const struct task_sign task_signs[] = {
    {TASK_FIELD_ID, 0, "id", {"🆔"}},
    {TASK_FIELD_DEPENDS, 0, "dependsOn", {"⛔"}},
    {TASK_FIELD_PRIORITY, 0, "priority", {NULL}},
    {TASK_FIELD_RULE, 0, "repeat", {"🔁"}},
    {TASK_FIELD_COMPLETION, 0, "onCompletion", {"🏁"}},
    {TASK_FIELD_DATE, TASK_CREATED_ON, "created", {"➕"}},
    {TASK_FIELD_DATE, TASK_START_ON, "start", {"🛫"}},
    {TASK_FIELD_DATE, TASK_SCHEDULED_ON, "scheduled", {"⏳", "⌛"}},
    {TASK_FIELD_DATE, TASK_DUE_ON, "due", {"📅", "📆", "🗓"}},
    {TASK_FIELD_DATE, TASK_CANCELLED_ON, "cancelled", {"❌"}},
    {TASK_FIELD_DATE, TASK_DONE_ON, "completion", {"✅"}},
};
const size_t n_task_signs = COUNT_OF(task_signs);

bool task_is_key(str name)
{
    for (size_t i = 0; i < n_task_signs; i++)
        if (str_eq_nocase(name, str_c(task_signs[i].key)))
            return true;
    return false;
}

/* --- values --- */

bool task_date_parse(str text, int32_t *out)
{
    struct moment back = {0};
    if (text.n != DATE_LENGTH)
        return false;
    for (size_t i = 0; i < DATE_LENGTH; i++)
        if (i == 4 || i == 7 ? text.p[i] != '-' : !is_digit(text.p[i]))
            return false;
    int64_t year = 0, month = 0, day = 0;
    (void)str_to_int(str_slice(text, 0, 4), &year);
    (void)str_to_int(str_slice(text, 5, 7), &month);
    (void)str_to_int(str_slice(text, 8, 10), &day);
    *out = TASK_BAD_DATE;
    if (month < 1 || month > 12 || day < 1)
        return true;
    int64_t days = moment_days((int)year, (int)month, (int)day);
    moment_of_days(days, &back);
    if (back.month == month)
        *out = (int32_t)days;
    return true;
}

int32_t task_date_in_name(str name)
{
    enum { COMPACT = 8 }; /* YYYYMMDD */
    int32_t date;
    for (size_t at = 0; at + COMPACT <= name.n; at++) {
        str s = str_slice(name, at, at + COMPACT);
        char dashed[] = {s.p[0], s.p[1], s.p[2], s.p[3], '-',
                         s.p[4], s.p[5], '-',    s.p[6], s.p[7]};
        if ((task_date_parse(str_slice(name, at, at + DATE_LENGTH), &date) ||
             task_date_parse((str){dashed, sizeof(dashed)}, &date)) &&
            date != TASK_BAD_DATE)
            return date;
    }
    return TASK_NO_DATE;
}

str task_date_text(struct arena *a, int32_t date)
{
    struct moment m = {0};
    moment_of_days(date, &m);
    return arena_printf(a, "%04d-%02d-%02d", m.year, m.month, m.day);
}

bool task_priority_parse(str name, enum task_priority *out, struct err *err)
{
    name = str_trim(name);
    *out = TASK_NORMAL;
    if (name.n == 0 || str_eq_nocase(name, STR("normal")))
        return true;
    for (int i = 0; task_priorities[i] != NULL; i++)
        if (str_eq_nocase(name, str_c(task_priorities[i]))) {
            *out = (enum task_priority)i;
            return true;
        }
    return err_named(err, E_INVALID_ARGUMENT,
                     "'" STR_FMT "' is not a priority: use highest, high, medium, none, "
                     "low or lowest",
                     STR_ARG(utf8_cut(name, 40)));
}

static bool is_id_char(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

bool task_is_rule_char(char c)
{
    return is_alnum(c) || c == ',' || c == ' ' || c == '!';
}

static bool is_ids_char(char c)
{
    return is_id_char(c) || c == ',' || c == ' ';
}

static bool is_letter_char(char c)
{
    return is_letter(c);
}

/* Where the characters at the end of the text begin that may be a value of the field. */
static size_t value_start(str text, enum task_field field)
{
    static bool (*const classes[])(char) = {[TASK_FIELD_RULE] = task_is_rule_char,
                                            [TASK_FIELD_COMPLETION] = is_letter_char,
                                            [TASK_FIELD_ID] = is_id_char,
                                            [TASK_FIELD_DEPENDS] = is_ids_char};
    size_t at = text.n;
    if (field == TASK_FIELD_PRIORITY)
        return at;
    if (field == TASK_FIELD_DATE)
        return at >= DATE_LENGTH ? at - DATE_LENGTH : 0;
    while (at > 0 && classes[field](text.p[at - 1]))
        at--;
    return at;
}

static bool all_are(str text, bool (*is_one)(char))
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_one(text.p[i]))
            return false;
    return text.n > 0;
}

bool task_next_id(str *depends, str *id)
{
    if (depends->n == 0)
        return false;
    size_t comma = str_find_char(*depends, ',');
    *id = str_trim(str_slice(*depends, 0, comma));
    *depends = comma == STR_NONE ? (str){0} : str_skip(*depends, comma + 1);
    return true;
}

static bool read_depends(str value, struct task *out)
{
    str rest = value, id;
    while (task_next_id(&rest, &id))
        if (!all_are(id, is_id_char))
            return false;
    if (value.n == 0 || str_ends(value, STR(",")))
        return false;
    out->depends = value;
    return true;
}

static bool read_priority(str value, struct task *out)
{
    for (int i = 0; task_priorities[i] != NULL; i++)
        if (i != TASK_NORMAL && str_eq(value, str_c(task_priorities[i]))) {
            out->priority = (enum task_priority)i;
            return true;
        }
    return false;
}

/* Other words than these two are read, and mean nothing. */
static bool read_completion(str value, struct task *out)
{
    if (!all_are(value, is_letter_char))
        return false;
    out->completion = str_eq_nocase(value, STR("keep"))     ? TASK_ON_DONE_KEEP
                      : str_eq_nocase(value, STR("delete")) ? TASK_ON_DONE_DELETE
                                                            : TASK_ON_DONE_NOTHING;
    return true;
}

static bool read_text(str value, bool (*is_one)(char), str *out)
{
    if (!all_are(value, is_one))
        return false;
    *out = value;
    return true;
}

/* Give the task a field; false if the text is not a value of it. */
static bool read_value(const struct task_sign *sign, str value, struct task *out)
{
    value = str_trim(value);
    switch (sign->field) {
    case TASK_FIELD_PRIORITY:
        return read_priority(value, out);
    case TASK_FIELD_DATE:
        return task_date_parse(value, &out->dates[sign->date]);
    case TASK_FIELD_RULE:
        return read_text(value, task_is_rule_char, &out->rule);
    case TASK_FIELD_COMPLETION:
        return read_completion(value, out);
    case TASK_FIELD_ID:
        return read_text(value, is_id_char, &out->id);
    default:
        return read_depends(value, out);
    }
}

/* --- fields at the end of a text --- */

/* Cut an emoji off the end of a text; false if it is not there. */
static bool cut_sign(str *text, const char *sign)
{
    str bare = *text, emoji = str_c(sign);
    if (str_ends(bare, TASK_VARIANT))
        bare.n -= TASK_VARIANT.n;
    if (emoji.n == 0 || !str_ends(bare, emoji))
        return false;
    text->n = bare.n - emoji.n;
    return true;
}

static bool cut_priority(str *text, struct task *out)
{
    for (int i = TASK_HIGHEST; i <= TASK_LOWEST; i++)
        if (cut_sign(text, task_priority_signs[i])) {
            out->priority = (enum task_priority)i;
            return true;
        }
    return false;
}

static bool cut_emoji(str *text, const struct task_sign *sign, struct task *out)
{
    if (sign->field == TASK_FIELD_PRIORITY)
        return cut_priority(text, out);
    size_t start = value_start(*text, sign->field);
    str value = str_skip(*text, start), before = str_slice(*text, 0, start);
    while (str_ends(before, STR(" ")))
        before.n--;
    for (size_t i = 0; i < COUNT_OF(sign->signs); i++) {
        str rest = before;
        if (!cut_sign(&rest, sign->signs[i]))
            continue;
        if (!read_value(sign, value, out))
            return false;
        *text = rest;
        return true;
    }
    return false;
}

/* The last inline field, "[due:: 2023-04-16]" with perhaps a comma, and what precedes it.
 */
static bool last_inline(str text, str *before, str *key, str *value)
{
    if (str_ends(text, STR(",")))
        text = str_trim(str_slice(text, 0, text.n - 1));
    if (text.n == 0 || (text.p[text.n - 1] != ']' && text.p[text.n - 1] != ')'))
        return false;
    size_t open = str_find_last(text, text.p[text.n - 1] == ']' ? '[' : '(');
    if (open == STR_NONE)
        return false;
    str inner = str_slice(text, open + 1, text.n - 1);
    size_t colons = str_find(inner, STR("::"));
    if (colons == STR_NONE)
        return false;
    *before = str_slice(text, 0, open);
    *key = str_slice(inner, text_skip_blanks(inner, 0), colons);
    *value = str_skip(inner, colons + 2);
    return true;
}

static bool cut_inline(str *text, const struct task_sign *sign, struct task *out)
{
    str before, key, value;
    if (!last_inline(*text, &before, &key, &value) || !str_eq(key, str_c(sign->key)) ||
        !read_value(sign, value, out))
        return false;
    *text = before;
    return true;
}

static bool cut_field(str *text, unsigned formats, const struct task_sign *sign,
                      struct task *out)
{
    return ((formats & TASK_EMOJI) && cut_emoji(text, sign, out)) ||
           ((formats & TASK_DATAVIEW) && cut_inline(text, sign, out));
}

static bool ends_tag(char c)
{
    static const char signs[] = " !@#$%^&*(),.?\":{}|<>";
    return memchr(signs, c, sizeof(signs) - 1) != NULL;
}

/* A tag at the end, which is cut off. */
static bool cut_tag(str *text, str *tag)
{
    size_t at = text->n;
    while (at > 0 && !ends_tag(text->p[at - 1]))
        at--;
    if (at == 0 || at == text->n || text->p[at - 1] != '#' ||
        (at > 1 && !is_space(text->p[at - 2])))
        return false;
    *tag = str_skip(*text, at - 1);
    text->n = at - 1;
    return true;
}

/* --- the line --- */

struct task_tags_cut {
    str items[ROUNDS_MAX];
    size_t n;
};

/* One round of trying each field once, as the plugin does. */
static bool cut_round(str *text, unsigned formats, struct task *out,
                      struct task_tags_cut *tags)
{
    bool any = false;
    str tag;
    for (size_t i = 0; i < n_task_signs; i++)
        if (cut_field(text, formats, &task_signs[i], out)) {
            *text = str_trim_line(*text);
            any = true;
        }
    if (cut_tag(text, &tag)) {
        *text = str_trim_line(*text);
        tags->items[tags->n++] = tag;
        any = true;
    }
    return any;
}

/* Tags between the fields follow the description. */
static str with_tags(struct arena *a, str description, const struct task_tags_cut *tags)
{
    struct sbuf b = SBUF_ON(a);
    if (tags->n == 0)
        return description;
    sbuf_add(&b, description);
    for (size_t i = tags->n; i > 0; i--) {
        sbuf_char(&b, ' ');
        sbuf_add(&b, tags->items[i - 1]);
    }
    return sbuf_str(&b);
}

/* A block id at the end, which is cut off. */
static void task_cut_block(str *text, struct task *out)
{
    size_t at = text->n;
    while (at > 0 && (is_alnum(text->p[at - 1]) || text->p[at - 1] == '-'))
        at--;
    if (at < 2 || at == text->n || text->p[at - 1] != '^' || text->p[at - 2] != ' ')
        return;
    out->block = str_skip(*text, at);
    *text = str_trim_line(str_slice(*text, 0, at - 2));
}

enum task_date task_reference(const struct task *t, bool start_first)
{
    static const enum task_date orders[2][3] = {
        {TASK_DUE_ON, TASK_SCHEDULED_ON, TASK_START_ON},
        {TASK_DUE_ON, TASK_START_ON, TASK_SCHEDULED_ON},
    };
    for (size_t i = 0; i < COUNT_OF(orders[0]); i++)
        if (t->dates[orders[start_first][i]] != TASK_NO_DATE)
            return orders[start_first][i];
    return TASK_DATES;
}

static void cut_fields(struct arena *a, unsigned formats, str text, struct task *out)
{
    struct task_tags_cut tags = {.n = 0};
    struct recur rule;
    for (int i = 0; i < ROUNDS_MAX && cut_round(&text, formats, out, &tags);)
        i++;
    out->description = with_tags(a, text, &tags);
    enum task_date from = task_reference(out, false);
    out->recurs = out->rule.n > 0 &&
                  (from == TASK_DATES || out->dates[from] != TASK_BAD_DATE) &&
                  recur_parse(out->rule, &rule);
}

/* Spaces at the end of the line, if they are a hard line break. */
static str hard_break(str line)
{
    size_t n = line.n;
    while (n > 0 && line.p[n - 1] == ' ')
        n--;
    return line.n - n >= 2 ? str_skip(line, n) : (str){0};
}

void task_parse_body(struct arena *a, const struct task_settings *s, str body,
                     struct task *out)
{
    str text = str_trim_line(body);
    *out = (struct task){.priority = TASK_NORMAL, .tail = hard_break(body)};
    for (int i = 0; i < TASK_DATES; i++)
        out->dates[i] = TASK_NO_DATE;
    task_cut_block(&text, out);
    out->description = text;
    out->plain = s->filter.n > 0 && str_find(text, s->filter) == STR_NONE;
    if (!out->plain && text.n <= TASK_LINE_MAX)
        cut_fields(a, s->read, text, out);
}

/* "-", "12." or "3)" at at; returns where it ends, or at if it is not a list marker. */
static size_t skip_marker(str line, size_t at)
{
    size_t end = text_skip_digits(line, at);
    if (end == at)
        return at < line.n && memchr("-*+", line.p[at], 3) != NULL ? at + 1 : at;
    return end < line.n && (line.p[end] == '.' || line.p[end] == ')') ? end + 1 : at;
}

static size_t skip_indent(str line)
{
    size_t at = 0;
    while (at < line.n && (is_space(line.p[at]) || line.p[at] == '>'))
        at++;
    return at;
}

bool task_parse(struct arena *a, const struct task_settings *s, str line,
                struct task *out)
{
    size_t indent = skip_indent(line), marker = skip_marker(line, indent), box = marker;
    size_t length;
    while (box < line.n && line.p[box] == ' ')
        box++;
    if (marker == indent || box == marker || box + 2 >= line.n || line.p[box] != '[')
        return false;
    (void)utf8_decode(str_skip(line, box + 1), &length);
    size_t close = box + 1 + length;
    if (close >= line.n || line.p[close] != ']')
        return false;
    task_parse_body(a, s, str_skip(line, close + 1), out);
    out->indent = str_slice(line, 0, indent);
    out->marker = str_slice(line, indent, marker);
    out->symbol = str_slice(line, box + 1, close);
    return true;
}
