#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_many.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "vault/draft.h"
#include "vault/eval/select.h"
#include "vault/forms/task.h"
#include "vault/index/file.h"
#include "vault/ops_task.h"

struct args {
    str path, text, add, status, to, lane;
    int64_t line, position;
    bool archive, remove;
    str due, scheduled, start, priority;
    struct tool_many many;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_TERSE, "Note's name, or path"),
    MCP_FIELD_AS(struct args, many.where, "where", MCP_STR, MCP_TERSE,
                 "All tasks of a query as in vault_query"),
    MCP_FIELD_AS(struct args, many.paths, "paths", MCP_STRS, MCP_TERSE,
                 "Only in these notes; without where: all open tasks"),
    MCP_FIELD_AS(struct args, many.expect, "expect", MCP_INT, MCP_TERSE,
                 "Number of these tasks", .min = 1, .max = INT32_MAX),
    MCP_FIELD(struct args, line, MCP_INT, MCP_TERSE, "Its line", .min = 1,
              .max = INT32_MAX),
    MCP_FIELD(struct args, text, MCP_STR, MCP_TERSE, "Its text"),
    MCP_FIELD(struct args, status, MCP_STR, 0, "done, todo, cancelled or symbol"),
    MCP_FIELD(struct args, due, MCP_STR, MCP_TERSE, "YYYY-MM-DD"),
    MCP_FIELD(struct args, scheduled, MCP_STR, MCP_TERSE, "YYYY-MM-DD"),
    MCP_FIELD(struct args, start, MCP_STR, MCP_TERSE, "YYYY-MM-DD"),
    MCP_FIELD(struct args, priority, MCP_STR, MCP_TERSE, "highest to lowest, or none"),
    MCP_FIELD(struct args, to, MCP_STR, 0, "Note#Heading"),
    MCP_FIELD(struct args, add, MCP_STR, 0, "A new task"),
    MCP_FIELD(struct args, lane, MCP_STR, 0, "Of a Kanban board"),
    MCP_FIELD(struct args, position, MCP_INT, MCP_TERSE, "In the lane, from 1", .min = 1,
              .max = INT32_MAX),
    MCP_FIELD(struct args, archive, MCP_BOOL, MCP_TERSE, "To the board's archive"),
    MCP_FIELD(struct args, remove, MCP_BOOL, MCP_TERSE, "Remove it"),
    TOOL_CHANGE_FIELDS_AS(struct args, MCP_UNLISTED),
    {0},
};

static bool vault_task_read(const struct args *in, struct ops_task *out, struct err *err)
{
    *out = (struct ops_task){.path = in->path,
                             .line = in->line != MCP_ABSENT ? (uint32_t)in->line : 0,
                             .text = in->text,
                             .add = in->add,
                             .status = in->status,
                             .to = in->to,
                             .lane = in->lane,
                             .archive = in->archive,
                             .remove = in->remove};
    out->position = in->position != MCP_ABSENT ? (uint32_t)in->position : 0;
    const struct ops_task_words words = {in->due, in->scheduled, in->start, in->priority};
    if (!ops_task_fields(&words, &out->fields, err))
        return false;
    return ops_task_any(out) ||
           err_named(err, E_INVALID_ARGUMENT,
                     "nothing to do: give status, due, scheduled, start, priority, "
                     "to, lane, archive, remove, or add");
}

/* What is changed must be as the client has read it. */
static bool vault_task_check(struct tool_changing *c, const struct ops_task *t,
                             const struct ops_task_found *found, struct err *err)
{
    return tool_match(c, found->file.path, err) &&
           (t->add.n > 0 || t->text.n > 0 ||
            tool_check_lines(c, &found->file, found->place.line, found->place.line, err));
}

/* --- several tasks --- */

/* A task of the index, as it was when the draft began. */
struct task_chosen {
    str path, text;
    uint32_t line;
};

struct tasks_chosen {
    struct task_chosen *items;
    size_t n;
    struct mcp_strs paths;
};

static bool vault_task_check_many(const struct args *in, struct err *err)
{
    if (in->line != MCP_ABSENT || in->text.n > 0 || in->add.n > 0 || in->lane.n > 0 ||
        in->position != MCP_ABSENT || in->archive)
        return err_named(err, E_INVALID_ARGUMENT,
                         "with paths or where, give status, due, scheduled, start, "
                         "priority, to or remove");
    return !str_starts(in->to, STR("#")) ||
           err_named(err, E_INVALID_ARGUMENT,
                     "with paths or where, to names the note: \"Note#Heading\"");
}

/* By path and line. */
static void vault_task_take_rows(struct tool_changing *c, const struct select_result *r,
                                 struct tasks_chosen *out)
{
    struct arena *a = c->call->arena;
    out->items = ARENA_ARRAY(a, struct task_chosen, r->n);
    for (size_t i = 0; i < r->n; i++) {
        const struct select_row *row = &r->rows[i];
        if (out->paths.n == 0 || tool_many_has(&out->paths, row->file->path))
            out->items[out->n++] = (struct task_chosen){
                arena_str(a, row->file->path),
                arena_str(a, span_of(row->file->text, row->task->text)), row->task->line};
    }
}

static bool vault_task_choose(struct tool_changing *c, const struct args *in,
                              struct tasks_chosen *out, struct err *err)
{
    struct arena *a = c->call->arena;
    struct task_settings settings;
    struct select_result found;
    struct select s = {.from = SELECT_TASKS,
                       .where =
                           in->many.where.n > 0 ? in->many.where : STR("not task.done"),
                       .limit = SIZE_MAX,
                       .tasks = &settings,
                       .now = clock_now(),
                       .stop = draft_stop(c->draft)};
    *out = (struct tasks_chosen){0};
    s.utc_offset = clock_utc_offset(s.now);
    if (!ops_task_settings(draft_vault(c->draft), a, &settings, err) ||
        !tool_many_paths(c, &in->many, &out->paths, err))
        return false;
    const struct index *x = draft_lock(c->draft);
    bool ok = select_run(x, a, &s, &found, err);
    if (ok)
        vault_task_take_rows(c, &found, out);
    draft_unlock(c->draft);
    if (!ok || !draft_go_on(c->draft, err))
        return false;
    return out->n > 0 || err_named(err, E_TEXT_NOT_FOUND, "no task matches");
}

/* Changes of the same note before this one. */
struct task_shift {
    str path;
    int64_t lines;  /* that were added */
    uint32_t until; /* the last line that went with a task */
};

static size_t vault_task_lines(struct tool_changing *c, str path)
{
    struct draft_file f;
    struct err ignored;
    return draft_read(c->draft, path, &f, &ignored) ? changed_lines(f.text) : 0;
}

static bool vault_task_change_next(struct tool_changing *c, struct ops_task task,
                                   const struct task_chosen *t, struct task_shift *shift,
                                   struct changed *out, struct err *err)
{
    struct ops_task_found found;
    struct ops_task_done done;
    size_t lines = vault_task_lines(c, t->path);
    task.path = t->path;
    task.text = t->text;
    task.line = (uint32_t)((int64_t)t->line + shift->lines);
    if (!ops_task_find(c->draft, &task, &found, err))
        return false;
    bool ok = ops_task_change(c->draft, &task, &found, &done, err);
    if (ok && task.to.n > 0 && str_eq(done.file.path, t->path))
        ok = err_named(err, E_INVALID_ARGUMENT,
                       "it is in the note that to names: leave that out in where");
    *out = (struct changed){.arena = c->call->arena};
    changed_links(out, &done.report);
    if (!ok || !changed_rewrite(out, c->draft, &done.file, &done.edit, err))
        return false;
    shift->until =
        task.remove || task.to.n > 0 ? t->line + found.place.last - found.place.line : 0;
    shift->lines += (int64_t)vault_task_lines(c, t->path) - (int64_t)lines;
    return true;
}

static bool vault_task_many(struct tool_changing *c, const struct args *in,
                            const struct ops_task *task, struct err *err)
{
    struct arena *a = c->call->arena;
    struct tasks_chosen all;
    struct task_shift shift = {0};
    size_t n = 0;
    if (!vault_task_check_many(in, err) || !vault_task_choose(c, in, &all, err) ||
        !tool_many_limit(all.n, err) ||
        !tool_many_expect(c, &in->many, all.n, "task", "tasks", err))
        return false;
    struct changed_step *each = ARENA_ARRAY(a, struct changed_step, all.n);
    for (size_t i = 0; i < all.n; i++) {
        const struct task_chosen *t = &all.items[i];
        if (!str_eq(shift.path, t->path))
            shift = (struct task_shift){.path = t->path};
        if (t->line <= shift.until)
            continue;
        if (!draft_go_on(c->draft, err) ||
            !vault_task_change_next(c, *task, t, &shift, &each[n++].out, err))
            return err_reword(err, STR_FMT ":%u: %s; nothing was changed in any note",
                              STR_ARG(t->path), t->line, err->msg);
    }
    tool_many_done(c, each, n, arena_printf(a, "Change %zu tasks?", all.n));
    return true;
}

static bool vault_task_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_task task;
    struct ops_task_found found;
    struct ops_task_done done;
    if (!vault_task_read(in, &task, err) ||
        !tool_many_check(&in->many, in->path, &in->change, err))
        return false;
    if (tool_many_asked(&in->many))
        return vault_task_many(c, in, &task, err);
    if (!ops_task_find(c->draft, &task, &found, err))
        return tool_missing(err);
    if (!vault_task_check(c, &task, &found, err))
        return false;
    bool ok = ops_task_change(c->draft, &task, &found, &done, err);
    c->edit = done.edit;
    if (!ok)
        return tool_missing(err);
    changed_links(&c->out, &done.report);
    return tool_rewrite(c, &done.file, err);
}

const struct mcp_tool tool_vault_task = {
    .name = "vault_task",
    .title = "Task",
    .about = "Complete, reopen, re-date, move or add a task as the Tasks plugin would, "
             "recurrence included; with where or paths all of these, if they are as many "
             "as expect. line and/or text: as read; \"\" removes a date.",
    .flags = 0,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_task_steps, .tags = true,
                 .change = offsetof(struct args, change)),
};
