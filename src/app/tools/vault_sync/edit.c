#include "vault/note/edit.h"
#include "app/kit/kit_change.h"
#include "app/tools/vault_sync/shape.h"
#include "base/text.h"
#include "vault/draft.h"

static const char NAME[] = "vault_edit";

struct args {
    str path, old_text, new_text;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File path relative to vault root"),
    MCP_FIELD(struct args, old_text, MCP_STR, MCP_REQUIRED,
              "Exact text to find (must appear exactly once in the file)"),
    MCP_FIELD(struct args, new_text, MCP_STR, MCP_REQUIRED,
              "Text to replace it with. Empty string to delete."),
    {0},
};

static bool edit_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct jsonw *out = call->out;
    struct draft *d = kit_draft(call, NAME, &(struct kit_change){0});
    struct edit_swap swap = {in->old_text, in->new_text, false};
    struct edit_result r = {0};
    struct draft_file f;
    str path;
    if (!shape_path(call, in->path, &path, err) || !draft_read(d, path, &f, err))
        return false;
    if (!edit_replace(call->arena, f.text, &swap, 1, &r, err))
        return shape_edit_failed(&r, err);
    if (!draft_write(d, f.path, r.text, DRAFT_OVERWRITE, err) || !shape_commit(d, err))
        return false;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), f.path);
    jsonw_put_bool(out, STR("replaced"), true);
    jsonw_put_int(out, STR("total_lines"), (int64_t)text_count_lines(r.text));
    jsonw_end(out);
    return true;
}

static bool edit_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &(struct kit_change){0}, edit_steps, err);
}

const struct mcp_tool vault_sync_edit = {
    .name = NAME,
    .title = "Edit a file",
    .about = "Find-and-replace edit on an existing file; old_text must match exactly "
             "once, whitespace included.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = edit_run,
};
