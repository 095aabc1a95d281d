/* Fields and their names; select_read.c reads their values. */
#include "vault/eval/select_field.h"
#include "base/near.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/index/index.h"
#include "vault/index/values.h"

static const struct {
    const char *name;
    enum select_field_kind kind;
} fields[] = {
    /* the usual names, in the order of enum select_field_kind */
    {"file.name", SELECT_FILE_NAME},
    {"file.path", SELECT_FILE_PATH},
    {"file.folder", SELECT_FILE_FOLDER},
    {"file.ext", SELECT_FILE_EXT},
    {"file.size", SELECT_FILE_SIZE},
    {"file.modified", SELECT_FILE_MODIFIED},
    {"file.tags", SELECT_FILE_TAGS},
    {"file.aliases", SELECT_FILE_ALIASES},
    {"file.links", SELECT_FILE_LINKS},
    {"file.backlinks", SELECT_FILE_BACKLINKS},
    {"file.headings", SELECT_FILE_HEADINGS},
    {"file.tasks", SELECT_FILE_TASKS},
    {"file.link", SELECT_FILE_LINK},
    {"task.text", SELECT_TASK_TEXT},
    {"task.status", SELECT_TASK_STATUS},
    {"task.done", SELECT_TASK_DONE},
    {"task.line", SELECT_TASK_LINE},
    {"task.heading", SELECT_TASK_HEADING},
    {"task.tags", SELECT_TASK_TAGS},
    /* other names, from Dataview, Bases and common use */
    {"tag", SELECT_FILE_TAGS},
    {"tags", SELECT_FILE_TAGS},
    {"file.tag", SELECT_FILE_TAGS},
    {"file.etags", SELECT_FILE_TAGS},
    {"file.basename", SELECT_FILE_NAME},
    {"file.extension", SELECT_FILE_EXT},
    {"file.mtime", SELECT_FILE_MODIFIED},
    {"file.outlinks", SELECT_FILE_LINKS},
    {"file.inlinks", SELECT_FILE_BACKLINKS},
    {"file.file", SELECT_FILE_LINK},
    {"task.completed", SELECT_TASK_DONE},
    {"task.mark", SELECT_TASK_STATUS},
};

const char *select_field_name(size_t i)
{
    if (i < SELECT_TASK_TAGS)
        return fields[i].name;
    const struct select_task_field *task = select_task_nth(i - SELECT_TASK_TAGS);
    return task != NULL ? task->name : NULL;
}

bool select_is_field(str column, const char *name)
{
    enum select_field_kind kind = SELECT_PROPERTY;
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
    for (size_t i = 0; select_field_name(i) != NULL; i++) {
        str known = str_c(select_field_name(i));
        if (has_prefix(word, str_slice(known, 0, PREFIX)) &&
            near_offer(&s, str_skip(known, PREFIX)))
            nearest = select_field_name(i);
    }
    return nearest;
}

/* The names that can follow the prefix of the word, without further dots. */
static str possible_names(struct arena *a, str word)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; select_field_name(i) != NULL; i++) {
        str known = str_c(select_field_name(i));
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

static struct select_field *select_field_add_field(struct select_fields *s,
                                                   enum select_field_kind kind, str name,
                                                   size_t parts)
{
    struct select_field *f = ARENA_NEW(s->arena, struct select_field);
    f->kind = kind;
    f->name = name;
    f->in_tasks = s->from == SELECT_TASKS;
    f->path = ARENA_ARRAY(s->arena, str, parts);
    f->spelt = ARENA_ARRAY(s->arena, str, parts);
    if (s->last != NULL)
        s->last->next = f;
    else
        s->first = f;
    s->last = f;
    return f;
}

void select_field_drop(struct select_fields *s, const struct select_field *f)
{
    struct select_field *before = NULL, **link = &s->first;
    while (*link != f) {
        before = *link;
        link = &before->next;
    }
    *link = f->next;
    if (s->last == f)
        s->last = before;
}

void select_field_drop_until(struct select_fields *s, const struct select_field *last)
{
    if (last == NULL)
        return;
    s->first = last->next;
    if (s->first == NULL)
        s->last = NULL;
}

static void add_part(struct arena *a, struct select_field *f, str part)
{
    f->spelt[f->n_path] = part;
    f->path[f->n_path++] = utf8_fold(a, part);
}

const struct select_field *select_field_property(struct select_fields *s, str name)
{
    struct select_field *f = select_field_add_field(s, SELECT_PROPERTY, name, 1);
    add_part(s->arena, f, name);
    return f;
}

const struct select_field *select_field_dotted(struct select_fields *s, str name)
{
    size_t parts = 1;
    str rest = name, part;
    for (size_t i = 0; i < name.n; i++)
        parts += name.p[i] == '.';
    struct select_field *f = select_field_add_field(s, SELECT_PROPERTY, name, parts);
    while (f->n_path < parts && str_next(&rest, '.', &part))
        add_part(s->arena, f, part);
    return f;
}

/* a.`b c`.d */
static struct select_field *dotted_property(struct select_fields *s, str word)
{
    size_t parts = 1;
    for (size_t i = 0; i < word.n; i++)
        parts += word.p[i] == '.';
    struct select_field *f = select_field_add_field(s, SELECT_PROPERTY, word, parts);
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

static bool is_list(enum select_field_kind kind)
{
    switch (kind) {
    case SELECT_FILE_TAGS:
    case SELECT_FILE_ALIASES:
    case SELECT_FILE_LINKS:
    case SELECT_FILE_BACKLINKS:
    case SELECT_FILE_HEADINGS:
    case SELECT_FILE_TASKS:
    case SELECT_TASK_TAGS:
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
static bool make_task_field(struct select_fields *s, const char *what, str word,
                            size_t at, const struct select_field **out, struct err *err)
{
    bool plain;
    const struct select_task_field *task = select_task_named(word, &plain);
    *out = NULL;
    if (task == NULL || (plain && s->from != SELECT_TASKS))
        return true;
    if (s->from != SELECT_TASKS)
        return refuse_task_field(what, task->name, at, err);
    struct select_field *f = plain
                                 ? dotted_property(s, word)
                                 : select_field_add_field(s, SELECT_TASK_FIELD, word, 0);
    f->kind = SELECT_TASK_FIELD;
    f->task = task;
    f->tasks = &s->tasks;
    *out = f;
    return true;
}

/* task.x, if some task has an inline field x. */
static bool make_inline_field(struct select_fields *s, str word,
                              const struct select_field **out)
{
    const struct index *x = s->tasks.index;
    str name = str_skip(word, PREFIX);
    if (s->from != SELECT_TASKS || x == NULL || !has_prefix(word, STR("task.")) ||
        values_in_tasks(index_values(x), utf8_fold(s->arena, name)).n == 0)
        return false;
    struct select_field *f = select_field_add_field(s, SELECT_PROPERTY, word, 1);
    add_part(s->arena, f, name);
    f->of_task = true;
    *out = f;
    return true;
}

bool select_field_make(struct select_fields *s, const char *what, str word, size_t at,
                       const struct select_field **out, struct err *err)
{
    str list = counted(word);
    bool length = list.n < word.n;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (!str_eq_nocase(list, str_c(fields[i].name)) ||
            (length && !is_list(fields[i].kind)))
            continue;
        if (fields[i].kind >= SELECT_TASK_TEXT && s->from != SELECT_TASKS)
            return refuse_task_field(what, fields[i].name, at, err);
        struct select_field *f = select_field_add_field(s, fields[i].kind, word, 0);
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
    struct select_field *f = dotted_property(s, of_note ? str_skip(word, PREFIX) : word);
    f->of_note = of_note;
    f->length = length && f->n_path > 1;
    *out = f;
    return true;
}
