/*
 * child_spawn - child_start() with posix_spawn(), for systems where that can close what is
 * left open.
 */
#pragma once

#include <spawn.h>

#include "base/os/child.h"

/* flags are added to ours; more, unless NULL, adds actions to ours. */
MUST_CHECK bool child_spawn(const struct child_plan *plan, short flags,
                            void (*more)(posix_spawn_file_actions_t *actions),
                            struct child *out);
