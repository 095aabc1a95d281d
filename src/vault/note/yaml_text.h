/*
 * yaml_text - YAML that libyaml refuses though it is fine, made so that it takes it.
 * Private to frontmatter*.c and yaml_tree.c.
 *
 * libyaml takes some characters for line breaks (U+0085, U+2028, U+2029, a lone CR) and
 * refuses others (controls, U+FEFF, invalid UTF-8). The app does neither. Such a
 * character c is hidden as U+100000 + c, so places still count in characters, and shown
 * again in the values that come out.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* Whether nothing is to be hidden in block. */
bool yaml_text_is_plain(str block);

/*
 * block with all that hidden and a line break behind it; invalid UTF-8 becomes U+FFFD.
 * False when block itself holds a character that would look hidden.
 */
MUST_CHECK bool yaml_text_hide(struct arena *a, str block, str *out);
str yaml_text_show(struct arena *a, str value);

/*
 * Change hidden text where libyaml stopped, problem being what it said at character at,
 * so that it goes on: a tab where YAML 1.2 allows one, or an escape for a surrogate.
 * False when there is nothing to mend.
 */
MUST_CHECK bool yaml_text_mend(struct arena *a, str *text, size_t at, str problem);
