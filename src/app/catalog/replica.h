/*
 * replica - this process as one of several that serve the same clients (setup/shared.h): what
 * it tells the others, and what it does when they say something. Without --state-db it is
 * alone, and nothing here does anything.
 */
#pragma once

#include "app/setup/app.h"

/* For mcp_config.peers. */
struct mcp_peers replica_peers(const struct app *app);

/* When everything is open: hear the others, and tidy up for all. Until shared_deafen(). */
void replica_start(struct app *app);
