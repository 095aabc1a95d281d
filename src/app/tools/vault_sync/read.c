#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_sync/shape.h"
#include "vault/vault.h"

struct args {
    str path;
    int64_t offset, limit;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File path relative to vault root"),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Start line (1-indexed, inclusive)",
              .dflt = "1"),
    MCP_FIELD(struct args, limit, MCP_INT, 0,
              "Number of lines to return. 0 = all remaining lines from offset. Without "
              "it a long file is cut, and truncated is true"),
    {0},
};

static bool check_range(const struct args *in, struct err *err)
{
    return (in->offset >= 1 && (in->limit >= 0 || in->limit == MCP_ABSENT)) ||
           err_named(err, E_INVALID_RANGE, "offset counts from 1 and limit from 0");
}

struct read {
    struct vault_text text;
    bool truncated;
};

static void vault_sync_read_json(struct answer_out *out, const void *result)
{
    const struct read *r = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), r->text.path);
    jsonw_put_int(out->w, STR("total_lines"), (int64_t)r->text.total_lines);
    jsonw_put_array(out->w, STR("showing"));
    jsonw_int(out->w, (int64_t)r->text.first);
    jsonw_int(out->w, (int64_t)r->text.last);
    jsonw_end(out->w);
    jsonw_put_str(out->w, STR("content"), r->text.content);
    jsonw_put_true(out->w, STR("truncated"), r->truncated);
    jsonw_end(out->w);
}

static const struct answer_shape read_shape = {.json = vault_sync_read_json};

static bool read_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    bool whole = in->limit == MCP_ABSENT;
    int64_t limit = whole ? app_of(call)->settings.read_lines : in->limit;
    struct read r;
    str path;
    if (!check_range(in, err) || !shape_path(call, in->path, &path, err) ||
        !vault_read(tool_vault(call), call->arena, path, (size_t)in->offset,
                    (size_t)limit, &r.text, err))
        return false;
    r.truncated = whole && r.text.last < r.text.total_lines;
    return tool_answer(call, &read_shape, &r, TOOL_NO_BUDGET);
}

const struct mcp_tool vault_sync_read = {
    .name = "vault_read",
    .title = "Read a file",
    .about = "Read file content with optional line-range pagination.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = read_run,
};
