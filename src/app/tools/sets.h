/*
 * sets - the tools of profiles that are not ours: other servers' names, shapes and words,
 * so that what was written for those works here. Thin: what they do is done by the same
 * library as our own. Each list ends with NULL.
 */
#pragma once

#include "app/guides.h"
#include "mcp/tool.h"

extern const struct mcp_tool *const obsidian_vault_mcp_tools[];
extern const struct mcp_tool *const vault_sync_tools[];
extern const struct mcp_tool *const obsidian_bundle_tools[];
extern const struct mcp_tool *const claude_desktop_tools[];
extern const struct mcp_tool *const vault_git_tools[];

/* What guides and prompts say of them. */
struct prompt_words;
extern const struct guide_tools vault_git_guide[GUIDE_TOPICS];
extern const struct prompt_words vault_git_prompts;
