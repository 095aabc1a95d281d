#include "app/answers/changed.h"
#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "base/text.h"
#include "vault/draft.h"
#include "vault/vault.h"

struct args {
    str path, content;
    bool create_dirs, create_only;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\""),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "The whole new text"),
    MCP_FIELD(struct args, create_dirs, MCP_BOOL, 0, "Create missing folders",
              .dflt = "true"),
    MCP_FIELD(struct args, create_only, MCP_BOOL, 0, "Fail if the file exists"),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

static bool check_folder(struct mcp_call *call, const struct args *in, str path,
                         struct err *err)
{
    struct fs_info info;
    str folder = path_folder(path);
    if (in->create_dirs || folder.n == 0 ||
        vault_stat(kit_vault(call), folder, &info, err))
        return true;
    return err_named(err, E_FILE_NOT_FOUND,
                     "no such folder '" STR_FMT "': set create_dirs, or choose another",
                     STR_ARG(folder));
}

static bool vault_write_steps(struct kit_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    enum draft_write how = in->create_only ? DRAFT_CREATE : DRAFT_OVERWRITE;
    str path;
    if (!path_clean_file(a, in->path, &path, err) ||
        !check_folder(c->call, in, path, err) ||
        !draft_match(c->draft, path, in->change.if_match, err) ||
        !changed_write(&c->out, c->draft, path, in->content, how, err))
        return false;
    if (!c->out.is_done)
        c->question =
            arena_printf(a, "Replace the text of '" STR_FMT "'?", STR_ARG(path));
    else if (path_extension(path).n == 0)
        changed_warn(
            &c->out,
            arena_printf(a,
                         "'" STR_FMT
                         "' has no extension, so it is not a note: did you mean '" STR_FMT
                         ".md'?",
                         STR_ARG(path), STR_ARG(path)));
    return true;
}

const struct mcp_tool tool_vault_write = {
    .name = "vault_write",
    .title = "Write",
    .about = "Create a file or replace all of it. For a part use vault_edit, "
             "vault_insert or vault_frontmatter.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT,
    .fields = fields,
    .args_size = sizeof(struct args),
    KIT_CHANGES(.steps = vault_write_steps, .tags = true,
                .change = offsetof(struct args, change)),
};
