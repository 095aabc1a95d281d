/*
 * prop - the value of a property, made from something other than YAML, and compared.
 * frontmatter.h reads values from a note.
 */
#pragma once

#include "base/json_write.h"

enum {
    PROP_KEY_MAX = 250, /* bytes; YAML allows 1024 characters on one line */
    PROP_MAX_DEPTH = 32,
};

enum prop_type {
    PROP_NULL,
    PROP_BOOL,
    PROP_INT,
    PROP_FLOAT, /* also integers beyond 64 bits, infinities and NaN */
    PROP_TEXT,
    PROP_LIST,
    PROP_MAP
};

struct prop {
    enum prop_type type;
    uint32_t n; /* number of children */
    str key;    /* of a member of a map */
    str text;   /* for text its value; for other scalars as written */
    union {
        int64_t number; /* of PROP_INT */
        double real;    /* of PROP_FLOAT */
        bool flag;      /* of PROP_BOOL */
    };
    struct prop *child, *next; /* list items or members */
    uint32_t line;             /* in the file, from 1; for members, of the key */
    uint32_t key_start;        /* bytes in the block: of a member's key, */
    uint32_t start, end; /* of the value, with its quotes, brackets and anchor; if there
                            is none, empty and after the ':' or '-' */
};

/*
 * Convert j to a property's value, in the arena; its texts point into j. Fails with
 * ERR_LIMIT if a key is too long, or if j is nested too deeply; the map of all
 * properties is one of the PROP_MAX_DEPTH levels.
 */
MUST_CHECK bool prop_of_json(struct arena *a, const struct json *j, struct prop **out,
                             struct err *err);

/* A text, and a list of items (first and those linked by next), in the arena. */
struct prop *prop_of_text(struct arena *a, str text);
struct prop *prop_of_items(struct arena *a, struct prop *first);

/*
 * The value that Obsidian expects for a property of that name: a text for tags, aliases
 * or cssclasses becomes a list; several tags in one text ("a, b", "#a #b") become several
 * items, and tags lose their '#'.
 */
const struct prop *prop_for_key(struct arena *a, str key, const struct prop *value);

/*
 * Whether two values are the same, however they are written: 1 is 1.0, but not the text
 * "1". Members of maps must be in the same order. The keys of a and b are ignored.
 */
bool prop_same(const struct prop *a, const struct prop *b);

/* The value of a PROP_INT or PROP_FLOAT. */
static inline double prop_real(const struct prop *p)
{
    return p->type == PROP_INT ? (double)p->number : p->real;
}

/* Whether p is NULL, null, or empty text. */
bool prop_is_empty(const struct prop *p);

/* A copy without key and next. It shares the children of p. */
struct prop *prop_copy(struct arena *a, const struct prop *p);

/* The value as JSON: texts as texts, whatever they look like. */
void prop_json(struct jsonw *w, const struct prop *p);

/* Whether two names of properties or tags differ in case only, or not at all. */
bool prop_same_name(str a, str b);
