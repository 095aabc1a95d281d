/*
 * instructions - what every client is told of the server when it connects, for the model.
 *
 * Clients may show a model no more than the first 500 characters, and none more than
 * 2,000.
 */
#pragma once

#include "app/setup/app.h"

enum {
    INSTRUCTIONS_NAMES_MAX = 200,  /* bytes of names of vaults, of several */
    INSTRUCTIONS_RULES_MAX = 8000, /* of the CLAUDE.md of each vault */
};

/* In the arena. Which tools and vaults there are must be known. */
str instructions_write(const struct app *app, struct arena *a);

/* For mcp_config.more: the CLAUDE.md of the vaults' roots as they are now, for who may
 * read them. */
str instructions_more(void *app, struct arena *a, const struct mcp_caller *caller);
