#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/forms/task.h"
#include "vault/ops_task.h"

struct args {
    str path, text, add, status, to, lane;
    int64_t line, position;
    bool archive, remove;
    str due, scheduled, start, priority;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED | MCP_TERSE,
              "Note's name, or path"),
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

static bool vault_task_steps(struct tool_changing *c, struct err *err)
{
    struct ops_task task;
    struct ops_task_found found;
    struct ops_task_done done;
    if (!vault_task_read(c->call->args, &task, err))
        return false;
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
             "recurrence included. line and/or text: as read; \"\" removes a date.",
    .flags = 0,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_task_steps, .tags = true,
                 .change = offsetof(struct args, change)),
};
