#include "app/tool_support/tool_support.h"
#include "app/tools/vault_git/plain.h"
#include "mcp/call.h"
#include "vault/vault.h"

struct args {
    str path;
    int64_t head, tail, offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\", or the name of a note"),
    MCP_FIELD(struct args, head, MCP_INT, 0, "Only this many lines from the start",
              .min = 1, .max = PLAIN_OFFSET_MAX),
    MCP_FIELD(struct args, tail, MCP_INT, 0, "Only this many lines from the end",
              .min = 1, .max = PLAIN_OFFSET_MAX),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Lines to skip before head", .dflt = "0",
              .min = 0, .max = PLAIN_OFFSET_MAX),
    {0},
};

static bool read_file_check_form(const struct args *in, struct err *err)
{
    if (in->tail != MCP_ABSENT && (in->head != MCP_ABSENT || in->offset > 0))
        return err_named(err, E_INVALID_ARGUMENT,
                         "head and tail cannot be given together, nor tail and offset");
    return true;
}

/* The requested lines; a part ends without a line break. */
static bool cut_file(const struct args *in, struct vault_text *t, struct err *err)
{
    size_t first = (size_t)in->offset + 1,
           limit = in->head != MCP_ABSENT ? (size_t)in->head : 0;
    if (in->tail != MCP_ABSENT && (size_t)in->tail < t->total_lines)
        first = t->total_lines - (size_t)in->tail + 1;
    if (!vault_cut(t->path, t->content, first, limit, t, err))
        return false;
    if (in->tail != MCP_ABSENT || limit > 0) {
        t->content.n -= str_ends(t->content, STR("\n"));
        t->content.n -= str_ends(t->content, STR("\r"));
    }
    return true;
}

static bool read_file_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct vault_text t;
    str path;
    if (!read_file_check_form(in, err) || !plain_file(call, in->path, &path, err) ||
        !vault_read(tool_vault(call), call->arena, path, 1, 0, &t, err) ||
        !cut_file(in, &t, err))
        return false;
    if (t.content.n > PLAIN_READ_MAX)
        return err_named(err, E_FILE_TOO_LARGE,
                         "'" STR_FMT "' is too large for one answer (%zu bytes in %zu "
                         "lines): read it in parts, with offset and head",
                         STR_ARG(path), t.content.n, t.total_lines);
    mcp_text(call, t.content);
    return true;
}

const struct mcp_tool tool_read_file = {
    .name = "read_file",
    .title = "Read File",
    .about = "Read a file as text, all of it or the first (head) or last (tail) lines.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = read_file_run,
};
