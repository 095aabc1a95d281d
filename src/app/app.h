/*
 * app - the running program: settings, vault, MCP server. The only place that knows
 * everybody; tools reach it through app_of().
 */
#pragma once

#include <stdatomic.h>

#include "app/settings.h"
#include "mcp/server.h"
#include "vault/vault.h"

struct app {
    struct arena arena; /* lives as long */
    struct settings settings;
    const char *state_dir;
    struct vault *vault;
    struct pool *pool;
    struct mcp_server *mcp;
    atomic_uint_fast64_t prompts_listed; /* of prompts.c; 0: nobody has asked yet */
};

static inline struct app *app_of(struct mcp_call *call)
{
    return call->app;
}

/* Open the vault and make the MCP server; release takes a half-built app, too. */
MUST_CHECK bool app_init(struct app *app, const struct settings *settings,
                         struct err *err);
void app_release(struct app *app);
