#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
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

static void search_put_result(struct mcp_call *call, str query,
                              const struct search_result *r)
{
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("query"), query);
    jsonw_put_int(out, STR("total_matches"), (int64_t)r->total);
    jsonw_put_array(out, STR("results"));
    for (size_t i = 0; i < r->n; i++)
        put_hit(out, &r->hits[i]);
    jsonw_end(out);
    jsonw_end(out);
}

static bool search_run_mode(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    struct search s = {
        .mode = SEARCH_TEXT,
        .query = in->query,
        .limit = (size_t)in->max_results,
    };
    struct search_result r;
    bool ok = kit_search(call, x, &s, &r, err);
    if (ok)
        search_put_result(call, in->query, &r);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool vault_sync_search = {
    .name = "vault_search",
    .title = "Search",
    .about = "Full-text search across file names, frontmatter tags and content, ignoring "
             "case. line is for vault_read's offset.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = search_run_mode,
};
