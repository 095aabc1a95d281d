#include "vault/diff.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/sbuf.h"

enum { TEXT_MAX = 1 << 30, NEVER = INT32_MAX };

/* --- lines as numbers --- */

static str *split_lines(struct arena *a, str text, uint32_t *n)
{
    size_t lines = 0, i = 0;
    for (size_t at = 0; at < text.n; lines++) {
        size_t feed = str_find_char(str_skip(text, at), '\n');
        at = feed == STR_NONE ? text.n : at + feed + 1;
    }
    str *out = ARENA_ARRAY(a, str, lines);
    for (size_t at = 0, end; at < text.n; at = end) {
        size_t feed = str_find_char(str_skip(text, at), '\n');
        end = feed == STR_NONE ? text.n : at + feed + 1;
        out[i++] = str_slice(text, at, end);
    }
    *n = (uint32_t)lines;
    return out;
}

/* Equal lines get equal numbers. */
struct numbers {
    uint32_t *slots; /* number + 1, 0: free */
    const str **lines;
    size_t mask;
    uint32_t n;
};

static uint32_t number_of(struct numbers *t, const str *line)
{
    size_t slot = hash_table(*line) & t->mask;
    for (; t->slots[slot] != 0; slot = (slot + 1) & t->mask)
        if (str_eq(*t->lines[t->slots[slot] - 1], *line))
            return t->slots[slot] - 1;
    t->lines[t->n] = line;
    t->slots[slot] = ++t->n;
    return t->n - 1;
}

/* --- the shortest way --- */

/*
 * A way through the table of old lines (x) and new lines (y): a step right drops an old
 * line, one down adds a new one, one across keeps both. far[k] is how far right one gets
 * on diagonal k = x - y with some number of steps; back the same from the other end.
 */
struct walk {
    const uint32_t *old, *new;
    bool *dropped, *added;
    int32_t *far, *back; /* by diagonal, from -(new lines) - 1 on */
    uint64_t work;
    bool coarse;
};

struct box {
    int32_t x0, x1, y0, y1;
};

struct point {
    int32_t x, y;
};

static int32_t go_right(struct walk *w, const struct box *b, int32_t k)
{
    int32_t above = w->far[k + 1], left = w->far[k - 1];
    int32_t x = left + 1 > above ? left + 1 : above, start = x;
    while (x < b->x1 && x - k < b->y1 && w->old[x] == w->new[x - k])
        x++;
    w->work += (uint64_t)(x - start) + 1;
    return w->far[k] = x;
}

static int32_t go_left(struct walk *w, const struct box *b, int32_t k)
{
    int32_t below = w->back[k - 1], right = w->back[k + 1];
    int32_t x = right - 1 < below ? right - 1 : below, start = x;
    while (x > b->x0 && x - k > b->y0 && w->old[x - 1] == w->new[x - k - 1])
        x--;
    w->work += (uint64_t)(start - x) + 1;
    return w->back[k] = x;
}

/* The diagonals reached so far from one end. */
struct front {
    int32_t low, high;
};

/* One diagonal more at both sides, but none outside of the box. */
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
 * A point that a shortest way goes through, where the ways from both ends meet; false
 * when the work is used up.
 */
static bool find_middle(struct walk *w, const struct box *b, struct point *out)
{
    struct front ahead = {b->x0 - b->y0, b->x0 - b->y0};
    struct front behind = {b->x1 - b->y1, b->x1 - b->y1};
    bool odd = (ahead.low - behind.low) & 1;
    w->far[ahead.low] = b->x0;
    w->back[behind.low] = b->x1;
    while (w->work < DIFF_WORK_MAX) {
        widen(&ahead, b, w->far, -1);
        for (int32_t k = ahead.high; k >= ahead.low; k -= 2) {
            int32_t x = go_right(w, b, k);
            if (odd && k >= behind.low && k <= behind.high && w->back[k] <= x) {
                *out = (struct point){x, x - k};
                return true;
            }
        }
        widen(&behind, b, w->back, NEVER);
        for (int32_t k = behind.high; k >= behind.low; k -= 2) {
            int32_t x = go_left(w, b, k);
            if (!odd && k >= ahead.low && k <= ahead.high && x <= w->far[k]) {
                *out = (struct point){x, x - k};
                return true;
            }
        }
    }
    return false;
}

static void mark(struct walk *w, const struct box *b)
{
    for (int32_t x = b->x0; x < b->x1; x++)
        w->dropped[x] = true;
    for (int32_t y = b->y0; y < b->y1; y++)
        w->added[y] = true;
}

/* Depth is logarithmic in the number of changes: each half has half of them. */
static void compare(struct walk *w, struct box b)
{
    for (;;) {
        struct point middle;
        while (b.x0 < b.x1 && b.y0 < b.y1 && w->old[b.x0] == w->new[b.y0])
            b.x0++, b.y0++;
        while (b.x0 < b.x1 && b.y0 < b.y1 && w->old[b.x1 - 1] == w->new[b.y1 - 1])
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
        compare(w, (struct box){b.x0, middle.x, b.y0, middle.y});
        b.x0 = middle.x;
        b.y0 = middle.y;
    }
}

/* --- changes and hunks --- */

static struct diff_change *list_changes(struct arena *a, struct diff *d,
                                        const bool *dropped, const bool *added, size_t *n)
{
    struct diff_change *list = NULL;
    size_t cap = 0;
    uint32_t x = 0, y = 0;
    *n = 0;
    while (x < d->n_old || y < d->n_new) {
        struct diff_change c = {.old_at = x, .new_at = y};
        while (x < d->n_old && dropped[x])
            x++;
        while (y < d->n_new && added[y])
            y++;
        c.old_n = x - c.old_at;
        c.new_n = y - c.new_at;
        if (c.old_n == 0 && c.new_n == 0) {
            x++, y++;
            continue;
        }
        if (*n == cap) {
            size_t more = cap < 16 ? 16 : cap * 2;
            list = arena_grow(a, list, cap * sizeof(*list), more * sizeof(*list));
            cap = more;
        }
        list[(*n)++] = c;
        d->removed += c.old_n;
        d->added += c.new_n;
    }
    return list;
}

static struct diff_hunk hunk_of(const struct diff *d, const struct diff_change *first,
                                size_t n)
{
    const struct diff_change *last = &first[n - 1];
    uint32_t lead = first->old_at < DIFF_CONTEXT ? first->old_at : DIFF_CONTEXT;
    uint32_t left = d->n_old - last->old_at - last->old_n;
    uint32_t tail = left < DIFF_CONTEXT ? left : DIFF_CONTEXT;
    struct diff_hunk h = {
        .old_at = first->old_at - lead,
        .new_at = first->new_at - lead,
        .changes = first,
        .n_changes = n,
    };
    h.old_n = last->old_at + last->old_n + tail - h.old_at;
    h.new_n = last->new_at + last->new_n + tail - h.new_at;
    return h;
}

static void group_hunks(struct arena *a, struct diff *d, const struct diff_change *list,
                        size_t n)
{
    d->hunks = ARENA_ARRAY(a, struct diff_hunk, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n; end++)
            if (list[end].old_at - list[end - 1].old_at - list[end - 1].old_n >
                2 * DIFF_CONTEXT)
                break;
        d->hunks[d->n_hunks++] = hunk_of(d, &list[i], end - i);
    }
}

static const uint32_t *number_lines(struct arena *a, struct numbers *t, const str *lines,
                                    uint32_t n)
{
    uint32_t *out = ARENA_ARRAY(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = number_of(t, &lines[i]);
    return out;
}

/* How many lines are the same at the start, or, if from_end, at the end. */
static uint32_t same_lines(const struct diff *d, uint32_t max, bool from_end)
{
    uint32_t n = 0;
    while (n < max && (from_end ? str_eq(d->old_lines[d->n_old - 1 - n],
                                         d->new_lines[d->n_new - 1 - n])
                                : str_eq(d->old_lines[n], d->new_lines[n])))
        n++;
    return n;
}

/* Fill dropped and added; only lines between those that are the same get numbers. */
static bool find_changes(struct arena *scratch, const struct diff *d, bool *dropped,
                         bool *added)
{
    uint32_t most = d->n_old < d->n_new ? d->n_old : d->n_new;
    uint32_t head = same_lines(d, most, false);
    uint32_t same = head + same_lines(d, most - head, true);
    uint32_t n_old = d->n_old - same, n_new = d->n_new - same;
    size_t lines = (size_t)n_old + n_new, slots = 16, diagonals = lines + 3;
    while (slots < 2 * lines)
        slots *= 2;
    struct numbers t = {
        .slots = ARENA_ARRAY(scratch, uint32_t, slots),
        .lines = ARENA_ARRAY(scratch, const str *, lines),
        .mask = slots - 1,
    };
    struct walk w = {
        .old = number_lines(scratch, &t, d->old_lines + head, n_old),
        .new = number_lines(scratch, &t, d->new_lines + head, n_new),
        .dropped = dropped + head,
        .added = added + head,
        .far = ARENA_ARRAY(scratch, int32_t, diagonals) + n_new + 1,
        .back = ARENA_ARRAY(scratch, int32_t, diagonals) + n_new + 1,
    };
    compare(&w, (struct box){0, (int32_t)n_old, 0, (int32_t)n_new});
    return w.coarse;
}

void diff_make(struct arena *a, str old_text, str new_text, struct diff *out)
{
    struct arena scratch = {0};
    size_t n;
    if (old_text.n > TEXT_MAX || new_text.n > TEXT_MAX)
        BUG("texts of %zu and %zu bytes", old_text.n, new_text.n);
    *out = (struct diff){0};
    out->old_lines = split_lines(a, old_text, &out->n_old);
    out->new_lines = split_lines(a, new_text, &out->n_new);
    bool *dropped = ARENA_ARRAY(&scratch, bool, out->n_old);
    bool *added = ARENA_ARRAY(&scratch, bool, out->n_new);
    out->coarse = find_changes(&scratch, out, dropped, added);
    const struct diff_change *list = list_changes(a, out, dropped, added, &n);
    group_hunks(a, out, list, n);
    arena_release(&scratch);
}

/* --- printing --- */

struct printer {
    struct sbuf b;
    size_t max, left_out;
};

static void print_line(struct printer *p, char sign, str line)
{
    if (p->left_out > 0 || (p->max > 0 && p->b.n + line.n + 1 > p->max)) {
        p->left_out++;
        return;
    }
    sbuf_char(&p->b, sign);
    sbuf_add(&p->b, line);
    if (!str_ends(line, STR("\n")))
        sbuf_add(&p->b, STR("\n\\ No newline at end of file\n"));
}

/* "12,3"; an empty range is named by the line before it. */
static void print_range(struct sbuf *b, uint32_t at, uint32_t n)
{
    sbuf_printf(b, "%u", n > 0 ? at + 1 : at);
    if (n != 1)
        sbuf_printf(b, ",%u", n);
}

static void print_hunk(struct printer *p, const struct diff *d, const struct diff_hunk *h)
{
    uint32_t x = h->old_at;
    if (p->left_out == 0) {
        sbuf_add(&p->b, STR("@@ -"));
        print_range(&p->b, h->old_at, h->old_n);
        sbuf_add(&p->b, STR(" +"));
        print_range(&p->b, h->new_at, h->new_n);
        sbuf_add(&p->b, STR(" @@\n"));
    }
    for (size_t i = 0; i < h->n_changes; i++) {
        const struct diff_change *c = &h->changes[i];
        for (; x < c->old_at; x++)
            print_line(p, ' ', d->old_lines[x]);
        for (; x < c->old_at + c->old_n; x++)
            print_line(p, '-', d->old_lines[x]);
        for (uint32_t y = c->new_at; y < c->new_at + c->new_n; y++)
            print_line(p, '+', d->new_lines[y]);
    }
    for (; x < h->old_at + h->old_n; x++)
        print_line(p, ' ', d->old_lines[x]);
}

str diff_print(struct arena *a, const struct diff *d, str old_name, str new_name,
               size_t max)
{
    struct printer p = {.b = SBUF_ON(a), .max = max};
    if (d->n_hunks == 0)
        return (str){0};
    sbuf_printf(&p.b, "--- " STR_FMT "\n+++ " STR_FMT "\n", STR_ARG(old_name),
                STR_ARG(new_name));
    for (size_t i = 0; i < d->n_hunks; i++)
        print_hunk(&p, d, &d->hunks[i]);
    if (p.left_out > 0)
        sbuf_printf(&p.b, "(%zu more lines)\n", p.left_out);
    return sbuf_str(&p.b);
}
