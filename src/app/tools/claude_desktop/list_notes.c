#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

struct args {
    int64_t limit, offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Max names", .dflt = "100", .min = 1,
              .max = NOTES_LISTED),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Names to skip", .dflt = "0", .min = 0,
              .max = 1000000000),
    {0},
};

struct names_page {
    const str *names; /* the page: offset and limit */
    size_t n, total;
    int64_t limit, offset;
};

static void list_notes_json(struct answer_out *out, const void *result)
{
    const struct names_page *r = result;
    jsonw_object(out->w);
    jsonw_put_strs(out->w, STR("notes"), r->names, r->n);
    jsonw_put_int(out->w, STR("total"), (int64_t)r->total);
    jsonw_put_int(out->w, STR("limit"), r->limit);
    jsonw_put_int(out->w, STR("offset"), r->offset);
    jsonw_end(out->w);
}

static const struct answer_shape list_notes_shape = {.json = list_notes_json};

static bool list_notes_answer(struct mcp_call *call, const struct index *x,
                              struct err *err)
{
    const struct args *in = call->args;
    const struct file **files;
    str *names = ARENA_ARRAY(call->arena, str, (size_t)in->limit);
    struct names_page r = {.names = names, .limit = in->limit, .offset = in->offset};
    size_t n = index_sorted(x, call->arena, &files);
    for (size_t i = 0; i < n; i++)
        if (files[i]->kind == FILE_NOTE && r.total++ >= (size_t)in->offset &&
            r.n < (size_t)in->limit)
            names[r.n++] = file_title(files[i]->path);
    return tool_answer(call, &list_notes_shape, &r, TOOL_NO_BUDGET);
}

const struct mcp_tool tool_list_notes = {
    .name = "list_notes",
    .title = "List notes",
    .about = "Names of notes, in pages. To find a particular note use search_notes.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_READS(list_notes_answer),
};
