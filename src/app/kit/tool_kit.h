/*
 * tool_kit - what the tools for models have in common: which vault, waiting for the
 * index, the budget of an answer, naming files. kit_change.h is about changes.
 *
 * Same words everywhere: path, folder, tag, limit, offset, budget, dry_run, if_match,
 * idempotency_key mean the same in every tool.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/setup/app.h"
#include "mcp/tool.h"
#include "vault/ask/find.h"

enum {
    KIT_BUDGET = 10000, /* tokens of an answer, unless asked otherwise */
    KIT_BUDGET_MAX = 25000,
    KIT_NO_BUDGET = -1,
    KIT_TOKEN_BYTES = 4,  /* how tokens are estimated, everywhere */
    KIT_SEARCH_MS = 5000, /* of a search; what was found until then is given */
};

/* The page beside the answers of some tools: offer/view.h. */
#define KIT_VIEW_URI "ui://vaultd/view"

/* Of a field: it needs a history of the vault. */
enum { KIT_HISTORY = MCP_APP_FLAG };

/* --- which vault --- */

/* The vault that a call is about. Everything below is about this one. */
struct app_vault *kit_served(const struct mcp_call *call);

/* It as the caller may use it: the only one for tools. */
struct vault *kit_vault(const struct mcp_call *call);

/* From now on the call is about that one: for those that name it in other ways. */
void kit_use(struct mcp_call *call, const struct app_vault *v);

/* --- reading --- */

/*
 * Wait for the index, telling the client how far it is, and hold it. NULL when the client
 * gave up or the vault cannot be read. kit_let_go() before anything else of the vault is
 * used.
 */
const struct index *kit_hold(struct mcp_call *call, struct err *err);
void kit_let_go(struct mcp_call *call);

/* find_file() of a path that may be asked for. */
MUST_CHECK bool kit_file(struct mcp_call *call, const struct index *x, str word,
                         const struct file **out, struct err *err);

/* The same, with a word on which of our own tools helps when there is no such file. */
MUST_CHECK bool kit_find(struct mcp_call *call, const struct index *x, str word,
                         const struct file **out, struct err *err);

/*
 * The path of the file that is meant: as it is if one is there, else by its name, as
 * kit_file(). A path that is a folder is as it is, too: who reads it says so.
 */
MUST_CHECK bool kit_path(struct mcp_call *call, str word, str *path, struct err *err);

/* hits_find() with the call's own deadline (KIT_SEARCH_MS), threads, and way to stop. */
MUST_CHECK bool kit_hits(struct mcp_call *call, const struct index *x, struct search *s,
                         struct hits *out, struct err *err);

/* Answer the call with a result, in at most budget tokens. Returns true. */
bool kit_answer(struct mcp_call *call, const struct answer_shape *shape,
                const void *result, int64_t budget);

/* For the stop callbacks of searches. */
bool kit_stop(void *call);

/* The rows that every tool with lists has. */
#define KIT_PAGE_FIELDS(args)                                                            \
    MCP_FIELD(args, limit, MCP_INT, 0, "Max items", .dflt = "50", .min = 1,              \
              .max = 1000),                                                              \
        MCP_FIELD(args, offset, MCP_INT, 0, "Items to skip", .dflt = "0", .min = 0,      \
                  .max = 1000000000),                                                    \
        MCP_FIELD(args, budget, MCP_INT, MCP_TACIT, "Max tokens", .dflt = "10000",       \
                  .min = 100, .max = 25000)
