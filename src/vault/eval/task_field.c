#include "vault/eval/task_field.h"

#include "base/array.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/forms/task.h"
#include "vault/forms/task_settings.h"
#include "vault/index/file.h"
#include "vault/index/ids.h"
#include "vault/index/index.h"
#include "vault/index/tasks.h"

enum { DAY_SECONDS = 86400 };

void task_field_reader_open(struct task_field_reader *c, struct arena *a,
                            const struct index *x, const struct task_settings *settings)
{
    struct task_settings plugin;
    *c = (struct task_field_reader){
        .arena = a, .index = x, .open_ids = {.arena = a}, .awaited = {.arena = a}};
    if (settings == NULL) {
        task_settings_read(a, NULL, &plugin);
        settings = &plugin;
    }
    c->settings = task_settings_both(settings);
}

static const struct tasks *task_field_items_of(struct task_field_reader *c)
{
    if (c->items == NULL)
        c->items = index_tasks(c->index);
    return c->items;
}

/* --- values --- */

static struct value task_null(void)
{
    return (struct value){.target = NO_FILE};
}

static struct value task_text(str text)
{
    return text.n > 0
               ? (struct value){.type = VALUE_TEXT, .text = text, .target = NO_FILE}
               : task_null();
}

static struct value task_bool(bool flag)
{
    return (struct value){.type = VALUE_BOOL, .truth = flag, .target = NO_FILE};
}

static struct value task_day(int32_t day)
{
    if (day <= TASK_BAD_DATE)
        return task_null();
    return (struct value){.type = VALUE_DATE,
                          .date = {.seconds = (int64_t)day * DAY_SECONDS},
                          .target = NO_FILE};
}

/* --- one task --- */

static str body_of(const struct file *f, const struct note_task *t)
{
    return span_of(f->text, t->text);
}

bool task_field_is_plain(const struct task_field_reader *c, const struct file *file,
                         const struct note_task *t)
{
    return c->settings.filter.n > 0 &&
           str_find(body_of(file, t), c->settings.filter) == STR_NONE;
}

/* Its dates and priority; NULL if it is not a task of the plugin. */
static const struct tasks_item *item_of(struct task_field_reader *c, const struct file *f,
                                        const struct note_task *t)
{
    const struct tasks_item *items = tasks_of(task_field_items_of(c), f->id);
    return items != NULL && !task_field_is_plain(c, f, t) ? &items[t - f->note.tasks]
                                                          : NULL;
}

/* All of it; only if it has more than dates and a priority. */
static bool parse_all(struct task_field_reader *c, const struct file *f,
                      const struct note_task *t, struct task *out)
{
    const struct tasks_item *item = item_of(c, f, t);
    if (item == NULL || !item->has_text)
        return false;
    task_parse_body(c->row, &c->settings, body_of(f, t), out);
    return true;
}

static struct task_status status_of(struct task_field_reader *c, const struct file *f,
                                    const struct note_task *t)
{
    return task_status_of(&c->settings, span_of(f->text, t->mark));
}

static bool task_field_is_over(struct task_field_reader *c, const struct file *f,
                               const struct note_task *t)
{
    return task_type_is_over(status_of(c, f, t).type);
}

/* --- tasks that wait for others --- */

static void collect_links(struct task_field_reader *c, const struct file *f,
                          const struct note_task *t)
{
    struct task task;
    str id;
    if (!parse_all(c, f, t, &task) || task_field_is_over(c, f, t))
        return;
    if (task.id.n > 0)
        (void)map_add(&c->open_ids, task.id);
    while (task_next_id(&task.depends, &id))
        (void)map_add(&c->awaited, id);
}

static void need_links(struct task_field_reader *c)
{
    struct ids notes = tasks_linked(task_field_items_of(c));
    for (uint32_t i = 0; !c->linked && i < notes.n; i++) {
        const struct file *f = index_file(c->index, notes.at[i]);
        for (uint32_t k = 0; k < f->note.n_tasks; k++)
            collect_links(c, f, &f->note.tasks[k]);
    }
    c->linked = true;
}

static bool is_blocked(struct task_field_reader *c, const struct file *f,
                       const struct note_task *t)
{
    struct task task;
    str id;
    if (!parse_all(c, f, t, &task) || task_field_is_over(c, f, t))
        return false;
    need_links(c);
    while (task_next_id(&task.depends, &id))
        if (map_find(&c->open_ids, id) != MAP_NONE)
            return true;
    return false;
}

static bool is_blocking(struct task_field_reader *c, const struct file *f,
                        const struct note_task *t)
{
    struct task task;
    if (!parse_all(c, f, t, &task) || task.id.n == 0 || task_field_is_over(c, f, t))
        return false;
    need_links(c);
    return map_find(&c->awaited, task.id) != MAP_NONE;
}

/* --- fields --- */

#define READER(name)                                                                     \
    static struct value name(struct task_field_reader *c, const struct field_of_task *f, \
                             const struct file *file, const struct note_task *t)

READER(read_date)
{
    const struct tasks_item *item = item_of(c, file, t);
    return item != NULL ? task_day(item->dates[f->date]) : task_null();
}

/* With the setting of the plugin for that, the date in the file's name. */
READER(read_scheduled)
{
    const struct tasks_item *item = item_of(c, file, t);
    int32_t day = item != NULL ? item->dates[f->date] : TASK_NO_DATE;
    bool dated = item == NULL || day != TASK_NO_DATE ||
                 item->dates[TASK_START_ON] != TASK_NO_DATE ||
                 item->dates[TASK_DUE_ON] != TASK_NO_DATE;
    if (!dated && c->settings.file_date)
        day = task_date_in_name(file_title(file->path));
    return task_day(day);
}

READER(read_priority)
{
    (void)f;
    const struct tasks_item *item = item_of(c, file, t);
    return task_text(str_c(task_priorities[item != NULL ? item->priority : TASK_NORMAL]));
}

READER(read_rule)
{
    (void)f;
    struct task task;
    return parse_all(c, file, t, &task) && task.recurs ? task_text(task.rule)
                                                       : task_null();
}

READER(read_id)
{
    (void)f;
    struct task task;
    return parse_all(c, file, t, &task) ? task_text(task.id) : task_null();
}

READER(read_depends)
{
    (void)f;
    struct task task;
    struct value *items = NULL;
    size_t n = 0;
    str id;
    if (!parse_all(c, file, t, &task) || task.depends.n == 0)
        return task_null();
    while (task_next_id(&task.depends, &id))
        *ARRAY_ADD(c->row, items, n) = task_text(id);
    return (struct value){.type = VALUE_LIST, .items = items, .n = n, .target = NO_FILE};
}

READER(read_description)
{
    (void)f;
    struct task task;
    task_parse_body(c->row, &c->settings, body_of(file, t), &task);
    return task_text(task.description);
}

READER(read_symbol)
{
    (void)f;
    return task_text(status_of(c, file, t).symbol);
}

READER(read_status_name)
{
    (void)f;
    return task_text(status_of(c, file, t).name);
}

READER(read_status_type)
{
    (void)f;
    return task_text(str_c(task_types[status_of(c, file, t).type]));
}

READER(read_blocked)
{
    (void)f;
    return task_bool(is_blocked(c, file, t));
}

READER(read_blocking)
{
    (void)f;
    return task_bool(is_blocking(c, file, t));
}

/* task.done and task.status are older, and mean the box alone (field.c). */
static const struct field_of_task fields[] = {
    {"task.due", TASK_DUE_ON, read_date, true, .is_due = true},
    {"task.scheduled", TASK_SCHEDULED_ON, read_scheduled, true},
    {"task.start", TASK_START_ON, read_date, true},
    {"task.created", TASK_CREATED_ON, read_date, true},
    {"task.completion", TASK_DONE_ON, read_date, true},
    {"task.cancelled", TASK_CANCELLED_ON, read_date, true},
    {"task.priority", 0, read_priority, true, .is_priority = true},
    {"task.recurs", 0, read_rule, true},
    {"task.blocked", 0, read_blocked, true},
    {"task.blocking", 0, read_blocking, true},
    {"task.id", 0, read_id, true},
    {"task.depends", 0, read_depends, true},
    {"task.description", 0, read_description, false},
    {"task.status.name", 0, read_status_name, false},
    {"task.status.type", 0, read_status_type, false},
    {"task.status.symbol", 0, read_symbol, false},
};

const struct field_of_task *task_field_nth(size_t i)
{
    return i < COUNT_OF(fields) ? &fields[i] : NULL;
}

const struct field_of_task *task_field_named(str name, bool *plain)
{
    static const str prefix = STR("task.");
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        str full = str_c(fields[i].name);
        *plain = fields[i].plain && str_eq_nocase(name, str_skip(full, prefix.n));
        if (*plain || str_eq_nocase(name, full))
            return &fields[i];
    }
    return NULL;
}

struct value task_field_value(struct task_field_reader *c, struct arena *a,
                              const struct field_of_task *f, const struct file *file,
                              const struct note_task *t)
{
    c->row = a;
    return f->read(c, f, file, t);
}

bool task_field_is_unset(const struct value *v)
{
    return v->type == VALUE_NULL || (v->type == VALUE_BOOL && !v->truth) ||
           (v->type == VALUE_TEXT &&
            str_eq(v->text, str_c(task_priorities[TASK_NORMAL])));
}

bool task_field_is_due(const struct field_of_task *f)
{
    return f->is_due;
}

bool task_field_is_priority(const struct field_of_task *f)
{
    return f->is_priority;
}

struct value task_field_statuses(struct task_field_reader *c, struct arena *a,
                                 const struct file *file, const struct note_task *t)
{
    struct task_status status = status_of(c, file, t);
    struct value *items = ARENA_ARRAY(a, struct value, 3);
    items[0] = task_text(span_of(file->text, t->mark));
    items[1] = task_text(status.name);
    items[2] = task_text(str_c(task_types[status.type]));
    return (struct value){.type = VALUE_LIST, .items = items, .n = 3, .target = NO_FILE};
}

struct value task_field_key(const struct field_of_task *f, const struct value *v)
{
    struct value key = *v;
    enum task_priority priority;
    struct err not_one;
    if (task_field_is_priority(f) && v->type == VALUE_TEXT &&
        task_priority_parse(v->text, &priority, &not_one))
        key = (struct value){.type = VALUE_NUMBER,
                             .is_integer = true,
                             .number = priority,
                             .real = priority,
                             .target = NO_FILE};
    return key;
}

/* --- narrowing --- */

struct ids task_field_due(struct task_field_reader *c, int32_t first, int32_t last)
{
    const struct tasks_due *due;
    size_t n = tasks_by_due(task_field_items_of(c), first, last, &due);
    struct ids out = {.at = ARENA_ARRAY(c->arena, file_id, n)};
    for (size_t i = 0; i < n; i++)
        out.at[out.n++] = due[i].note;
    ids_sort(&out);
    return out;
}
