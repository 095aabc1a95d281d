#include "app/setup/app.h"
#include "app/tool_support/tool_words.h"
#include "app/tools/guides.h"
#include "app/tools/rows.h"
#include "app/tools/sets.h"
#include "mcp/call.h"

struct args {
    int topic;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, topic, MCP_ENUM, MCP_REQUIRED, "Which guide",
              .choices = guide_topics),
    {0},
};

static const struct mcp_field fields_of_others[] = {
    MCP_FIELD(struct args, topic, MCP_ENUM, MCP_REQUIRED, "Which guide",
              .choices = guide_topics_of_others),
    {0},
};

static bool vault_guide_answer(struct mcp_call *call, const struct guide_tools *tools)
{
    const struct args *in = call->args;
    str text = guide_text(call->arena, (enum guide_topic)in->topic, tools);
    mcp_text(call, tool_words(app_of(call), call->arena, call->caller, text));
    return true;
}

static bool vault_guide_run(struct mcp_call *call, struct err *err)
{
    return vault_guide_answer(call, guide_default);
}

const struct mcp_tool tool_vault_guide = {
    .name = "vault_guide",
    .title = "Obsidian Markdown",
    .about = "Short guides to Obsidian's Markdown and to searching.",
    .flags = MCP_READ_ONLY | MCP_QUICK | APP_CHOOSES,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_guide_run,
};

/* The same with the tool names of another set. */

static bool run_vault_git(struct mcp_call *call, struct err *err)
{
    return vault_guide_answer(call, vault_git_guide);
}

const struct mcp_tool tool_get_obsidian_guide = {
    .name = "get_obsidian_guide",
    .title = "Obsidian Markdown",
    .about = "Short guides to Obsidian's Markdown and to searching. For the user's own "
             "rules use get_claude_context.",
    .flags = MCP_READ_ONLY | MCP_QUICK | MCP_OWN_FIELDS,
    .fields = fields_of_others,
    .args_size = sizeof(struct args),
    .run = run_vault_git,
};
