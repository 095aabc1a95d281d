/*
 * frontmatter_parts - the two ways to read a block, for frontmatter.c and for tests that
 * compare them.
 */
#pragma once

#include "vault/note/frontmatter.h"

/* All of YAML. *root is a map; on failure it means nothing. */
MUST_CHECK bool frontmatter_full(struct arena *a, str block, uint32_t first_line,
                                 struct prop **root, struct err *err);

/*
 * What nearly all notes have: lines of 'key: value' with plain or quoted texts and lists
 * of those, read without a parser. False when there is anything else, be it right or
 * wrong; otherwise *root is what frontmatter_full() makes of it.
 */
MUST_CHECK bool frontmatter_simple(struct arena *a, str block, uint32_t first_line,
                                   struct prop **root);
