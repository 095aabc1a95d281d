/*
 * spawn - start programs on threads that have less access than the others.
 *
 * Landlock restricts threads, and a program inherits the restrictions of the thread that
 * started it. So a thread that starts programs gives up what they do not need, and all
 * other threads give up starting programs. There is a thread for each kind of program.
 */
#pragma once

#include "base/os/child.h"
#include "base/os/sandbox.h"

enum spawn_kind {
    SPAWN_TOOL,   /* works for us: git, ssh, a shell */
    SPAWN_READER, /* reads what may be hostile: it has its input and nothing else */
    SPAWN_KINDS,
};

/* Start the thread for a kind, unless there is one. children says what these programs may
 * use, within what sandbox_enter() left; what the kernel does not support is skipped. */
void spawn_confine(enum spawn_kind kind, const struct sandbox *children);

/* From now on the calling thread, and those that it starts later, start programs only
 * through the threads of spawn_confine(). */
void spawn_only_confined(void);

/* As child_start(), on the thread for this kind if there is one. Thread-safe. */
MUST_CHECK bool spawn_program(enum spawn_kind kind, const struct child_plan *plan,
                              struct child *out);
