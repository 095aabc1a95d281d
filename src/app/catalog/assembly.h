/*
 * assembly - puts the running program together: opens the vaults, enters the sandbox,
 * makes the MCP server from the chosen tools, prompts and resources, and starts sync.
 */
#pragma once

#include "app/setup/app.h"

/* What assembly_open() refuses before it opens anything: tools, rules for paths, and folders of
 * vaults that overlap or belong to another user. */
MUST_CHECK bool assembly_check(struct arena *a, const struct settings *settings,
                               struct err *err);

/* On failure *app is half built; assembly_close() accepts that. */
MUST_CHECK bool assembly_open(struct app *app, const struct settings *settings,
                              struct err *err);
/* push_ms: the last pushes of all vaults end after that time. */
void assembly_close(struct app *app, unsigned push_ms);

/* Call it before the pool is freed: afterwards the vaults change nothing any more. */
void assembly_stop_vaults(struct app *app);
