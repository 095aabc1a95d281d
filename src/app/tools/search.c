#include "app/kit/tool_kit.h"
#include "app/tools/chatgpt.h"
#include "app/tools/rows.h"
#include "vault/index/file.h"

enum { RESULTS = 20 }; /* of one search, over all vaults */

struct args {
    str query;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED,
              "Words to look for; \"phrases\", prefix* and -without work"),
    {0},
};

/* What was found in one vault, best first. */
struct found {
    const struct app_vault *vault;
    str paths[RESULTS];
    size_t n;
};

static bool search_vault(struct mcp_call *call, str query, struct found *out,
                         struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    struct search s = {
        .mode = SEARCH_WORDS,
        .query = query,
        .limit = RESULTS,
    };
    struct hits hits;
    bool ok = kit_hits(call, x, &s, &hits, err);
    out->vault = kit_served(call);
    for (size_t i = 0; ok && i < hits.found.n; i++)
        out->paths[out->n++] = arena_str(call->arena, hits.found.hits[i].file->path);
    kit_let_go(call);
    return ok;
}

static void search_put_result(struct mcp_call *call, const struct app_vault *v, str path)
{
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("id"), chatgpt_id(call->arena, v, path));
    jsonw_put_str(out, STR("title"), file_title(path));
    jsonw_put_str(out, STR("url"), chatgpt_url(call->arena, v, path));
    jsonw_end(out);
}

/* The best of each vault, then the second best: scores of two vaults do not compare. */
static void put_results(struct mcp_call *call, const struct found *found, size_t n)
{
    size_t shown = 0;
    jsonw_object(call->out);
    jsonw_put_array(call->out, STR("results"));
    for (size_t rank = 0; rank < RESULTS; rank++)
        for (size_t i = 0; i < n; i++)
            if (rank < found[i].n && shown++ < RESULTS)
                search_put_result(call, found[i].vault, found[i].paths[rank]);
    jsonw_end(call->out);
    jsonw_end(call->out);
}

static bool search_run_mode(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct app *app = app_of(call);
    struct found *found = ARENA_ARRAY(call->arena, struct found, app->n_vaults);
    for (size_t i = 0; i < app->n_vaults; i++) {
        kit_use(call, &app->vaults[i]);
        if (!search_vault(call, in->query, &found[i], err))
            return false;
    }
    put_results(call, found, app->n_vaults);
    return true;
}

const struct mcp_tool tool_search = {
    .name = "search",
    .title = "Search the notes",
    .about =
        "Search the user's notes by words, the best first; fetch gives the text of a "
        "result by its id.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"results\":{\"type\":\"array\",\"items\":{"
        "\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},\"title\":{"
        "\"type\":\"string\"},\"url\":{\"type\":\"string\"}},\"required\":[\"id\","
        "\"title\",\"url\"]}}},\"required\":[\"results\"]}",
    .run = search_run_mode,
};
