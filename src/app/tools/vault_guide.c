#include "app/guides.h"
#include "app/tools.h"

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
    mcp_text(call, guide_text((size_t)in->topic));
    return true;
}

const struct mcp_tool tool_vault_guide = {
    .name = "vault_guide",
    .title = "Obsidian Markdown",
    .about = "Short guides to Obsidian's Markdown and to searching. For the user's "
             "rules use vault_context.",
    .flags = MCP_READ_ONLY | MCP_QUICK,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run,
};
