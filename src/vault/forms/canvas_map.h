/*
 * canvas_map - the nodes and edges of a canvas, where they are, and which group each node
 * is in.
 *
 * A canvas has no nesting of its own: a node belongs to the smallest group whose rectangle
 * contains all of it, as in Obsidian, where such a node moves along with the group.
 * canvas.h reads the links, canvas_edit.h changes a canvas.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum { CANVAS_NODES_MAX = 5000 }; /* and as many edges */

#define CANVAS_NO_NODE SIZE_MAX

/* CANVAS_IS_OTHER: a type that JSON Canvas 1.0 does not have. */
enum canvas_type {
    CANVAS_IS_TEXT,
    CANVAS_IS_FILE,
    CANVAS_IS_LINK,
    CANVAS_IS_GROUP,
    CANVAS_IS_OTHER
};

/* "text" and so on; ends with NULL after the types that can be made. */
extern const char *const canvas_types[];

/* The member that says what a node of the type shows: "text", "file", "url", "label". */
extern const char *const canvas_contents[];

struct canvas_rect {
    double x, y, width, height; /* the upper left corner; y grows downwards */
};

struct canvas_node {
    str id;
    enum canvas_type type;
    struct canvas_rect at;
    str content; /* its text, path, address or label */
    str subpath; /* of a file, with its #; or empty */
    str color;
    size_t group;   /* the group it is in, or CANVAS_NO_NODE */
    unsigned depth; /* how many groups it is in */
    str raw;        /* the object in JSON */
    str source;     /* the same in the file; empty: a new one (canvas_edit.h) */
    bool gone;      /* removed by canvas_edit.h */
};

struct canvas_edge {
    str id, from, to, label; /* ids of nodes, which need not exist */
    bool arrow_back;         /* at the node it comes from; usually there is none */
    bool arrow;              /* at the node it goes to; usually there is one */
    str raw, source;
    bool gone;
};

struct canvas_map {
    struct arena *arena;
    struct canvas_node *nodes; /* in the order of the file: later ones are on top */
    size_t n_nodes;
    struct canvas_edge *edges;
    size_t n_edges;
};

/*
 * Read a canvas; text is borrowed and must outlive it. Empty text is an empty canvas.
 * Fails with INVALID_CONTENT if canvas_check() would, ERR_LIMIT if it is too large.
 */
MUST_CHECK bool canvas_map_read(struct arena *a, str text, struct canvas_map *out,
                                struct err *err);

/* The same for one object of it. */
void canvas_read_node(const struct json *j, struct canvas_node *out);
void canvas_read_edge(const struct json *j, struct canvas_edge *out);

/* Whether all of inner is in outer; whether they share any area. */
bool canvas_contains(const struct canvas_rect *outer, const struct canvas_rect *inner);
bool canvas_overlaps(const struct canvas_rect *a, const struct canvas_rect *b);

/* The smallest group around a node; CANVAS_NO_NODE if it is in none. */
size_t canvas_group_of(const struct canvas_map *m, size_t node);

/* Fill group and depth of all nodes. */
void canvas_nest(struct canvas_map *m);

/*
 * The nodes in the order in which they are read: from top to bottom, then from left to
 * right, each group followed by what is in it. Needs canvas_nest(). The result has n_nodes
 * items.
 */
size_t *canvas_order(const struct canvas_map *m);

/* What people would call a node: the first line of its text without its #s, the name of
 * its file, its address or label. */
str canvas_title(const struct canvas_node *n);

/*
 * The node with that id; or the only one with that title or content, case ignored. Fails
 * with INVALID_ARGUMENT, naming the nearest, or AMBIGUOUS, with their ids.
 */
MUST_CHECK bool canvas_find_node(const struct canvas_map *m, str word, size_t *out,
                                 struct err *err);

/* The node with that id; CANVAS_NO_NODE if there is none. */
size_t canvas_node_with_id(const struct canvas_map *m, str id);

/* The edge with that id; m->n_edges if there is none. */
size_t canvas_edge_with_id(const struct canvas_map *m, str id);
