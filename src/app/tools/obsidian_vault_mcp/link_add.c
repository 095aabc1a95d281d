#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "vault/change/link.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

enum { HEADING_LEVEL = 2 }; /* level of a heading that is created */

struct args {
    str path, target, text, heading;
    bool again;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "The note that gets the link"),
    MCP_FIELD(struct args, target, MCP_STR, MCP_REQUIRED,
              "The note to link to: path or name"),
    MCP_FIELD(struct args, text, MCP_STR, 0, "What it shows instead of the name"),
    MCP_FIELD(struct args, heading, MCP_STR, 0,
              "Under this heading, made if missing; else at the end"),
    MCP_FIELD(struct args, again, MCP_BOOL, 0,
              "Add it even if the note already links to the target"),
    {0},
};

static bool find_both(struct mcp_call *call, const struct index *x,
                      const struct file **from, const struct file **to, struct err *err)
{
    const struct args *in = call->args;
    if (!tool_file(call, x, in->path, from, err) ||
        !tool_file(call, x, in->target, to, err))
        return false;
    return ((*from)->kind == FILE_NOTE && !(*from)->unread) ||
           err_set(err, ERR_INVALID,
                   "links can only be added to notes: '" STR_FMT "' is not a note",
                   STR_ARG((*from)->path));
}

/* As a list item, so that links added one by one form one list. */
static bool link_add_insert(struct tool_changing *c, str text, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    str item = arena_printf(a, "- " STR_FMT, STR_ARG(c->out.target));
    struct edit_section section = {.heading = in->heading,
                                   .action = EDIT_APPEND_TO,
                                   .create_level = HEADING_LEVEL,
                                   .shallow = true,
                                   .content = item};
    struct edit_insert end = {.where = EDIT_APPEND, .content = item};
    return in->heading.n > 0 ? edit_section(a, text, &section, &c->edit, err)
                             : edit_insert(a, text, &end, &c->edit, err);
}

/* The index must be held. */
static bool link_add_link(struct tool_changing *c, const struct index *x, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    const struct file *from, *to;
    const struct obsidian *own = vault_obsidian(tool_vault(c->call));
    struct link_style style = {obsidian_link_format(own), obsidian_markdown_links(own)};
    struct file_link *links;
    if (!find_both(c->call, x, &from, &to, err) ||
        !link_write(x, a, &style, from->path, to, in->text, &c->out.target, err))
        return false;
    c->out.is_done = in->again || link_find(x, a, from, to->id, &links) == 0;
    return !c->out.is_done || (link_add_insert(c, from->text, err) &&
                               draft_rewrite(c->draft, from, c->edit.text, err));
}

static bool link_add_steps(struct tool_changing *c, struct err *err)
{
    const struct index *x = tool_lock(c->call, err);
    if (x == NULL)
        return false;
    bool ok = link_add_link(c, x, err);
    tool_unlock(c->call);
    return ok && draft_judge(c->draft, err);
}

const struct mcp_tool ovm_link_add = {
    .name = "link_add",
    .title = "Add a link",
    .about = "Add a link to another note, written according to the vault's link "
             "settings. added: false if the note already has one.",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"added\":{\"type\":\"boolean\"},\"link\":{"
        "\"type\":\"string\"}},\"required\":[\"added\",\"link\"]}",
    TOOL_CHANGES(.unchecked = true, .steps = link_add_steps, .shape = &ovm_changed_shape,
                 .done = "added"),
};
