#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "vault/ask/select.h"

struct args {
    str where;
    int from; /* enum select_from */
    struct mcp_strs select, sort;
    str group, folder;
    bool count;
    int64_t limit, offset, budget;
};

static const char *const sources[] = {"notes", "tasks", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, where, MCP_STR, 0,
              "Over properties, tag, file.name .path .folder .ext .size .modified .links "
              ".backlinks .headings, task.text .status .done .heading; with = != < > "
              "contains startswith matches, in (a, b), exists, is empty, and, or, not; "
              "dates as today - 7d"),
    MCP_FIELD(struct args, from, MCP_ENUM, 0, "What to look for", .dflt = "\"notes\"",
              .choices = sources),
    MCP_FIELD(struct args, select, MCP_STRS, 0, "Fields to return"),
    MCP_FIELD(struct args, sort, MCP_STRS, 0, "Fields; \"-due\": the latest first"),
    MCP_FIELD(struct args, group, MCP_STR, 0, "Field: how many of each value"),
    MCP_FIELD(struct args, count, MCP_BOOL, 0, "Only how many", .dflt = "false"),
    MCP_FIELD(struct args, folder, MCP_STR, 0, "Below this folder"),
    KIT_PAGE_FIELDS(struct args),
    {0},
};

static void vault_query_put_rows(struct mcp_call *call, const struct args *in,
                                 const struct select *s, const struct select_result *r)
{
    bool groups = s->group.n > 0;
    size_t n = groups ? r->n_groups : r->n, shown = 0;
    jsonw_put_array(call->out, groups ? STR("groups") : STR("rows"));
    for (; shown < n; shown++) {
        struct kit_mark mark = kit_mark(call);
        if (groups)
            put_group(call->out, &r->groups[shown]);
        else
            put_row(call->out, s, &r->rows[shown]);
        if (shown > 0 && !kit_keep(call, &mark, in->budget))
            break;
    }
    jsonw_end(call->out);
    kit_put_next(call->out, s->offset + shown, groups ? r->total_groups : r->total);
}

static void vault_query_put_result(struct mcp_call *call, const struct index *x,
                                   const struct args *in, const struct select *s,
                                   const struct select_result *r)
{
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_int(out, STR("total"), (int64_t)r->total);
    if (s->group.n > 0)
        jsonw_put_int(out, STR("total_groups"), (int64_t)r->total_groups);
    put_unknown_fields(out, r);
    if (r->partial)
        jsonw_put_bool(out, STR("partial"), true);
    if (!s->count_only)
        vault_query_put_rows(call, in, s, r);
    if (r->total == 0)
        kit_put_why_none(call, x, in->folder, STR(""));
    jsonw_end(out);
}

static struct select_order *read_order(struct arena *a, const struct mcp_strs *sort)
{
    struct select_order *order = ARENA_ARRAY(a, struct select_order, sort->n);
    for (size_t i = 0; i < sort->n; i++) {
        bool descending = str_starts(sort->items[i], STR("-"));
        order[i] =
            (struct select_order){str_skip(sort->items[i], descending), descending};
    }
    return order;
}

static bool vault_query_run(struct mcp_call *call, struct err *err)
{
    enum { DEADLINE_MS = 5000 };
    const struct args *in = call->args;
    struct select s = {
        .from = (enum select_from)in->from,
        .where = in->where,
        .folder = in->folder,
        .columns = in->select.items,
        .n_columns = in->select.n,
        .order = read_order(call->arena, &in->sort),
        .n_order = in->sort.n,
        .group = in->group,
        .count_only = in->count,
        .offset = (size_t)in->offset,
        .limit = (size_t)in->limit,
        .now = clock_now(),
        .utc_offset = clock_utc_offset(clock_now()),
        .stop = kit_stop,
        .stop_arg = call,
        .deadline_ns = clock_ns() + DEADLINE_MS * 1000000ULL,
    };
    struct select_result r;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = select_run(x, call->arena, &s, &r, err);
    if (ok)
        vault_query_put_result(call, x, in, &s, &r);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_vault_query = {
    .name = "vault_query",
    .title = "Query",
    .about = "Notes or tasks by properties, tags, dates, links: filter, sort, group, "
             "count. E.g. where: status = active and due < today + 7d. For text use "
             "vault_search.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_query_run,
};
