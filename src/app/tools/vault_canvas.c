#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/forms/canvas_edit.h"
#include "vault/ops.h"

struct args {
    str path;
    const struct json *steps;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "Created if missing"),
    MCP_FIELD(struct args, steps, MCP_LIST, MCP_REQUIRED,
              "{add:'text',text,near,in}, {add:'file',file}, {change:ID,text}, "
              "{connect:ID,to:ID,label}, {remove:ID}; more in vault_guide canvas",
              .items = "{\"type\":\"object\"}"),
    TOOL_CHANGE_FIELDS_AS(struct args, MCP_UNLISTED),
    {0},
};

static bool vault_canvas_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct canvas_edited r;
    struct draft_file f;
    str path;
    c->out.is_done = false;
    if (!ops_canvas_path(c->draft, in->path, &path, err) ||
        !tool_open_or_create(c, path, &f, &c->out.is_done, err))
        return false;
    if (!ops_edit_canvas(c->draft, &f, in->steps, &r, err))
        return tool_missing(err);
    c->out.did = r.did;
    c->out.n_did = r.n_did;
    c->edit.text = r.text;
    changed_all(&c->edit);
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_vault_canvas = {
    .name = "vault_canvas",
    .title = "Canvas",
    .about = "Add, change, connect and remove nodes of a .canvas.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_canvas_steps, .done = "created",
                 .change = offsetof(struct args, change)),
};
