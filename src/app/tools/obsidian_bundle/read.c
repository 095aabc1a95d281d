#include "app/tool_support/tool_support.h"
#include "app/tools/obsidian_bundle/bundle.h"
#include "base/clock.h"
#include "base/path.h"
#include "vault/index/file.h"
#include "vault/vault.h"

struct args {
    struct bundle_args common;
};

static const struct mcp_field fields[] = {BUNDLE_FIELDS(struct args), {0}};

static bool read_read_note(struct mcp_call *call, struct err *err)
{
    struct vault_text text;
    str path;
    if (!bundle_find(call, &path, err) ||
        !vault_read(tool_vault(call), call->arena, path, 1, 0, &text, err))
        return false;
    bundle_begin(call->out, path);
    jsonw_put_str(call->out, STR("content"), text.content);
    bundle_end(call->out);
    return true;
}

const struct mcp_tool bundle_read_note = {
    .name = "obsidian_read_note",
    .title = "Read a note",
    .about = "Read the content of a note",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = read_read_note,
    .failed = bundle_failed,
};

static bool file_info(struct mcp_call *call, struct err *err)
{
    struct jsonw *out = call->out;
    struct fs_info info;
    char when[CLOCK_ISO_SIZE];
    str path;
    if (!bundle_find(call, &path, err) || !vault_stat(tool_vault(call), path, &info, err))
        return false;
    bundle_begin(call->out, path);
    jsonw_put_str(out, STR("name"), file_title(path));
    jsonw_put_str(out, STR("extension"), path_extension(path));
    jsonw_put_str(out, STR("folder"), path_folder(path));
    jsonw_put_int(out, STR("size"), info.size);
    jsonw_put_str(out, STR("modified"), clock_iso(info.mtime, when));
    bundle_end(call->out);
    return true;
}

const struct mcp_tool bundle_file_info = {
    .name = "obsidian_file_info",
    .title = "File info",
    .about = "Get path, size and modification time of a note or other file",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = file_info,
    .failed = bundle_failed,
};
