/*
 * sets - lists of tools that an operator can choose: our own, and those of other servers
 * with their names, shapes and wording, so that clients written for those servers work
 * here. The latter are thin: the same library does the work. Each list ends with NULL.
 */
#pragma once

#include "app/tools/guides.h"
#include "mcp/tool.h"

extern const struct mcp_tool *const default_tools[];
extern const struct mcp_tool *const chatgpt_tools[];
extern const struct mcp_tool *const adr_tools[];
extern const struct mcp_tool *const obsidian_vault_mcp_tools[];
extern const struct mcp_tool *const vault_sync_tools[];
extern const struct mcp_tool *const obsidian_bundle_tools[];
extern const struct mcp_tool *const claude_desktop_tools[];
extern const struct mcp_tool *const vault_git_tools[];

/* What guides and prompts say about the tools. */
struct prompt_words;
extern const struct guide_tools vault_git_guide[GUIDE_TOPICS];
extern const struct prompt_words vault_git_prompts;
