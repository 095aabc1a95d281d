/*
 * keys - vaultd key add|list|revoke: API keys for programs that cannot sign in.
 *
 *   key add NAME [read|propose|write] [FOLDER...]    prints only the key, only this once
 *   key add NAME --level LEVEL --read F --propose F --write F --deny F --tools TOOL,...
 *   key list [--json]     name, scopes, places, created, last used, tools
 *   key revoke NAME
 */
#pragma once

#include "app/cli/command.h"

extern const struct command_info keys_info;

/* argv[0] is "key". Returns the exit code: 2 for wrong usage. */
int keys_run(int argc, char **argv);
