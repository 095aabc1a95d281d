/*
 * board_check - compare a board before and after a card left it, came to it, or moved.
 *
 * All other cards and lanes must be the same bytes in the same order, and so must the text
 * between them; the note is scanned again, and what is outside of the card must mean what
 * it did (readback.h). In the archive, the oldest cards may go (board_archive()).
 */
#pragma once

#include "base/err.h"
#include "vault/forms/board.h"

#define BOARD_NO_CARD SIZE_MAX

struct board_change {
    const struct board *was, *now;
    size_t gone; /* a card of was; BOARD_NO_CARD: none left */
    size_t came; /* a card of now; BOARD_NO_CARD: none came, or the archive is full */
    bool archived;
};

/* Fails with INVALID_CONTENT, naming the first line that would be something else. */
MUST_CHECK bool board_check(struct arena *a, const struct board_change *c,
                            struct err *err);
