#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "vault/change/link.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

static const char NAME[] = "link_add";
static const struct kit_change plainly = {0};
enum { HEADING_LEVEL = 2 }; /* of one that is made */

struct args {
    str path, target, text, heading;
    bool again;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "The note that gets the link"),
    MCP_FIELD(struct args, target, MCP_STR, MCP_REQUIRED,
              "The note it leads to: path or name"),
    MCP_FIELD(struct args, text, MCP_STR, 0, "What it shows instead of the name"),
    MCP_FIELD(struct args, heading, MCP_STR, 0,
              "Under this heading, made if missing; else at the end"),
    MCP_FIELD(struct args, again, MCP_BOOL, 0,
              "Also when the note links to the target already"),
    {0},
};

static bool find_both(struct mcp_call *call, const struct index *x,
                      const struct file **from, const struct file **to, struct err *err)
{
    const struct args *in = call->args;
    if (!kit_file(call, x, in->path, from, err) ||
        !kit_file(call, x, in->target, to, err))
        return false;
    return ((*from)->kind == FILE_NOTE && !(*from)->unread) ||
           err_set(err, ERR_INVALID, "links are added to notes: '" STR_FMT "' is none",
                   STR_ARG((*from)->path));
}

/* As an item of a list: those that are added one by one become one list. */
static bool link_add_insert(struct mcp_call *call, str text, str link,
                            struct edit_result *out, struct err *err)
{
    const struct args *in = call->args;
    str item = arena_printf(call->arena, "- " STR_FMT, STR_ARG(link));
    bool ok =
        in->heading.n > 0
            ? edit_section(call->arena, text,
                           &(struct edit_section){.heading = in->heading,
                                                  .action = EDIT_APPEND_TO,
                                                  .create_level = HEADING_LEVEL,
                                                  .content = item},
                           out, err)
            : edit_insert(call->arena, text,
                          &(struct edit_insert){.where = EDIT_APPEND, .content = item},
                          out, err);
    return ok || kit_edit_failed(call, out);
}

/* While the index is held; *added: there is something to commit. */
static bool link_add_link(struct mcp_call *call, const struct index *x, struct draft *d,
                          str *link, bool *added, struct err *err)
{
    const struct args *in = call->args;
    const struct file *from, *to;
    const struct obsidian *own = vault_obsidian(kit_vault(call));
    struct link_style style = {obsidian_link_format(own), obsidian_markdown_links(own)};
    struct edit_result edited = {0};
    struct file_link *links;
    if (!find_both(call, x, &from, &to, err) ||
        !link_write(x, call->arena, &style, from->path, to, in->text, link, err))
        return false;
    *added = in->again || link_find(x, call->arena, from, to->id, &links) == 0;
    return !*added || (link_add_insert(call, from->text, *link, &edited, err) &&
                       draft_rewrite(d, from, edited.text, err));
}

static bool link_add_steps(struct mcp_call *call, struct err *err)
{
    struct draft *d = kit_draft(call, NAME, &plainly);
    struct draft_result made;
    bool added = false;
    str link;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = link_add_link(call, x, d, &link, &added, err);
    kit_let_go(call);
    if (!ok || (added && !draft_commit(d, STR(""), &made, err)))
        return false;
    jsonw_object(call->out);
    jsonw_put_bool(call->out, STR("added"), added);
    jsonw_put_str(call->out, STR("link"), link);
    jsonw_end(call->out);
    return true;
}

static bool link_add_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plainly, link_add_steps, err);
}

const struct mcp_tool ovm_link_add = {
    .name = NAME,
    .title = "Add a link",
    .about = "Add a link to another note, written as the vault's settings want links. "
             "added: false when the note has one already.",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"added\":{\"type\":\"boolean\"},\"link\":{"
        "\"type\":\"string\"}},\"required\":[\"added\",\"link\"]}",
    .run = link_add_run,
};
