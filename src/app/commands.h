/*
 * commands - the verbs of the command line, as a table.
 */
#pragma once

#include "app/cli/command.h"

/* Exit code: 0, 1 when something failed, 2 when the call was wrong. */
int commands_run(int argc, char **argv);
