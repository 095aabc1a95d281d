#include "app/answers/answer.h"
#include "app/answers/linked.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_git/plain.h"
#include "vault/ask/find.h"

struct args {
    str path;
    int64_t offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "Note, by path or name"),
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

static void get_backlinks_put(struct answer_out *out, const void *result, size_t at)
{
    enum { LINE_BYTES = 300 }; /* of each line that is shown */
    const struct linked_item *i = &((const struct linked *)result)->items[at];
    str line = linked_line(i, LINE_BYTES);
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), i->file->path);
    if (i->link->line > 0)
        jsonw_put_int(out->w, STR("line"), i->link->line);
    jsonw_put_text(out->w, STR("text"), line);
    jsonw_end(out->w);
}

static void get_backlinks_json(struct answer_out *out, const void *result)
{
    const struct linked *l = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), l->question->file->path);
    size_t shown = answer_items(out, STR("backlinks"), l, l->n, get_backlinks_put);
    jsonw_put_int(out->w, STR("total"), (int64_t)l->total);
    answer_next(out, l->question->offset + shown, l->total);
    jsonw_end(out->w);
}

static const struct answer_shape get_backlinks_shape = {.json = get_backlinks_json};

static bool get_backlinks_answer(struct mcp_call *call, const struct index *x,
                                 struct err *err)
{
    const struct args *in = call->args;
    struct stop stop = tool_stopping(call);
    struct linked_question q = {LINKED_BACKLINKS, .stop = &stop,
                                .offset = (size_t)in->offset, .limit = PLAIN_LINES};
    struct linked linked;
    return find_file(x, call->arena, in->path, &q.file, err) &&
           linked_find(x, call->arena, &q, &linked, err) &&
           tool_answer(call, &get_backlinks_shape, &linked, TOOL_BUDGET_MAX);
}

const struct mcp_tool tool_get_backlinks = {
    .name = "get_backlinks",
    .title = "Backlinks",
    .about = "The links to a note, as JSON: from which file, in which line, and the "
             "line's text.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_READS(get_backlinks_answer),
};
