/*
 * interrupt - while the process waits for a program it started, a signal that would end
 * the process sets a flag instead, so that the program can be stopped first.
 *
 * For the command line, and for a server until its queue of signals exists (signal.h). Only
 * one can be active. A second signal of the same kind has its usual effect.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

/* Returns the flag, which is false at first. Ignored signals stay ignored. */
atomic_bool *interrupt_begin(void);

/* Restores what signals did before. A signal that arrived in the meantime takes effect now,
 * so this may not return. */
void interrupt_end(void);
