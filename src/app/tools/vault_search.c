#include "app/answers/hits.h"
#include "app/setup/app.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "app/tools/search_all.h"
#include "base/path.h"
#include "vault/index/index.h"
#include "vault/vault.h"

enum {
    FILE_HITS = 4,    /* of one file, such as its name and three lines, */
    LIMIT_MANY = 100, /* unless the caller asks for more in all than this */
};

struct args {
    str query;
    int mode; /* enum search_mode */
    int64_t limit, offset, budget;
    str folder, tag;
    struct mcp_strs path_filter;
    bool ignore_case;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED | MCP_TERSE, "What to look for"),
    MCP_FIELD(struct args, mode, MCP_ENUM, TOOL_MEANING,
              "auto understands text, words in any order, Obsidian's operators (tag: "
              "path: [property:value] OR -). words: ranked; \"phrases\", prefix*, "
              "-without. regex: as in ripgrep",
              .dflt = "\"auto\"", .choices = hits_modes),
    MCP_FIELD(struct args, folder, MCP_STR, MCP_TERSE, "Below this folder"),
    MCP_FIELD(struct args, tag, MCP_STR, MCP_TERSE, "With this tag or a nested one"),
    MCP_FIELD(struct args, path_filter, MCP_STRS, 0,
              "Globs, e.g. \"*.md\", \"!Archive/**\""),
    MCP_FIELD(struct args, ignore_case, MCP_BOOL, 0, "For regex", .dflt = "false"),
    MCP_FIELD(struct args, limit, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Max results",
              .dflt = "20", .min = 1, .max = SEARCH_LIMIT_MAX, .also = TOOL_LIMIT_ALSO),
    MCP_FIELD(struct args, offset, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Results to skip",
              .dflt = "0", .min = 0, .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",
              .dflt = "10000", .min = 100, .max = TOOL_BUDGET_MAX),
    {0},
};

/* While the first index is made, what contains a text is known long before. */
static bool answer_early(struct mcp_call *call, const struct search_plan *p)
{
    const struct args *in = call->args;
    struct index *x;
    struct hits hits;
    if (!tool_early_hits(call, p, &hits, &x))
        return false;
    hits.n_others = tool_other_vaults(call, &hits.others);
    bool ok = tool_answer(call, &hits_shape, &hits, in->budget);
    index_free(x);
    return ok;
}

static bool answer_from_index(struct mcp_call *call, struct search_plan *p,
                              struct err *err)
{
    const struct args *in = call->args;
    struct hits hits;
    if (tool_lock_hits(call, p, &hits, err) == NULL)
        return false;
    hits.n_others = tool_other_vaults(call, &hits.others);
    tool_answer(call, &hits_shape, &hits, in->budget);
    tool_unlock(call);
    return true;
}

/* Whether the filter is the path of one file, all of whose lines are asked for. */
static bool vault_search_is_one(const struct mcp_strs *globs)
{
    bool plain = globs->n == 1 && globs->items[0].n > 0;
    for (size_t i = 0; plain && i < globs->items[0].n; i++)
        plain = strchr("*?[]{}!\\", globs->items[0].p[i]) == NULL;
    return plain && str_find_char(path_name(globs->items[0]), '.') != STR_NONE;
}

/* Programs get all, page by page. */
static bool vault_search_shows_all(struct mcp_call *call)
{
    const struct args *in = call->args;
    return in->limit > LIMIT_MANY || vault_search_is_one(&in->path_filter) ||
           !tool_in_words(call, &hits_shape);
}

static bool vault_search_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct search s = {
        .mode = (enum search_mode)in->mode,
        .query = in->query,
        .ignore_case = in->ignore_case,
        .folder = in->folder,
        .globs = in->path_filter.items,
        .n_globs = in->path_filter.n,
        .tag = in->tag,
        .all_marks = in->mode != SEARCH_REGEX, /* for which it is slow */
        .offset = (size_t)in->offset,
        .limit = (size_t)in->limit,
        .per_file = vault_search_shows_all(call) ? 0 : FILE_HITS,
        .spread = SEARCH_SPREAD,
        .corrects = true,
        .unquotes = true,
    };
    if (tool_wants_all(call))
        return search_all(call, &s, in->budget, err);
    s.meaning = vault_meaning(tool_vault(call));
    struct search_plan *p = tool_plan_search(call, &s);
    return answer_early(call, p) || answer_from_index(call, p, err);
}

const struct mcp_tool tool_vault_search = {
    .name = "vault_search",
    .title = "Search",
    .about = "Search names, tags and contents; the matches in **bold**, with their line "
             "for vault_read's offset.",
    .flags = MCP_READ_ONLY | APP_READS_PDF | APP_USES_MEANING | APP_TAKES_ALL,
    .fields = fields,
    .args_size = sizeof(struct args),
    .ui = TOOL_VIEW_URI,
    .run = vault_search_run,
};
