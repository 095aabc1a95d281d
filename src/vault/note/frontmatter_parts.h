/*
 * frontmatter_parts - the two readers of a block, for frontmatter.c and for tests that
 * compare them.
 */
#pragma once

#include "vault/note/frontmatter.h"

/* Reads all of YAML. *root is a map; undefined on failure. */
MUST_CHECK bool frontmatter_full(struct arena *a, str block, uint32_t first_line,
                                 struct prop **root, struct err *err);

/*
 * Reads what nearly all notes have, without libyaml: lines of 'key: value' with plain or
 * quoted texts and lists of those. False if there is anything else, valid or not;
 * otherwise *root is what frontmatter_full() would return.
 */
MUST_CHECK bool frontmatter_simple(struct arena *a, str block, uint32_t first_line,
                                   struct prop **root);
