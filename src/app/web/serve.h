/*
 * serve - run the server: open, listen, serve until it is stopped, drain.
 */
#pragma once

#include "app/setup/settings.h"

/* The checks of a start that open nothing, in vaultd serve and vaultd doctor. Fills
 * s->signs_in. Fails as vaultd serve does. */
MUST_CHECK bool serve_check(struct arena *a, struct settings *s, struct err *err);

/* Returns true when the server has stopped normally. */
MUST_CHECK bool serve_run(const struct settings *settings, struct err *err);
