#include "app/kit/tool_kit.h"
#include "app/tools/vault_git/plain.h"
#include "vault/ask/lookup.h"

struct args {
    str path, pattern;
    struct mcp_strs excludePatterns;
    int64_t offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Directory to search in", .dflt = "\".\""),
    MCP_FIELD(struct args, pattern, MCP_STR, MCP_REQUIRED,
              "Glob of the path below it: \"*.md\" directly in it, \"**/*.md\" anywhere"),
    MCP_FIELD(struct args, excludePatterns, MCP_STRS, 0,
              "Globs of what to leave out, e.g. \"Archive\""),
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

static bool search_files_look(struct mcp_call *call, const struct index *x, str folder,
                              struct err *err)
{
    const struct args *in = call->args;
    struct sbuf lines = SBUF_ON(call->arena);
    struct lookup_result r;
    struct lookup l = {LOOKUP_ALL,
                       .folder = folder,
                       .glob = in->pattern,
                       .exclude = in->excludePatterns.items,
                       .n_exclude = in->excludePatterns.n,
                       .folders = true,
                       .offset = (size_t)in->offset,
                       .limit = PLAIN_LINES};
    if (!lookup_run(x, call->arena, &l, &r, err))
        return false;
    for (size_t i = 0; i < r.n; i++)
        sbuf_printf(&lines, STR_FMT "\n", STR_ARG(r.items[i].path));
    plain_list(call, &lines, l.offset + r.n, r.total, "No matches found");
    return true;
}

static bool search_files_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    str folder;
    if (!plain_folder(call, in->path, &folder, err))
        return false;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = search_files_look(call, x, folder, err);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_search_files = {
    .name = "search_files",
    .title = "Search Files",
    .about = "Files and directories whose path fits a glob, one line each. By contents "
             "use grep; by part of a name, age, size or tag find_files.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = search_files_run,
};
