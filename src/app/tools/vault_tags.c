#include "app/answers/tagged.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"

struct args {
    str tag;
    int64_t limit, offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, tag, MCP_STR, 0, "Notes with this tag or a nested one"),
    KIT_PAGE_FIELDS(struct args),
    {0},
};

static bool vault_tags_answer(struct mcp_call *call, const struct index *x,
                              struct err *err)
{
    const struct args *in = call->args;
    size_t offset = (size_t)in->offset, limit = (size_t)in->limit;
    struct tags_listed all;
    struct tagged notes;
    if (in->tag.n == 0) {
        tags_list(x, call->arena, false, offset, limit, &all);
        return kit_answer(call, &tags_shape, &all, in->budget);
    }
    if (!tagged_find(x, call->arena, in->tag, offset, limit, &notes, err))
        return err_hint(err, "omit tag to list all tags");
    return kit_answer(call, &tagged_shape, &notes, in->budget);
}

static bool vault_tags_run(struct mcp_call *call, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = vault_tags_answer(call, x, err);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_vault_tags = {
    .name = "vault_tags",
    .title = "List tags",
    .about = "All tags with their number of notes. With "
             "tag: its notes. Look here before you invent a tag.",
    .flags = MCP_READ_ONLY | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_tags_run,
};
