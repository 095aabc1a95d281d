/*
 * status - vaultd status: the status of the servers that use this state folder.
 *
 * Each HTTP server has a socket there (web/operator.h); --ops-addr names one elsewhere.
 */
#pragma once

#include "base/json.h"

enum { STATUS_SERVERS_MAX = 64 };

/* What the servers that use a state folder (empty: the default) say about themselves:
 * /health of web/operator.h. Returns how many there are. */
size_t status_servers(struct arena *a, str state_dir,
                      const struct json *out[STATUS_SERVERS_MAX]);
