#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/vault.h"

static const char NAME[] = "vault_delete";

struct args {
    str path, to;
    bool recursive, unlink, permanent, restore;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "File or folder"),
    MCP_FIELD(struct args, recursive, MCP_BOOL, 0, "A folder with all in it"),
    MCP_FIELD(struct args, unlink, MCP_BOOL, 0, "Links to it become plain text"),
    MCP_FIELD(struct args, permanent, MCP_BOOL, 0, "Not to the trash"),
    MCP_FIELD(struct args, restore, MCP_BOOL, 0, "Bring it back"),
    MCP_FIELD(struct args, to, MCP_STR, 0, "Of restore: another place"),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

static bool vault_delete_check_form(const struct args *in, struct err *err)
{
    if (in->restore && (in->recursive || in->unlink || in->permanent))
        return err_named(err, E_INVALID_ARGUMENT,
                         "restore brings back: it takes path and to only");
    if (!in->restore && in->to.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "to is for restore: use vault_move to move");
    return true;
}

static bool restore(struct mcp_call *call, struct draft *d, const struct args *in,
                    struct err *err)
{
    struct ops_report r;
    if (!ops_restore(d, in->path, in->to, &r, err))
        return false;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), r.to);
    jsonw_put_bool(call->out, STR("restored"), true);
    return kit_commit(call, d, &in->change, r.warnings, r.n_warnings, err);
}

static enum mcp_consent vault_delete_confirm(struct mcp_call *call, const struct args *in,
                                             const struct ops_report *r, struct err *err)
{
    struct fs_info info;
    struct err ignored;
    bool folder =
        vault_stat(kit_vault(call), r->path, &info, &ignored) && info.type == FS_FOLDER;
    str question = arena_printf(call->arena, "Delete %s'" STR_FMT "'%s?",
                                folder ? "the folder " : "", STR_ARG(r->path),
                                folder ? " with everything in it"
                                       : (r->to.n == 0 ? ", not to the trash" : ""));
    return kit_confirm(call, &in->change, folder, question, err);
}

static bool delete (struct mcp_call *call, struct draft *d, const struct args *in,
                    struct err *err)
{
    struct ops_delete how = {in->recursive, in->unlink, in->permanent};
    struct ops_report r;
    if (!draft_match(d, in->path, in->change.if_match, err) ||
        !ops_delete(d, in->path, &how, &r, err))
        return kit_missing(call, in->path, err);
    enum mcp_consent wanted = vault_delete_confirm(call, in, &r, err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), r.path);
    jsonw_put_bool(call->out, STR("deleted"), true);
    if (r.to.n > 0)
        jsonw_put_str(call->out, STR("to"), r.to);
    if (in->unlink) {
        jsonw_put_int(call->out, STR("rewritten_notes"), (int64_t)r.rewrites);
        jsonw_put_int(call->out, STR("rewritten_links"), (int64_t)r.links);
    }
    return kit_commit(call, d, &in->change, r.warnings, r.n_warnings, err);
}

static bool vault_delete_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &in->change);
    if (kit_repeated(call, NAME, &in->change))
        return true;
    if (!vault_delete_check_form(in, err))
        return false;
    return in->restore ? restore(call, d, in, err) : delete (call, d, in, err);
}

static bool vault_delete_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    return kit_change(call, &in->change, vault_delete_steps, err);
}

const struct mcp_tool tool_vault_delete = {
    .name = NAME,
    .title = "Delete or restore",
    .about = "Delete a file or folder, into the trash; or restore it. Links to it stay, "
             "unless unlink.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_delete_run,
};
