#include "app/answers/answer.h"
#include "app/answers/tagged.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_git/plain.h"

struct args {
    int64_t offset;
};

static const struct mcp_field fields[] = {
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

static void get_tags_put(struct answer_out *out, const void *result, size_t i)
{
    const struct tag *tag = &((const struct tags_listed *)result)->tags[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("tag"), tag->name);
    jsonw_put_int(out->w, STR("count"), (int64_t)tag->notes);
    if (tag->all > tag->notes)
        jsonw_put_int(out->w, STR("count_with_nested"), (int64_t)tag->all);
    jsonw_end(out->w);
}

static void get_tags_json(struct answer_out *out, const void *result)
{
    const struct tags_listed *l = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("total"), (int64_t)l->total);
    size_t shown = answer_items(out, STR("tags"), l, l->n, get_tags_put);
    answer_next(out, l->offset + shown, l->total);
    jsonw_end(out->w);
}

static const struct answer_shape get_tags_shape = {.json = get_tags_json};

static bool get_tags_answer(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    struct tags_listed all;
    tags_list(x, call->arena, false, (size_t)in->offset, PLAIN_LINES, &all);
    return tool_answer(call, &get_tags_shape, &all, TOOL_BUDGET_MAX);
}

const struct mcp_tool tool_get_tags = {
    .name = "get_tags",
    .title = "Tags",
    .about =
        "All tags of the vault as JSON, with the number of notes that have each (count). "
        "find_files finds the notes with a tag. Look here before you invent one.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_READS(get_tags_answer),
};
