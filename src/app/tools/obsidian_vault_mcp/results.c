#include "app/kit/tool_kit.h"
#include "app/tools/obsidian_vault_mcp/tools.h"

struct ovm_results ovm_open(struct mcp_call *call)
{
    jsonw_object(call->out);
    jsonw_put_array(call->out, STR("results"));
    return (struct ovm_results){.call = call};
}

/* Whether the item that was written since the mark may stay; the first always may. */
static bool results_keep(struct ovm_results *r, const struct kit_mark *mark)
{
    if (r->n > 0 && !kit_keep(r->call, mark, OVM_BUDGET))
        return false;
    r->n++;
    return true;
}

bool ovm_put_line(struct ovm_results *r, str path, uint32_t line, str text)
{
    struct jsonw *out = r->call->out;
    struct kit_mark mark = kit_mark(r->call);
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), path);
    jsonw_put_int(out, STR("line"), line);
    jsonw_put_str(out, STR("text"), text);
    jsonw_end(out);
    return results_keep(r, &mark);
}

bool ovm_put_near(struct ovm_results *r, str path, uint32_t distance)
{
    struct jsonw *out = r->call->out;
    struct kit_mark mark = kit_mark(r->call);
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), path);
    jsonw_put_int(out, STR("distance"), distance);
    jsonw_end(out);
    return results_keep(r, &mark);
}

void ovm_close(struct ovm_results *r, size_t total, bool partial)
{
    struct jsonw *out = r->call->out;
    jsonw_end(out);
    if (r->n < total || partial) {
        jsonw_put_bool(out, STR("truncated"), true);
        jsonw_put_int(out, STR("total"), (int64_t)total);
        jsonw_key(out, STR("note"));
        jsonw_printf(out, "Only the first %zu of %s%zu: ask for less to see the rest",
                     r->n, partial ? "at least " : "", total);
    }
    jsonw_end(out);
}
