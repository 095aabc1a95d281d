/*
 * checkup - vaultd doctor without a URL: are the vault, the state folder and this machine
 * fit for vaultd serve with the same settings?
 *
 * A table of checks, each with what it found and, unless all is well, how to repair it.
 * Nothing of anybody's is changed; the network is used for the sync remote and
 * --server-url only.
 */
#pragma once

#include "app/answers/term.h"
#include "app/setup/settings.h"

struct checkup_how {
    bool json;
    enum term_colour colour;
};

/* problem: what is wrong with the settings themselves, or NULL. Returns the exit code: 1
 * if anything is broken; warnings are not. */
int checkup_run(struct arena *a, const struct settings *s, const struct err *problem,
                const struct checkup_how *how);
