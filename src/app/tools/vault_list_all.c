#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/ask/filter.h"
#include "vault/index/index.h"

struct args {
    str folder, tag;
    struct mcp_strs path_filter;
    int64_t limit, offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, folder, MCP_STR, 0, "Below this folder"),
    MCP_FIELD(struct args, tag, MCP_STR, 0, "Only with this tag or one below"),
    MCP_FIELD(struct args, path_filter, MCP_STRS, 0,
              "Globs, e.g. \"*.md\", \"!Archive/**\""),
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Most files", .dflt = "100000", .min = 1,
              .max = 1000000),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Files to skip", .dflt = "0", .min = 0,
              .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_TACIT, "Most tokens", .dflt = "10000",
              .min = 100, .max = KIT_BUDGET_MAX),
    {0},
};

static bool vault_list_all_put_files(struct mcp_call *call, const struct index *x,
                                     const struct args *in, struct filter *filter,
                                     struct err *err)
{
    struct filter_wish wish = {in->folder, in->path_filter.items, in->path_filter.n,
                               in->tag};
    if (!filter_open(filter, x, call->arena, &wish, err))
        return false;
    const struct file **files;
    size_t n = index_sorted(x, call->arena, &files), taken = 0;
    for (size_t i = 0; i < n; i++)
        if (filter_takes(filter, files[i]))
            files[taken++] = files[i];
    struct jsonw *out = call->out;
    struct kit_page page = kit_page(call, in->offset, in->limit, in->budget);
    jsonw_object(out);
    jsonw_put_int(out, STR("total_files"), (int64_t)taken);
    jsonw_put_array(out, STR("files"));
    for (size_t i = 0; i < taken; i++)
        if (kit_page_takes(&page))
            put_listed(out, call->arena, files[i]);
    kit_page_done(&page);
    jsonw_end(out);
    kit_put_next(out, page.end, page.total);
    if (page.total == 0)
        kit_put_why_none(call, x, in->folder, in->tag);
    jsonw_end(out);
    return true;
}

static bool vault_list_all_run(struct mcp_call *call, struct err *err)
{
    struct filter filter = {0};
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = vault_list_all_put_files(call, x, call->args, &filter, err);
    kit_let_go(call);
    filter_release(&filter);
    return ok;
}

const struct mcp_tool tool_vault_list_all = {
    .name = "vault_list_all",
    .title = "List all files",
    .about = "Every file with size, time and property tags. For one folder use "
             "vault_list, by properties vault_query.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_list_all_run,
};
