/* Fields and their names; select_read.c reads their values. */
#include "base/near.h"
#include "base/utf8.h"
#include "vault/ask/select_node.h"

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
    return i < SELECT_TASK_TAGS ? fields[i].name : NULL;
}

/* --- names --- */

static const char *nearest_name(str name)
{
    const char *nearest = NULL;
    struct near_search s;
    near_search(&s, name, name.n / 3 + 1); /* a third may be wrong */
    for (size_t i = 0; select_field_name(i) != NULL; i++)
        if (near_offer(&s, str_c(select_field_name(i))))
            nearest = select_field_name(i);
    return nearest;
}

static bool unknown(const char *what, str word, size_t at, struct err *err)
{
    enum { SHOWN_MAX = 60 };
    const char *nearest = nearest_name(utf8_cut(word, SHOWN_MAX));
    if (nearest == NULL)
        return err_named(err, E_INVALID_QUERY,
                         "%s: unknown field '" STR_FMT
                         "' at byte %zu; a property of that "
                         "name is note.`" STR_FMT "`",
                         what, STR_ARG(utf8_cut(word, SHOWN_MAX)), at,
                         STR_ARG(utf8_cut(word, SHOWN_MAX)));
    return err_named(err, E_INVALID_QUERY,
                     "%s: unknown field '" STR_FMT "' at byte %zu; did you mean '%s'?",
                     what, STR_ARG(utf8_cut(word, SHOWN_MAX)), at, nearest);
}

static struct select_field *select_field_add_field(struct select_plan *p,
                                                   enum select_field_kind kind, str name,
                                                   size_t parts)
{
    struct select_field *f = ARENA_NEW(p->arena, struct select_field);
    f->kind = kind;
    f->name = name;
    f->path = ARENA_ARRAY(p->arena, str, parts);
    f->spelt = ARENA_ARRAY(p->arena, str, parts);
    if (p->last_field != NULL)
        p->last_field->next = f;
    else
        p->fields = f;
    p->last_field = f;
    return f;
}

void select_field_drop(struct select_plan *p, const struct select_field *f)
{
    struct select_field *before = NULL, **link = &p->fields;
    while (*link != f) {
        before = *link;
        link = &before->next;
    }
    *link = f->next;
    if (p->last_field == f)
        p->last_field = before;
}

static void add_part(struct arena *a, struct select_field *f, str part)
{
    f->spelt[f->n_path] = part;
    f->path[f->n_path++] = utf8_fold(a, part);
}

const struct select_field *select_field_property(struct select_plan *p, str name)
{
    struct select_field *f = select_field_add_field(p, SELECT_PROPERTY, name, 1);
    add_part(p->arena, f, name);
    return f;
}

/* a.`b c`.d */
static const struct select_field *dotted_property(struct select_plan *p, str word)
{
    size_t parts = 1;
    for (size_t i = 0; i < word.n; i++)
        parts += word.p[i] == '.';
    struct select_field *f = select_field_add_field(p, SELECT_PROPERTY, word, parts);
    while (word.n > 0) {
        bool odd = word.p[0] == '`';
        size_t end = str_find_char(str_skip(word, odd), odd ? '`' : '.');
        end = end == STR_NONE ? word.n : end + odd;
        add_part(p->arena, f, str_slice(word, odd, end));
        word = str_skip(word, end + odd);
        word = str_skip(word, str_starts(word, STR(".")));
    }
    if (f->n_path == 1)
        f->name = f->spelt[0];
    return f;
}

static bool has_prefix(str word, str prefix)
{
    return str_eq_nocase(str_slice(word, 0, prefix.n), prefix);
}

bool select_field_make(struct select_plan *p, const char *what, str word, size_t at,
                       const struct select_field **out, struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (!str_eq_nocase(word, str_c(fields[i].name)))
            continue;
        if (fields[i].kind >= SELECT_TASK_TEXT && p->from != SELECT_TASKS)
            return err_named(err, E_INVALID_QUERY,
                             "%s: '%s' at byte %zu is a field of tasks; query tasks "
                             "instead of notes",
                             what, fields[i].name, at);
        *out = select_field_add_field(p, fields[i].kind, word, 0);
        return true;
    }
    if (has_prefix(word, STR("file.")) || has_prefix(word, STR("task.")))
        return unknown(what, word, at, err);
    *out = dotted_property(p, has_prefix(word, STR("note.")) ? str_skip(word, 5) : word);
    return true;
}
