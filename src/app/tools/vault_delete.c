#include "app/answers/changed.h"
#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/vault.h"

struct args {
    str path, to;
    bool recursive, unlink, permanent, restore;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "File or folder"),
    MCP_FIELD(struct args, recursive, MCP_BOOL, 0, "A folder and its contents"),
    MCP_FIELD(struct args, unlink, MCP_BOOL, 0, "Links to it become plain text"),
    MCP_FIELD(struct args, permanent, MCP_BOOL, 0, "Skip the trash"),
    MCP_FIELD(struct args, restore, MCP_BOOL, 0, "Bring it back"),
    MCP_FIELD(struct args, to, MCP_STR, 0, "restore: to another path"),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

static bool vault_delete_check_form(const struct args *in, struct err *err)
{
    if (in->restore && (in->recursive || in->unlink || in->permanent))
        return err_named(err, E_INVALID_ARGUMENT, "restore takes only path and to");
    if (!in->restore && in->to.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "to is only for restore; to move a file use vault_move");
    return true;
}

static void ask_first(struct kit_changing *c, const struct ops_report *r)
{
    struct fs_info info;
    struct err ignored;
    c->large = vault_stat(kit_vault(c->call), r->path, &info, &ignored) &&
               info.type == FS_FOLDER;
    c->question = arena_printf(c->call->arena, "Delete %s'" STR_FMT "'%s?",
                               c->large ? "the folder " : "", STR_ARG(r->path),
                               c->large ? " with everything in it"
                                        : (r->to.n == 0 ? " permanently" : ""));
}

static bool vault_delete_steps(struct kit_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_delete how = {in->recursive, in->unlink, in->permanent};
    struct ops_report r;
    if (!vault_delete_check_form(in, err))
        return false;
    if (in->restore) {
        if (!ops_restore(c->draft, in->path, in->to, &r, err))
            return false;
        changed_restored(&c->out, &r);
        return true;
    }
    if (!draft_match(c->draft, in->path, in->change.if_match, err) ||
        !ops_delete(c->draft, in->path, &how, &r, err))
        return kit_missing(c->call, in->path, err);
    ask_first(c, &r);
    changed_report(&c->out, &r);
    c->out.parts = in->unlink ? CHANGED_REWRITTEN : 0;
    return true;
}

const struct mcp_tool tool_vault_delete = {
    .name = "vault_delete",
    .title = "Delete or restore",
    .about = "Delete a file or folder (to the trash), or restore it. Links to it stay "
             "unless unlink.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    KIT_CHANGES(.steps = vault_delete_steps, .done = "deleted",
                .change = offsetof(struct args, change)),
};
