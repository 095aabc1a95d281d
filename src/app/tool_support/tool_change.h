/*
 * tool_change - what the tools that change notes share: fields, asking the user, the tag
 * policy, and the answer.
 */
#pragma once

#include "app/answers/changed.h"
#include "app/tool_support/tool_support.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

enum {
    TOOL_LARGE = 20,        /* notes that a change may touch without asking the user */
    TOOL_STALE_DIFF = 2000, /* bytes of what has changed since a stale etag */
    TOOL_DELETED = 5,       /* files that it may delete; a folder is always asked about */
    TOOL_MANY_S = 10 * 60,  /* the time in which --confirm-files counts (SEC-123) */
};

struct tool_change {
    bool dry_run;
    str if_match, idempotency_key;
    str proposal; /* that it builds on; or empty */
};

/* The fields of every tool that changes something; args has a member change, a struct
 * tool_change. match: the flags of if_match. */
#define TOOL_CHANGE_FIELDS_AS(args, match)                                               \
    MCP_FIELD_AS(args, change.dry_run, "dry_run", MCP_BOOL, MCP_TERSE, "Diff only"),     \
        MCP_FIELD_AS(args, change.if_match, "if_match", MCP_STR, (match),                \
                     "Only if etag matches"),                                            \
        MCP_FIELD_AS(args, change.idempotency_key, "idempotency_key", MCP_STR,           \
                     MCP_UNLISTED, "Safe retries"),                                      \
        MCP_FIELD_AS(args, change.proposal, "proposal", MCP_STR, MCP_UNLISTED,           \
                     "Build on this one")

#define TOOL_CHANGE_FIELDS(args) TOOL_CHANGE_FIELDS_AS(args, MCP_TERSE)

/* The program that makes the call: as it is known since the sign-in, followed by what it
 * says about itself, or just that. Empty if neither is known. */
str tool_client(const struct mcp_call *call);

/* Who asks for a change, for the journal; tool is the tool's own name. And the request, if
 * it has a key. */
struct actor tool_actor(struct mcp_call *call, const char *tool);
struct idempotency tool_request(struct mcp_call *call, const char *tool, str key);

/*
 * Whether a change of n more files may be made, or *needed: the user must confirm it,
 * because the caller has changed many files recently, in this vault and elsewhere: in the
 * other vaults that are open, and at other replicas. All callers without sign-in are one.
 * Fails with NOT_CONFIRMED if the client cannot ask, except over stdio.
 */
MUST_CHECK bool tool_check_many(struct mcp_call *call, size_t elsewhere, size_t n,
                                bool *needed, str *why, struct err *err);

/* What it counts elsewhere: asked before the change, because it may wait for the database.
 * And afterwards: lets other replicas know. */
size_t tool_files_elsewhere(struct mcp_call *call);
void tool_files_changed(struct mcp_call *call);

/* Ask the user about a plan (mcp_confirm). False if they declined (NOT_CONFIRMED), or
 * *pending: the call is run again when they have answered. */
MUST_CHECK bool tool_ask(struct mcp_call *call, str plan, str question, bool *pending,
                         struct err *err);

/* A step failed: if there is no such file, say which tool finds it. Returns false. */
bool tool_missing(struct err *err);

/*
 * A change under construction. Steps add to the draft and set out, and also question if
 * the user must confirm the change; tool_run_change() does everything else.
 */
struct tool_changing {
    struct mcp_call *call;
    const struct tool_change *how;
    struct draft *draft;
    struct changed out;
    struct edit_result edit; /* its hint, if an edit failed, is reported to the model */
    str question;            /* for changes that destroy or move something; or empty */
    bool large;              /* ask even if only large changes need confirmation */
    size_t deletes;          /* files that it deletes */
    bool deletes_folder;
    int64_t confirm; /* how many the caller says that it deletes; 0: nothing */
    bool pending;    /* the user was asked, or it waits; the call is run again later */
    bool elsewhere;  /* another replica has made it before (tool_once.h) */
    size_t elsewhere_files; /* tool_files_elsewhere() */
};

/* Whether the caller has to say how many files it deletes: a client that cannot ask the
 * user, if they are many or a folder. */
bool tool_counts_deletes(struct mcp_call *call, size_t files, bool folder);

/* Called again with everything reset if another program has changed a file. */
typedef bool tool_steps(struct tool_changing *c, struct err *err);

/* What the row of a changing tool says in mcp_tool.app. */
struct tool_changer {
    tool_steps *steps;
    const struct answer_shape *shape; /* for struct changed; NULL: changed_shape */
    size_t change;                    /* offset of struct tool_change in args; 0: none */
    bool tags;                        /* apply the tag policy to what it writes */
    bool early;                       /* transact.h */
    bool unchecked;   /* may write what is not valid (draft_check): sets in
                                         the form of servers that do */
    const char *done; /* of struct changed, if it is always the same */
    bool (*before)(struct mcp_call *call, struct err *err); /* before the lock; or NULL */
};

/* The members of the row of a tool that changes something. */
#define TOOL_CHANGES(...)                                                                \
    .run = tool_run_change, .app = &(const struct tool_changer)                          \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }

/*
 * mcp_tool.run of these tools: make the change (transact.h), then answer. Asks the user
 * first if the settings say so and the client supports it.
 */
MUST_CHECK bool tool_run_change(struct mcp_call *call, struct err *err);

/*
 * Run the steps of another changing tool as a part of the change c: on the same draft,
 * with these arguments, which were read with the fields of that tool. *step is filled;
 * call->why is set as for the tool alone.
 */
MUST_CHECK bool tool_run_step(struct tool_changing *c, const struct mcp_tool *tool,
                              const void *args, struct tool_changing *step,
                              struct err *err);

/* Read the file that path, a path or name, means (ops_open()); fails unless it has
 * the etag of if_match, if given. */
MUST_CHECK bool tool_open(struct tool_changing *c, str path, struct draft_file *out,
                          struct err *err);

/* The same, or the path of a file to create (ops_open_or_create()). */
MUST_CHECK bool tool_open_or_create(struct tool_changing *c, str path,
                                    struct draft_file *out, bool *created,
                                    struct err *err);

/* Whether the file has the etag of if_match. If not, the model gets a diff of what has changed
 * since, if the history has the text of that etag. */
MUST_CHECK bool tool_match(struct tool_changing *c, str path, struct err *err);

/* An edit of f failed: say so if that is because of its encoding. Returns false. */
bool tool_not_edited(struct tool_changing *c, const struct draft_file *f,
                     struct err *err);

/* Warn of links to headings and blocks that the note at path had with that text, and does
 * not have any more. */
void tool_warn_lost(struct tool_changing *c, str path, str before);

/* Give the file the text of c->edit. */
MUST_CHECK bool tool_rewrite(struct tool_changing *c, const struct draft_file *f,
                             struct err *err);
