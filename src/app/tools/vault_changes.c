#include "app/answers/feed.h"
#include "app/answers/history.h"
#include "app/answers/reviewed.h"
#include "app/tool_support/tool_proposal.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/commits.h"
#include "app/tools/rows.h"
#include "vault/review.h"
#include "vault/vault_feed.h"

enum { JOURNAL, GIT };

struct args {
    int64_t limit, since, before, change;
    int source;
    bool all;
    str path, range;
    int64_t offset;
    str proposal;
    int64_t wait;
};

static const char *const sources[] = {[JOURNAL] = "journal", [GIT] = "git", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, limit, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Max changes",
              .also = TOOL_LIMIT_ALSO, .dflt = "20", .min = 1, .max = 200),
    MCP_FIELD(struct args, since, MCP_INT, MCP_CLAMPED, "After this change", .min = 0,
              .max = INT64_MAX),
    MCP_FIELD(struct args, before, MCP_INT, MCP_CLAMPED, "Before this change", .min = 1,
              .max = INT64_MAX),
    MCP_FIELD(struct args, change, MCP_INT, 0, "Only its diff", .min = 1,
              .max = INT64_MAX),
    MCP_FIELD(struct args, source, MCP_ENUM, TOOL_HISTORY, "git: commits, also by others",
              .dflt = "\"journal\"", .choices = sources),
    MCP_FIELD(struct args, all, MCP_BOOL, MCP_TERSE, "By anyone"),
    MCP_FIELD(struct args, path, MCP_STR, TOOL_HISTORY, "git: only this path"),
    MCP_FIELD(struct args, range, MCP_STR, TOOL_HISTORY,
              "git: FROM..TO, commits or dates"),
    MCP_FIELD(struct args, offset, MCP_INT, TOOL_HISTORY | MCP_CLAMPED | MCP_TERSE,
              "git: skip", .dflt = "0", .min = 0, .max = 1000000000),
    MCP_FIELD(struct args, proposal, MCP_STR, MCP_UNLISTED, "Only this proposal"),
    MCP_FIELD(struct args, wait, MCP_INT, MCP_UNLISTED | MCP_CLAMPED,
              "Seconds to wait until it is decided", .dflt = "0", .min = 0,
              .max = TOOL_PROPOSAL_TASK_S),
    {0},
};

/* What anyone has changed. */
static bool answer_all(struct mcp_call *call, const struct args *in, struct err *err)
{
    struct vault_feed_question q = {.after = in->since != MCP_ABSENT ? in->since : 0,
                                    .path = in->path,
                                    .limit = (size_t)in->limit};
    struct vault_feed_answer found;
    return vault_feed_ask(tool_vault(call), call->arena, &q, &found, err) &&
           tool_answer(call, &feed_shape, &found, TOOL_BUDGET);
}

static bool vault_changes_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    if (in->source == GIT)
        return commits_answer(
            call, &(struct commits_request){in->path, in->range, in->limit, in->offset},
            err);
    if (in->proposal.n > 0)
        return tool_proposal_answer(call, in->proposal, in->wait, err);
    if (in->all)
        return answer_all(call, in, err);
    if (in->change != MCP_ABSENT) {
        struct review review;
        return review_change(tool_vault(call), call->arena, (uint64_t)in->change, &review,
                             err) &&
               tool_answer(call, &reviewed_shape, &review, TOOL_BUDGET);
    }
    struct history_question q = {
        .limit = (size_t)in->limit,
        .before = in->before != MCP_ABSENT ? (uint64_t)in->before : 0,
        .since = in->since != MCP_ABSENT ? (uint64_t)in->since : 0,
        .from_since = in->since != MCP_ABSENT};
    struct history history;
    if (!history_find(tool_vault(call), call->arena, &q, &history, err))
        return false;
    if (q.before == 0 && !q.from_since)
        tool_proposals_list(call, &history);
    return tool_answer(call, &history_shape, &history, TOOL_BUDGET);
}

const struct mcp_tool tool_vault_changes = {
    .name = "vault_changes",
    .title = "Recent changes",
    .about = "Changes through this server, latest first; all: by anyone, since a cursor.",
    .flags = MCP_READ_ONLY | APP_NEEDS_JOURNAL,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_changes_run,
};
