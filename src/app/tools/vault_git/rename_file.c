#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/vault_git/plain.h"
#include "vault/draft.h"
#include "vault/ops.h"

struct args {
    str source, destination;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, source, MCP_STR, MCP_REQUIRED, "File or directory"),
    MCP_FIELD(struct args, destination, MCP_STR, MCP_REQUIRED,
              "Its new path; nothing may be there"),
    {0},
};

static str rename_file_report(struct mcp_call *call, const struct ops_report *r)
{
    str said = arena_printf(call->arena, "Successfully moved " STR_FMT " to " STR_FMT,
                            STR_ARG(r->path), STR_ARG(r->to));
    return r->links == 0
               ? said
               : arena_printf(call->arena,
                              STR_FMT "\nLinks updated: %zu, in %zu other files",
                              STR_ARG(said), r->links, r->rewrites);
}

static bool rename_file_steps(struct tool_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    struct ops_report r;
    str real;
    if (draft_find(c->draft, in->destination, &real) && !str_eq_nocase(real, in->source))
        return err_named(err, E_FILE_EXISTS,
                         "'" STR_FMT "' already exists: give an unused path",
                         STR_ARG(real));
    if (!ops_move(c->draft, in->source, in->destination, &r, err))
        return plain_missing(c->call, in->source, err);
    c->question = arena_printf(a,
                               "Rename '" STR_FMT "' to '" STR_FMT
                               "'? %zu files are moved, links in %zu others rewritten.",
                               STR_ARG(r.path), STR_ARG(r.to), r.files, r.rewrites);
    c->large = r.files + r.rewrites > TOOL_LARGE;
    changed_report(&c->out, &r);
    c->out.said = rename_file_report(c->call, &r);
    return true;
}

const struct mcp_tool tool_rename_file = {
    .name = "rename_file",
    .title = "Rename File",
    .about = "Move or rename a file or directory and update every link to it. "
             "Never overwrites." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = rename_file_steps,
                 .shape = &plain_said_shape),
};
