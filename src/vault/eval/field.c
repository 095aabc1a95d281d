/* Fields and their names; field_read.c reads their values. */
#include "vault/eval/field.h"
#include "base/near.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/eval/task_field.h"
#include "vault/index/index.h"
#include "vault/index/values.h"

static const struct {
    const char *name;
    enum field_kind kind;
} fields[] = {
    /* the usual names, in the order of enum field_kind */
    {"file.name", FIELD_FILE_NAME},
    {"file.path", FIELD_FILE_PATH},
    {"file.folder", FIELD_FILE_FOLDER},
    {"file.ext", FIELD_FILE_EXT},
    {"file.size", FIELD_FILE_SIZE},
    {"file.modified", FIELD_FILE_MODIFIED},
    {"file.tags", FIELD_FILE_TAGS},
    {"file.aliases", FIELD_FILE_ALIASES},
    {"file.links", FIELD_FILE_LINKS},
    {"file.backlinks", FIELD_FILE_BACKLINKS},
    {"file.headings", FIELD_FILE_HEADINGS},
    {"file.tasks", FIELD_FILE_TASKS},
    {"file.link", FIELD_FILE_LINK},
    {"task.text", FIELD_TASK_TEXT},
    {"task.status", FIELD_TASK_STATUS},
    {"task.done", FIELD_TASK_DONE},
    {"task.line", FIELD_TASK_LINE},
    {"task.heading", FIELD_TASK_HEADING},
    {"task.tags", FIELD_TASK_TAGS},
    /* other names, from Dataview, Bases and common use */
    {"tag", FIELD_FILE_TAGS},
    {"tags", FIELD_FILE_TAGS},
    {"file.tag", FIELD_FILE_TAGS},
    {"file.etags", FIELD_FILE_TAGS},
    {"file.basename", FIELD_FILE_NAME},
    {"file.extension", FIELD_FILE_EXT},
    {"file.mtime", FIELD_FILE_MODIFIED},
    {"file.outlinks", FIELD_FILE_LINKS},
    {"file.inlinks", FIELD_FILE_BACKLINKS},
    {"file.file", FIELD_FILE_LINK},
    {"task.completed", FIELD_TASK_DONE},
    {"task.mark", FIELD_TASK_STATUS},
};

const char *field_name(size_t i)
{
    if (i < FIELD_TASK_TAGS)
        return fields[i].name;
    const struct field_of_task *task = task_field_nth(i - FIELD_TASK_TAGS);
    return task != NULL ? task->name : NULL;
}

bool field_is(str column, const char *name)
{
    enum field_kind kind = FIELD_PROPERTY;
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        if (str_eq(str_c(fields[i].name), str_c(name)))
            kind = fields[i].kind;
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        if (fields[i].kind == kind && str_eq_nocase(column, str_c(fields[i].name)))
            return true;
    return false;
}

/* --- names --- */

enum { PREFIX = 5 }; /* file. or task. */

static bool has_prefix(str word, str prefix)
{
    return str_eq_nocase(str_slice(word, 0, prefix.n), prefix);
}

/* The field with the same prefix whose name is nearly the same. */
static const char *nearest_name(str word)
{
    const char *nearest = NULL;
    struct near_search s;
    str name = str_skip(word, PREFIX);
    near_search(&s, name, name.n / 4 + 1); /* a quarter may be wrong */
    for (size_t i = 0; field_name(i) != NULL; i++) {
        str known = str_c(field_name(i));
        if (has_prefix(word, str_slice(known, 0, PREFIX)) &&
            near_offer(&s, str_skip(known, PREFIX)))
            nearest = field_name(i);
    }
    return nearest;
}

/* The names that can follow the prefix of the word, without further dots. */
static str possible_names(struct arena *a, str word)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; field_name(i) != NULL; i++) {
        str known = str_c(field_name(i));
        if (has_prefix(word, str_slice(known, 0, PREFIX)) &&
            str_find_char(str_skip(known, PREFIX), '.') == STR_NONE)
            sbuf_printf(&b, "%s" STR_FMT, b.n > 0 ? ", " : "",
                        STR_ARG(str_skip(known, PREFIX)));
    }
    return sbuf_str(&b);
}

static bool unknown(struct arena *a, const char *what, str word, size_t at,
                    struct err *err)
{
    enum { SHOWN_MAX = 60 };
    str shown = utf8_cut(word, SHOWN_MAX);
    const char *nearest = nearest_name(shown);
    if (nearest == NULL)
        return err_named(err, E_INVALID_QUERY,
                         "%s: unknown field '" STR_FMT "' at byte %zu; after '" STR_FMT
                         "' there can be " STR_FMT,
                         what, STR_ARG(shown), at, STR_ARG(str_slice(word, 0, PREFIX)),
                         STR_ARG(possible_names(a, word)));
    return err_named(err, E_INVALID_QUERY,
                     "%s: unknown field '" STR_FMT "' at byte %zu; did you mean '%s'?",
                     what, STR_ARG(shown), at, nearest);
}

static struct field *field_add_field(struct field_list *s, enum field_kind kind, str name,
                                     size_t parts)
{
    struct field *f = ARENA_NEW(s->arena, struct field);
    f->kind = kind;
    f->name = name;
    f->in_tasks = s->of_tasks;
    f->path = ARENA_ARRAY(s->arena, str, parts);
    f->spelt = ARENA_ARRAY(s->arena, str, parts);
    if (s->last != NULL)
        s->last->next = f;
    else
        s->first = f;
    s->last = f;
    return f;
}

void field_drop(struct field_list *s, const struct field *f)
{
    struct field *before = NULL, **link = &s->first;
    while (*link != f) {
        before = *link;
        link = &before->next;
    }
    *link = f->next;
    if (s->last == f)
        s->last = before;
}

void field_drop_until(struct field_list *s, const struct field *last)
{
    if (last == NULL)
        return;
    s->first = last->next;
    if (s->first == NULL)
        s->last = NULL;
}

static void add_part(struct arena *a, struct field *f, str part)
{
    f->spelt[f->n_path] = part;
    f->path[f->n_path++] = utf8_fold(a, part);
}

const struct field *field_property(struct field_list *s, str name)
{
    struct field *f = field_add_field(s, FIELD_PROPERTY, name, 1);
    add_part(s->arena, f, name);
    return f;
}

const struct field *field_dotted(struct field_list *s, str name)
{
    size_t parts = 1;
    str rest = name, part;
    for (size_t i = 0; i < name.n; i++)
        parts += name.p[i] == '.';
    struct field *f = field_add_field(s, FIELD_PROPERTY, name, parts);
    while (f->n_path < parts && str_next(&rest, '.', &part))
        add_part(s->arena, f, part);
    return f;
}

/* a.`b c`.d */
static struct field *dotted_property(struct field_list *s, str word)
{
    size_t parts = 1;
    for (size_t i = 0; i < word.n; i++)
        parts += word.p[i] == '.';
    struct field *f = field_add_field(s, FIELD_PROPERTY, word, parts);
    while (word.n > 0) {
        bool odd = word.p[0] == '`';
        size_t end = str_find_char(str_skip(word, odd), odd ? '`' : '.');
        end = end == STR_NONE ? word.n : end + odd;
        add_part(s->arena, f, str_slice(word, odd, end));
        word = str_skip(word, end + odd);
        word = str_skip(word, str_starts(word, STR(".")));
    }
    if (f->n_path == 1)
        f->name = f->spelt[0];
    return f;
}

/* Without .length at the end. */
static str counted(str word)
{
    static const str length = STR(".length");
    size_t n = word.n > length.n ? word.n - length.n : 0;
    return n > 0 && str_eq_nocase(str_skip(word, n), length) ? str_slice(word, 0, n)
                                                             : word;
}

static bool field_is_list(enum field_kind kind)
{
    switch (kind) {
    case FIELD_FILE_TAGS:
    case FIELD_FILE_ALIASES:
    case FIELD_FILE_LINKS:
    case FIELD_FILE_BACKLINKS:
    case FIELD_FILE_HEADINGS:
    case FIELD_FILE_TASKS:
    case FIELD_TASK_TAGS:
        return true;
    default:
        return false;
    }
}

static bool refuse_task_field(const char *what, const char *name, size_t at,
                              struct err *err)
{
    return err_named(err, E_INVALID_QUERY,
                     "%s: '%s' at byte %zu is a field of tasks; query tasks instead of "
                     "notes",
                     what, name, at);
}

/* A field of the Tasks plugin; *out is NULL if the word does not name one. In queries for
 * notes, a name without "task." is a property. */
static bool make_task_field(struct field_list *s, const char *what, str word, size_t at,
                            const struct field **out, struct err *err)
{
    bool plain;
    const struct field_of_task *task = task_field_named(word, &plain);
    *out = NULL;
    if (task == NULL || (plain && !s->of_tasks))
        return true;
    if (!s->of_tasks)
        return refuse_task_field(what, task->name, at, err);
    struct field *f =
        plain ? dotted_property(s, word) : field_add_field(s, FIELD_TASK_FIELD, word, 0);
    f->kind = FIELD_TASK_FIELD;
    f->task = task;
    f->tasks = &s->tasks;
    *out = f;
    return true;
}

/* task.x, if some task has an inline field x. */
static bool make_inline_field(struct field_list *s, str word, const struct field **out)
{
    const struct index *x = s->tasks.index;
    str name = str_skip(word, PREFIX);
    if (!s->of_tasks || x == NULL || !has_prefix(word, STR("task.")) ||
        values_in_tasks(index_values(x), utf8_fold(s->arena, name)).n == 0)
        return false;
    struct field *f = field_add_field(s, FIELD_PROPERTY, word, 1);
    add_part(s->arena, f, name);
    f->of_task = true;
    *out = f;
    return true;
}

bool field_make(struct field_list *s, const char *what, str word, size_t at,
                const struct field **out, struct err *err)
{
    str list = counted(word);
    bool length = list.n < word.n;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (!str_eq_nocase(list, str_c(fields[i].name)) ||
            (length && !field_is_list(fields[i].kind)))
            continue;
        if (fields[i].kind >= FIELD_TASK_TEXT && !s->of_tasks)
            return refuse_task_field(what, fields[i].name, at, err);
        struct field *f = field_add_field(s, fields[i].kind, word, 0);
        f->length = length;
        *out = f;
        return true;
    }
    if (!make_task_field(s, what, word, at, out, err) || *out != NULL)
        return *out != NULL;
    if (make_inline_field(s, word, out))
        return true;
    if (has_prefix(word, STR("file.")) || has_prefix(word, STR("task.")))
        return unknown(s->arena, what, word, at, err);
    bool of_note = has_prefix(word, STR("note."));
    struct field *f = dotted_property(s, of_note ? str_skip(word, PREFIX) : word);
    f->of_note = of_note;
    f->length = length && f->n_path > 1;
    *out = f;
    return true;
}
