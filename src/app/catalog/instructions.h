/*
 * instructions - the server's instructions for the model, sent when a client connects.
 *
 * Some clients show a model only the first 500 characters, and no client more than 2,000.
 */
#pragma once

#include "app/setup/app.h"

enum {
    INSTRUCTIONS_NAMES_MAX = 200,  /* bytes of vaults' names, if there are several */
    INSTRUCTIONS_RULES_MAX = 8000, /* bytes of each vault's CLAUDE.md */
};

/* In the arena. The tools and vaults of app must be set. */
str instructions_write(const struct app *app, struct arena *a);

/* For mcp_config.more: the current CLAUDE.md of each vault's root that the caller may
 * read. */
str instructions_more(struct mcp_call *call);
