#include "app/answers/changed.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/vault.h"

struct args {
    str path, to, heading, block, tag, property, into;
    bool keep_links;
    int leave; /* enum ops_leave - 1; -1: nothing */
    struct tool_change change;
};

static const char *const leaves[] = {"link", "embed", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, to, MCP_STR, 0, "New path, folder, or name in place"),
    MCP_FIELD(struct args, path, MCP_STR, MCP_TERSE, "File or folder"),
    MCP_FIELD(struct args, heading, MCP_STR, 0, "Rename this; or block, tag, property"),
    MCP_FIELD(struct args, block, MCP_STR, MCP_TERSE, "Or this block id"),
    MCP_FIELD(struct args, tag, MCP_STR, MCP_TERSE, "Or this tag"),
    MCP_FIELD(struct args, property, MCP_STR, MCP_TERSE, "Or this property"),
    MCP_FIELD(struct args, into, MCP_STR, 0,
              "Move heading or block there, under to; a new note: \"X.md\""),
    MCP_FIELD(struct args, leave, MCP_ENUM, 0, "In its place", .choices = leaves),
    MCP_FIELD(struct args, keep_links, MCP_BOOL, MCP_TERSE, "Do not update links"),
    TOOL_CHANGE_FIELDS(struct args),
    {0},
};

/* Whether to names a place in another vault. An existing folder with that name is a
 * folder. */
static bool is_elsewhere(struct mcp_call *call, str to)
{
    struct fs_info info;
    struct err ignored;
    str rest = to, first;
    if (str_starts(to, STR("vault://")))
        return true;
    if (!app_has_several(app_of(call)) || str_find_char(to, '/') == STR_NONE ||
        !str_next(&rest, '/', &first))
        return false;
    const struct app_vault *other = vaults_find(app_of(call), call->caller, first);
    return other != NULL && other != tool_served(call) &&
           !vault_stat(tool_vault(call), first, &info, &ignored);
}

/* Whether something is renamed that is in any number of notes. */
static bool is_everywhere(const struct args *in)
{
    return in->tag.n > 0 || in->property.n > 0;
}

static bool vault_move_check_place(struct mcp_call *call, const struct args *in,
                                   struct err *err)
{
    if (in->heading.n > 0 || in->block.n > 0 || is_everywhere(in) ||
        !is_elsewhere(call, in->to))
        return true;
    err_named(err, E_INVALID_ARGUMENT,
              "cannot move from one vault to another: to is a path in the same vault");
    return err_hint(err, "to copy a note, vault_read it here and vault_write it there");
}

static bool vault_move_check_form(const struct args *in, struct err *err)
{
    size_t inside =
        (in->heading.n > 0) + (in->block.n > 0) + (in->tag.n > 0) + (in->property.n > 0);
    if (inside > 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "give only one of heading, block, tag and property");
    if (in->into.n > 0 && in->heading.n == 0 && in->block.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "into needs heading or block; to move a note give to");
    if (in->leave >= 0 && in->into.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "leave needs into: the note that the heading or block goes to");
    if (in->to.n == 0 && in->into.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "to is missing: the new path, folder or name");
    if ((in->path.n > 0) == is_everywhere(in))
        return err_named(err, E_INVALID_ARGUMENT,
                         in->tag.n > 0 ? "a tag is renamed in all notes: leave out path"
                         : in->property.n > 0
                             ? "a property is renamed in all notes: leave "
                               "out path"
                             : "path is missing: name what to move");
    return true;
}

static bool plan(struct draft *d, const struct args *in, struct ops_report *out,
                 str *path, struct err *err)
{
    if (in->tag.n > 0)
        return ops_rename_tag(d, in->tag, in->to, out, err);
    if (in->property.n > 0)
        return ops_rename_property(d, in->property, in->to, out, err);
    if (!ops_find(d, in->path, path, err) ||
        !draft_match(d, *path, in->change.if_match, err))
        return false;
    if (in->into.n > 0)
        return ops_move_part(d, *path, in->into,
                             &(struct ops_part){in->heading, in->block, in->to,
                                                (enum ops_leave)(in->leave + 1)},
                             out, err);
    return in->heading.n > 0
               ? ops_rename_heading(d, *path, in->heading, 0, in->to, out, err)
           : in->block.n > 0 ? ops_rename_block(d, *path, in->block, in->to, out, err)
                             : ops_rename(d, *path, in->to, !in->keep_links, out, err);
}

static str question(struct mcp_call *call, const struct ops_report *r)
{
    return arena_printf(call->arena,
                        "Move or rename '" STR_FMT "' to '" STR_FMT
                        "'? %zu files are moved, links or tags in %zu notes rewritten.",
                        STR_ARG(r->path), STR_ARG(r->to), r->files, r->rewrites);
}

static bool vault_move_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_report r;
    str path = {0};
    if (!vault_move_check_form(in, err) || !vault_move_check_place(c->call, in, err))
        return false;
    if (!plan(c->draft, in, &r, &path, err))
        return in->into.n > 0 && path.n > 0 && err->name == E_FILE_NOT_FOUND
                   ? err_hint(err, "for a new note give into its path with .md")
                   : tool_missing(err);
    c->question = question(c->call, &r);
    c->large = r.files + r.rewrites > TOOL_LARGE;
    changed_moved(&c->out, &r,
                  in->tag.n > 0        ? "tag"
                  : in->property.n > 0 ? "property"
                  : in->heading.n > 0  ? "heading"
                  : in->block.n > 0    ? "block"
                                       : NULL,
                  path);
    return true;
}

const struct mcp_tool tool_vault_move = {
    .name = "vault_move",
    .title = "Move or rename",
    .about = "Move or rename a file or folder and every link to it; or a heading, block "
             "id or tag.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.steps = vault_move_steps, .change = offsetof(struct args, change)),
};
