/* What names mean in DQL: fields of files, and of rows, which may be tasks. */
#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/dql/dql_functions.h"
#include "vault/eval/eval.h"
#include "vault/eval/eval_file.h"
#include "vault/eval/property.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/index/file.h"

/* --- files --- */

static struct value field_link(struct eval *e, const struct file *f)
{
    return eval_file_link(e, f, (str){0});
}

static struct value field_mday(struct eval *e, const struct file *f)
{
    return value_date(date_day(eval_file_mtime(e, f).date));
}

static struct value field_cday(struct eval *e, const struct file *f)
{
    struct value born = eval_file_ctime(e, f);
    return born.type == VALUE_DATE ? value_date(date_day(born.date)) : born;
}

static struct value field_aliases(struct eval *e, const struct file *f)
{
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, f->aliases.n);
    for (size_t i = 0; i < f->aliases.n; i++)
        items[i] = value_text(f->aliases.items[i]);
    return eval_list(e, items, f->aliases.n);
}

static struct value hashed(struct arena *a, str tag)
{
    return value_text(arena_printf(a, "#" STR_FMT, STR_ARG(tag)));
}

static struct value field_etags(struct eval *e, const struct file *f)
{
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, f->tags.n);
    for (size_t i = 0; i < f->tags.n; i++)
        items[i] = hashed(e->reader.arena, f->tags.items[i]);
    return eval_list(e, items, f->tags.n);
}

/* #a/b counts as #a, too; each of them once. */
static struct value field_tags(struct eval *e, const struct file *f)
{
    struct arena *a = e->reader.arena;
    struct map met = {.arena = a};
    struct value *items = NULL;
    size_t n = 0;
    for (size_t i = 0; i < f->tags.n; i++) {
        str tag = f->tags.items[i];
        for (size_t end = 0; end < tag.n; end++) {
            size_t slash = str_find_char(str_skip(tag, end), '/');
            end = slash == STR_NONE ? tag.n : end + slash;
            str part = str_slice(tag, 0, end);
            if (n < VALUE_LIST_MAX && map_add_new(&met, utf8_fold(a, part)))
                *ARRAY_ADD(a, items, n) = hashed(a, part);
        }
    }
    return eval_list(e, items, n);
}

static struct value field_tasks(struct eval *e, const struct file *f)
{
    return dql_tasks(e, f, f->note.tasks, f->note.n_tasks);
}

static bool day_in_name(str name, struct date *out)
{
    enum { DAY = 10, DIGITS = 8 };
    for (size_t at = 0; at < name.n; at++) {
        if (!is_digit(name.p[at]))
            continue;
        str day = str_slice(name, at, at + DAY),
            digits = str_slice(name, at, at + DIGITS);
        if (date_parse(day, 0, out) == DAY ||
            (digits.n == DIGITS && date_parse_digits(digits, out)))
            return true;
        at = text_skip_digits(name, at) - 1;
    }
    return false;
}

/* The property date or day, or the date in the name. */
static struct value field_day(struct eval *e, const struct file *f)
{
    static const str names[] = {STR("date"), STR("day")};
    struct date day;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct value v = eval_property(e, f, names[i]);
        if (v.type == VALUE_DATE)
            return value_date(date_day(v.date));
    }
    return day_in_name(file_title(f->path), &day) ? value_date(day) : value_null();
}

const struct file_field dql_file_fields[] = {
    {"name", eval_file_basename},
    {"path", eval_file_path},
    {"folder", eval_file_folder},
    {"ext", eval_file_ext},
    {"link", field_link},
    {"size", eval_file_size},
    {"ctime", eval_file_ctime},
    {"cday", field_cday},
    {"mtime", eval_file_mtime},
    {"mday", field_mday},
    {"tags", field_tags},
    {"etags", field_etags},
    {"inlinks", eval_file_backlinks},
    {"outlinks", eval_file_links},
    {"aliases", field_aliases},
    {"tasks", field_tasks},
    {"day", field_day},
    {"frontmatter", eval_file_properties},
    {NULL, NULL},
};

/* --- rows --- */

struct value dql_row_member(struct eval *e, const struct row *row, str name)
{
    struct value v;
    const struct file *f = row->file;
    if (f == NULL)
        return value_null();
    if (str_eq_nocase(name, STR("file")))
        return value_file(f->id, f->path);
    if (row->task != NULL && dql_task_field(e, row, name, &v))
        return v;
    struct value_reader r = eval_reader(e, f);
    struct property_place place = {f, row->task};
    return property_value(&r, &place, name, utf8_fold(r.arena, name));
}
