/*
 * app - the running program: settings, vaults, MCP server. Tools reach it through
 * app_of(), and the vault of a call through kit_vault() (tool_kit.h). assembly.h puts it
 * together.
 *
 * Usually there is one vault, and then clients do not see that there could be more. With
 * several, every tool and prompt takes the name of a vault; the first is the default.
 */
#pragma once

#include <stdatomic.h>

#include "app/setup/embedding.h"
#include "app/setup/fresh.h"
#include "app/setup/metrics.h"
#include "app/setup/settings.h"
#include "app/setup/shared.h"
#include "app/setup/syncing.h"
#include "base/os/sandbox.h"
#include "mcp/server.h"
#include "mcp/tool.h"
#include "vault/vault.h"

struct app;

struct app_vault {
    struct app *app;
    str name; /* for clients: as given, else the name of its folder */
    struct vault *vault;
    atomic_uint_fast64_t prompts_listed; /* used by prompts.c; 0: not listed yet */
};

/* Flags of a tool, in addition to mcp_tool_flag. */
enum app_tool_flag {
    APP_NEEDS_SYNC = MCP_TOOL_APP_FLAG,         /* offered only if sync is on */
    APP_NEEDS_JOURNAL = 2 * MCP_TOOL_APP_FLAG,  /* offered only if changes are recorded */
    APP_OPENS_OBSIDIAN = 4 * MCP_TOOL_APP_FLAG, /* starts a program: confine.h */
    APP_READS_PDF = 8 * MCP_TOOL_APP_FLAG,      /* uses the text of PDF files: paging.h */
    APP_USES_MEANING = 16 * MCP_TOOL_APP_FLAG,  /* uses vectors of notes: embedding.h */
};

/* The additional argument of every call when there are several vaults. */
struct app_choice {
    int vault; /* index in app.vaults */
};

struct app {
    struct arena arena; /* lives as long as the app */
    struct settings settings;
    struct access access; /* for all clients */
    const char *state_dir;
    struct app_vault *vaults; /* at least one */
    size_t n_vaults;
    const struct mcp_tool *const *tools;     /* of the chosen tool sets */
    const struct mcp_prompt *const *prompts; /* of the profile */
    const struct prompt_words *prompt_words; /* prompts.h; or NULL */
    struct pool *pool;                       /* for calls */
    struct pool *indexing; /* for indexing, so that calls do not wait for it */
    struct mcp_server *mcp;
    uint64_t started; /* clock_ms() */
    struct metrics metrics;
    struct sandbox_state sandbox;
    struct syncing sync;  /* of the first vault */
    struct shared shared; /* with other replicas */
    struct fresh fresh;
    struct auto_context *context; /* NULL: --auto-context is off */
    struct seen *seen;            /* what clients have read */
    struct embedding embedding;   /* who makes vectors of notes */
    struct pdf_cache *pdf;        /* NULL: PDF files are not read (paging.h) */
    atomic_bool stopping;         /* waiting calls give up */
    atomic_bool publishing;       /* adr_publish() is at work; one at a time */
};

static inline struct app *app_of(struct mcp_call *call)
{
    return call->app;
}

/*
 * A grant as text, for mcp_caller.grant: only these folders, literally, or everything if
 * there are none. With several vaults a folder belongs to one of them, "NAME:FOLDER";
 * without a name, to the first. Empty: everything may be read and written.
 */
str app_write_grant(const struct app *app, struct arena *a, bool read_only,
                    const str *folders, size_t n);

/* Parses it: mcp_config.read_grant. What is invalid allows nothing. */
void *app_read_grant(void *app, struct arena *a, str grant);

/* A caller's view of a vault, once its grant has been read: the same view each time. */
struct vault *app_vault_for(const struct app_vault *served,
                            const struct mcp_caller *caller);

/* Where the repository of --adr-repo is checked out; NULL without that setting. */
const char *app_adr_folder(struct arena *a, const struct app *app);

/* The names of all vaults, for a log line: "work, home". */
str app_names(const struct app *app, struct arena *a);

/* The URI of a file as a resource. Subscribers must spell it the same way. */
str app_uri(struct arena *a, const struct app_vault *v, str path);

/* The vault with that name, ignoring case; NULL if there is none. */
struct app_vault *app_find_vault(const struct app *app, str name);
