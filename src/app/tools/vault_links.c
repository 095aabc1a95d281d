#include "app/answers/linked.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "vault/vault.h"

struct args {
    str path;
    int direction;
    int64_t depth;
    str to;
    int64_t limit, offset, budget;
};

static const char *const directions[] = {
    [LINKED_OUTGOING] = "outgoing", [LINKED_BACKLINKS] = "backlinks",
    [LINKED_BOTH] = "both",         [LINKED_NEIGHBOURS] = "neighbours",
    [LINKED_PATH] = "path",         [LINKED_UNRESOLVED] = "unresolved",
    [LINKED_ORPHANS] = "orphans",   [LINKED_MENTIONS] = "mentions",
    [LINKED_RELATED] = "related",   NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Note; not for unresolved, orphans"),
    MCP_FIELD(
        struct args, direction, MCP_ENUM, 0,
        "neighbours: up to depth links away. path: a shortest path to `to`. unresolved: "
        "to missing notes. orphans: without links. mentions: its name, unlinked. "
        "related: by shared links, words",
        .dflt = "\"both\"", .choices = directions),
    MCP_FIELD(struct args, depth, MCP_INT, MCP_CLAMPED | MCP_TERSE, "For neighbours",
              .dflt = "1", .min = 1, .max = 20),
    MCP_FIELD(struct args, to, MCP_STR, 0, "For path: the other note"),
    TOOL_PAGE_FIELDS(struct args),
    {0},
};

static bool vault_links_find(struct mcp_call *call, const struct index *x,
                             struct linked_question *q, struct err *err)
{
    const struct args *in = call->args;
    bool of_vault = q->about == LINKED_ORPHANS || q->about == LINKED_UNRESOLVED;
    if (in->path.n == 0 && !of_vault)
        return err_set(
            err, ERR_INVALID,
            "path is missing: name a note, or use direction unresolved or orphans");
    if (in->path.n > 0 && q->about != LINKED_ORPHANS &&
        !tool_find(call, x, in->path, &q->file, err))
        return false;
    if (q->about != LINKED_PATH)
        return true;
    if (in->to.n == 0)
        return err_set(err, ERR_INVALID,
                       "to is missing: name the note where the path ends");
    return tool_find(call, x, in->to, &q->to, err);
}

static bool vault_links_answer(struct mcp_call *call, const struct index *x,
                               struct err *err)
{
    enum { DEADLINE_MS = 5000 };
    const struct args *in = call->args;
    struct stop calling = tool_stopping(call), stop = stop_within(&calling, DEADLINE_MS);
    struct linked_question q = {
        .stop = &stop,
        .about = (enum linked_about)in->direction,
        .depth = (uint32_t)in->depth,
        .meaning = vault_meaning(tool_vault(call)),
        .offset = (size_t)in->offset,
        .limit = (size_t)in->limit,
    };
    struct linked linked;
    return vault_links_find(call, x, &q, err) &&
           linked_find(x, call->arena, &q, &linked, err) &&
           tool_answer(call, &linked_shape, &linked, in->budget);
}

static bool vault_links_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    if (in->direction ==
        LINKED_RELATED) /* right after the start, vectors are not known */
        (void)vault_wait_placed(tool_vault(call),
                                clock_ns() + HITS_EMBED_MS * 1000000ULL);
    return tool_with_index(call, vault_links_answer, err);
}

const struct mcp_tool tool_vault_links = {
    .name = "vault_links",
    .title = "Links",
    .about =
        "Links from and to a note, with lines; or what is around it, unlinked, broken "
        "or related.",
    .flags = MCP_READ_ONLY | APP_USES_MEANING,
    .fields = fields,
    .args_size = sizeof(struct args),
    .ui = TOOL_VIEW_URI,
    .run = vault_links_run,
};
