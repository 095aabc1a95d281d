/*
 * state - vaultd state copy FROM TO [replace]: copy what a server stores (sign-ins,
 * clients, tokens, keys) from a state folder to PostgreSQL, and back.
 */
#pragma once

#include "app/setup/settings.h"
#include "base/sbuf.h"

/* Prints the number of rows of each table. ERR_INVALID: wrong usage. */
MUST_CHECK bool state_command(const struct settings *s, const struct option_list *words,
                              struct sbuf *out, struct err *err);
