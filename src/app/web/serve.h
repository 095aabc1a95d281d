/*
 * serve - run the server: open, listen, serve until it is stopped, drain.
 */
#pragma once

#include "app/setup/settings.h"

/* Returns true when the server has stopped normally. */
MUST_CHECK bool serve_run(const struct settings *settings, struct err *err);
