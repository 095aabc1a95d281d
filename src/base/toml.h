/*
 * toml - TOML 1.0 into a tree, and where everything stands in the text.
 *
 * For editing: every key with a value, also those inside inline tables, is a pair with
 * its place, and every [header] is one, too. Tree, keys and places live in the arena and
 * point into the text, which is valid UTF-8.
 */
#pragma once

#include "base/json.h"

enum { TOML_MAX_DEPTH = 100 };
#define TOML_NONE SIZE_MAX

struct toml_node {
    str key;
    enum json_type type; /* dates and numbers that JSON has not are null */
    str raw, text; /* of what is no table: as it stands; of a string: what it says */
    bool closed;   /* an inline table or array: nothing can be added from outside */
    bool header, dotted; /* a table with a [header], or made by a key with dots */
    bool list;           /* of [[tables]] */
    struct toml_node *child, *last, *next;
    uint32_t n;
};

/* A key with its value, or a header. */
struct toml_pair {
    const str *path; /* from the root */
    size_t n;
    size_t base;  /* keys of the path that are not written here, but come from outside */
    size_t start; /* of the key, or of the '[' */
    size_t value, end;     /* of a header: where it ends, both */
    size_t line, line_end; /* its whole lines, with the last line feed */
    size_t in;             /* the pair whose inline table it stands in, or TOML_NONE */
    bool header, list;     /* [a.b]; [[a.b]] */
    bool elsewhere;        /* below a [[list]]: no path leads here */
};

struct toml {
    struct toml_node *root;
    struct toml_pair
        *pairs; /* in the order of the text, what is inside behind its pair */
    size_t n;
};

/* Fails with ERR_INVALID, naming line and column. */
MUST_CHECK bool toml_parse(struct arena *a, str text, struct toml *out, struct err *err);

/* The member of a table; NULL when there is none. */
struct toml_node *toml_member(const struct toml_node *table, str key);

/* Node and what is below as JSON. */
const struct json *toml_json(struct arena *a, const struct toml_node *node);
