/*
 * complete - answers for the completion scripts of the shells (docs_completion.c): the
 * names of notes, tags and folders that begin with what was typed, one on each line.
 *
 *     vaultd complete notes PREFIX [WORDS of the command line...]
 *
 * Which vault is meant is found among the words (-v and the like). From the stored index
 * if there is one; what takes longer than COMPLETE_MS is not answered.
 */
#pragma once

enum { COMPLETE_MS = 1500, COMPLETE_MAX = 500 };

/* argv[0] is "complete". Returns the exit code. */
int complete_run(int argc, char **argv);
