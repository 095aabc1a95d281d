/*
 * keys - vaultd key add|list|revoke: API keys for programs that cannot sign in.
 *
 *   key add NAME [read|write] [FOLDER...]    prints only the key, only this once
 *   key list                                 name, scopes, folders, created, last used
 *   key revoke NAME
 */
#pragma once

#include "app/setup/settings.h"
#include "base/sbuf.h"

/* ERR_INVALID: wrong usage. */
MUST_CHECK bool keys_command(const struct settings *s, const struct option_list *words,
                             struct sbuf *out, struct err *err);
