/*
 * status - vaultd status: how the servers are that run with this state folder.
 *
 * Each HTTP server has a socket there (ops.h); --ops-addr names one elsewhere.
 */
#pragma once

#include "app/cli/command.h"

extern const struct command_info status_info;

/* argv[0] is the verb. Returns the exit code: 0 all are well, 1 one is not or none runs,
 * 2 the call was wrong. */
int status_run(int argc, char **argv);
