/*
 * doctor - vaultd doctor: what is wrong here (checkup.h); and with --connector URL: does
 * a public URL work for claude.ai, ChatGPT, Claude Code and the Inspector, and if not,
 * which rule of which proxy is to blame?
 *
 * The latter replays what those clients do, step by step, over the network. Nothing is
 * changed, but for clients that are registered, and forgotten in a day, unless
 * --no-register.
 */
#pragma once

#include "app/cli/command.h"

extern const struct command_info doctor_info;

/* argv[0] is the verb. Returns the exit code: 0 all is well, 1 a step failed, 2 the call
 * was wrong. */
int doctor_run(int argc, char **argv);
