/*
 * checkup - vaultd doctor without a URL: can vaultd serve run with these settings, this
 * vault, this state folder and this machine?
 *
 * A table of checks, each with its finding and, if there is a problem, how to fix it.
 * Nothing is changed; the network is used only for the sync remote, --server-url and an
 * embeddings endpoint.
 */
#pragma once

#include "app/answers/term.h"
#include "app/setup/settings.h"

struct checkup_how {
    bool json;
    enum term_colour colour;
};

/* problem: what is wrong with the settings themselves, or NULL. Returns the exit code: 1
 * if anything is broken; warnings do not count. */
int checkup_run(struct arena *a, const struct settings *s, const struct err *problem,
                const struct checkup_how *how);

/* The process that listens on a TCP port of this machine; empty: not known. */
str checkup_listener(struct arena *a, unsigned port);
