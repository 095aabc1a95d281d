/*
 * code_block - the fenced code blocks of a note: `base`, `dataview` and others.
 */
#pragma once

#include "vault/note/note.h"

/* The next block with that language, exactly, from region *region on (set it to 0 first);
 * *block is from its opening fence to its end. False: there are no more. */
bool code_block_next(const struct note *n, str language, uint32_t *region,
                     struct span *block);

/* The word after the opening fence of such a block; may be empty. */
str code_block_language(const struct note *n, struct span block);

/* The lines between the fences; *marks is what precedes the opening fence on its line: the
 * marks of quotes and list items around the block. */
struct span code_block_lines(const struct note *n, struct span block, str *marks);

/*
 * Where the text of a line of the block begins: the line is from at to end. The marks of
 * quotes are repeated on every line; list items are continued by as much space as their
 * mark was wide.
 */
size_t code_block_skip_marks(str text, size_t at, size_t end, str marks);

/* What is in such a block, without marks. */
str code_block_text(struct arena *a, const struct note *n, struct span block);

/*
 * A text that is one code block, as models paste it: if it begins with a fence, it is
 * scanned as a note, whose first block this is. Else false.
 */
bool code_block_pasted(struct arena *a, str text, struct note *n, struct span *block);
