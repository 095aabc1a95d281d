/*
 * app - the running program: settings, vaults, MCP server. Tools reach it through
 * app_of(), and the vault of a call through tool_vault() (tool_support.h). assembly.h
 * puts it together.
 *
 * Usually there is one vault, and then clients do not see that there could be more. With
 * several, every tool and prompt takes the name of a vault; the first is the default.
 * They are those of the settings, always open, in app.vaults; or, with --vaults-dir,
 * hosted ones, which are opened when they are used and of which a caller sees those that
 * the table allows (vaults.h).
 */
#pragma once

#include <stdatomic.h>

#include "app/setup/embedding.h"
#include "app/setup/metrics.h"
#include "app/setup/open_vaults.h"
#include "app/setup/settings.h"
#include "app/setup/syncing.h"
#include "base/os/sandbox.h"
#include "mcp/server.h"
#include "mcp/tool.h"
#include "replica/replica.h"
#include "replica/replica_vault.h"
#include "vault/vault.h"

struct app;

struct app_vault {
    struct app *app;
    str name;            /* for clients: as given, else the name of its folder */
    str identity;        /* of a hosted one: as the table has it (state/vault_table.h) */
    struct vault *vault; /* of a hosted one: only while it is used */
    struct vault *for_clients; /* the same as clients may use it: what they propose
                                  (app.review), and what the owner says about them in notes.
                                  Sync and pages of people who have signed in use vault */
    struct syncing sync;       /* the same */
    atomic_uint_fast64_t prompts_listed; /* used by prompts.c; 0: not listed yet */
    struct replica_vault replica;        /* what is known of our clone of it */
    struct vaults_row *row;              /* of a hosted one: private to vaults.c */
    struct arena arena;                  /* of a hosted one: while it is open */
};

/* Flags of a tool, in addition to mcp_tool_flag. */
enum {
    APP_NEEDS_SYNC = MCP_TOOL_APP_FLAG,         /* offered only if sync is on */
    APP_NEEDS_JOURNAL = 2 * MCP_TOOL_APP_FLAG,  /* offered only if changes are recorded */
    APP_OPENS_OBSIDIAN = 4 * MCP_TOOL_APP_FLAG, /* starts a program: confine.h */
    APP_READS_PDF = 8 * MCP_TOOL_APP_FLAG, /* uses the text of PDF files: pdf_pages.h */
    APP_USES_MEANING = 16 * MCP_TOOL_APP_FLAG, /* uses embeddings of notes: embedding.h */
    APP_TAKES_ALL = 32 * MCP_TOOL_APP_FLAG,    /* can be asked about all vaults */
    APP_CHOOSES = 64 * MCP_TOOL_APP_FLAG, /* uses vaults of its own choice, or none */
    APP_TAKES_CLOSED = 128 * MCP_TOOL_APP_FLAG, /* also answers if its vault cannot be
                                                   opened: tool_closed() */
};

/* The additional argument of every call when there are several vaults. */
struct app_choice {
    int listed; /* index in app.vaults; n_vaults: all of them */
    str named;  /* of a hosted one; empty: the first that the caller sees */

    /* What it came to; set by tool_use(). NULL: nothing yet. */
    const struct app_vault *vault;
    bool all; /* every vault that the caller sees: only for APP_TAKES_ALL */
    const struct err *closed; /* why it is not open: only for APP_TAKES_CLOSED; or NULL */
};

#define APP_ALL_VAULTS "*" /* what clients call them */

struct app {
    struct arena arena; /* lives as long as the app */
    struct settings settings;
    struct access access;                  /* for all clients */
    struct access review;                  /* what they only propose */
    struct app_proposals *proposals;       /* proposals.h; NULL: they propose nothing */
    struct proposal_watch *proposal_watch; /* catalog/proposal_resource.h; or NULL */
    struct review_keys *review_keys;       /* web/review_keys.h; NULL: not over HTTP */
    const char *state_dir;
    struct app_vault *vaults; /* of the settings: at least one, unless hosted is set */
    size_t n_vaults;
    struct vaults_hosted *hosted;            /* NULL: without --vaults-dir (vaults.h) */
    const struct mcp_tool *const *tools;     /* the chosen ones */
    const struct mcp_tool *const *left_out;  /* all others */
    const struct mcp_prompt *const *prompts; /* of the profile */
    const struct prompt_words *prompt_words; /* prompts.h; or NULL */
    struct pool *pool;                       /* for calls */
    struct pool *indexing; /* for indexing, so that calls do not wait for it */
    struct mcp_server *mcp;
    uint64_t started; /* clock_ms() */
    struct metrics metrics;
    struct sandbox_state sandbox;
    struct replica replica;       /* what this process shares with others */
    struct auto_context *context; /* NULL: --auto-context is off */
    struct folder_rules *rules;   /* tool_rules.h; NULL: --auto-context is off */
    struct read_log *read_log;    /* what clients have read */
    struct audit *audit;          /* NULL: --audit is off */
    bool traces;                  /* note which files calls use: tool_trace.h */
    struct embedding embedding;   /* the embedding provider */
    struct pdf_cache *pdf;        /* NULL: PDF files are not read (pdf_pages.h) */
    atomic_bool leaving;          /* stopping: load balancers should avoid this server */
    atomic_bool stopping;         /* waiting calls give up */
    atomic_uint_fast64_t
        push_by;            /* clock_ms(): when the last pushes end; 0: not stopping */
    atomic_bool publishing; /* adr_publish() is at work; one at a time */
};

static inline struct app *app_of(struct mcp_call *call)
{
    return call->app;
}

/* Whether clients name the vault that they mean. */
bool app_has_several(const struct app *app);

/* Where the repository of --adr-repo is checked out; NULL without that setting. */
const char *app_adr_folder(struct arena *a, const struct app *app);

/* The names of all vaults, for people who may see all: "work, home". */
str app_names(const struct app *app, struct arena *a);

/* The URI of a file as a resource. Subscribers must spell it the same way. */
str app_uri(struct arena *a, const struct app_vault *v, str path);

/* The parts of such a URI: the name, empty if it has none, and the encoded path. False if
 * it is another one. */
MUST_CHECK bool app_uri_parts(str uri, str *name, str *path);
