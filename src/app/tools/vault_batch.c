#include "app/answers/changed.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/rows.h"
#include "base/sbuf.h"
#include "mcp/schema.h"
#include "vault/draft.h"

enum {
    BATCH_STEPS_MAX = 500,
    BATCH_ASKED = 5, /* questions of steps that are in the question for all of them */
};

struct args {
    const struct json *steps;
    int64_t confirm;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, steps, MCP_LIST, MCP_REQUIRED,
              "In order, e.g. {\"tool\":\"vault_edit\",\"path\":...}: the tool's name "
              "and arguments",
              .items = "{\"type\":\"object\"}"),
    MCP_FIELD(struct args, confirm, MCP_INT, 0, "Files it deletes, once asked", .min = 1,
              .max = INT32_MAX),
    MCP_FIELD_AS(struct args, change.dry_run, "dry_run", MCP_BOOL, MCP_TERSE,
                 "Diff only"),
    MCP_FIELD_AS(struct args, change.idempotency_key, "idempotency_key", MCP_STR,
                 MCP_UNLISTED, "Safe retries"),
    {0},
};

/* --- reading a step --- */

/* Each has a struct tool_changer. */
static const struct mcp_tool *const tools[] = {
    &tool_vault_write,       &tool_vault_edit,  &tool_vault_insert,
    &tool_vault_frontmatter, &tool_vault_task,  &tool_vault_move,
    &tool_vault_delete,      &tool_vault_daily, &tool_vault_canvas,
};

/* A tool that the caller does not have is none here, either. */
static bool find_tool(struct mcp_call *call, str name, const struct mcp_tool **out,
                      struct err *err)
{
    struct sbuf names = SBUF_ON(call->arena);
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        *out = tools[i];
        if (!app_offers(app_of(call), call->caller, tools[i]->name))
            continue;
        if (str_eq(name, str_c(tools[i]->name)))
            return true;
        sbuf_printf(&names, "%s%s", names.n > 0 ? ", " : "", tools[i]->name);
    }
    *out = NULL;
    return err_named(err, E_INVALID_ARGUMENT,
                     name.n > 0 ? "'" STR_FMT "' cannot be a step; use " STR_FMT
                                : "tool is missing" STR_FMT ": use " STR_FMT,
                     STR_ARG(name), STR_ARG(sbuf_str(&names)));
}

/* The step without the name of its tool: that tool's arguments. */
static const struct json *arguments_of(struct arena *a, const struct json *step)
{
    struct json *out = ARENA_NEW(a, struct json), **next = &out->child;
    *out = *step;
    out->n = 0;
    for (const struct json *j = step->child; j != NULL; j = j->next) {
        if (str_eq(j->key, STR("tool")))
            continue;
        *next = ARENA_NEW(a, struct json);
        **next = *j;
        next = &(*next)->next;
        out->n++;
    }
    *next = NULL;
    return out;
}

/* These hold for the batch as a whole. */
static bool check_common(const struct json *step, struct err *err)
{
    static const char *const names[] = {"dry_run", "idempotency_key"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (json_get(step, str_c(names[i])) != NULL)
            return err_named(err, E_INVALID_ARGUMENT,
                             "%s is for all steps: give it next to steps", names[i]);
    return true;
}

static bool read_step(struct mcp_call *call, const struct json *step,
                      const struct mcp_tool **tool, void **args, struct err *err)
{
    struct arena *a = call->arena;
    if (step->type != JSON_OBJECT)
        return err_named(err, E_INVALID_ARGUMENT,
                         "a step is an object with the tool's name and arguments");
    if (!check_common(step, err) ||
        !find_tool(call, json_get_str(step, STR("tool")), tool, err))
        return false;
    *args = arena_alloc(a, (*tool)->args_size);
    memset(*args, 0, (*tool)->args_size);
    return mcp_schema_read(a, (*tool)->fields, arguments_of(a, step), true, *args, err);
}

/* --- running --- */

/* What is asked before the batch is made: what its steps would ask. */
static void add_question(struct tool_changing *c, const struct tool_changing *step,
                         size_t *asked)
{
    c->large = c->large || step->large;
    c->deletes += step->deletes;
    c->deletes_folder = c->deletes_folder || step->deletes_folder;
    if (step->question.n > 0 && (*asked)++ < BATCH_ASKED)
        c->question =
            arena_printf(c->call->arena, STR_FMT "%s" STR_FMT, STR_ARG(c->question),
                         c->question.n > 0 ? " " : "", STR_ARG(step->question));
}

static bool fail_step(struct mcp_call *call, size_t number, const struct mcp_tool *tool,
                      struct err *err)
{
    str step = tool == NULL
                   ? arena_printf(call->arena, "step %zu", number)
                   : arena_printf(call->arena, "step %zu (%s)", number, tool->name);
    if (call->why.n > 0)
        call->why =
            arena_printf(call->arena, STR_FMT ": " STR_FMT "\nNothing was changed.",
                         STR_ARG(step), STR_ARG(call->why));
    return err_reword(err, STR_FMT ": %s; nothing was changed", STR_ARG(step), err->msg);
}

static bool run_one(struct tool_changing *c, const struct json *j, size_t number,
                    struct tool_changing *step, const char **name, struct err *err)
{
    const struct mcp_tool *tool = NULL;
    void *args = NULL;
    c->call->why = (str){0};
    if (!read_step(c->call, j, &tool, &args, err) ||
        !tool_run_step(c, tool, args, step, err))
        return fail_step(c->call, number, tool, err);
    *name = tool->name;
    return true;
}

/* Sizes and etags of texts that later steps change or move are not said. */
static void vault_batch_settle(struct draft *d, struct changed_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct changed *out = &steps[i].out;
        struct draft_file f;
        struct err ignored;
        if ((out->parts & CHANGED_TEXT) &&
            (!draft_read(d, out->path, &f, &ignored) || !str_eq(f.text, out->after)))
            out->parts &= ~(unsigned)CHANGED_TEXT;
    }
}

static bool check_number(const struct json *steps, struct err *err)
{
    if (steps->n == 0)
        return err_named(err, E_INVALID_ARGUMENT, "steps is empty");
    return steps->n <= BATCH_STEPS_MAX ||
           err_set(err, ERR_LIMIT, "a batch can have at most %d steps, not %u",
                   BATCH_STEPS_MAX, steps->n);
}

static bool vault_batch_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    size_t n = 0, asked = 0;
    int64_t confirmed = 0;
    if (!check_number(in->steps, err))
        return false;
    struct changed_step *steps =
        ARENA_ARRAY(c->call->arena, struct changed_step, in->steps->n);
    for (const struct json *j = in->steps->child; j != NULL; j = j->next, n++) {
        struct tool_changing step;
        if (!run_one(c, j, n + 1, &step, &steps[n].tool, err))
            return false;
        steps[n].out = step.out;
        add_question(c, &step, &asked);
        confirmed += step.confirm;
    }
    vault_batch_settle(c->draft, steps, n);
    c->confirm = in->confirm != MCP_ABSENT ? in->confirm : confirmed;
    c->out.parts = CHANGED_FILES;
    c->out.steps = steps;
    c->out.n_steps = n;
    return true;
}

const struct mcp_tool tool_vault_batch = {
    .name = "vault_batch",
    .title = "Several changes",
    .about = "Several changes in one call: all or none, one undo. A step sees the "
             "results of earlier ones.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_batch_steps, .tags = true,
                 .change = offsetof(struct args, change)),
};
