#include "app/kit/tool_kit.h"
#include "app/tools/vault_git/plain.h"
#include "vault/vault.h"

struct args {
    str path;
    int64_t offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Directory, e.g. \"Projects\"",
              .dflt = "\".\""),
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

static bool list_directory_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct sbuf lines = SBUF_ON(call->arena);
    struct fs_list list;
    str path;
    if (!plain_folder(call, in->path, &path, err) ||
        !vault_entries(kit_vault(call), call->arena, path, &list, err))
        return false;
    size_t i = (size_t)in->offset, end = i + PLAIN_LINES;
    for (; i < list.n && i < end; i++)
        sbuf_printf(&lines, "%s " STR_FMT "\n",
                    list.entries[i].info.type == FS_FOLDER ? "[DIR]" : "[FILE]",
                    STR_ARG(list.entries[i].name));
    plain_list(call, &lines, i, list.n, "The directory is empty");
    return true;
}

const struct mcp_tool tool_list_directory = {
    .name = "list_directory",
    .title = "List Directory",
    .about = "What is directly in a directory, one line each, by name: [FILE] or [DIR] "
             "and the name.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = list_directory_run,
};
