#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
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

struct directory {
    struct fs_list list;
    size_t offset;
};

static void list_directory_text(struct model_text *s, const void *result)
{
    struct sbuf *out = s->out;
    const struct directory *d = result;
    size_t i = d->offset, end = i + PLAIN_LINES;
    for (; i < d->list.n && i < end; i++)
        sbuf_printf(out, "%s " STR_FMT "\n",
                    d->list.entries[i].info.type == FS_FOLDER ? "[DIR]" : "[FILE]",
                    STR_ARG(d->list.entries[i].name));
    plain_end(out, i, d->list.n, "The directory is empty");
}

static const struct answer_shape list_directory_shape = {.text = list_directory_text};

static bool list_directory_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct directory d = {.offset = (size_t)in->offset};
    str path;
    return plain_folder(call, in->path, &path, err) &&
           vault_entries(tool_vault(call), call->arena, path, &d.list, err) &&
           tool_answer(call, &list_directory_shape, &d, TOOL_NO_BUDGET);
}

const struct mcp_tool tool_list_directory = {
    .name = "list_directory",
    .title = "List Directory",
    .about = "The entries of a directory, one line each, by name: [FILE] or [DIR] and "
             "the name.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = list_directory_run,
};
