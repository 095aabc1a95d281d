/*
 * tools - the tools of the set obsidian-vault-mcp, and the list of results that its
 * searches share: {"results": [{"path", "line", "text"}, …]}.
 *
 * A list that is too long is cut, and says so: "truncated", "total" and a "note" on how
 * to narrow the search, since there is no paging in this contract.
 */
#pragma once

#include "app/kit/tool_kit.h"

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

enum { OVM_BUDGET = KIT_BUDGET_MAX }; /* tokens of a list */

struct ovm_results {
    struct mcp_call *call;
    size_t n;
};

/* Opens the answer and its list. */
struct ovm_results ovm_open(struct mcp_call *call);

/* One more; false when the answer is full, and nothing was added. */
bool ovm_put_line(struct ovm_results *r, str path, uint32_t line, str text);
bool ovm_put_near(struct ovm_results *r, str path, uint32_t distance);

/* Ends both. total: how many there are; partial: there may be more, time was up. */
void ovm_close(struct ovm_results *r, size_t total, bool partial);
