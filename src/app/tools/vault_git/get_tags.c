#include "app/kit/tool_kit.h"
#include "app/tools/vault_git/plain.h"
#include "vault/index/tags.h"

struct args {
    int64_t offset;
};

static const struct mcp_field fields[] = {
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

static void put_tag(struct jsonw *out, const struct tag *tag)
{
    jsonw_object(out);
    jsonw_put_str(out, STR("tag"), tag->name);
    jsonw_put_int(out, STR("count"), (int64_t)tag->notes);
    if (tag->all > tag->notes)
        jsonw_put_int(out, STR("count_with_nested"), (int64_t)tag->all);
    jsonw_end(out);
}

static bool get_tags_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    struct kit_page page = kit_page(call, in->offset, PLAIN_LINES, KIT_BUDGET_MAX);
    size_t n = tags_count(x->tags);
    jsonw_object(call->out);
    jsonw_put_int(call->out, STR("total"), (int64_t)n);
    jsonw_put_array(call->out, STR("tags"));
    for (size_t i = 0; i < n; i++) {
        struct tag tag = tags_at(x->tags, i);
        if (kit_page_takes(&page))
            put_tag(call->out, &tag);
    }
    kit_page_done(&page);
    jsonw_end(call->out);
    kit_put_next(call->out, page.end, page.total);
    jsonw_end(call->out);
    kit_let_go(call);
    return true;
}

const struct mcp_tool tool_get_tags = {
    .name = "get_tags",
    .title = "Tags",
    .about = "All tags of the vault as JSON, with how many notes have them (count). "
             "find_files has the notes of a tag. Look here before you invent one.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = get_tags_run,
};
