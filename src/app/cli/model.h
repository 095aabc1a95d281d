/*
 * model - vaultd model: installs the model for search by meaning, says what is installed,
 * and removes it.
 */
#pragma once

#include "app/cli/command.h"

extern const struct command_info model_info;

/* argv[0] is the command. Returns the exit code: 1 it failed or none is installed, 2 wrong
 * usage. */
int model_run(int argc, char **argv);
