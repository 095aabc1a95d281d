#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/setup/app.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/vault.h"

static const char NAME[] = "vault_move";

struct args {
    str path, to, heading, block, tag;
    bool keep_links;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, to, MCP_STR, MCP_REQUIRED, "New path, folder or name"),
    MCP_FIELD(struct args, path, MCP_STR, 0, "File or folder"),
    MCP_FIELD(struct args, heading, MCP_STR, 0, "Rename this heading"),
    MCP_FIELD(struct args, block, MCP_STR, 0, "Rename this block id"),
    MCP_FIELD(struct args, tag, MCP_STR, 0, "Rename this tag"),
    MCP_FIELD(struct args, keep_links, MCP_BOOL, 0, "Links stay"),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

/* Whether to is meant as a place in another vault. A folder of that name is a folder. */
static bool is_elsewhere(struct mcp_call *call, str to)
{
    struct fs_info info;
    struct err ignored;
    str rest = to, first;
    if (str_starts(to, STR("vault://")))
        return true;
    if (app_of(call)->n_vaults < 2 || str_find_char(to, '/') == STR_NONE ||
        !str_next(&rest, '/', &first))
        return false;
    const struct app_vault *other = app_find_vault(app_of(call), first);
    return other != NULL && other != kit_served(call) &&
           !vault_stat(kit_vault(call), first, &info, &ignored);
}

static bool check_place(struct mcp_call *call, const struct args *in, struct err *err)
{
    if (in->heading.n > 0 || in->block.n > 0 || in->tag.n > 0 ||
        !is_elsewhere(call, in->to))
        return true;
    return err_named(
        err, E_INVALID_ARGUMENT,
        "nothing can be moved from one vault to another: to is a path in the "
        "same vault. To copy a note, vault_read it here and vault_write it "
        "there");
}

static bool vault_move_check_form(const struct args *in, struct err *err)
{
    size_t inside = (in->heading.n > 0) + (in->block.n > 0) + (in->tag.n > 0);
    if (inside > 1)
        return err_named(err, E_INVALID_ARGUMENT, "give one of heading, block and tag");
    if ((in->path.n > 0) == (in->tag.n > 0))
        return err_named(err, E_INVALID_ARGUMENT,
                         in->tag.n > 0 ? "a tag is renamed in all notes: leave out path"
                                       : "path is missing: what is to be moved");
    return true;
}

static bool plan(struct draft *d, const struct args *in, struct ops_report *out,
                 struct err *err)
{
    if (in->tag.n > 0)
        return ops_rename_tag(d, in->tag, in->to, out, err);
    if (!draft_match(d, in->path, in->change.if_match, err))
        return false;
    return in->heading.n > 0
               ? ops_rename_heading(d, in->path, in->heading, 0, in->to, out, err)
           : in->block.n > 0 ? ops_rename_block(d, in->path, in->block, in->to, out, err)
           : in->keep_links  ? ops_move_only(d, in->path, in->to, out, err)
                             : ops_move(d, in->path, in->to, out, err);
}

static str question(struct mcp_call *call, const struct ops_report *r)
{
    return arena_printf(call->arena,
                        "Move or rename '" STR_FMT "' to '" STR_FMT
                        "'? %zu files are moved, links or tags in %zu notes rewritten.",
                        STR_ARG(r->path), STR_ARG(r->to), r->files, r->rewrites);
}

static void put_report(struct mcp_call *call, const struct args *in,
                       const struct ops_report *r)
{
    struct jsonw *out = call->out;
    const char *what = in->tag.n > 0       ? "tag"
                       : in->heading.n > 0 ? "heading"
                       : in->block.n > 0   ? "block"
                                           : "path";
    jsonw_object(out);
    if (in->heading.n > 0 || in->block.n > 0)
        jsonw_put_str(out, STR("path"), in->path);
    jsonw_put_str(out, str_c(what), str_skip(r->path, str_starts(r->path, STR("#"))));
    jsonw_put_str(out, STR("to"), r->to);
    jsonw_put_int(out, STR("moved_files"), (int64_t)r->files);
    jsonw_put_int(out, STR("rewritten_notes"), (int64_t)r->rewrites);
    jsonw_put_int(out, STR("rewritten_links"), (int64_t)r->links);
}

static bool vault_move_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &in->change);
    struct ops_report r;
    if (kit_repeated(call, NAME, &in->change))
        return true;
    if (!vault_move_check_form(in, err) || !check_place(call, in, err))
        return false;
    if (!plan(d, in, &r, err))
        return kit_missing(call, in->path, err);
    enum mcp_consent wanted = kit_confirm(
        call, &in->change, r.files + r.rewrites > KIT_LARGE, question(call, &r), err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    put_report(call, in, &r);
    return kit_commit(call, d, &in->change, r.warnings, r.n_warnings, err);
}

static bool vault_move_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    return kit_change(call, &in->change, vault_move_steps, err);
}

const struct mcp_tool tool_vault_move = {
    .name = NAME,
    .title = "Move or rename",
    .about = "Move or rename a note, attachment or folder and every link to it; or a "
             "heading, block id or tag likewise.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_move_run,
};
