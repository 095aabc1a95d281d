/*
 * tools - the tools of the set obsidian-vault-mcp, and the list of results that its
 * searches share: {"results": [{"path", "line", "text"}, …]}.
 *
 * A list that is too long is cut, and says so: "truncated", "total" and a "note" on how
 * to narrow the search, since there is no paging in this contract.
 */
#pragma once

#include "app/tool_support/tool_change.h"

extern const struct mcp_tool ovm_note_read, ovm_note_upsert, ovm_vault_search,
    ovm_vault_sync, ovm_link_add, ovm_backlinks_search, ovm_graph_neighbors;

#define OVM_RESULTS_SCHEMA(members, required)                                            \
    "{\"type\":\"object\",\"properties\":{\"results\":{\"type\":\"array\",\"items\":{"   \
    "\"type\":\"object\",\"properties\":{" members "},\"required\":[" required           \
    "]}},\"truncated\":{\"type\":\"boolean\"},\"total\":{\"type\":\"integer\"},"         \
    "\"note\":{\"type\":\"string\"}},\"required\":[\"results\"]}"

#define OVM_LINES_SCHEMA                                                                 \
    OVM_RESULTS_SCHEMA("\"path\":{\"type\":\"string\"},\"line\":{\"type\":\"integer\"}," \
                       "\"text\":{\"type\":\"string\"}",                                 \
                       "\"path\",\"line\",\"text\"")

/* No more items can fit into an answer: each takes at least 30 bytes. */
enum { OVM_ITEMS_MAX = TOOL_BUDGET_MAX * TOOL_TOKEN_BYTES / 30 };

/* The answer to a change: {done: is_done}, and link: the target, if there is one. */
extern const struct answer_shape ovm_changed_shape;

/* Shapes of struct hits and struct linked. */
extern const struct answer_shape ovm_hits_shape, ovm_linked_shape;
