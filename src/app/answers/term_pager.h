/*
 * term_pager - what does not fit on the screen, in the user's pager, as git does it:
 * $VAULTD_PAGER, else $PAGER, else less, with LESS=FRX unless that is set. An empty one, and
 * cat, mean none.
 */
#pragma once

#include "base/arena.h"

/* Whether a pager has shown the text, which has more lines than the terminal; otherwise the
 * caller writes it. */
bool term_pager_show(struct arena *a, str text, size_t height);
