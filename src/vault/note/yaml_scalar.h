/*
 * yaml_scalar - what a scalar means in the core schema of YAML 1.2, and what keys are
 * called. Private to frontmatter*.c and yaml_tree.c.
 */
#pragma once

#include "vault/note/frontmatter.h"

/* Fill type and value of a plain scalar from p->text. */
void yaml_scalar_plain(struct prop *p);

/* The same for one with a tag such as "tag:yaml.org,2002:int": text unless it fits. */
void yaml_scalar_tagged(struct prop *p, str tag);

/* A key as text; collections in flow style. */
str yaml_key_text(struct arena *a, const struct prop *key);

/* The first member of a map whose key stands before it already, or NULL. */
const struct prop *yaml_key_twice(const struct prop *map);
