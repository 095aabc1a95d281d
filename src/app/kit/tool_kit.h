/*
 * tool_kit - what the tools for models have in common: waiting for the index, the budget
 * of an answer, naming files, and making changes.
 *
 * Same words everywhere: path, folder, tag, limit, offset, budget, dry_run, if_match,
 * idempotency_key mean the same in every tool.
 */
#pragma once

#include "app/setup/app.h"
#include "mcp/tool.h"
#include "vault/ask/find.h"
#include "vault/ask/search.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

enum {
    KIT_BUDGET = 10000, /* tokens of an answer, unless asked otherwise */
    KIT_BUDGET_MAX = 25000,
    KIT_TOKEN_BYTES = 4,  /* how tokens are estimated, everywhere */
    KIT_DIFF_MAX = 20000, /* bytes of a diff in an answer */
    KIT_REST = 120,       /* bytes of an answer besides its list: total, next */
    KIT_LARGE = 20,       /* notes a change may touch without asking the person */
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

/* search_run() with the call's own deadline (KIT_SEARCH_MS), threads, and way to stop. */
MUST_CHECK bool kit_search(struct mcp_call *call, const struct index *x, struct search *s,
                           struct search_result *out, struct err *err);

/* Nothing was found: a note in the open object when there is no such folder or tag at
 * all. Both may be empty. Returns whether it was that. */
bool kit_put_why_none(struct mcp_call *call, const struct index *x, str folder, str tag);

/* For the stop callbacks of searches. */
bool kit_stop(void *call);

/* Whether the answer so far has used up that many tokens. */
bool kit_is_full(const struct mcp_call *call, int64_t budget);

/* Bytes that are left of a budget, without those for what stands around a list. */
size_t kit_room(const struct mcp_call *call, int64_t budget);

/*
 * An item that may turn out too large for the budget: kit_mark() before it is written,
 * then kit_keep(). False: the answer is as it was at the mark.
 */
struct kit_mark {
    struct jsonw out;
    size_t n;
};

struct kit_mark kit_mark(const struct mcp_call *call);
bool kit_keep(struct mcp_call *call, const struct kit_mark *mark, int64_t budget);

/* The rows that every tool with lists has. */
#define KIT_PAGE_FIELDS(args)                                                            \
    MCP_FIELD(args, limit, MCP_INT, 0, "Most items", .dflt = "50", .min = 1,             \
              .max = 1000),                                                              \
        MCP_FIELD(args, offset, MCP_INT, 0, "Items to skip", .dflt = "0", .min = 0,      \
                  .max = 1000000000),                                                    \
        MCP_FIELD(args, budget, MCP_INT, MCP_TACIT, "Most tokens", .dflt = "10000",      \
                  .min = 100, .max = 25000)

/*
 * One page of a list, for who walks all of it: each item asks whether it is on the page,
 * so what is shown is without gaps, within limit and budget, and all are counted. One
 * that did not fit is taken back when the next asks, unless it is alone. Begin with
 * kit_page(), end with kit_page_done() while the list is open, and
 * kit_put_next(out, page.end, page.total).
 */
struct kit_page {
    struct mcp_call *call;
    size_t offset, limit;
    int64_t budget;
    size_t end;           /* behind the last item shown */
    size_t total;         /* items that asked so far */
    struct kit_mark last; /* before the last item shown */
    bool open;            /* that item is not yet known to fit */
    bool full;
};

struct kit_page kit_page(struct mcp_call *call, int64_t offset, int64_t limit,
                         int64_t budget);
bool kit_page_takes(struct kit_page *p);
void kit_page_done(struct kit_page *p);

/* Whether none of the next n items is on the page: they are counted, and need not ask. */
bool kit_page_skips(struct kit_page *p, size_t n);

/* "truncated": true and "next": {"offset": n}, when there is more. */
void kit_put_next(struct jsonw *out, size_t shown_to, size_t total);

/* The same when vault_read is what goes on, at that line. */
void kit_put_read_on(struct jsonw *out, str path, size_t line);

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
     .about = "Diff only"},                                                              \
        {.name = "if_match",                                                             \
         .type = MCP_STR,                                                                \
         .offset = offsetof(args, change.if_match),                                      \
         .about = "Only at this etag"},                                                  \
    {                                                                                    \
        .name = "idempotency_key", .type = MCP_STR,                                      \
        .offset = offsetof(args, change.idempotency_key), .about = "Safe repeats"        \
    }

/* Who wants what, for a change; tool is the tool's own name. */
struct change kit_as(struct mcp_call *call, const char *tool,
                     const struct kit_change *how);

/* The text file that is to be changed; what is missing is answered with near ones. */
MUST_CHECK bool kit_read(struct mcp_call *call, struct draft *d, str path,
                         struct draft_file *out, struct err *err);

/* A path to be changed is not there, says err: name near ones. Returns false. */
bool kit_missing(struct mcp_call *call, str path, struct err *err);

/*
 * Make a change: steps reads what it needs, drafts and commits. Changes of one server
 * wait for each other, so that calls which a client makes at once do not disturb each
 * other; when somebody else changes a file meanwhile, and the caller did not say which
 * state it means, steps is called again.
 */
typedef bool kit_steps(struct mcp_call *call, struct err *err);
MUST_CHECK bool kit_change(struct mcp_call *call, const struct kit_change *how,
                           kit_steps *steps, struct err *err);

/* A draft in the name of the caller. */
struct draft *kit_draft(struct mcp_call *call, const char *tool,
                        const struct kit_change *how);

/*
 * Whether this call, by its idempotency_key, was made before: the answer of then is
 * written, and there is nothing left to do. To be asked before anything is looked at that
 * the first call may have changed.
 */
bool kit_repeated(struct mcp_call *call, const char *tool, const struct kit_change *how);

/*
 * Ask the person whether a change is wanted that destroys or moves something, when the
 * settings say so (large: for those that are) and the client can. Before anything is
 * written to call->out:
 *
 *     enum mcp_consent wanted = kit_confirm(call, how, large, question, err);
 *     if (wanted != MCP_ACCEPTED)
 *         return wanted == MCP_PENDING;
 */
enum mcp_consent kit_confirm(struct mcp_call *call, const struct kit_change *how,
                             bool large, str question, struct err *err);

/* An edit failed: tell the model all that is known of why. Returns false. */
bool kit_edit_failed(struct mcp_call *call, const struct edit_result *r,
                     const struct err *err);

/* "etag" of a text. */
void kit_put_etag(struct mcp_call *call, str text);

/* As vault_read counts them. */
size_t kit_count_lines(str text);

/* A note gets another text. */
struct kit_text {
    str path;
    str before, after;
    uint32_t line_first, line_last; /* of after, what is new; 0: nothing */
    const str *warnings;
    size_t n_warnings;
};

/* Into the draft with it, then size_before, size, changed_lines, total_lines and etag
 * into the open object, and kit_commit(). */
MUST_CHECK bool kit_rewrite(struct mcp_call *call, struct draft *d,
                            const struct kit_change *how, const struct kit_text *t,
                            struct err *err);

/*
 * What the tag policy says of the notes in a draft: false with TAG_NOT_ALLOWED where it
 * refuses a new tag; *warning is a sentence where it only warns, else empty.
 */
MUST_CHECK bool kit_check_tags(struct mcp_call *call, struct draft *d, str *warning,
                               struct err *err);

/*
 * Commit the draft, or with dry_run only look, and finish the object that the caller
 * opened in call->out: change, files (when more than one was touched), diff, warnings.
 */
MUST_CHECK bool kit_commit(struct mcp_call *call, struct draft *d,
                           const struct kit_change *how, const str *warnings,
                           size_t n_warnings, struct err *err);
