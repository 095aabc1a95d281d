#include "app/kit/tool_kit.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

struct args {
    int64_t limit, offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Most names", .dflt = "100", .min = 1,
              .max = NOTES_LISTED),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Names to skip", .dflt = "0", .min = 0,
              .max = 1000000000),
    {0},
};

static void put_names(struct mcp_call *call, const struct index *x, const struct args *in)
{
    struct jsonw *out = call->out;
    const struct file **files;
    size_t n = index_sorted(x, call->arena, &files), notes = 0;
    jsonw_object(out);
    jsonw_put_array(out, STR("notes"));
    for (size_t i = 0; i < n; i++) {
        if (files[i]->kind != FILE_NOTE)
            continue;
        if (notes >= (size_t)in->offset && notes < (size_t)(in->offset + in->limit))
            jsonw_str(out, file_title(files[i]->path));
        notes++;
    }
    jsonw_end(out);
    jsonw_put_int(out, STR("total"), (int64_t)notes);
    jsonw_put_int(out, STR("limit"), in->limit);
    jsonw_put_int(out, STR("offset"), in->offset);
    jsonw_end(out);
}

static bool list_notes_run(struct mcp_call *call, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    put_names(call, x, call->args);
    kit_let_go(call);
    return true;
}

const struct mcp_tool tool_list_notes = {
    .name = "list_notes",
    .title = "List notes",
    .about = "Names of notes, in pages. To find a particular note use search_notes.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = list_notes_run,
};
