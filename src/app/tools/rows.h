/*
 * rows - our own tools, one file each in this folder; set.c lists them in the order that
 * a model sees.
 */
#pragma once

#include "mcp/tool.h"

extern const struct mcp_tool tool_adr_publish;
extern const struct mcp_tool tool_fetch;
extern const struct mcp_tool tool_search;
extern const struct mcp_tool tool_vault_batch;
extern const struct mcp_tool tool_vault_canvas;
extern const struct mcp_tool tool_vault_changes;
extern const struct mcp_tool tool_vault_check;
extern const struct mcp_tool tool_vault_context;
extern const struct mcp_tool tool_vault_daily;
extern const struct mcp_tool tool_vault_delete;
extern const struct mcp_tool tool_vault_edit;
extern const struct mcp_tool tool_vault_frontmatter;
extern const struct mcp_tool tool_vault_guide;
extern const struct mcp_tool tool_vault_info;
extern const struct mcp_tool tool_vault_insert;
extern const struct mcp_tool tool_vault_links;
extern const struct mcp_tool tool_vault_list;
extern const struct mcp_tool tool_vault_move;
extern const struct mcp_tool tool_vault_query;
extern const struct mcp_tool tool_vault_read;
extern const struct mcp_tool tool_vault_search;
extern const struct mcp_tool tool_vault_sync;
extern const struct mcp_tool tool_vault_task;
extern const struct mcp_tool tool_vault_undo;
extern const struct mcp_tool tool_vault_write;

/* The same under other names, for the set vault-git. */
extern const struct mcp_tool tool_get_obsidian_guide;
extern const struct mcp_tool tool_get_vault_info;
