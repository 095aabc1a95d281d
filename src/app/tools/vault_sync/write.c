#include "app/kit/kit_change.h"
#include "app/tools/vault_sync/shape.h"
#include "base/path.h"
#include "base/text.h"
#include "vault/draft.h"

static const char NAME[] = "vault_write";

struct args {
    str path, content;
    bool create_dirs;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File path relative to vault root"),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "Full file content"),
    MCP_FIELD(struct args, create_dirs, MCP_BOOL, 0,
              "Create parent directories if they don't exist", .dflt = "true"),
    {0},
};

static bool write_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct jsonw *out = call->out;
    struct draft *d = kit_draft(call, NAME, &(struct kit_change){0});
    str path, folder, real;
    if (!path_clean_file(call->arena, in->path, &path, err))
        return false;
    folder = path_folder(path);
    if (!in->create_dirs && folder.n > 0 && !draft_find(d, folder, &real))
        return err_named(err, E_FILE_NOT_FOUND, "Directory not found: " STR_FMT,
                         STR_ARG(folder));
    bool created = !draft_exists(d, path);
    if (!draft_write(d, path, in->content, DRAFT_OVERWRITE, err) || !shape_commit(d, err))
        return false;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), path);
    jsonw_put_bool(out, STR("created"), created);
    jsonw_put_int(out, STR("size"), (int64_t)in->content.n);
    jsonw_put_int(out, STR("total_lines"), (int64_t)text_count_lines(in->content));
    jsonw_end(out);
    return true;
}

static bool write_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &(struct kit_change){0}, write_steps, err);
}

const struct mcp_tool vault_sync_write = {
    .name = NAME,
    .title = "Write a file",
    .about = "Create a new file or fully replace an existing file.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = write_run,
};
