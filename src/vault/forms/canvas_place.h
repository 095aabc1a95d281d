/*
 * canvas_place - where a new node of a canvas goes, and how a group grows around it.
 *
 * The rules, which docs/canvas.md explains to users:
 * - next to a node: CANVAS_GAP away, aligned with its upper or left edge, in its group; at
 *   the first free side (right, bottom, left, top), or along the side that was asked for;
 * - in a group: next to one of its nodes if that is free, otherwise below or beside all of
 *   them; the group and those around it grow to hold it with CANVAS_PADDING;
 * - without either: at the right of everything, and the next ones below it.
 * Nothing else moves. A new node keeps CANVAS_MARGIN to others, and a group never grows
 * over what was outside of it.
 */
#pragma once

#include "vault/forms/canvas_map.h"

static const double CANVAS_GAP = 60, CANVAS_MARGIN = 20, CANVAS_PADDING = 20;

enum {
    CANVAS_NESTED_MAX = 32, /* groups in groups that may have to grow for a node */
    CANVAS_COLUMN =
        1000, /* a column of new nodes is at least this high before the next */
};

enum canvas_side {
    CANVAS_RIGHT,
    CANVAS_BOTTOM,
    CANVAS_LEFT,
    CANVAS_TOP,
    CANVAS_ANY_SIDE
};

/* "right" and so on; ends with NULL. */
extern const char *const canvas_sides[];

struct canvas_request {
    double width, height;
    size_t near_node; /* or CANVAS_NO_NODE */
    enum canvas_side side;
    size_t group; /* or CANVAS_NO_NODE: that of near_node */
    size_t self;  /* a node that is moved there with all in it; or CANVAS_NO_NODE */
    size_t above; /* the last one that was placed without a request; or CANVAS_NO_NODE */
};

/*
 * Find the place. *group is the group it is in, which may have to grow. Fails with
 * INVALID_ARGUMENT if that is not possible.
 */
MUST_CHECK bool canvas_place(const struct canvas_map *m,
                             const struct canvas_request *request,
                             struct canvas_rect *out, size_t *group, struct err *err);

/* The size that the group needs so that rect is in it, with padding. */
struct canvas_rect canvas_grown(const struct canvas_rect *group,
                                const struct canvas_rect *rect);

/* The rectangle around a and b. */
struct canvas_rect canvas_around(const struct canvas_rect *a,
                                 const struct canvas_rect *b);

/* rect with that much more on each side. */
struct canvas_rect canvas_inflated(const struct canvas_rect *rect, double by);

/* The sides at which an edge between the two leaves and arrives. */
void canvas_choose_sides(const struct canvas_rect *from, const struct canvas_rect *to,
                         enum canvas_side *leaves, enum canvas_side *arrives);
