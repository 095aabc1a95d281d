/*
 * prop - values of properties that come from elsewhere than YAML, and whether two are the
 * same. struct prop itself is in frontmatter.h, which reads it.
 */
#pragma once

#include "base/json.h"
#include "vault/note/frontmatter.h"

enum { PROP_KEY_MAX = 250 }; /* bytes; YAML allows 1024 characters on one line */

/*
 * j as a property's value, in the arena; its texts point into j. Fails with ERR_LIMIT on
 * nesting that frontmatter.h would not read back and on a key that is too long.
 */
MUST_CHECK bool prop_of_json(struct arena *a, const struct json *j, struct prop **out,
                             struct err *err);

/* A text, and a list of the items that p begins (linked by next), in the arena. */
struct prop *prop_of_text(struct arena *a, str text);
struct prop *prop_of_items(struct arena *a, struct prop *first);

/*
 * The value that Obsidian wants for a property of that name: a text for tags, aliases or
 * cssclasses is a list of one; several tags in one text ("a, b", "#a #b") are several.
 */
const struct prop *prop_for_key(struct arena *a, str key, const struct prop *value);

/* The same value, wherever and however it is written: 1 is 1.0, but not the text "1".
 * Members of maps must stand in the same order. The keys of a and b do not matter. */
bool prop_same(const struct prop *a, const struct prop *b);

/* Whether there is nothing: no property, null, or empty text. */
bool prop_is_empty(const struct prop *p);

/* A copy that stands alone: without key and next. Its children are those of p. */
struct prop *prop_copy(struct arena *a, const struct prop *p);
