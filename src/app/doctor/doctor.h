/*
 * doctor - vaultd doctor: find out what is wrong on this machine (checkup.h); or with
 * --connector URL: whether a public URL works for claude.ai, ChatGPT, Claude Code and the
 * Inspector, and if not, which proxy rule is the cause.
 *
 * The latter replays what those clients do, step by step, over the network. Nothing is
 * changed, except that clients are registered, and dropped after a day; --no-register
 * avoids that.
 */
#pragma once

#include "app/cli/command.h"

extern const struct command_info doctor_info;

/* argv[0] is the verb. Returns the exit code: 0 no problem, 1 a step failed, 2 wrong
 * usage. */
int doctor_run(int argc, char **argv);
