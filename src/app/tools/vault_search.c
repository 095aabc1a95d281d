#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"

struct args {
    str query;
    int mode; /* enum search_mode */
    int64_t max_results, offset, budget;
    str folder, tag;
    struct mcp_strs path_filter;
    bool ignore_case;
};

static const char *const modes[] = {"text", "regex", "words", "query", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED, "What to look for"),
    MCP_FIELD(struct args, mode, MCP_ENUM, 0,
              "text: literal, case ignored. words: ranked; \"phrases\", prefix*, "
              "-without. regex: as ripgrep. query: Obsidian's operators (tag: path: "
              "[property:value] OR -)",
              .dflt = "\"text\"", .choices = modes),
    MCP_FIELD(struct args, folder, MCP_STR, 0, "Below this folder"),
    MCP_FIELD(struct args, tag, MCP_STR, 0, "Only with this tag or one below"),
    MCP_FIELD(struct args, path_filter, MCP_STRS, 0,
              "Globs, e.g. \"*.md\", \"!Archive/**\""),
    MCP_FIELD(struct args, ignore_case, MCP_BOOL, 0, "Of a regex", .dflt = "false"),
    MCP_FIELD(struct args, max_results, MCP_INT, 0, "Most results", .dflt = "20",
              .min = 1, .max = SEARCH_LIMIT_MAX),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Results to skip", .dflt = "0", .min = 0,
              .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_TACIT, "Most tokens", .dflt = "10000",
              .min = 100, .max = KIT_BUDGET_MAX),
    {0},
};

static void put_none(struct mcp_call *call, const struct index *x, const struct args *in,
                     const struct search_result *r)
{
    struct jsonw *out = call->out;
    jsonw_put_array(out, STR("suggestions"));
    for (size_t i = 0; i < r->n_suggestions; i++)
        jsonw_str(out, r->suggestions[i]);
    jsonw_end(out);
    if (kit_put_why_none(call, x, in->folder, in->tag) || r->with_words == 0)
        return;
    jsonw_key(out, STR("note"));
    jsonw_printf(out,
                 "%zu notes have all these words, but not as one text: use mode words",
                 r->with_words);
}

static void vault_search_put_result(struct mcp_call *call, const struct index *x,
                                    const struct args *in, const struct search_result *r)
{
    struct jsonw *out = call->out;
    size_t shown = 0;
    jsonw_object(out);
    jsonw_put_str(out, STR("query"), in->query);
    jsonw_put_int(out, STR("total_matches"), (int64_t)r->total);
    jsonw_put_int(out, STR("total_files"), (int64_t)r->files);
    jsonw_put_array(out, STR("results"));
    for (; shown < r->n; shown++) {
        struct kit_mark mark = kit_mark(call);
        put_hit(out, &r->hits[shown]);
        if (shown > 0 && !kit_keep(call, &mark, in->budget))
            break;
    }
    jsonw_end(out);
    if (r->any)
        jsonw_put_str(out, STR("note"),
                      STR("No note has all the words; these have some of them."));
    if (r->partial)
        jsonw_put_bool(out, STR("partial"), true);
    if (r->unread > 0)
        jsonw_put_int(out, STR("files_not_searched"), (int64_t)r->unread);
    if (shown < r->n || r->more)
        kit_put_next(out, (size_t)in->offset + shown, SIZE_MAX);
    if (r->total == 0)
        put_none(call, x, in, r);
    jsonw_end(out);
}

static bool vault_search_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    struct search s = {
        .mode = (enum search_mode)in->mode,
        .query = in->query,
        .ignore_case = in->ignore_case,
        .folder = in->folder,
        .globs = in->path_filter.items,
        .n_globs = in->path_filter.n,
        .tag = in->tag,
        .offset = (size_t)in->offset,
        .limit = (size_t)in->max_results,
    };
    struct search_result r;
    bool ok = kit_search(call, x, &s, &r, err);
    if (ok)
        vault_search_put_result(call, x, in, &r);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_vault_search = {
    .name = "vault_search",
    .title = "Search",
    .about =
        "Search names, then tags, then contents; results have a snippet, the match "
        "in **bold**, and a line for vault_read's offset. For words in any order use "
        "mode words, for properties and tasks vault_query.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .ui = KIT_VIEW_URI,
    .run = vault_search_run,
};
