/*
 * yaml_scalar - the meaning of a scalar in the core schema of YAML 1.2, and the names of
 * keys. For frontmatter*.c, yaml_tree.c, and code that changes scalars in place.
 */
#pragma once

#include "vault/note/prop.h"

/* Fill type and value of a plain scalar from p->text. */
void yaml_scalar_plain(struct prop *p);

/*
 * The same for a scalar with a tag such as "tag:yaml.org,2002:int"; it is text if it does
 * not match the tag.
 */
void yaml_scalar_tagged(struct prop *p, str tag);

/* The length of "&anchor " and "!tag " before a scalar. */
size_t yaml_scalar_marks(str raw);

/* A key as text; collections in flow style. */
str yaml_key_text(struct arena *a, const struct prop *key);

/* The first member of a map with a duplicate key, or NULL. */
const struct prop *yaml_key_twice(const struct prop *map);
