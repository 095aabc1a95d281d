/*
 * opener - the program of each system that opens a URL in whatever is for it: a browser, or
 * Obsidian.
 */
#pragma once

#include "base/arena.h"
#include "base/os/machine.h"

enum { OPENER_WORDS = 4 };

/* Its command line, which ends with NULL. */
void opener_command(struct arena *a, str url, const char *argv[OPENER_WORDS]);
void opener_command_on(enum machine_system system, struct arena *a, str url,
                       const char *argv[OPENER_WORDS]);

/* Whether there may be a screen. Linux says so in variables; elsewhere the program fails. */
bool opener_has_screen(void);
