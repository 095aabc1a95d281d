/*
 * code_block - the fenced code blocks of a note in a certain language.
 */
#pragma once

#include "vault/note/note.h"

/* The next block with that language, exactly, from region *region on (set it to 0 first);
 * *block is from its opening fence to its end. False: there are no more. */
bool code_block_next(const struct note *n, str language, uint32_t *region,
                     struct span *block);

/* What is in such a block: lines without the marks of quotes and the indentation of items
 * around it. A part of the note, or in the arena. */
str code_block_text(struct arena *a, const struct note *n, struct span block);
