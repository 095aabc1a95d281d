/*
 * serve - the server's life: open, listen, serve until told to stop, drain.
 */
#pragma once

#include "app/setup/settings.h"

/* Returns when the server has ended in good order. */
MUST_CHECK bool serve_run(const struct settings *settings, struct err *err);
