/*
 * app - the running program: settings, vaults, MCP server. Tools reach it through
 * app_of(), and the vault that a call is about through kit_vault() (tool_kit.h).
 * assembly.h puts it together.
 *
 * One vault is the usual case, and then nothing shows that there could be more. Of
 * several every tool and prompt takes one by its name, and the first is meant by default.
 */
#pragma once

#include <stdatomic.h>

#include "app/setup/metrics.h"
#include "app/setup/settings.h"
#include "app/setup/syncing.h"
#include "base/sandbox.h"
#include "mcp/server.h"
#include "mcp/tool.h"
#include "vault/vault.h"

struct app;

struct app_vault {
    struct app *app;
    str name; /* for clients: the one it was given, else that of its folder */
    struct vault *vault;
    atomic_uint_fast64_t prompts_listed; /* of prompts.c; 0: nobody has asked yet */
};

/* Of a tool, among its mcp_tool_flag. */
enum app_tool_flag {
    APP_NEEDS_SYNC = MCP_TOOL_APP_FLAG,         /* offered only where sync is on */
    APP_NEEDS_JOURNAL = 2 * MCP_TOOL_APP_FLAG,  /* only where changes are recorded */
    APP_OPENS_OBSIDIAN = 4 * MCP_TOOL_APP_FLAG, /* starts a program: confine.h */
};

/* What a call says besides its own arguments, when there are several vaults. */
struct app_choice {
    int vault; /* its place in the app's */
};

struct app {
    struct arena arena; /* lives as long */
    struct settings settings;
    struct access access; /* of everybody */
    const char *state_dir;
    struct app_vault *vaults; /* at least one */
    size_t n_vaults;
    const struct mcp_tool *const *tools;     /* of the chosen sets */
    const struct mcp_prompt *const *prompts; /* of the profile */
    const struct prompt_words *prompt_words; /* prompts.h; or NULL */
    struct pool *pool;                       /* for calls */
    struct pool *indexing; /* for the vaults' own work: calls do not wait behind it */
    struct mcp_server *mcp;
    uint64_t started; /* clock_ms() */
    struct metrics metrics;
    struct sandbox_state sandbox;
    struct syncing sync;          /* of the first vault */
    struct auto_context *context; /* NULL: nobody is told */
    atomic_bool stopping;         /* who waits gives up */
};

static inline struct app *app_of(struct mcp_call *call)
{
    return call->app;
}

/* What a grant means for struct app: mcp_config.read_grant. One that makes no sense
 * allows nothing. */
void *app_read_grant(void *app, struct arena *a, str grant);

/* A vault as a caller, whose grant has been read, may use it: the same one each time. */
struct vault *app_vault_for(const struct app_vault *served,
                            const struct mcp_caller *caller);

/* The names of all vaults, for a log line: "work, home". */
str app_names(const struct app *app, struct arena *a);

/* The vault of that name, case ignored; NULL if there is none. */
struct app_vault *app_find_vault(const struct app *app, str name);
