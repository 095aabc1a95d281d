#include "app/kit/tool_kit.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "base/utf8.h"
#include "vault/ask/search.h"
#include "vault/change/link.h"
#include "vault/text/glob.h"

struct args {
    str path, path_filter;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "The note that is linked to: path or name"),
    MCP_FIELD(struct args, path_filter, MCP_STR, 0,
              "Only links in notes that fit this glob, as of vault_search"),
    {0},
};

/* Links of a source, as far as there is room; all of them are counted. */
static size_t backlinks_search_put_links(struct ovm_results *results,
                                         const struct index *x, const struct file *source,
                                         file_id target, bool *full)
{
    struct file_link *links;
    size_t n = link_find(x, results->call->arena, source, target, &links);
    for (size_t i = 0; i < n && !*full; i++)
        *full = !ovm_put_line(results, source->path, links[i].line,
                              utf8_cut(link_line(source, &links[i]), SEARCH_LINE_MAX));
    return n;
}

static bool backlinks_search_put_answer(struct mcp_call *call, const struct index *x,
                                        struct err *err)
{
    const struct args *in = call->args;
    const struct file *target;
    struct glob *glob;
    struct link_source *sources;
    bool full = false;
    size_t total = 0;
    if (!kit_file(call, x, in->path, &target, err) ||
        !glob_compile(call->arena, &in->path_filter, in->path_filter.n > 0, &glob, err))
        return false;
    size_t n = link_sources(x, call->arena, target->id, &sources);
    struct ovm_results results = ovm_open(call);
    for (size_t i = 0; i < n; i++) {
        if (!glob_match(glob, sources[i].file->path))
            continue;
        total += full ? sources[i].links
                      : backlinks_search_put_links(&results, x, sources[i].file,
                                                   target->id, &full);
    }
    ovm_close(&results, total, false);
    return true;
}

static bool backlinks_search_run(struct mcp_call *call, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = backlinks_search_put_answer(call, x, err);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool ovm_backlinks_search = {
    .name = "backlinks_search",
    .title = "Find backlinks",
    .about = "Every link to a note, with the line it stands in; links are resolved as "
             "Obsidian does.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema = OVM_LINES_SCHEMA,
    .run = backlinks_search_run,
};
