#include "app/kit/kit_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/index/file.h"
#include "vault/ops.h"

static const char NAME[] = "delete_note";

struct args {
    str name;
    bool dry_run;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, "Only say what would happen",
              .dflt = "false"),
    {0},
};

static bool delete_note_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct kit_change how = {.dry_run = in->dry_run};
    struct draft *d = kit_draft(call, NAME, &how);
    struct ops_report r;
    str path;
    if (!notes_find(call, in->name, &path, err) ||
        !ops_delete(d, path, &(struct ops_delete){.unlink = true}, &r, err))
        return false;
    enum mcp_consent wanted = kit_confirm(
        call, &how, r.rewrites > KIT_LARGE,
        arena_printf(call->arena, "Delete '" STR_FMT "'?", STR_ARG(path)), err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("name"), file_title(path));
    jsonw_put_str(call->out, STR("path"), path);
    jsonw_put_bool(call->out, STR("deleted"), !in->dry_run);
    if (r.to.n > 0)
        jsonw_put_str(call->out, STR("trash"), r.to);
    if (!notes_commit(call, d, in->dry_run, r.links, err))
        return false;
    jsonw_end(call->out);
    return true;
}

static bool delete_note_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &notes_now, delete_note_steps, err);
}

const struct mcp_tool tool_delete_note = {
    .name = NAME,
    .title = "Delete a note",
    .about = "Move a note to .trash/; links to it become plain text. dry_run shows which "
             "notes that touches.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = delete_note_run,
};
