/*
 * status - vaultd status: the status of the servers that use this state folder.
 *
 * Each HTTP server has a socket there (web/operator.h); --ops-addr names one elsewhere.
 */
#pragma once

#include "app/cli/command.h"

extern const struct command_info status_info;

/* argv[0] is the verb. Returns the exit code: 0 all are healthy, 1 one is not or none is
 * running, 2 wrong usage. */
int status_run(int argc, char **argv);
