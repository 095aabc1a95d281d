/*
 * yaml_dump - properties as js-yaml 3 writes them, which is what gray-matter uses: lists
 * and maps in lines of their own, null as null, text plain when that is safe for readers
 * of YAML 1.1 and 1.2, in single quotes when not ('2026-02-20', 'yes', 'a, b'), of
 * several lines as a literal block, with unseen characters in double quotes.
 *
 * Unlike js-yaml, long lines are not folded and characters beyond U+FFFF are not escaped.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/frontmatter.h"

/* The members of a map that has some, each with its line break. */
void yaml_dump(struct sbuf *out, const struct prop *map);
