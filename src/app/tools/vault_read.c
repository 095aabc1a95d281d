#include "app/app.h"
#include "app/tools.h"

struct args {
    str path;
    int64_t offset, limit;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File from the vault root with extension, e.g. \"Projects/Plan.md\""),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "First line to return, counted from 1",
              .dflt = "1"),
    MCP_FIELD(
        struct args, limit, MCP_INT, 0,
        "How many lines to return; 0 for all. Omitted: a long file is cut and the answer "
        "says truncated"),
    {0},
};

static bool check_range(const struct args *in, struct err *err)
{
    if (in->offset >= 1 && (in->limit >= 0 || in->limit == MCP_ABSENT))
        return true;
    return err_named(err, ERR_INVALID, "INVALID_RANGE",
                     "offset counts from 1 and limit from 0, got %lld and %lld",
                     (long long)in->offset, (long long)in->limit);
}

static bool run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct app *app = app_of(call);
    if (!check_range(in, err))
        return false;
    int64_t limit = in->limit == MCP_ABSENT ? app->settings.read_lines : in->limit;
    struct vault_text text;
    if (!vault_read(app->vault, call->arena, in->path, (size_t)in->offset, (size_t)limit,
                    &text, err))
        return false;
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), text.path);
    jsonw_put_int(out, STR("total_lines"), (int64_t)text.total_lines);
    jsonw_put_array(out, STR("showing"));
    jsonw_int(out, (int64_t)text.first);
    jsonw_int(out, (int64_t)text.last);
    jsonw_end(out);
    jsonw_put_str(out, STR("content"), text.content);
    if (in->limit == MCP_ABSENT && text.last < text.total_lines)
        jsonw_put_bool(out, STR("truncated"), true);
    jsonw_end(out);
    return true;
}

const struct mcp_tool tool_vault_read = {
    .name = "vault_read",
    .title = "Read a note",
    .about =
        "The text of a note or any other text file, as stored, with its line count. When "
        "the answer says truncated, go on with offset = the last line shown + 1.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run,
};
