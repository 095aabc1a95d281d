/*
 * pipe_parts - pipes for the body of ready.h.
 */
#pragma once

#include "base/os/windows/fd.h"
#include "base/os/windows/pump.h"

/* The pump of a pipe or console, which is started if there is none; NULL and errno. */
struct pump *pipe_pump(struct fd *f, enum pump_way way);

/* Whether a pipe without a pump has bytes, or is at its end; false if that cannot be asked. */
MUST_CHECK bool pipe_peek(const struct fd *f, bool *ready);
