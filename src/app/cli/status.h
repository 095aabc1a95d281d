/*
 * status - vaultd status: the status of the servers that use this state folder.
 *
 * Each HTTP server has a socket there (web/operator.h); --ops-addr names one elsewhere.
 */
#pragma once

#include "app/cli/command.h"
#include "base/json.h"

enum { STATUS_SERVERS_MAX = 64 };

extern const struct command_info status_info;

/* What the servers that use a state folder (empty: the default) say about themselves:
 * /health of web/operator.h. Returns how many there are. */
size_t status_servers(struct arena *a, str state_dir,
                      const struct json *out[STATUS_SERVERS_MAX]);

/* argv[0] is the verb. Returns the exit code: 0 all are healthy, 1 one is not or none is
 * running, 2 wrong usage. */
int status_run(int argc, char **argv);
