#include "app/tools/obsidian_bundle/bundle.h"
#include "vault/draft.h"

static const char NAME[] = "obsidian_create_note";

struct args {
    struct bundle_args common;
    str content;
    bool overwrite;
};

static const struct mcp_field fields[] = {
    BUNDLE_FIELDS(struct args),
    MCP_FIELD(struct args, content, MCP_STR, 0, "Initial note content (markdown)"),
    MCP_FIELD(struct args, overwrite, MCP_BOOL, 0, "Overwrite if file exists"),
    {0},
};

static bool create_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = bundle_draft(call, NAME);
    str path;
    if (!bundle_new_path(call, in->common.name, &path, err))
        return false;
    bool exists = draft_exists(d, path);
    if (exists && !in->overwrite)
        return err_named(err, E_FILE_EXISTS,
                         "'" STR_FMT "' exists already. Choose another name, or set "
                         "overwrite to replace it.",
                         STR_ARG(path));
    return draft_write(d, path, in->content, DRAFT_OVERWRITE, err) &&
           bundle_commit(call, d, path, "created", !exists, err);
}

static bool create_run(struct mcp_call *call, struct err *err)
{
    return bundle_change(call, create_steps, err);
}

const struct mcp_tool bundle_create_note = {
    .name = NAME,
    .title = "Create a note",
    .about = "Create a new note in the vault",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = create_run,
    .failed = bundle_failed,
};
