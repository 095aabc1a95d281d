/*
 * prop - values of properties that do not come from YAML, and comparison of values.
 * struct prop itself is in frontmatter.h, which reads it.
 */
#pragma once

#include "base/json.h"
#include "vault/note/frontmatter.h"

enum { PROP_KEY_MAX = 250 }; /* bytes; YAML allows 1024 characters on one line */

/*
 * Convert j to a property's value, in the arena; its texts point into j. Fails with
 * ERR_LIMIT if it is nested too deeply for frontmatter.h or if a key is too long.
 */
MUST_CHECK bool prop_of_json(struct arena *a, const struct json *j, struct prop **out,
                             struct err *err);

/* A text, and a list of items (first and those linked by next), in the arena. */
struct prop *prop_of_text(struct arena *a, str text);
struct prop *prop_of_items(struct arena *a, struct prop *first);

/*
 * The value that Obsidian expects for a property of that name: a text for tags, aliases
 * or cssclasses becomes a list; several tags in one text ("a, b", "#a #b") become several
 * items.
 */
const struct prop *prop_for_key(struct arena *a, str key, const struct prop *value);

/*
 * Whether two values are the same, however they are written: 1 is 1.0, but not the text
 * "1". Members of maps must be in the same order. The keys of a and b are ignored.
 */
bool prop_same(const struct prop *a, const struct prop *b);

/* Whether p is NULL, null, or empty text. */
bool prop_is_empty(const struct prop *p);

/* A copy without key and next. It shares the children of p. */
struct prop *prop_copy(struct arena *a, const struct prop *p);
