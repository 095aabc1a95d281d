#include "app/kit/tool_kit.h"
#include "app/tools/vault_git/plain.h"
#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/change/link.h"

enum { LINE_BYTES = 300 }; /* of a line that is shown */

struct args {
    str path;
    int64_t offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "Note, by path or name"),
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

static void put_link(struct jsonw *out, const struct file *source,
                     const struct file_link *l)
{
    str line = utf8_cut(link_line(source, l), LINE_BYTES);
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), source->path);
    if (l->line > 0)
        jsonw_put_int(out, STR("line"), l->line);
    if (line.n > 0)
        jsonw_put_str(out, STR("text"), line);
    jsonw_end(out);
}

/* All are counted; those of a source are looked at when some are on the page. */
static void put_sources(struct kit_page *page, const struct index *x,
                        const struct file *f)
{
    struct arena *a = page->call->arena;
    struct link_source *sources;
    size_t n = link_sources(x, a, f->id, &sources);
    for (size_t i = 0; i < n; i++) {
        struct file_link *links;
        if (kit_page_skips(page, sources[i].links))
            continue;
        size_t n_links = link_find(x, a, sources[i].file, f->id, &links);
        for (size_t k = 0; k < n_links; k++)
            if (kit_page_takes(page))
                put_link(page->call->out, sources[i].file, &links[k]);
    }
}

static void get_backlinks_put_links(struct mcp_call *call, const struct index *x,
                                    const struct file *f)
{
    const struct args *in = call->args;
    struct kit_page page = kit_page(call, in->offset, PLAIN_LINES, KIT_BUDGET_MAX);
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), f->path);
    jsonw_put_array(call->out, STR("backlinks"));
    put_sources(&page, x, f);
    kit_page_done(&page);
    jsonw_end(call->out);
    jsonw_put_int(call->out, STR("total"), (int64_t)page.total);
    kit_put_next(call->out, page.end, page.total);
    jsonw_end(call->out);
}

static bool get_backlinks_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct file *f;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool found = find_file(x, call->arena, in->path, &f, err);
    if (found)
        get_backlinks_put_links(call, x, f);
    kit_let_go(call);
    return found;
}

const struct mcp_tool tool_get_backlinks = {
    .name = "get_backlinks",
    .title = "Backlinks",
    .about = "The links to a note, as JSON: from which file, in which line, and the "
             "line's text.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = get_backlinks_run,
};
