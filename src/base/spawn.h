/*
 * spawn - start programs on a thread that has less access than the others.
 *
 * Landlock restricts threads, and a program inherits the restrictions of the thread that
 * started it. So one thread that starts all programs gives up what programs do not need,
 * and all other threads give up starting programs.
 */
#pragma once

#include <spawn.h>

#include "base/sandbox.h"

/* Start the thread. Call it after sandbox_enter(), before any other thread is started;
 * children says what programs may use. What the kernel does not support is skipped. */
void spawn_confine(const struct sandbox *children);

/* As posix_spawn(), on that thread if there is one. Thread-safe. */
int spawn_program(pid_t *pid, const char *program,
                  const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attr, char *const argv[], char *const env[]);
