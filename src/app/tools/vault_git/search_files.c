#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
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

static void search_files_text(struct model_text *s, const void *result)
{
    struct sbuf *out = s->out;
    const struct found_files *l = result;
    for (size_t i = 0; i < l->found.n; i++)
        sbuf_printf(out, STR_FMT "\n", STR_ARG(l->found.items[i].path));
    plain_end(out, l->offset + l->found.n, l->found.total, "No matches found");
}

static const struct answer_shape search_files_shape = {.text = search_files_text};

static bool search_files_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct lookup l = {LOOKUP_ALL,
                       .glob = in->pattern,
                       .exclude = in->excludePatterns.items,
                       .n_exclude = in->excludePatterns.n,
                       .folders = true,
                       .offset = (size_t)in->offset,
                       .limit = PLAIN_LINES};
    return plain_folder(call, in->path, &l.folder, err) &&
           plain_look(call, &l, &search_files_shape, err);
}

const struct mcp_tool tool_search_files = {
    .name = "search_files",
    .title = "Search Files",
    .about = "Files and directories whose path matches a glob, one line each. By "
             "contents use grep; by part of a name, age, size or tag find_files.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = search_files_run,
};
