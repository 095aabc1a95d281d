/*
 * complete - answers for the completion scripts of the shells (docs_completion.c).
 *
 *     vaultd complete WORDS...    those of the command line after vaultd; the last one is
 *                                 being typed, and may be empty
 *
 * Each line is a word, perhaps with a tab and what it means: commands, flags, their values,
 * and of the vault the names of notes, tags and folders. The last line says what else fits:
 * ":files" and ":folders" on this machine, ":names" if the words are names, which may need
 * quotes, or ":".
 *
 * Which vault is meant is found among the words (-v and the like). From the stored index
 * if there is one; what takes longer than COMPLETE_MS is not answered.
 */
#pragma once

#include "app/cli/command.h"

enum { COMPLETE_MS = 1500, COMPLETE_MAX = 500 };

/* argv[0] is "complete"; if no command is named, "serve" is meant. Returns the exit code. */
int complete_run(const struct command_info *commands, int argc, char **argv);
