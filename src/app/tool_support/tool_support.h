/*
 * tool_support - what the tools for models share: choosing the vault, waiting for the
 * index, the budget of an answer, finding files. tool_change.h is about changes.
 *
 * The same words everywhere: path, folder, tag, limit, offset, budget, dry_run, if_match,
 * idempotency_key mean the same in every tool.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/setup/app.h"
#include "base/stop.h"
#include "mcp/tool.h"
#include "vault/ask/find.h"

/* Other names for `limit`, as other servers call it. */
#define TOOL_LIMIT_ALSO "max_results max_count top_k"

enum {
    TOOL_BUDGET = 10000, /* tokens per answer, unless the call says otherwise */
    TOOL_BUDGET_MAX = 25000,
    TOOL_NO_BUDGET = -1,
    TOOL_TOKEN_BYTES = 4, /* how tokens are estimated, everywhere */
    TOOL_SEARCH_MS =
        5000, /* time limit of a search, which then returns what it has found */
};
static const size_t TOOL_MEMORY_MAX = 512 << 20; /* bytes for one call */

/* The page shown beside the answers of some tools: catalog/view.h. */
#define TOOL_VIEW_URI "ui://vaultd/view"

/* Flags of a field that needs the vault's git history, and of one whose last choice needs
 * vectors. */
enum { TOOL_HISTORY = MCP_APP_FLAG, TOOL_MEANING = 2 * MCP_APP_FLAG };

/* --- which vault --- */

/*
 * A hosted vault is open as long as a call uses it, that is until the call has ended or
 * asks its client; and with several replicas, what the caller has seen at another one
 * must be here first (replica/read_your_writes.h). Tools need not do anything for this:
 * tool_before() chooses the vault of a tool before its handler runs (mcp_config.before),
 * and lets the call wait without a worker. Handlers of resources, prompts and completion
 * choose with the functions below.
 */
bool tool_before(struct mcp_call *call, struct err *err);
void tool_answering(void *app, void *held);
void tool_end(void *app, const struct mcp_caller *caller, void *held);

/* The vault that a call is about. Everything below uses it. */
struct app_vault *tool_served(const struct mcp_call *call);

/* Its name if clients name vaults, else empty: for answers about changes. */
str tool_vault_name(const struct mcp_call *call);

/* The names of the others that the caller sees, if the arguments name no vault. */
size_t tool_other_vaults(struct mcp_call *call, const str **out);

/* A text after the answer; others may have one, too. */
void tool_note_block(struct mcp_call *call, str text);

/* Whether the call is about all vaults that the caller sees, only for APP_TAKES_ALL. Then
 * tool_use_within() chooses one after the other. */
bool tool_wants_all(const struct mcp_call *call);

/* Why it could not be opened, for APP_TAKES_CLOSED; NULL: it is open. */
const struct err *tool_closed(const struct mcp_call *call);

/* Whether the call has chosen a vault, and still uses it. */
bool tool_is_using(struct mcp_call *call);

/* The caller's view of it, the only one that tools may use. */
struct vault *tool_vault(const struct mcp_call *call);

/*
 * From now on the call uses that vault: for tools that name it in other ways. Fails like
 * vaults_use(); and without an error if the vault is not ready: then the handler returns
 * false, too, and is run again soon (mcp_wait()).
 */
MUST_CHECK bool tool_use(struct mcp_call *call, const struct app_vault *v,
                         struct err *err);

/*
 * For a call that uses one vault after the other: say so first, then use each, waiting
 * here for at most ms, and leave it. Run again, it would begin with the first, which may
 * have been closed for the last. A vault that is being cloned cannot be used, and is not
 * waited for here: before and after all of that, ask tool_awaits_clones().
 */
void tool_use_several(struct mcp_call *call);
MUST_CHECK bool tool_use_within(struct mcp_call *call, const struct app_vault *v,
                                unsigned ms, struct err *err);
void tool_leave(struct mcp_call *call);

/* Whether one of these vaults is being cloned: then the handler returns false, without an
 * error, and is run again soon. Only for ms after the call began. */
bool tool_awaits_clones(struct mcp_call *call, struct app_vault *const *vaults, size_t n,
                        unsigned ms);

/* Whether what the call reads may be older than what its caller has seen. */
bool tool_is_stale(struct mcp_call *call);

/* The answer of the call is settled, and only waits to be sent (ryw_settled()). */
void tool_is_settled(struct mcp_call *call);

/* tool_use() for a name in a URI, or the default if it is empty. */
MUST_CHECK bool tool_use_named(struct mcp_call *call, str name, struct err *err);

/* The same for the vault that the common fields of a prompt name. tool_chosen() only
 * finds out which it is, without waiting; NULL: there is none, as err says. */
MUST_CHECK bool tool_use_chosen(struct mcp_call *call, struct err *err);
const struct app_vault *tool_chosen(struct mcp_call *call, struct err *err);

/* When to give up work for a call: the client does not want it any more, or it needs too
 * much memory. */
struct stop tool_stopping(struct mcp_call *call);

/* --- reading --- */

/*
 * Wait for the index, reporting progress to the client, and hold it. NULL if the client
 * gave up or the vault cannot be read. Call tool_unlock() before using anything else of
 * the vault.
 */
const struct index *tool_lock(struct mcp_call *call, struct err *err);
void tool_unlock(struct mcp_call *call);

/* What a call asks of the index, which is held meanwhile. */
typedef bool tool_question(struct mcp_call *call, const struct index *x, struct err *err);

/* tool_lock(), read, and tool_unlock(). */
MUST_CHECK bool tool_with_index(struct mcp_call *call, tool_question *read,
                                struct err *err);

/* The members of the row of a tool that does nothing else. */
#define TOOL_READS(read_)                                                                \
    .run = tool_run_reader, .app = &(const struct tool_reads)                            \
    {                                                                                    \
        read_                                                                            \
    }

struct tool_reads {
    tool_question *read;
};

MUST_CHECK bool tool_run_reader(struct mcp_call *call, struct err *err);

/* find_file() for a word that is a valid path. */
MUST_CHECK bool tool_file(struct mcp_call *call, const struct index *x, str word,
                          const struct file **out, struct err *err);

/* The same; if there is no such file, the error names one of our tools that helps. */
MUST_CHECK bool tool_find(struct mcp_call *call, const struct index *x, str word,
                          const struct file **out, struct err *err);

/*
 * The path of the named file: unchanged if it exists, else found by name as in
 * tool_file(). A folder's path is also unchanged: reading it gives the right error.
 */
MUST_CHECK bool tool_path(struct mcp_call *call, str word, str *path, struct err *err);

/* hits_find() with the call's limits (TOOL_SEARCH_MS, tool_stopping()) and threads. */
MUST_CHECK bool tool_hits(struct mcp_call *call, const struct index *x, struct search *s,
                          struct hits *out, struct err *err);

/* search_read() with these limits, for hits_hold() and what is below. */
struct search_plan *tool_plan_search(struct mcp_call *call, struct search *s);

/* hits_hold() as soon as the first index is complete. NULL as with tool_lock(), or if the
 * search fails. */
const struct index *tool_lock_hits(struct mcp_call *call, struct search_plan *p,
                                   struct hits *out, struct err *err);

/*
 * The same before the first index is complete, without waiting for it: true if a text was
 * found, in the files of an index that is only of these and must be freed.
 */
MUST_CHECK bool tool_early_hits(struct mcp_call *call, const struct search_plan *p,
                                struct hits *out, struct index **x);

/* Whether the answer to a call will be plain text (--answers). */
bool tool_in_words(struct mcp_call *call, const struct answer_shape *shape);

/* Whether the caller has a tool of that name: only such are named in answers. */
bool tool_has(const struct mcp_call *call, const char *name);

/* Answer the call with a result, in at most budget tokens. Returns true. */
bool tool_answer(struct mcp_call *call, const struct answer_shape *shape,
                 const void *result, int64_t budget);

/* Whether the client gave up. */
bool tool_stop(void *call);

/* The fields of every tool with a list. */
#define TOOL_PAGE_FIELDS(args)                                                           \
    MCP_FIELD(args, limit, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Max items", .dflt = "50",  \
              .also = TOOL_LIMIT_ALSO, .min = 1, .max = 1000),                           \
        MCP_FIELD(args, offset, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Items to skip",       \
                  .dflt = "0", .min = 0, .max = 1000000000),                             \
        MCP_FIELD(args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",       \
                  .dflt = "10000", .min = 100, .max = 25000)
