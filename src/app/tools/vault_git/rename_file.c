#include "app/kit/kit_change.h"
#include "app/tools/vault_git/plain.h"
#include "vault/draft.h"
#include "vault/ops.h"

static const char NAME[] = "rename_file";

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

static bool rename_file_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &plain_change);
    struct ops_report r;
    str real;
    if (draft_find(d, in->destination, &real) && !str_eq_nocase(real, in->source))
        return err_named(err, E_FILE_EXISTS,
                         "'" STR_FMT "' exists already: give a path where nothing is",
                         STR_ARG(real));
    if (!ops_move(d, in->source, in->destination, &r, err))
        return plain_missing(call, in->source, err);
    str question = arena_printf(call->arena,
                                "Rename '" STR_FMT "' to '" STR_FMT
                                "'? %zu files are moved, links in %zu others rewritten.",
                                STR_ARG(r.path), STR_ARG(r.to), r.files, r.rewrites);
    enum mcp_consent wanted =
        kit_confirm(call, &plain_change, r.files + r.rewrites > KIT_LARGE, question, err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    return plain_commit(call, d, rename_file_report(call, &r), &r, err);
}

static bool rename_file_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plain_change, rename_file_steps, err);
}

const struct mcp_tool tool_rename_file = {
    .name = NAME,
    .title = "Rename File",
    .about = "Move or rename a file or directory and update every link to it. "
             "Never overwrites." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = rename_file_run,
};
