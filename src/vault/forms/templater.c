#include "vault/forms/templater.h"

#include "base/chars.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/forms/template.h"
#include "vault/text/moment.h"

enum { ARGUMENTS_MAX = 4, NUMBER_MAX = 10000000 /* days: more than there are */ };

enum argument_kind { ABSENT, TEXT, NUMBER, TRUTH };

struct argument {
    enum argument_kind kind;
    str text;
    int64_t number; /* of TRUTH: 0 or 1 */
};

/* A command: a name and, if it is called, its arguments. */
struct templater_command {
    str name;
    struct argument arguments[ARGUMENTS_MAX];
    const struct template_values *values;
    struct arena *arena;
};

/* --- parsing --- */

static bool is_name_char(char c)
{
    return is_alnum(c) || c == '_' || c == '.';
}

static str templater_take_name(str *rest)
{
    size_t n = 0;
    while (n < rest->n && is_name_char(rest->p[n]))
        n++;
    str name = str_slice(*rest, 0, n);
    *rest = str_trim(str_skip(*rest, n));
    return name;
}

/* A text in quotes without escapes or, between backquotes, anything to fill in. */
static bool take_quoted(str *rest, struct argument *out)
{
    size_t end = str_find_char(str_skip(*rest, 1), rest->p[0]);
    if (end == STR_NONE)
        return false;
    out->kind = TEXT;
    out->text = str_slice(*rest, 1, end + 1);
    *rest = str_trim(str_skip(*rest, end + 2));
    return str_find_char(out->text, '\\') == STR_NONE &&
           str_find(out->text, STR("${")) == STR_NONE;
}

static bool take_number(str *rest, struct argument *out)
{
    size_t n = rest->p[0] == '-' || rest->p[0] == '+';
    while (n < rest->n && is_digit(rest->p[n]))
        n++;
    str digits = str_slice(*rest, rest->p[0] == '+', n);
    *rest = str_trim(str_skip(*rest, n));
    out->kind = NUMBER;
    return str_to_int(digits, &out->number) && out->number >= -NUMBER_MAX &&
           out->number <= NUMBER_MAX;
}

static bool take_argument(struct templater_command *c, str *rest, struct argument *out)
{
    if (rest->n == 0)
        return false;
    if (strchr("\"'`", rest->p[0]) != NULL)
        return take_quoted(rest, out);
    if (is_digit(rest->p[0]) || rest->p[0] == '-' || rest->p[0] == '+')
        return take_number(rest, out);
    str name = templater_take_name(rest);
    if (str_eq(name, STR("tp.file.title"))) {
        *out = (struct argument){.kind = TEXT, .text = c->values->title};
        return true;
    }
    *out = (struct argument){.kind = TRUTH, .number = str_eq(name, STR("true"))};
    return out->number || str_eq(name, STR("false"));
}

/* What follows the name: nothing, or arguments in parentheses. */
static bool take_arguments(struct templater_command *c, str rest)
{
    if (rest.n == 0)
        return true;
    if (rest.p[0] != '(' || rest.p[rest.n - 1] != ')')
        return false;
    rest = str_trim(str_slice(rest, 1, rest.n - 1));
    for (size_t i = 0; rest.n > 0; i++) {
        if (i > 0 && rest.p[0] != ',')
            return false;
        if (i > 0)
            rest = str_trim(str_skip(rest, 1));
        if (i == ARGUMENTS_MAX || !take_argument(c, &rest, &c->arguments[i]))
            return false;
    }
    return true;
}

/* --- dates --- */

/* "P-1M", "P1Y2W": an ISO 8601 duration of whole days, with signs as Moment allows. */
static bool read_duration(str text, int64_t *months, int64_t *days)
{
    if (!str_starts(text, STR("P")) || text.n < 3)
        return false;
    for (str rest = str_skip(text, 1); rest.n > 0; rest = str_skip(rest, 1)) {
        struct argument n;
        if (!is_digit(rest.p[0]) && rest.p[0] != '-' && rest.p[0] != '+')
            return false;
        if (!take_number(&rest, &n) || rest.n == 0 || n.number > 100000 ||
            n.number < -100000)
            return false;
        switch (rest.p[0]) {
        case 'Y':
            *months += 12 * n.number;
            break;
        case 'M':
            *months += n.number;
            break;
        case 'W':
            *days += 7 * n.number;
            break;
        case 'D':
            *days += n.number;
            break;
        default:
            return false;
        }
    }
    return true;
}

static bool add_date(struct templater_command *c, struct sbuf *out,
                     const struct moment *when, str dflt)
{
    const struct argument *format = &c->arguments[0];
    if (format->kind != ABSENT &&
        (format->kind != TEXT || format->text.n > TEMPLATE_FORMAT_MAX))
        return false;
    sbuf_add(out,
             moment_format(c->arena, when, format->kind == TEXT ? format->text : dflt));
    return true;
}

/* The day that arguments 2 and 3 name in place of today: a text and its format. */
static bool read_reference(struct templater_command *c, struct moment *out)
{
    const struct argument *text = &c->arguments[2], *format = &c->arguments[3];
    *out = c->values->now;
    if (text->kind == ABSENT)
        return true;
    return text->kind == TEXT && format->kind == TEXT &&
           moment_parse(c->arena, format->text, text->text, out);
}

static bool date_now(struct templater_command *c, struct sbuf *out)
{
    const struct argument *offset = &c->arguments[1];
    struct moment day;
    int64_t months = 0, days = offset->kind == NUMBER ? offset->number : 0;
    if (!read_reference(c, &day) || offset->kind == TRUTH)
        return false;
    if (offset->kind == TEXT && !read_duration(offset->text, &months, &days))
        return false;
    day = moment_plus(&day, months, days);
    return add_date(c, out, &day, STR("YYYY-MM-DD"));
}

static bool date_tomorrow(struct templater_command *c, struct sbuf *out)
{
    struct moment day = moment_plus(&c->values->now, 0, 1);
    return add_date(c, out, &day, STR("YYYY-MM-DD"));
}

static bool date_yesterday(struct templater_command *c, struct sbuf *out)
{
    struct moment day = moment_plus(&c->values->now, 0, -1);
    return add_date(c, out, &day, STR("YYYY-MM-DD"));
}

static bool date_weekday(struct templater_command *c, struct sbuf *out)
{
    struct moment day;
    if (c->arguments[1].kind != NUMBER || !read_reference(c, &day))
        return false;
    day = moment_plus(&day, 0, c->arguments[1].number - moment_weekday(&day));
    return add_date(c, out, &day, STR("YYYY-MM-DD"));
}

/* --- the file: it is created now --- */

static bool file_date(struct templater_command *c, struct sbuf *out)
{
    return add_date(c, out, &c->values->now, STR("YYYY-MM-DD HH:mm"));
}

static bool file_title(struct templater_command *c, struct sbuf *out)
{
    sbuf_add(out, c->values->title);
    return true;
}

static bool is_true(const struct argument *a)
{
    return a->kind == TRUTH && a->number;
}

static bool file_folder(struct templater_command *c, struct sbuf *out)
{
    str folder = c->values->folder;
    sbuf_add(out, is_true(&c->arguments[0]) ? folder : path_name(folder));
    return true;
}

/* Only from the vault's root: the other form is a path of the machine. */
static bool file_path(struct templater_command *c, struct sbuf *out)
{
    if (!is_true(&c->arguments[0]))
        return false;
    str name = arena_printf(c->arena, STR_FMT ".md", STR_ARG(c->values->title));
    sbuf_add(out, path_join(c->arena, c->values->folder, name));
    return true;
}

/* There is no cursor to put anywhere. */
static bool file_cursor(struct templater_command *c, struct sbuf *out)
{
    return true;
}

static const struct {
    const char *name;
    bool (*add)(struct templater_command *c, struct sbuf *out);
} known[] = {
    {"tp.date.now", date_now},
    {"tp.date.tomorrow", date_tomorrow},
    {"tp.date.weekday", date_weekday},
    {"tp.date.yesterday", date_yesterday},
    {"tp.file.creation_date", file_date},
    {"tp.file.cursor", file_cursor},
    {"tp.file.folder", file_folder},
    {"tp.file.last_modified_date", file_date},
    {"tp.file.path", file_path},
    {"tp.file.title", file_title},
};

/* Write the value of a command; false if it is not known, and then nothing is written. */
static bool templater_add_value(struct sbuf *out, str text,
                                const struct template_values *values)
{
    struct templater_command c = {.values = values, .arena = out->arena};
    c.name = templater_take_name(&text);
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (str_eq(c.name, str_c(known[i].name)))
            return take_arguments(&c, text) && known[i].add(&c, out);
    return false;
}

/* --- the text around a command --- */

static bool is_trim(char c)
{
    return c == '-' || c == '_';
}

/* "<%-" removes one line break before it, "<%_" all white space. */
static void trim_before(struct sbuf *out, char how)
{
    if (how == '-' && out->n > 0 && out->p[out->n - 1] == '\n')
        out->n -= str_ends(sbuf_str(out), STR("\r\n")) ? 2 : 1;
    while (how == '_' && out->n > 0 && is_space(out->p[out->n - 1]))
        out->n--;
}

static str trim_after(str rest, char how)
{
    if (how == '-' && str_starts(rest, STR("\r\n")))
        return str_skip(rest, 2);
    if (how == '-' && str_starts(rest, STR("\n")))
        return str_skip(rest, 1);
    while (how == '_' && rest.n > 0 && is_space(rest.p[0]))
        rest = str_skip(rest, 1);
    return rest;
}

/* whole is "<% command %>". */
static bool add_command(struct sbuf *out, str whole, str *rest,
                        const struct template_values *values)
{
    str inner = str_slice(whole, 2, whole.n - 2);
    char before = inner.n > 0 && is_trim(inner.p[0]) ? inner.p[0] : 0;
    inner = str_skip(inner, before != 0);
    char after = inner.n > 0 && is_trim(inner.p[inner.n - 1]) ? inner.p[inner.n - 1] : 0;
    inner = str_trim(str_slice(inner, 0, inner.n - (after != 0)));
    if (str_ends(inner, STR(";")))
        inner = str_trim(str_slice(inner, 0, inner.n - 1));
    struct sbuf value = SBUF_ON(out->arena);
    if (!templater_add_value(&value, inner, values))
        return false;
    trim_before(out, before);
    sbuf_add(out, sbuf_str(&value));
    *rest = trim_after(*rest, after);
    return true;
}

str templater_expand(struct arena *a, str text, const struct template_values *values,
                     struct templater_left *left)
{
    struct sbuf out = SBUF_ON(a);
    str rest = template_expand(a, text, values);
    for (size_t open;
         out.n < TEMPLATE_TEXT_MAX && (open = str_find(rest, STR("<%"))) != STR_NONE;) {
        sbuf_add(&out, str_slice(rest, 0, open));
        rest = str_skip(rest, open);
        size_t close = str_find(rest, STR("%>"));
        if (close == STR_NONE)
            break;
        str whole = str_slice(rest, 0, close + 2);
        rest = str_skip(rest, whole.n);
        if (add_command(&out, whole, &rest, values))
            continue;
        sbuf_add(&out, whole);
        if (left->n < TEMPLATER_LEFT_MAX)
            left->commands[left->n++] = whole;
    }
    sbuf_add(&out, rest);
    return sbuf_str(&out);
}

str templater_note(struct arena *a, str path, str text,
                   const struct template_values *values, struct templater_left *left)
{
    struct template_values v = *values;
    str name = path_name(path);
    bool is_note = str_eq_nocase(path_extension(name), STR("md"));
    v.title = is_note ? str_slice(name, 0, name.n - strlen(".md")) : name;
    v.folder = path_folder(path);
    return templater_expand(a, text, &v, left);
}

str templater_warning(struct arena *a, const struct templater_left *left)
{
    enum { SHOWN = 60 };
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < left->n; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(utf8_cut(left->commands[i], SHOWN)));
    return left->n == 0
               ? STR("")
               : arena_printf(a,
                              "only the Templater plugin can run these commands "
                              "of the template, so they are left as they are: " STR_FMT,
                              STR_ARG(sbuf_str(&out)));
}
