/* The value of a field in a row. */
#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/eval/field.h"
#include "vault/eval/property.h"
#include "vault/eval/task_field.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"

/* --- properties --- */

static const struct prop *field_of_map(struct arena *a, const struct prop *map, str name,
                                       str folded)
{
    if (map == NULL || map->type != PROP_MAP)
        return NULL;
    return value_find_prop(a, map->child, name, folded);
}

/* If nested maps do not have a.b, the property may be called "a.b", with the dot. */
static const struct prop *field_read_find_property(struct arena *a, const struct field *f,
                                                   const struct prop *map)
{
    const struct prop *p = map;
    for (size_t i = 0; i < f->n_path && p != NULL; i++)
        p = field_of_map(a, p, f->spelt[i], f->path[i]);
    if (p == NULL && f->n_path > 1)
        p = field_of_map(a, map, f->name, utf8_fold(a, f->name));
    return p;
}

/* --- values --- */

static struct value *new_list(const struct value_reader *r, size_t n, struct value *list)
{
    n = n < FIELD_ITEMS_MAX ? n : FIELD_ITEMS_MAX;
    struct value *items = ARENA_ARRAY(r->arena, struct value, n);
    *list = (struct value){.type = VALUE_LIST, .items = items, .n = n, .target = NO_FILE};
    return items;
}

static struct value texts(const struct value_reader *r, const struct str_list *from,
                          enum value_type type)
{
    struct value list, *items = new_list(r, from->n, &list);
    for (size_t i = 0; i < list.n; i++)
        items[i] =
            (struct value){.type = type, .text = from->items[i], .target = NO_FILE};
    return list;
}

static struct value headings(const struct value_reader *r, const struct file *f)
{
    struct value list, *items = new_list(r, f->note.n_headings, &list);
    for (size_t i = 0; i < list.n; i++)
        items[i] = value_text(span_of(f->text, f->note.headings[i].title));
    return list;
}

static struct value tasks(const struct value_reader *r, const struct file *f)
{
    struct value list, *items = new_list(r, f->note.n_tasks, &list);
    for (size_t i = 0; i < list.n; i++)
        items[i] = value_text(span_of(f->text, f->note.tasks[i].text));
    return list;
}

static int field_by_path(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return str_cmp(x->path, y->path);
}

static struct value file_link(const struct file *f)
{
    return (struct value){
        .type = VALUE_LINK, .text = f->path, .path = f->path, .target = f->id};
}

/* Ordered by path; unresolved links as they would be written. */
static struct value links(const struct value_reader *r, const struct index *x,
                          const struct row *row, bool back)
{
    struct graph_edge *edges;
    size_t n = back ? graph_backlinks(x->graph, r->arena, row->file->id, &edges)
                    : graph_links(x->graph, r->arena, row->file->id, &edges);
    struct value list, *items = new_list(r, n, &list);
    size_t used = 0;
    for (size_t i = 0; i < n && used < list.n; i++) {
        const struct file *f = index_file(x, edges[i].file);
        if (back && (f == NULL || f->excluded))
            continue;
        if (f != NULL) {
            items[used++] = file_link(f);
            continue;
        }
        str path = index_spelling(x, r->arena, row->file->id, edges[i].path);
        items[used++] = (struct value){
            .type = VALUE_LINK,
            .text = arena_printf(r->arena, "[[" STR_FMT "]]", STR_ARG(path)),
            .path = path,
            .target = NO_FILE};
    }
    list.n = used;
    if (used > 1)
        sort_items(items, used, sizeof(*items), field_by_path);
    return list;
}

/* --- of tasks --- */

/* How many of n items begin before line. Their lines ascend and are size bytes apart. */
static size_t count_before(const uint32_t *lines, size_t n, size_t size, uint32_t line)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (*(const uint32_t *)((const char *)lines + middle * size) < line)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static struct value task_heading(const struct file *f, const struct note_task *t)
{
    const struct note_heading *h = f->note.headings;
    size_t n = f->note.n_headings == 0
                   ? 0
                   : count_before(&h->line, f->note.n_headings, sizeof(*h), t->line);
    return n > 0 ? value_text(span_of(f->text, h[n - 1].title)) : value_null();
}

static struct value task_tags(const struct value_reader *r, const struct file *f,
                              const struct note_task *t)
{
    const struct note_tag *tags = f->note.tags;
    size_t n = f->note.n_tags, first = 0, end = 0;
    if (n > 0) {
        first = count_before(&tags->line, n, sizeof(*tags), t->line);
        end = count_before(&tags->line, n, sizeof(*tags), t->line + 1);
    }
    struct value list, *items = new_list(r, end - first, &list);
    for (size_t i = 0; i < list.n; i++)
        items[i] = value_tag(span_of(f->text, tags[first + i].name));
    return list;
}

static struct value task_value(const struct value_reader *r, enum field_kind kind,
                               const struct file *f, const struct note_task *t)
{
    switch (kind) {
    case FIELD_TASK_TEXT:
        return value_text(str_trim(span_of(f->text, t->text)));
    case FIELD_TASK_STATUS:
        return value_text(span_of(f->text, t->mark));
    case FIELD_TASK_DONE:
        return value_bool(t->done);
    case FIELD_TASK_LINE:
        return value_integer(t->line);
    case FIELD_TASK_HEADING:
        return task_heading(f, t);
    default:
        return task_tags(r, f, t);
    }
}

static size_t count_links(const struct value_reader *r, const struct index *x,
                          const struct row *row, bool back)
{
    struct graph_edge *edges;
    if (!back)
        return graph_links(x->graph, r->arena, row->file->id, &edges);
    size_t n = graph_backlinks(x->graph, r->arena, row->file->id, &edges), count = 0;
    for (size_t i = 0; i < n; i++)
        count += !index_file(x, edges[i].file)->excluded;
    return count;
}

/* The number of items, which may be more than FIELD_ITEMS_MAX. */
static size_t count_items(const struct value_reader *r, const struct field *f,
                          const struct index *x, const struct row *row)
{
    const struct file *file = row->file;
    switch (f->kind) {
    case FIELD_FILE_TAGS:
        return file->tags.n;
    case FIELD_FILE_ALIASES:
        return file->aliases.n;
    case FIELD_FILE_HEADINGS:
        return file->note.n_headings;
    case FIELD_FILE_TASKS:
        return file->note.n_tasks;
    case FIELD_TASK_TAGS:
        return task_tags(r, file, row->task).n;
    default:
        return count_links(r, x, row, f->kind == FIELD_FILE_BACKLINKS);
    }
}

static struct value field_property_value(const struct value_reader *r,
                                         const struct field *f, const struct row *row);

/* Whether the field is the length of a list, not a member of that name. */
static bool find_counted(const struct value_reader *r, const struct field *f,
                         const struct row *row, struct value *list)
{
    struct field shorter = *f;
    if (!f->length || field_read_find_property(r->arena, f, row->file->props) != NULL)
        return false;
    shorter.length = false;
    shorter.n_path--;
    shorter.name = str_slice(f->name, 0, str_find_last(f->name, '.'));
    *list = field_property_value(r, &shorter, row);
    return list->type == VALUE_LIST;
}

/* Only a name without dots can be an inline field, unless it is in brackets. */
static struct value field_property_value(const struct value_reader *r,
                                         const struct field *f, const struct row *row)
{
    struct property_place place = {row->file, f->of_note ? NULL : row->task};
    struct value list;
    if (f->of_task)
        return property_of_task(r, &place, f->path[0], &list) ? list : value_null();
    if (f->n_path == 1)
        return property_value(r, &place, f->spelt[0], f->path[0]);
    const struct prop *p = field_read_find_property(r->arena, f, row->file->props);
    if (p != NULL)
        return value_of_prop(r, p);
    if (find_counted(r, f, row, &list))
        return value_integer((int64_t)list.n);
    return property_value(r, &place, f->name, utf8_fold(r->arena, f->name));
}

static bool field_property_exists(const struct value_reader *r, const struct field *f,
                                  const struct row *row)
{
    struct property_place place = {row->file, f->of_note ? NULL : row->task};
    struct value list;
    if (f->of_task)
        return property_of_task(r, &place, f->path[0], &list);
    if (f->n_path == 1)
        return property_exists(r, &place, f->spelt[0], f->path[0]);
    return field_read_find_property(r->arena, f, row->file->props) != NULL ||
           find_counted(r, f, row, &list) ||
           property_exists(r, &place, f->name, utf8_fold(r->arena, f->name));
}

/* A field of the Tasks plugin, or the property that takes its place: the note's, if the
 * task is one without fields. */
static struct value plugin_value(const struct value_reader *r, const struct field *f,
                                 const struct row *row)
{
    struct value v = task_field_value(f->tasks, r->arena, f->task, row->file, row->task);
    if (f->n_path == 0 || !task_field_is_unset(&v))
        return v;
    struct field own = *f;
    own.of_note |= task_field_is_plain(f->tasks, row->file, row->task);
    struct value property = field_property_value(r, &own, row);
    return property.type != VALUE_NULL ? property : v;
}

struct value field_key(const struct field *f, const struct value *v)
{
    return f->kind == FIELD_TASK_FIELD ? task_field_key(f->task, v) : *v;
}

struct value field_value(const struct value_reader *r, const struct field *f,
                         const struct index *x, const struct row *row)
{
    const struct file *file = row->file;
    if (f->length && f->kind != FIELD_PROPERTY)
        return value_integer((int64_t)count_items(r, f, x, row));
    switch (f->kind) {
    case FIELD_PROPERTY:
        return field_property_value(r, f, row);
    case FIELD_FILE_NAME:
        return value_of_text(r, file_title(file->path));
    case FIELD_FILE_PATH:
        return value_text(file->path);
    case FIELD_FILE_FOLDER:
        return value_text(path_folder(file->path));
    case FIELD_FILE_EXT:
        return value_text(path_extension(file->path));
    case FIELD_FILE_SIZE:
        return value_integer(file->info.size);
    case FIELD_FILE_MODIFIED:
        return value_date(date_of_clock(file->info.mtime, r->utc_offset));
    case FIELD_FILE_TAGS:
        return texts(r, &file->tags, VALUE_TAG);
    case FIELD_FILE_ALIASES:
        return texts(r, &file->aliases, VALUE_TEXT);
    case FIELD_FILE_LINKS:
    case FIELD_FILE_BACKLINKS:
        return links(r, x, row, f->kind == FIELD_FILE_BACKLINKS);
    case FIELD_FILE_HEADINGS:
        return headings(r, file);
    case FIELD_FILE_TASKS:
        return tasks(r, file);
    case FIELD_FILE_LINK:
        return file_link(file);
    case FIELD_TASK_FIELD:
        return plugin_value(r, f, row);
    case FIELD_TASK_STATUSES:
        return task_field_statuses(f->tasks, r->arena, file, row->task);
    default:
        return task_value(r, f->kind, file, row->task);
    }
}

bool field_exists(const struct value_reader *r, const struct field *f,
                  const struct index *x, const struct row *row)
{
    if (f->kind == FIELD_PROPERTY)
        return field_property_exists(r, f, row);
    struct value v = field_value(r, f, x, row);
    if (f->kind == FIELD_TASK_FIELD && task_field_is_priority(f->task))
        return !task_field_is_unset(&v);
    return !value_is_empty(&v);
}
