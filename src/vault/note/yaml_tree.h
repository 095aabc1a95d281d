/*
 * yaml_tree - YAML to properties. libyaml is included only here. Private to
 * frontmatter.c.
 */
#pragma once

#include "vault/note/frontmatter.h"

struct yaml_source {
    struct arena *arena;
    str block;           /* positions refer to this text */
    str text;            /* the same as libyaml accepts it, character for character */
    bool hidden;         /* text was hidden, see yaml_text.h */
    uint32_t first_line; /* of block in the file */
    const struct frontmatter_limits *limits;
};

/* Where libyaml stopped and its message; empty if something else was wrong. */
struct yaml_stop {
    str problem;
    size_t at; /* in characters */
};

/* *root is a map, even if the block is empty. */
MUST_CHECK bool yaml_tree_read(const struct yaml_source *from, struct prop **root,
                               struct yaml_stop *stop, struct err *err);
