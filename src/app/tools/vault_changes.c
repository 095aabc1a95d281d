#include "app/tool_kit.h"
#include "app/tools.h"
#include "base/clock.h"

struct args {
    int64_t limit, since;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Most changes to return", .dflt = "20",
              .min = 1, .max = 200),
    MCP_FIELD(struct args, since, MCP_INT, 0, "Only after this change", .min = 0,
              .max = INT64_MAX),
    {0},
};

static void put_paths(struct jsonw *out, const struct journal_change *c)
{
    enum { SHOWN = 20 };
    jsonw_put_array(out, STR("files"));
    for (size_t i = 0; i < c->n && i < SHOWN; i++) {
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), c->ops[i].path);
        jsonw_put_str(out, STR("operation"), journal_kind_name(c->ops[i].kind));
        if (c->ops[i].to.n > 0)
            jsonw_put_str(out, STR("to"), c->ops[i].to);
        jsonw_end(out);
    }
    jsonw_end(out);
    if (c->n > SHOWN)
        jsonw_put_int(out, STR("total_files"), (int64_t)c->n);
}

static void put_change(struct jsonw *out, const struct journal_entry *e,
                       const struct journal_change *c)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out);
    jsonw_put_int(out, STR("change"), (int64_t)e->number);
    jsonw_put_str(out, STR("time"), clock_iso(e->time, when));
    jsonw_put_str(out, STR("tool"), c->tool);
    if (c->who.n > 0)
        jsonw_put_str(out, STR("who"), c->who);
    if (c->client.n > 0)
        jsonw_put_str(out, STR("client"), c->client);
    if (e->undoes > 0)
        jsonw_put_int(out, STR("undoes"), (int64_t)e->undoes);
    if (e->undone_by > 0)
        jsonw_put_int(out, STR("undone_by"), (int64_t)e->undone_by);
    if (e->state == JOURNAL_ABORTED)
        jsonw_put_bool(out, STR("failed"), true);
    put_paths(out, c);
    jsonw_end(out);
}

/* Without since from the end backwards, else from the first after it forwards. */
static bool put_list(struct mcp_call *call, const struct args *in,
                     const struct journal *j, struct err *err)
{
    const struct journal_entry *all;
    size_t n = journal_entries(j, &all), from = 0, shown = 0;
    bool forwards = in->since != MCP_ABSENT;
    while (forwards && from < n && all[from].number <= (uint64_t)in->since)
        from++;
    jsonw_object(call->out);
    jsonw_put_array(call->out, STR("changes"));
    for (;
         shown < n - from && shown < (size_t)in->limit && !kit_is_full(call, KIT_BUDGET);
         shown++) {
        struct journal_change c;
        const struct journal_entry *e = &all[forwards ? from + shown : n - 1 - shown];
        if (!journal_read(j, call->arena, e->number, false, &c, err))
            return false;
        put_change(call->out, e, &c);
    }
    jsonw_end(call->out);
    size_t last = forwards ? from + shown : n;
    if (shown < n - from)
        jsonw_put_bool(call->out, STR("truncated"), true);
    jsonw_put_int(call->out, STR("latest"), last > 0 ? (int64_t)all[last - 1].number : 0);
    jsonw_end(call->out);
    return true;
}

static bool run(struct mcp_call *call, struct err *err)
{
    struct changes *changes = vault_changes(kit_vault(call), err);
    struct journal *j;
    if (changes == NULL || !changes_hold(changes, &j, err))
        return false;
    bool ok = put_list(call, call->args, j, err);
    changes_let_go(changes);
    return ok;
}

const struct mcp_tool tool_vault_changes = {
    .name = "vault_changes",
    .title = "Recent changes",
    .about = "Changes made through this server, latest first. For edits made elsewhere "
             "use vault_query by file.modified.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run,
};
