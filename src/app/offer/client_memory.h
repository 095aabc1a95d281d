/*
 * memory - what the server must know of its clients after a restart, in a small file of
 * the state folder, one for each choice of vaults.
 *
 * Losing it costs clients their subscriptions, nothing else: a file that is missing, too
 * large or damaged is as good as none, and one that cannot be written is only logged.
 */
#pragma once

#include "app/setup/app.h"

enum { MEMORY_MAX = 1 << 20 }; /* bytes */

/* As it was last written; empty if it was not. */
str memory_read(const struct app *app, struct arena *a);

/* For mcp_config.keep_memory: replaces the file whole. */
void memory_write(void *app, str text);
