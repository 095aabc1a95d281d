#include "vault/index/tasks.h"

#include "base/sort.h"
#include "vault/forms/task.h"
#include "vault/forms/task_settings.h"
#include "vault/index/derived.h"
#include "vault/index/ids.h"

struct tasks {
    struct derived derived;
    struct tasks_item **notes; /* by id; NULL where there are none */
    file_id n_notes;
    size_t n_items;
    struct tasks_due *due; /* by day, note and task */
    size_t n_due, cap_due;
    struct ids linked;
    struct task_settings settings;
    struct arena settings_arena, scratch; /* scratch: of the writer */
};

static void tasks_clear(void *table)
{
    struct tasks *t = table;
    for (file_id i = 0; i < t->n_notes; i++)
        free(t->notes[i]);
    free(t->notes);
    free(t->due);
    free(t->linked.at);
    t->notes = NULL;
    t->due = NULL;
    t->linked = (struct ids){0};
    t->n_notes = 0;
    t->n_items = t->n_due = t->cap_due = 0;
}

static void tasks_release(void *table)
{
    struct tasks *t = table;
    arena_release(&t->settings_arena);
    arena_release(&t->scratch);
}

static size_t tasks_memory(const void *table)
{
    const struct tasks *t = table;
    return sizeof(*t) + t->n_notes * sizeof(*t->notes) + t->n_items * sizeof(**t->notes) +
           t->cap_due * sizeof(*t->due) + t->linked.cap * sizeof(file_id);
}

/* --- by day --- */

static int compare_due(const struct tasks_due *a, const struct tasks_due *b)
{
    if (a->day != b->day)
        return a->day < b->day ? -1 : 1;
    if (a->note != b->note)
        return a->note < b->note ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

static int by_due(const void *a, const void *b)
{
    return compare_due(a, b);
}

/* How many come before it. */
static size_t tasks_place_of(const struct tasks *t, const struct tasks_due *due)
{
    size_t low = 0, high = t->n_due;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_due(&t->due[middle], due) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void append_due(struct tasks *t, struct tasks_due due)
{
    if (t->n_due == t->cap_due) {
        t->cap_due = 2 * t->cap_due + 64;
        t->due = mem_grow(t->due, size_mul(t->cap_due, sizeof(*t->due)));
    }
    t->due[t->n_due++] = due;
}

static void insert_due(struct tasks *t, struct tasks_due due)
{
    size_t at = tasks_place_of(t, &due), after = t->n_due - at;
    append_due(t, due);
    memmove(&t->due[at + 1], &t->due[at], after * sizeof(due));
    t->due[at] = due;
}

static void remove_due(struct tasks *t, struct tasks_due due)
{
    size_t at = tasks_place_of(t, &due);
    t->n_due--;
    memmove(&t->due[at], &t->due[at + 1], (t->n_due - at) * sizeof(due));
}

/* --- one note --- */

static bool is_indexed(const struct file *f)
{
    return f->kind == FILE_NOTE && !f->excluded && f->note.n_tasks > 0;
}

static void tasks_grow(struct tasks *t, file_id id)
{
    if (id < t->n_notes)
        return;
    file_id n = id + id / 2 + 64;
    t->notes = mem_grow(t->notes, size_mul(n, sizeof(*t->notes)));
    memset((void *)(t->notes + t->n_notes), 0, (n - t->n_notes) * sizeof(*t->notes));
    t->n_notes = n;
}

static struct tasks_item read_item(struct tasks *t, const struct file *f, uint32_t i,
                                   bool *linked)
{
    struct tasks_item item;
    struct task task;
    arena_reset(&t->scratch);
    task_parse_body(&t->scratch, &t->settings, span_of(f->text, f->note.tasks[i].text),
                    &task);
    memcpy(item.dates, task.dates, sizeof(item.dates));
    item.priority = (uint8_t)task.priority;
    item.has_text = task.rule.n > 0 || task.id.n > 0 || task.depends.n > 0;
    *linked = *linked || task.id.n > 0 || task.depends.n > 0;
    return item;
}

static void tasks_add(void *table, const struct file *f)
{
    struct tasks *t = table;
    bool linked = false;
    if (!is_indexed(f))
        return;
    tasks_grow(t, f->id);
    struct tasks_item *items = mem_alloc(size_mul(f->note.n_tasks, sizeof(*items)));
    for (uint32_t i = 0; i < f->note.n_tasks; i++) {
        items[i] = read_item(t, f, i, &linked);
        int32_t due = items[i].dates[TASK_DUE_ON];
        if (due > TASK_BAD_DATE)
            (t->derived.made ? insert_due
                             : append_due)(t, (struct tasks_due){due, f->id, i});
    }
    t->notes[f->id] = items;
    t->n_items += f->note.n_tasks;
    if (linked)
        ids_add(&t->linked, f->id);
}

static void tasks_remove(void *table, const struct file *f)
{
    struct tasks *t = table;
    const struct tasks_item *items = tasks_of(t, f->id);
    if (items == NULL)
        return;
    for (uint32_t i = 0; i < f->note.n_tasks; i++)
        if (items[i].dates[TASK_DUE_ON] > TASK_BAD_DATE)
            remove_due(t, (struct tasks_due){items[i].dates[TASK_DUE_ON], f->id, i});
    t->n_items -= f->note.n_tasks;
    ids_remove(&t->linked, f->id);
    free(t->notes[f->id]);
    t->notes[f->id] = NULL;
}

static void tasks_begin(void *table)
{
    struct tasks *t = table;
    struct task_settings plugin;
    arena_reset(&t->settings_arena);
    task_settings_read(&t->settings_arena, NULL, &plugin);
    t->settings = task_settings_both(&plugin);
}

static void tasks_sort(void *table)
{
    struct tasks *t = table;
    if (t->n_due > 1)
        sort_items(t->due, t->n_due, sizeof(*t->due), by_due);
}

const struct derived_kind tasks_kind = {
    .size = sizeof(struct tasks),
    .begin = tasks_begin,
    .add = tasks_add,
    .collected = tasks_sort,
    .remove = tasks_remove,
    .clear = tasks_clear,
    .release = tasks_release,
    .memory = tasks_memory,
};

/* --- questions --- */

const struct tasks_item *tasks_of(const struct tasks *t, file_id note)
{
    return note < t->n_notes ? t->notes[note] : NULL;
}

size_t tasks_by_due(const struct tasks *t, int32_t first, int32_t last,
                    const struct tasks_due **out)
{
    size_t from = tasks_place_of(t, &(struct tasks_due){.day = first});
    size_t to = last == INT32_MAX
                    ? t->n_due
                    : tasks_place_of(t, &(struct tasks_due){.day = last + 1});
    *out = to > from ? &t->due[from] : NULL;
    return to > from ? to - from : 0;
}

struct ids tasks_linked(const struct tasks *t)
{
    return t->linked;
}
