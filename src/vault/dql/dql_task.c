/* The fields of a task in DQL. */
#include "base/array.h"
#include "vault/dql/dql_functions.h"
#include "vault/eval/eval.h"
#include "vault/eval/eval_file.h"
#include "vault/eval/value.h"
#include "vault/forms/task.h"
#include "vault/index/file.h"

struct value dql_tasks(struct eval *e, const struct file *f,
                       const struct note_task *tasks, size_t n)
{
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, n);
    struct row *rows = ARENA_ARRAY(e->reader.arena, struct row, n);
    for (size_t i = 0; i < n; i++) {
        rows[i] = (struct row){.file = f, .task = &tasks[i]};
        items[i] = (struct value){.type = VALUE_ROW, .row = &rows[i], .target = NO_FILE};
    }
    return eval_list(e, items, n);
}

static str mark_of(const struct row *row)
{
    return span_of(row->file->text, row->task->mark);
}

static bool is_completed(const struct file *f, const struct note_task *t)
{
    return str_eq_nocase(span_of(f->text, t->mark), STR("x"));
}

/* --- tasks below a task --- */

/* The tasks after t that are indented more, up to the first that is not. */
static size_t count_below(const struct file *f, const struct note_task *t)
{
    const struct note_task *end = f->note.tasks + f->note.n_tasks, *at = t + 1;
    while (at < end && at->indent > t->indent)
        at++;
    return (size_t)(at - t) - 1;
}

static struct value task_fully_completed(struct eval *e, const struct row *row)
{
    size_t n = count_below(row->file, row->task);
    bool all = true;
    for (size_t i = 0; all && i <= n; i++)
        all = is_completed(row->file, &row->task[i]);
    return value_bool(all);
}

/* Those directly below: of several levels, the one of the first. */
static struct value task_children(struct eval *e, const struct row *row)
{
    size_t n = count_below(row->file, row->task), used = 0;
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, n);
    struct value all = dql_tasks(e, row->file, row->task + 1, n);
    uint16_t indent = UINT16_MAX;
    for (size_t i = 0; i < n && all.type == VALUE_LIST; i++) {
        if (row->task[i + 1].indent > indent)
            continue;
        indent = row->task[i + 1].indent;
        items[used++] = all.items[i];
    }
    return eval_list(e, items, used);
}

static struct value task_parent(struct eval *e, const struct row *row)
{
    for (const struct note_task *t = row->task; t > row->file->note.tasks;)
        if ((--t)->indent < row->task->indent)
            return value_integer(t->line);
    return value_null();
}

/* --- the others --- */

static struct value task_status(struct eval *e, const struct row *row)
{
    return value_text(mark_of(row));
}

static struct value task_checked(struct eval *e, const struct row *row)
{
    return value_bool(!str_eq(mark_of(row), STR(" ")));
}

static struct value task_completed(struct eval *e, const struct row *row)
{
    return value_bool(is_completed(row->file, row->task));
}

static struct value task_text(struct eval *e, const struct row *row)
{
    return value_text(str_trim(span_of(row->file->text, row->task->text)));
}

static struct value task_line_number(struct eval *e, const struct row *row)
{
    return value_integer(row->task->line);
}

static struct value task_is_task(struct eval *e, const struct row *row)
{
    return value_bool(true);
}

static struct value task_annotated(struct eval *e, const struct row *row)
{
    bool any = false;
    for (uint32_t i = 0; i < row->file->n_fields; i++)
        any |= row->file->fields[i].item == row->task->line;
    return value_bool(any);
}

static struct value task_path(struct eval *e, const struct row *row)
{
    return value_text(row->file->path);
}

/* A link to the heading above it, or to the note. */
static struct value task_section(struct eval *e, const struct row *row)
{
    const struct note *n = &row->file->note;
    const struct note_heading *above = NULL;
    for (uint32_t i = 0; i < n->n_headings && n->headings[i].line < row->task->line; i++)
        above = &n->headings[i];
    if (above == NULL)
        return eval_file_link(e, row->file, (str){0});
    str title = span_of(row->file->text, above->title);
    str target = arena_printf(e->reader.arena, STR_FMT "#" STR_FMT,
                              STR_ARG(row->file->path), STR_ARG(title));
    return value_link(&e->reader, target, (str){0});
}

static struct value task_tags(struct eval *e, const struct row *row)
{
    const struct note *n = &row->file->note;
    struct value *items = NULL;
    size_t used = 0;
    for (uint32_t i = 0; i < n->n_tags; i++)
        if (n->tags[i].line == row->task->line)
            *ARRAY_ADD(e->reader.arena, items, used) = value_text(str_slice(
                row->file->text, n->tags[i].name.start - 1, n->tags[i].name.end));
    return eval_list(e, items, used);
}

static struct value task_outlinks(struct eval *e, const struct row *row)
{
    struct value_reader r = eval_reader(e, row->file);
    struct file_link *links;
    struct value *items = NULL;
    size_t n = file_links(r.arena, row->file, &links), used = 0;
    for (size_t i = 0; i < n; i++)
        if (links[i].place == FILE_IN_BODY && links[i].line == row->task->line)
            *ARRAY_ADD(r.arena, items, used) = value_link(&r, links[i].path, (str){0});
    return eval_list(e, items, used);
}

static struct value task_block_id(struct eval *e, const struct row *row)
{
    const struct note *n = &row->file->note;
    for (uint32_t i = 0; i < n->n_blocks; i++)
        if (n->blocks[i].line_start == row->task->line)
            return value_text(span_of(row->file->text, n->blocks[i].id));
    return value_null();
}

static const struct {
    const char *name;
    struct value (*read)(struct eval *e, const struct row *row);
} task_fields[] = {
    {"status", task_status},    {"checked", task_checked},
    {"text", task_text},        {"completed", task_completed},
    {"line", task_line_number}, {"fullyCompleted", task_fully_completed},
    {"tags", task_tags},        {"children", task_children},
    {"parent", task_parent},    {"section", task_section},
    {"task", task_is_task},     {"annotated", task_annotated},
    {"blockId", task_block_id}, {"outlinks", task_outlinks},
    {"path", task_path},
};

bool dql_task_has(str name)
{
    for (size_t i = 0; i < COUNT_OF(task_fields); i++)
        if (str_eq_nocase(name, str_c(task_fields[i].name)))
            return true;
    return false;
}

bool dql_is_task_field(str name)
{
    return dql_task_has(name) || task_is_key(name);
}

bool dql_task_field(struct eval *e, const struct row *row, str name, struct value *out)
{
    for (size_t i = 0; i < COUNT_OF(task_fields); i++)
        if (str_eq_nocase(name, str_c(task_fields[i].name))) {
            *out = task_fields[i].read(e, row);
            return true;
        }
    return false;
}
