/*
 * kit_change - what the tools that change notes have in common: fields, asking the
 * person, waiting for each other, and the answer.
 */
#pragma once

#include "app/kit/tool_kit.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

enum {
    KIT_DIFF_MAX = 20000, /* bytes of a diff in an answer */
    KIT_LARGE = 20,       /* notes a change may touch without asking the person */
};

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
void kit_put_repeated(struct mcp_call *call, uint64_t change, str answer);

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
bool kit_edit_failed(struct mcp_call *call, const struct edit_result *r);

/* "etag" of a text. */
void kit_put_etag(struct mcp_call *call, str text);

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
