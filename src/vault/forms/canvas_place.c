#include "vault/forms/canvas_place.h"

#include "base/sort.h"
#include "base/utf8.h"

enum { TRIED_NODES = 50 }; /* of a group: those next to which a place is looked for */

const char *const canvas_sides[] = {"right", "bottom", "left", "top", NULL};

/* --- rectangles --- */

struct canvas_rect canvas_inflated(const struct canvas_rect *r, double by)
{
    return (struct canvas_rect){r->x - by, r->y - by, r->width + 2 * by,
                                r->height + 2 * by};
}

static double canvas_low(double a, double b)
{
    return a < b ? a : b;
}

static double canvas_high(double a, double b)
{
    return a > b ? a : b;
}

struct canvas_rect canvas_around(const struct canvas_rect *a, const struct canvas_rect *b)
{
    double x = canvas_low(a->x, b->x), y = canvas_low(a->y, b->y);
    return (struct canvas_rect){x, y, canvas_high(a->x + a->width, b->x + b->width) - x,
                                canvas_high(a->y + a->height, b->y + b->height) - y};
}

struct canvas_rect canvas_grown(const struct canvas_rect *group,
                                const struct canvas_rect *rect)
{
    struct canvas_rect padded = canvas_inflated(rect, CANVAS_PADDING);
    return canvas_around(group, &padded);
}

/* The next whole number, as Obsidian writes places. */
static double canvas_up(double n)
{
    double whole = (double)(int64_t)n;
    return whole < n ? whole + 1 : whole;
}

static struct canvas_rect beside(const struct canvas_rect *r, enum canvas_side side,
                                 const struct canvas_request *request)
{
    struct canvas_rect out = {r->x, r->y, request->width, request->height};
    if (side == CANVAS_RIGHT)
        out.x = r->x + r->width + CANVAS_GAP;
    else if (side == CANVAS_LEFT)
        out.x = r->x - request->width - CANVAS_GAP;
    else if (side == CANVAS_BOTTOM)
        out.y = r->y + r->height + CANVAS_GAP;
    else
        out.y = r->y - request->height - CANVAS_GAP;
    out.x = canvas_up(out.x);
    out.y = canvas_up(out.y);
    return out;
}

/* --- what is in the way --- */

struct canvas_placing {
    const struct canvas_map *map;
    const struct canvas_request *request;
    size_t group;
};

static bool moves_along(const struct canvas_placing *p, size_t i)
{
    size_t self = p->request->self;
    if (self == CANVAS_NO_NODE)
        return false;
    const struct canvas_node *s = &p->map->nodes[self];
    return i == self ||
           (s->type == CANVAS_IS_GROUP && canvas_contains(&s->at, &p->map->nodes[i].at));
}

/* Everything but the node itself, and the groups it is to be in. */
static bool is_obstacle(const struct canvas_placing *p, size_t i, size_t group)
{
    const struct canvas_node *n = &p->map->nodes[i];
    if (n->gone || i == group || moves_along(p, i))
        return false;
    return group == CANVAS_NO_NODE || n->type != CANVAS_IS_GROUP ||
           !canvas_contains(&n->at, &p->map->nodes[group].at);
}

static bool is_free(const struct canvas_placing *p, const struct canvas_rect *r)
{
    struct canvas_rect wide = canvas_inflated(r, CANVAS_MARGIN);
    for (size_t i = 0; i < p->map->n_nodes; i++)
        if (is_obstacle(p, i, p->group) && canvas_overlaps(&p->map->nodes[i].at, &wide))
            return false;
    return true;
}

/* Whether one group can grow: what it would then overlap, it overlaps already. */
static bool may_grow(const struct canvas_placing *p, size_t group,
                     const struct canvas_rect *to)
{
    const struct canvas_rect *now = &p->map->nodes[group].at;
    for (size_t i = 0; i < p->map->n_nodes; i++)
        if (is_obstacle(p, i, group) && canvas_overlaps(&p->map->nodes[i].at, to) &&
            !canvas_overlaps(&p->map->nodes[i].at, now))
            return false;
    return true;
}

/* The same for the group of r and all groups around it. */
static bool has_room(const struct canvas_placing *p, const struct canvas_rect *r)
{
    struct canvas_rect need = *r;
    size_t group = p->group;
    for (int i = 0; group != CANVAS_NO_NODE; i++) {
        const struct canvas_rect *now = &p->map->nodes[group].at;
        struct canvas_rect grown = canvas_grown(now, &need);
        if (canvas_contains(now, &grown))
            return true;
        if (i == CANVAS_NESTED_MAX || !may_grow(p, group, &grown))
            return false;
        need = grown;
        group = canvas_group_of(p->map, group);
    }
    return true;
}

/* --- next to a node --- */

static int compare_tops(const void *x, const void *y)
{
    const struct canvas_rect *const *a = x, *const *b = y;
    return (*a)->y < (*b)->y ? -1 : (*a)->y > (*b)->y;
}

static int compare_lefts(const void *x, const void *y)
{
    const struct canvas_rect *const *a = x, *const *b = y;
    return (*a)->x < (*b)->x ? -1 : (*a)->x > (*b)->x;
}

/*
 * Move r along the side until it is free: down at the left or right, otherwise to the
 * right. In the order of the obstacles, one pass is enough: r only moves past them.
 */
static void slide(const struct canvas_placing *p, enum canvas_side side,
                  struct canvas_rect *r)
{
    const struct canvas_map *m = p->map;
    bool down = side == CANVAS_RIGHT || side == CANVAS_LEFT;
    const struct canvas_rect **sorted =
        ARENA_ARRAY(m->arena, const struct canvas_rect *, m->n_nodes + 1);
    size_t n = 0;
    for (size_t i = 0; i < m->n_nodes; i++)
        if (is_obstacle(p, i, p->group))
            sorted[n++] = &m->nodes[i].at;
    sort_items((void *)sorted, n, sizeof(*sorted), down ? compare_tops : compare_lefts);
    for (size_t i = 0; i < n; i++) {
        const struct canvas_rect *o = sorted[i];
        struct canvas_rect wide = canvas_inflated(r, CANVAS_MARGIN);
        if (!canvas_overlaps(o, &wide))
            continue;
        if (down)
            r->y = canvas_up(o->y + o->height + CANVAS_MARGIN);
        else
            r->x = canvas_up(o->x + o->width + CANVAS_MARGIN);
    }
}

static bool place_near(const struct canvas_placing *p, struct canvas_rect *out)
{
    const struct canvas_rect *near_rect = &p->map->nodes[p->request->near_node].at;
    enum canvas_side asked = p->request->side;
    for (int slides = 0; slides < 2; slides++)
        for (int s = 0; s < CANVAS_ANY_SIDE; s++) {
            if (asked != CANVAS_ANY_SIDE && (int)asked != s)
                continue;
            *out = beside(near_rect, (enum canvas_side)s, p->request);
            if (slides)
                slide(p, (enum canvas_side)s, out);
            if (is_free(p, out) && has_room(p, out))
                return true;
        }
    return false;
}

/* --- in a group --- */

static bool fits_inside(const struct canvas_placing *p, const struct canvas_rect *r)
{
    struct canvas_rect padded = canvas_inflated(r, CANVAS_PADDING);
    return canvas_contains(&p->map->nodes[p->group].at, &padded) && is_free(p, r);
}

/* Next to one of the nodes in it, last ones first. *all is the rectangle around them. */
static bool place_between(const struct canvas_placing *p, struct canvas_rect *out,
                          struct canvas_rect *all, size_t *members)
{
    const struct canvas_node *group = &p->map->nodes[p->group];
    *members = 0;
    for (size_t i = p->map->n_nodes; i > 0; i--) {
        const struct canvas_node *n = &p->map->nodes[i - 1];
        if (!is_obstacle(p, i - 1, p->group) || !canvas_contains(&group->at, &n->at))
            continue;
        *all = (*members)++ == 0 ? n->at : canvas_around(all, &n->at);
        for (int s = CANVAS_RIGHT; s <= CANVAS_BOTTOM && *members <= TRIED_NODES; s++) {
            *out = beside(&n->at, (enum canvas_side)s, p->request);
            if (fits_inside(p, out))
                return true;
        }
    }
    return false;
}

static bool place_in_group(const struct canvas_placing *p, struct canvas_rect *out)
{
    static const enum canvas_side sides[] = {CANVAS_BOTTOM, CANVAS_RIGHT, CANVAS_TOP,
                                             CANVAS_LEFT};
    const struct canvas_rect *group = &p->map->nodes[p->group].at;
    struct canvas_rect all = {0};
    size_t members;
    if (place_between(p, out, &all, &members))
        return true;
    if (members == 0) {
        *out = (struct canvas_rect){group->x + CANVAS_PADDING, group->y + CANVAS_PADDING,
                                    p->request->width, p->request->height};
        return is_free(p, out) && has_room(p, out);
    }
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        *out = beside(&all, sides[i], p->request);
        if (is_free(p, out) && has_room(p, out))
            return true;
    }
    return false;
}

/* --- anywhere --- */

static void place_anywhere(const struct canvas_placing *p, struct canvas_rect *out)
{
    struct canvas_rect all = {0};
    bool any = false;
    size_t above = p->request->above;
    *out = (struct canvas_rect){0, 0, p->request->width, p->request->height};
    for (size_t i = 0; i < p->map->n_nodes; i++)
        if (is_obstacle(p, i, CANVAS_NO_NODE)) {
            all = any ? canvas_around(&all, &p->map->nodes[i].at) : p->map->nodes[i].at;
            any = true;
        }
    if (!any)
        return;
    if (above != CANVAS_NO_NODE) {
        *out = beside(&p->map->nodes[above].at, CANVAS_BOTTOM, p->request);
        double most = canvas_high(all.height, CANVAS_COLUMN);
        if (is_free(p, out) && out->y + out->height <= all.y + most)
            return;
    }
    *out = beside(&all, CANVAS_RIGHT, p->request);
}

bool canvas_place(const struct canvas_map *m, const struct canvas_request *request,
                  struct canvas_rect *out, size_t *group, struct err *err)
{
    struct canvas_placing p = {m, request, request->group};
    if (p.group == CANVAS_NO_NODE && request->near_node != CANVAS_NO_NODE)
        p.group = canvas_group_of(m, request->near_node);
    *group = p.group;
    if (request->near_node != CANVAS_NO_NODE && place_near(&p, out))
        return true;
    if (request->near_node == CANVAS_NO_NODE && p.group != CANVAS_NO_NODE &&
        place_in_group(&p, out))
        return true;
    if (p.group != CANVAS_NO_NODE)
        return err_named(err, E_INVALID_ARGUMENT,
                         "the group '" STR_FMT "' has no free place and cannot grow "
                         "without covering other nodes: give x and y, or move some",
                         STR_ARG(utf8_cut(canvas_title(&m->nodes[p.group]), 80)));
    if (request->near_node != CANVAS_NO_NODE)
        return err_named(err, E_INVALID_ARGUMENT, "there is no free place: give x and y");
    place_anywhere(&p, out);
    return true;
}

/* --- edges --- */

void canvas_choose_sides(const struct canvas_rect *from, const struct canvas_rect *to,
                         enum canvas_side *leaves, enum canvas_side *arrives)
{
    double right = to->x - (from->x + from->width), left = from->x - (to->x + to->width);
    double below = to->y - (from->y + from->height),
           above = from->y - (to->y + to->height);
    if (canvas_high(right, left) >= canvas_high(below, above)) {
        *leaves = right >= left ? CANVAS_RIGHT : CANVAS_LEFT;
        *arrives = right >= left ? CANVAS_LEFT : CANVAS_RIGHT;
    } else {
        *leaves = below >= above ? CANVAS_BOTTOM : CANVAS_TOP;
        *arrives = below >= above ? CANVAS_TOP : CANVAS_BOTTOM;
    }
}
