/*
 * yaml_dump - properties as js-yaml 3 writes them, which is what gray-matter uses: lists
 * and maps on lines of their own, null as null. Text is plain if that is safe for readers
 * of YAML 1.1 and 1.2, otherwise in single quotes ('2026-02-20', 'yes', 'a, b'); text of
 * several lines is a literal block, text with invisible characters is in double quotes.
 *
 * Unlike js-yaml, long lines are not folded and characters beyond U+FFFF are not escaped.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/prop.h"

/* Write the members of a map that is not empty, each with its line break. */
void yaml_dump(struct sbuf *out, const struct prop *map);
