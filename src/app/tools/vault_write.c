#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "base/text.h"
#include "vault/draft.h"
#include "vault/vault.h"

static const char NAME[] = "vault_write";

struct args {
    str path, content;
    bool create_dirs, create_only;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\""),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "The whole new text"),
    MCP_FIELD(struct args, create_dirs, MCP_BOOL, 0, "Make missing folders",
              .dflt = "true"),
    MCP_FIELD(struct args, create_only, MCP_BOOL, 0, "Refuse when the file exists"),
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
                     "there is no folder '" STR_FMT
                     "': say create_dirs, or choose another",
                     STR_ARG(folder));
}

static bool vault_write_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &in->change);
    str path;
    if (kit_repeated(call, NAME, &in->change))
        return true;
    if (!path_clean_file(call->arena, in->path, &path, err) ||
        !check_folder(call, in, path, err) ||
        !draft_match(d, path, in->change.if_match, err))
        return false;
    bool created = !draft_exists(d, path);
    if (!draft_write(d, path, in->content,
                     in->create_only ? DRAFT_CREATE : DRAFT_OVERWRITE, err))
        return false;
    str warnings[2];
    size_t n = 0;
    if (!kit_check_tags(call, d, &warnings[0], err))
        return false;
    n += warnings[0].n > 0;
    if (!created) {
        enum mcp_consent wanted =
            kit_confirm(call, &in->change, false,
                        arena_printf(call->arena, "Replace the text of '" STR_FMT "'?",
                                     STR_ARG(path)),
                        err);
        if (wanted != MCP_ACCEPTED)
            return wanted == MCP_PENDING;
    }
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), path);
    jsonw_put_bool(call->out, STR("created"), created);
    jsonw_put_int(call->out, STR("size"), (int64_t)in->content.n);
    jsonw_put_int(call->out, STR("total_lines"), (int64_t)text_count_lines(in->content));
    kit_put_etag(call, in->content);
    if (created && path_extension(path).n == 0)
        warnings[n++] =
            arena_printf(call->arena,
                         "'" STR_FMT "' has no extension, so it is no note: did you mean "
                         "'" STR_FMT ".md'?",
                         STR_ARG(path), STR_ARG(path));
    return kit_commit(call, d, &in->change, warnings, n, err);
}

static bool vault_write_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    return kit_change(call, &in->change, vault_write_steps, err);
}

const struct mcp_tool tool_vault_write = {
    .name = NAME,
    .title = "Write",
    .about = "Create a file or replace all of it. For a part use vault_edit, "
             "vault_insert or vault_frontmatter.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_write_run,
};
