/*
 * yaml_text - rewrites valid YAML that libyaml refuses, so that it accepts it. For
 * note/frontmatter*.c and note/yaml_tree.c.
 *
 * libyaml treats some characters as line breaks (U+0085, U+2028, U+2029, a lone CR) and
 * refuses others (controls, U+FEFF, invalid UTF-8). Obsidian does neither. Such a
 * character c is hidden as U+100000 + c, so that positions in characters stay the same,
 * and is restored in the values.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* Whether nothing in block needs to be hidden. */
bool yaml_text_is_plain(str block);

/*
 * block with these characters hidden and a line break at the end; invalid UTF-8 becomes
 * U+FFFD. False if block itself contains a character that would look hidden.
 */
MUST_CHECK bool yaml_text_hide(struct arena *a, str block, str *out);
str yaml_text_show(struct arena *a, str value);

/*
 * Change hidden text where libyaml stopped (at character at, with problem as its message)
 * so that it accepts it: a tab where YAML 1.2 allows one, or an escape for a surrogate.
 * False if there is nothing to repair.
 */
MUST_CHECK bool yaml_text_mend(struct arena *a, str *text, size_t at, str problem);
