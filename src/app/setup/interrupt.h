/*
 * interrupt - while the process waits for a program it started, a signal that would end
 * the process sets a flag instead, so that the program is ended first.
 *
 * Before the loop of a server begins, which has its own way, and on the command line. One
 * at a time; a second signal of a kind does what it always does.
 */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { INTERRUPT_SIGNALS = 3 };

struct interrupt {
    struct sigaction before[INTERRUPT_SIGNALS];
};

/* The flag, which is false now. Signals that are ignored stay so. */
atomic_bool *interrupt_begin(struct interrupt *i);

/* All is as before. What came meanwhile takes effect now: this may not return. */
void interrupt_end(const struct interrupt *i);
