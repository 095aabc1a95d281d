/*
 * client_memory - what the server must know about its clients after a restart, in a small
 * file in the state folder, one for each choice of vaults.
 *
 * Losing it costs clients their subscriptions, nothing else: a file that is missing, too
 * large or damaged is ignored, and a failure to write it is only logged.
 */
#pragma once

#include "app/setup/app.h"

enum { MEMORY_MAX = 1 << 20 }; /* bytes */

/* What was last written; empty if nothing was. */
str memory_read(const struct app *app, struct arena *a);

/* For mcp_config.keep_memory: replaces the whole file. */
void memory_write(void *app, str text);
