/*
 * commands - the verbs of the command line, as a table.
 */
#pragma once

#include "app/cli/command.h"

/* Exit code: 0, 1 if something failed, 2 for wrong usage. */
int commands_run(int argc, char **argv);
