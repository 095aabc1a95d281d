/*
 * frontmatter - the properties of a note, read from the YAML between its --- lines.
 * libyaml (in yaml_tree.c only) supplies events; their meaning is decided here: YAML 1.2
 * core schema, as npm's yaml 2 reads it.
 *
 * A broken block never hides the body: it has no properties, and the error names line and
 * column.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "vault/note/prop.h"

enum {
    FRONTMATTER_MAX_BYTES = 64 << 10,
    FRONTMATTER_MAX_DEPTH = PROP_MAX_DEPTH,
    FRONTMATTER_MAX_VALUES = 10000, /* aliases are expanded, so a bomb must be stopped */
    FRONTMATTER_MAX_TEXT = 1 << 20, /* bytes of all texts, with aliases expanded */
};

struct frontmatter {
    struct prop *props; /* a map; NULL if there is no block or it is broken */
    bool broken;
    struct err why; /* of a broken block; has line and column in the file */
};

/*
 * Read block, the text between the --- lines; first_line is its first line in the file.
 * Text values point into block or the arena. Never fails: see broken. Keys that are not
 * text are written as YAML would print them (2024, true, [ a, b ]). Duplicate keys,
 * aliases without an anchor before them and a second document also count as broken
 * (why.code is ERR_INVALID), and so does everything above a limit (ERR_LIMIT).
 */
void frontmatter_read(struct arena *a, str block, uint32_t first_line,
                      struct frontmatter *out);

/* For other texts that are a map in YAML, such as bases; FRONTMATTER_MAX_TEXT applies. */
struct frontmatter_limits {
    size_t bytes;
    int depth; /* of lists and maps */
    size_t values;
};

/* The same for such a text. Fails with ERR_INVALID or ERR_LIMIT instead of being broken;
 * *root is a map, even if the text is empty. */
MUST_CHECK bool frontmatter_read_map(struct arena *a, str text, uint32_t first_line,
                                     const struct frontmatter_limits *limits,
                                     struct prop **root, struct err *err);

/*
 * The member of that name, otherwise the first that differs in case only; NULL if there
 * is none.
 */
const struct prop *frontmatter_get(const struct frontmatter *f, str key);

/* Special keys: valid entries only, without '#', in order. */
struct str_list {
    str *items;
    size_t n;
};
struct str_list frontmatter_tags(struct arena *a, const struct frontmatter *f);
struct str_list frontmatter_aliases(struct arena *a, const struct frontmatter *f);

/* Whether a text value consists of exactly one wikilink or Markdown link. */
bool frontmatter_is_link(str value);

/*
 * Call fn for each link in the properties, with the value and its line: values at any
 * depth that consist of exactly one wikilink or Markdown link.
 */
void frontmatter_links(const struct frontmatter *f,
                       void (*fn)(void *arg, str link, uint32_t line), void *arg);
