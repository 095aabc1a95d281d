#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_sync/shape.h"

struct args {
    str query;
    int64_t max_results;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED, "Search query"),
    MCP_FIELD(struct args, max_results, MCP_INT, 0, "Maximum number of results",
              .dflt = "20", .min = 1, .max = SEARCH_LIMIT_MAX),
    {0},
};

static void search_json(struct answer_out *out, const void *result)
{
    const struct hits *h = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("query"), h->search->query);
    jsonw_put_int(out->w, STR("total_matches"), (int64_t)h->found.total);
    answer_items(out, STR("results"), h, h->found.n, hits_put);
    jsonw_end(out->w);
}

static const struct answer_shape search_shape = {.json = search_json};

static bool search_answer(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    struct search s = {
        .mode = SEARCH_TEXT,
        .query = in->query,
        .limit = (size_t)in->max_results,
    };
    struct hits hits;
    return tool_hits(call, x, &s, &hits, err) &&
           tool_answer(call, &search_shape, &hits, TOOL_NO_BUDGET);
}

const struct mcp_tool vault_sync_search = {
    .name = "vault_search",
    .title = "Search",
    .about = "Full-text search across file names, frontmatter tags and content, ignoring "
             "case. line is for vault_read's offset.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_READS(search_answer),
};
