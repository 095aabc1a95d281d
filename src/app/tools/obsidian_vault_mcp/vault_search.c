#include "app/answers/hits.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "base/path.h"
#include "base/sort.h"

struct args {
    str query, path_filter;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED,
              "Regular expression as in ripgrep; (?i) ignores case"),
    MCP_FIELD(struct args, path_filter, MCP_STR, 0,
              "Glob as for rg --glob, e.g. \"devlog/*.md\", \"!adr/**\""),
    {0},
};

static int vault_search_by_path(const void *a, const void *b)
{
    const struct search_hit *left = a, *right = b;
    int order = path_cmp(left->file->path, right->file->path);
    return order != 0 ? order : (left->line > right->line) - (left->line < right->line);
}

static bool vault_search_answer(struct mcp_call *call, const struct index *x,
                                struct err *err)
{
    const struct args *in = call->args;
    struct search s = {
        .mode = SEARCH_REGEX,
        .lines_only = true,
        .query = in->query,
        .globs = &in->path_filter,
        .n_globs = in->path_filter.n > 0,
        .excluded = true, /* ripgrep knows nothing of Obsidian's settings */
        .limit = SEARCH_LIMIT_MAX,
    };
    struct hits hits;
    if (!tool_hits(call, x, &s, &hits, err))
        return false;
    if (hits.found.n > 1)
        sort_items(hits.found.hits, hits.found.n, sizeof(*hits.found.hits),
                   vault_search_by_path);
    return tool_answer(call, &ovm_hits_shape, &hits, TOOL_BUDGET_MAX);
}

const struct mcp_tool ovm_vault_search = {
    .name = "vault_search",
    .title = "Search",
    .about = "Search all notes by a regular expression, line by line, as ripgrep does: "
             "case matters. Returns every matching line, by path.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema = OVM_LINES_SCHEMA,
    TOOL_READS(vault_search_answer),
};
