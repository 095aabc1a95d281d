#include "vault/text/diff_core.h"

enum { NEVER = INT32_MAX };

/* --- the shortest path --- */

/*
 * A path through the table of old lines (x) and new lines (y): a step right drops an old
 * line, a step down adds a new one, a diagonal step keeps both. far[k] is the largest x
 * reached on diagonal k = x - y with some number of steps; back is the same, starting
 * from the other end.
 */
struct diff_core_walk {
    const uint32_t *old, *now;
    bool *dropped, *added;
    int32_t *far, *back; /* by diagonal, starting at -(new lines) - 1 */
    uint64_t work, work_max;
    bool coarse;
};

struct box {
    int32_t x0, x1, y0, y1;
};

struct point {
    int32_t x, y;
};

static int32_t go_right(struct diff_core_walk *w, const struct box *b, int32_t k)
{
    int32_t above = w->far[k + 1], left = w->far[k - 1];
    int32_t x = left + 1 > above ? left + 1 : above, start = x;
    while (x < b->x1 && x - k < b->y1 && w->old[x] == w->now[x - k])
        x++;
    w->work += (uint64_t)(x - start) + 1;
    return w->far[k] = x;
}

static int32_t go_left(struct diff_core_walk *w, const struct box *b, int32_t k)
{
    int32_t below = w->back[k - 1], right = w->back[k + 1];
    int32_t x = right - 1 < below ? right - 1 : below, start = x;
    while (x > b->x0 && x - k > b->y0 && w->old[x - 1] == w->now[x - k - 1])
        x--;
    w->work += (uint64_t)(start - x) + 1;
    return w->back[k] = x;
}

/* The diagonals reached so far from one end. */
struct front {
    int32_t low, high;
};

/* Add one diagonal on either side, but none outside the box. */
static void widen(struct front *f, const struct box *b, int32_t *row, int32_t unreached)
{
    if (f->low > b->x0 - b->y1)
        row[--f->low - 1] = unreached;
    else
        f->low++;
    if (f->high < b->x1 - b->y0)
        row[++f->high + 1] = unreached;
    else
        f->high--;
}

/*
 * Find a point on a shortest path, where the searches from both ends meet. False if the
 * work is used up.
 */
static bool find_middle(struct diff_core_walk *w, const struct box *b, struct point *out)
{
    struct front from_start = {b->x0 - b->y0, b->x0 - b->y0};
    struct front from_end = {b->x1 - b->y1, b->x1 - b->y1};
    bool odd = (from_start.low - from_end.low) & 1;
    w->far[from_start.low] = b->x0;
    w->back[from_end.low] = b->x1;
    while (w->work < w->work_max) {
        widen(&from_start, b, w->far, -1);
        for (int32_t k = from_start.high; k >= from_start.low; k -= 2) {
            int32_t x = go_right(w, b, k);
            if (odd && k >= from_end.low && k <= from_end.high && w->back[k] <= x) {
                *out = (struct point){x, x - k};
                return true;
            }
        }
        widen(&from_end, b, w->back, NEVER);
        for (int32_t k = from_end.high; k >= from_end.low; k -= 2) {
            int32_t x = go_left(w, b, k);
            if (!odd && k >= from_start.low && k <= from_start.high && x <= w->far[k]) {
                *out = (struct point){x, x - k};
                return true;
            }
        }
    }
    return false;
}

static void mark(struct diff_core_walk *w, const struct box *b)
{
    for (int32_t x = b->x0; x < b->x1; x++)
        w->dropped[x] = true;
    for (int32_t y = b->y0; y < b->y1; y++)
        w->added[y] = true;
}

/* Depth is logarithmic in the number of changes: each half has half of them. */
static void diff_core_compare(struct diff_core_walk *w, struct box b)
{
    for (;;) {
        struct point middle;
        while (b.x0 < b.x1 && b.y0 < b.y1 && w->old[b.x0] == w->now[b.y0])
            b.x0++, b.y0++;
        while (b.x0 < b.x1 && b.y0 < b.y1 && w->old[b.x1 - 1] == w->now[b.y1 - 1])
            b.x1--, b.y1--;
        if (b.x0 == b.x1 || b.y0 == b.y1) {
            mark(w, &b);
            return;
        }
        if (!find_middle(w, &b, &middle)) {
            w->coarse = true;
            mark(w, &b);
            return;
        }
        diff_core_compare(w, (struct box){b.x0, middle.x, b.y0, middle.y});
        b.x0 = middle.x;
        b.y0 = middle.y;
    }
}

/* --- only the items in both --- */

/* The items of a row that the other row has too, and their positions. */
struct diff_core_shared {
    uint32_t *items, *at;
    bool *changed;
    uint32_t n;
};

static struct diff_core_shared pick_shared(struct arena *a, struct diff_row row,
                                           const bool *other, bool *lacking)
{
    struct diff_core_shared s = {
        .items = ARENA_ARRAY(a, uint32_t, row.n),
        .at = ARENA_ARRAY(a, uint32_t, row.n),
        .changed = ARENA_ARRAY(a, bool, row.n),
    };
    for (uint32_t i = 0; i < row.n; i++) {
        lacking[i] = !other[row.items[i]];
        if (lacking[i])
            continue;
        s.items[s.n] = row.items[i];
        s.at[s.n++] = i;
    }
    return s;
}

static bool *names_of(struct arena *a, struct diff_row row, uint32_t names)
{
    bool *out = ARENA_ARRAY(a, bool, names);
    for (uint32_t i = 0; i < row.n; i++)
        out[row.items[i]] = true;
    return out;
}

static void copy_back(const struct diff_core_shared *s, bool *changed)
{
    for (uint32_t i = 0; i < s->n; i++)
        changed[s->at[i]] = s->changed[i];
}

/*
 * Compare only the items that both rows have. The others cannot be part of a common
 * subsequence, so the result is still exact.
 */
static bool compare_rows(struct arena *scratch, struct diff_row old, struct diff_row now,
                         uint32_t names, uint64_t *work, bool *dropped, bool *added)
{
    struct diff_core_shared x =
        pick_shared(scratch, old, names_of(scratch, now, names), dropped);
    struct diff_core_shared y =
        pick_shared(scratch, now, names_of(scratch, old, names), added);
    size_t diagonals = (size_t)x.n + y.n + 3;
    struct diff_core_walk w = {
        .old = x.items,
        .now = y.items,
        .dropped = x.changed,
        .added = y.changed,
        .far = ARENA_ARRAY(scratch, int32_t, diagonals) + y.n + 1,
        .back = ARENA_ARRAY(scratch, int32_t, diagonals) + y.n + 1,
        .work_max = *work,
    };
    diff_core_compare(&w, (struct box){0, (int32_t)x.n, 0, (int32_t)y.n});
    copy_back(&x, dropped);
    copy_back(&y, added);
    *work -= w.work < *work ? w.work : *work;
    return !w.coarse;
}

bool diff_rows(struct arena *scratch, struct diff_row old, struct diff_row now,
               uint32_t names, uint64_t *work, bool *dropped, bool *added)
{
    uint32_t head = 0, tail = 0;
    while (head < old.n && head < now.n && old.items[head] == now.items[head])
        head++;
    while (tail < old.n - head && tail < now.n - head &&
           old.items[old.n - 1 - tail] == now.items[now.n - 1 - tail])
        tail++;
    if (head + tail == old.n && head + tail == now.n)
        return true;
    return compare_rows(scratch, (struct diff_row){old.items + head, old.n - head - tail},
                        (struct diff_row){now.items + head, now.n - head - tail}, names,
                        work, dropped + head, added + head);
}
