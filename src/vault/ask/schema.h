/*
 * schema - what the properties of notes should be: the types that Obsidian knows
 * (.obsidian/types.json), and what schemas say (docs/schemas.md).
 *
 * A schema is a note with a property "schema", a map from the names of properties to a type,
 * a list of allowed values, or {type, values, required}. It is about the notes in its folder
 * and below it, or about the folders and tags ("#book") that its property "schema-for" names.
 * All schemas that are about a note count, and override the types of Obsidian.
 *
 * Only what is in the index counts, so a caller is judged by the schemas that they see.
 * Schemas themselves, rules for assistants and clients, templates and excluded notes need
 * not follow any. Only reads the index.
 */
#pragma once

#include "vault/index/index.h"
#include "vault/note/obsidian.h"

#define SCHEMA_PROPERTY "schema"
#define SCHEMA_FOR "schema-for"

enum {
    SCHEMAS_MAX = 500,           /* of a vault; further ones are ignored, by path */
    SCHEMA_PROPERTIES_MAX = 200, /* of a schema; the same */
    SCHEMA_PROBLEMS_MAX = 100,   /* found in one note */
    SCHEMA_SHOWN = 20,           /* values that a message names */
};

struct schema;

/* Those of an index; borrows from it and from the settings. */
struct schemas {
    const struct obsidian *types; /* or NULL */
    struct schema *items;         /* by path */
    size_t n;
    size_t ignored; /* above SCHEMAS_MAX */
};

void schemas_learn(const struct index *x, const struct obsidian *types, struct arena *a,
                   struct schemas *out);

/* Whether a note with these properties is a schema. props may be NULL. */
bool schema_is(const struct prop *props);

struct schema_problem {
    enum { SCHEMA_WRONG_TYPE, SCHEMA_WRONG_VALUE, SCHEMA_MISSING, SCHEMA_BROKEN } kind;
    str key;
    const struct prop *value; /* NULL: missing */
    uint32_t line;            /* from 1; 0: missing */
    str message;              /* a sentence for people and models */
};

/* What is wrong with a note, in the order of the schemas and their properties; also with
 * what a schema itself says. In the arena. */
size_t schemas_check(const struct schemas *s, struct arena *a, const struct file *f,
                     struct schema_problem **out);

/* The same of a note that a change leaves, without what was wrong in the same way before.
 * before: NULL if it is new. */
size_t schemas_check_new(const struct schemas *s, struct arena *a,
                         const struct file *before, const struct file *after,
                         struct schema_problem **out);
