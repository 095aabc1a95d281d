/*
 * keys - vaultd key add|list|revoke: API keys for programs that cannot sign in.
 *
 *   key add NAME [read|write] [FOLDER...]    the key alone on stdout, this once
 *   key list                                 name, scopes, folders, made, last used
 *   key revoke NAME
 */
#pragma once

#include "app/setup/settings.h"
#include "base/sbuf.h"

/* ERR_INVALID: the call was wrong. */
MUST_CHECK bool keys_command(const struct settings *s, const struct option_list *words,
                             struct sbuf *out, struct err *err);
