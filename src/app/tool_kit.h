/*
 * tool_kit - what the tools for models have in common: waiting for the index, the budget
 * of an answer, naming files, and making changes.
 *
 * Same words everywhere: path, folder, tag, limit, offset, budget, dry_run, if_match,
 * idempotency_key mean the same in every tool.
 */
#pragma once

#include "app/app.h"
#include "mcp/tool.h"
#include "vault/draft.h"
#include "vault/find.h"

enum {
    KIT_BUDGET = 10000, /* tokens of an answer, unless asked otherwise */
    KIT_BUDGET_MAX = 25000,
    KIT_TOKEN_BYTES = 4,  /* how tokens are estimated, everywhere */
    KIT_DIFF_MAX = 20000, /* bytes of a diff in an answer */
};

/* --- reading --- */

/*
 * Wait for the index, telling the client how far it is, and hold it. NULL when the client
 * gave up or the vault cannot be read. kit_let_go() before anything else of the vault is
 * used.
 */
const struct index *kit_hold(struct mcp_call *call, struct err *err);
void kit_let_go(struct mcp_call *call);

/* find_file(), with a word on where to look when there is no such file. */
MUST_CHECK bool kit_find(struct mcp_call *call, const struct index *x, str word,
                         const struct file **out, struct err *err);

/* For the stop callbacks of searches. */
bool kit_stop(void *call);

/* Whether the answer so far has used up that many tokens. */
bool kit_is_full(const struct mcp_call *call, int64_t budget);

/* The rows that every tool with lists has. */
#define KIT_PAGE_FIELDS(args)                                                            \
    MCP_FIELD(args, limit, MCP_INT, 0, "Most items to return", .dflt = "50", .min = 1,   \
              .max = 1000),                                                              \
        MCP_FIELD(args, offset, MCP_INT, 0,                                              \
                  "Items to skip, to go on where an earlier "                            \
                  "answer ended",                                                        \
                  .dflt = "0", .min = 0, .max = 1000000000),                             \
        MCP_FIELD(args, budget, MCP_INT, 0, "Most tokens of the answer",                 \
                  .dflt = "10000", .min = 100, .max = 25000)

/*
 * One page of a list, for who walks all of it: each item asks whether it is on the page,
 * so what is shown is without gaps, within limit and budget, and all are counted. Begin
 * with kit_page(), end with kit_put_next(out, page.end, page.total).
 */
struct kit_page {
    const struct mcp_call *call;
    size_t offset, limit;
    int64_t budget;
    size_t end;   /* behind the last item shown */
    size_t total; /* items that asked so far */
};

struct kit_page kit_page(const struct mcp_call *call, int64_t offset, int64_t limit,
                         int64_t budget);
bool kit_page_takes(struct kit_page *p);

/* "truncated": true and "next": {"offset": n}, when there is more. */
void kit_put_next(struct jsonw *out, size_t shown_to, size_t total);

/* --- changing --- */

struct kit_change {
    bool dry_run;
    str if_match, idempotency_key;
};

/* The rows that every tool that changes something has; args has a struct kit_change at
 * member change. */
#define KIT_CHANGE_FIELDS(args)                                                          \
    {.name = "dry_run",                                                                  \
     .type = MCP_BOOL,                                                                   \
     .offset = offsetof(args, change.dry_run),                                           \
     .about = "Only show the diff of what would change",                                 \
     .dflt = "false"},                                                                   \
        {.name = "if_match",                                                             \
         .type = MCP_STR,                                                                \
         .offset = offsetof(args, change.if_match),                                      \
         .about = "etag of an earlier read; refused if the note has changed since"},     \
    {                                                                                    \
        .name = "idempotency_key", .type = MCP_STR,                                      \
        .offset = offsetof(args, change.idempotency_key),                                \
        .about = "Any unique text: a repeated call with it changes nothing twice"        \
    }

/* A draft in the name of the caller; tool is the tool's own name. */
struct draft *kit_draft(struct mcp_call *call, const char *tool,
                        const struct kit_change *how);

/*
 * Whether the call was made before, by its idempotency_key: then it is answered already.
 * To be asked before the first step; false as well when err is set.
 */
bool kit_repeated(struct mcp_call *call, struct draft *d, struct err *err);

/*
 * Commit the draft, or with dry_run only look, and finish the object that the caller
 * opened in call->out: change, files (when more than one was touched), etag, diff,
 * warnings.
 */
MUST_CHECK bool kit_commit(struct mcp_call *call, struct draft *d,
                           const struct kit_change *how, const str *warnings,
                           size_t n_warnings, struct err *err);
