/*
 * commands - the verbs of the command line, as a table.
 */
#pragma once

#include "app/cli/command.h"

/* All of them, first the one that need not be named, the others in the order of the
 * help; ends with a row without a name. */
const struct command_info *commands_list(struct arena *a);

/* Exit code: 0, 1 when something failed, 2 when the call was wrong. */
int commands_run(int argc, char **argv);
