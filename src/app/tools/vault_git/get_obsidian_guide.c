#include "app/guides.h"
#include "app/tools/sets.h"

struct args {
    int topic;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, topic, MCP_ENUM, MCP_REQUIRED, "What to write",
              .choices = guide_topics),
    {0},
};

static bool run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    mcp_text(call, guide_text(call->arena, (enum guide_topic)in->topic, vault_git_guide));
    return true;
}

const struct mcp_tool tool_get_obsidian_guide = {
    .name = "get_obsidian_guide",
    .title = "Obsidian Markdown",
    .about = "Short guides to Obsidian's Markdown and to searching. For the user's own "
             "rules use get_claude_context.",
    .flags = MCP_READ_ONLY | MCP_QUICK | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run,
};
