/*
 * canvas_write - the JSON of a canvas, changed as little as possible.
 *
 * Objects that were not changed keep their bytes, and so does everything between them.
 * New text is written as Obsidian writes it: tabs, one node or edge per line.
 */
#pragma once

#include "base/json_write.h"
#include "vault/forms/canvas_map.h"

/* object with that member: replaced, added at the end or, if value (JSON) is empty,
 * removed. object must be valid JSON with at least one other member. */
str canvas_set_member(struct arena *a, str object, str key, str value);

/* The value of a member, as JSON. */
str canvas_json_str(struct arena *a, str text);
str canvas_json_num(struct arena *a, double n); /* of a place or size: a whole number */

/* The whole text, made from the one that m was read from. Nodes and edges that are gone
 * are left out. */
str canvas_write(const struct canvas_map *m, str text);
