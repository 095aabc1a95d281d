/*
 * The merge of lines. Lines of base and the gaps between them are positions
 * (merge_parts.h): an odd position is a line, an even one the gap before a line, in which
 * a side may have added lines.
 *
 * Why not diff3? It merges regions between lines that all three have in common, so
 * changes in neighbouring lines collide, and two items added to the same list do, too. In
 * notes both are common and harmless. So each position is merged separately, and
 * positions are joined only where neighbours depend on each other: within one paragraph
 * or code block, and around lines that one side removed or replaced. If both sides
 * changed joined positions, they collide, unless one side's changes include the other's
 * (merge_weave_holds()).
 *
 * merge_weave() walks over the positions. A run of joined changes is handled by merge_weave_settle(),
 * from the harmless cases to the collision; the order of its tests matters. Before that,
 * spread_end() looks for a line that both added on different sides of blank lines, which
 * would otherwise be written twice.
 */
#include "vault/note/merge_parts.h"

enum { SPREAD_MAX = 128 }; /* positions */

struct weave_view {
    const struct merge_lines *lines;
    const uint32_t *at;
};

struct weave {
    struct merge *m;
    const struct merge_lines *base;
    struct weave_view ours, theirs;
    uint32_t end;       /* the position after the last */
    bool *joined;       /* position p with p + 1 */
    uint32_t *ours_new; /* by name: for share_new(), all 0 between calls */
};

static uint32_t count_at(const struct weave_view *v, uint32_t p)
{
    return v->at[p + 1] - v->at[p];
}

static const struct merge_line *merge_weave_line_at(const struct weave_view *v,
                                                    uint32_t p)
{
    return &v->lines->items[v->at[p]];
}

/* Whether v changed position p: added lines to a gap, or removed or changed a line. */
static bool did(const struct weave *w, const struct weave_view *v, uint32_t p)
{
    if (p % 2 == 0)
        return count_at(v, p) > 0;
    return count_at(v, p) == 0 ||
           merge_weave_line_at(v, p)->name != w->base->items[p / 2].name;
}

static bool same_lines(const struct weave_view *x, const struct weave_view *y, uint32_t p,
                       uint32_t q)
{
    uint32_t n = x->at[q] - x->at[p];
    if (n != y->at[q] - y->at[p])
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (x->lines->items[x->at[p] + i].name != y->lines->items[y->at[p] + i].name)
            return false;
    return true;
}

/* --- what is joined --- */

static bool any_text(const struct merge_lines *l, uint32_t from, uint32_t to)
{
    while (from < to && l->items[from].kind == LINE_BLANK)
        from++;
    return from < to;
}

/*
 * Whether a line that the other side added next to a removed item or row makes sense
 * without it. An item that is indented deeper than a removed one above it does not: it
 * was a part of it.
 */
static bool is_independent(const struct merge_line *gone, const struct merge_line *put,
                           bool after)
{
    if (gone->kind == LINE_ROW)
        return put->kind == LINE_ROW;
    if (put->kind != LINE_ITEM || !after)
        return put->kind == LINE_ITEM && gone->kind == LINE_ITEM;
    return gone->kind == LINE_ITEM
               ? put->indent <= gone->indent
               : gone->kind == LINE_MORE && put->indent < gone->indent;
}

/*
 * Lines [from, to) of base are missing in v: join what depends on them. If v has other
 * lines instead, the whole replacement depends on what the other side did there.
 */
static void join_gone(struct weave *w, const struct weave_view *v,
                      const struct weave_view *other, uint32_t from, uint32_t to)
{
    const struct merge_line *base = w->base->items;
    bool text = any_text(w->base, from, to);
    bool replaced = text && count_at(v, 2 * from) > 0;
    for (uint32_t p = 2 * from + 1; p + 1 < 2 * to; p++)
        w->joined[p] = true;
    w->joined[2 * from] |= replaced;
    w->joined[2 * to - 1] |= replaced;
    if (replaced || !text)
        return;
    if (count_at(other, 2 * from) > 0)
        w->joined[2 * from] |= !is_independent(
            &base[from], merge_weave_line_at(other, 2 * from + 1) - 1, false);
    if (count_at(other, 2 * to) > 0)
        w->joined[2 * to - 1] |=
            !is_independent(&base[to - 1], merge_weave_line_at(other, 2 * to), true);
}

static void join_view(struct weave *w, const struct weave_view *v,
                      const struct weave_view *other)
{
    for (uint32_t i = 0, end; i < w->base->n; i = end) {
        end = i + 1;
        if (count_at(v, 2 * i + 1) > 0)
            continue;
        while (end < w->base->n && count_at(v, 2 * end + 1) == 0)
            end++;
        join_gone(w, v, other, i, end);
    }
}

static void join_all(struct weave *w)
{
    const struct merge_lines *base = w->base;
    w->joined = ARENA_ARRAY(w->m->scratch, bool, w->end);
    for (uint32_t i = 0; i + 1 < base->n; i++)
        if (base->items[i].unit == base->items[i + 1].unit)
            w->joined[2 * i + 1] = w->joined[2 * i + 2] = true;
    if (base->open)
        w->joined[2 * base->n - 1] = true;
    join_view(w, &w->ours, &w->theirs);
    join_view(w, &w->theirs, &w->ours);
}

/* --- taking --- */

/*
 * Write the line at p as v has it; trailing spaces and line ending come from the side
 * that changed them.
 */
static void merge_weave_put_line(struct weave *w, const struct weave_view *v, uint32_t p)
{
    const struct merge_line *base = &w->base->items[p / 2],
                            *from = merge_weave_line_at(v, p);
    const struct merge_line *x = from, *y = from;
    if (count_at(&w->ours, p) > 0 && count_at(&w->theirs, p) > 0) {
        x = merge_weave_line_at(&w->ours, p);
        y = merge_weave_line_at(&w->theirs, p);
    }
    merge_put(w->m, from->text, merge_pick(base->blanks, x->blanks, y->blanks),
              merge_pick(base->eol, x->eol, y->eol));
}

static void merge_weave_take(struct weave *w, const struct weave_view *v, uint32_t p,
                             uint32_t q)
{
    for (; p <= q; p++)
        if (p % 2 == 1 && count_at(v, p) > 0)
            merge_weave_put_line(w, v, p);
        else
            for (uint32_t i = v->at[p]; i < v->at[p + 1]; i++)
                merge_put_new(w->m, &v->lines->items[i]);
}

/* The bytes of lines [from, to) in the side's text. */
static struct span bytes_of(const struct merge_lines *l, uint32_t from, uint32_t to)
{
    const struct merge_line *last = l->n > 0 ? &l->items[l->n - 1] : NULL;
    uint32_t end =
        last == NULL ? 0
                     : last->at + (uint32_t)(last->text.n + last->blanks.n + last->eol.n);
    return (struct span){
        from < l->n ? l->items[from].at : end,
        to < l->n ? l->items[to].at : end,
    };
}

static void keep_ours(struct weave *w, uint32_t p, uint32_t q)
{
    size_t from = w->m->out.n;
    const struct weave_view *t = &w->theirs;
    struct span theirs = bytes_of(t->lines, t->at[p], t->at[q + 1]);
    merge_weave_take(w, &w->ours, p, q);
    merge_collide(w->m, from, theirs.start, theirs.end);
}

/* --- both changed it --- */

static void both_changed_line(struct weave *w, uint32_t p)
{
    const struct merge_line *base = &w->base->items[p / 2];
    str text;
    if (base->kind == LINE_FIXED || count_at(&w->ours, p) == 0 ||
        count_at(&w->theirs, p) == 0) {
        keep_ours(w, p, p);
        return;
    }
    const struct merge_line *x = merge_weave_line_at(&w->ours, p),
                            *y = merge_weave_line_at(&w->theirs, p);
    if (!merge_words(w->m, base->text, x->text, y->text, &text)) {
        keep_ours(w, p, p);
        return;
    }
    merge_put(w->m, text, merge_pick(base->blanks, x->blanks, y->blanks),
              merge_pick(base->eol, x->eol, y->eol));
}

static struct merge_piece piece_at(const struct weave_view *v, uint32_t p)
{
    return (struct merge_piece){merge_weave_line_at(v, p), count_at(v, p)};
}

/* Whether the order of lines that both added here would matter; it is unknown. */
static bool is_ordered(const struct weave *w, uint32_t p)
{
    bool last = p + 1 == w->end;
    if (last && (w->ours.lines->open || w->theirs.lines->open))
        return true;
    return p > 0 && w->joined[p - 1] && (last || w->joined[p]);
}

/* Whether v made a change from p to q that the other side did not make, too. */
static bool did_alone(const struct weave *w, const struct weave_view *v, uint32_t p,
                      uint32_t q)
{
    for (; p <= q; p++)
        if (did(w, v, p) && !same_lines(&w->ours, &w->theirs, p, p + 1))
            return true;
    return false;
}

/* The next line of v, from *p and *i up to position q, that base does not have there. */
static const struct merge_line *next_new(const struct weave *w,
                                         const struct weave_view *v, uint32_t *p,
                                         uint32_t *i, uint32_t q)
{
    for (; *p <= q; ++*p)
        for (; *i < v->at[*p + 1]; ++*i)
            if (did(w, v, *p))
                return &v->lines->items[(*i)++];
    return NULL;
}

/*
 * Whether x includes all changes of y: the lines that y added, in that order, and none of
 * those that y removed.
 */
static bool merge_weave_holds(const struct weave *w, const struct weave_view *x,
                              const struct weave_view *y, uint32_t p, uint32_t q)
{
    uint32_t px = p, py = p, ix = x->at[p], iy = y->at[p];
    const struct merge_line *of_x, *of_y;
    for (uint32_t k = p; k <= q; k++)
        if (k % 2 == 1 && did(w, y, k) && !did(w, x, k))
            return false;
    while ((of_y = next_new(w, y, &py, &iy, q)) != NULL) {
        do
            of_x = next_new(w, x, &px, &ix, q);
        while (of_x != NULL && of_x->name != of_y->name);
        if (of_x == NULL)
            return false;
    }
    return true;
}

static void both_filled_gap(struct weave *w, uint32_t p)
{
    if (is_ordered(w, p)) {
        if (merge_weave_holds(w, &w->ours, &w->theirs, p, p))
            merge_weave_take(w, &w->ours, p, p);
        else if (merge_weave_holds(w, &w->theirs, &w->ours, p, p))
            merge_weave_take(w, &w->theirs, p, p);
        else
            keep_ours(w, p, p);
        return;
    }
    const struct merge_line *base = w->base->items;
    struct merge_around place = {
        .before = p > 0 ? &base[p / 2 - 1] : NULL,
        .after = p + 1 < w->end ? &base[p / 2] : NULL,
    };
    merge_put_both(w->m, piece_at(&w->ours, p), piece_at(&w->theirs, p), &place);
}

/*
 * Whether p is a blank line that the other side removed, but that is needed as a
 * separator for lines that v added next to it.
 */
static bool is_separator(const struct weave *w, const struct weave_view *v,
                         const struct weave_view *other, uint32_t p)
{
    return p % 2 == 1 && w->base->items[p / 2].kind == LINE_BLANK &&
           count_at(other, p) == 0 && count_at(v, p) > 0 &&
           (count_at(v, p - 1) > 0 || count_at(v, p + 1) > 0);
}

static void merge_weave_settle(struct weave *w, uint32_t p, uint32_t q)
{
    if (p == q && is_separator(w, &w->ours, &w->theirs, p))
        merge_weave_put_line(w, &w->ours, p);
    else if (p == q && is_separator(w, &w->theirs, &w->ours, p))
        merge_weave_put_line(w, &w->theirs, p);
    else if (!did_alone(w, &w->theirs, p, q) ||
             same_lines(&w->ours, &w->theirs, p, q + 1))
        merge_weave_take(w, &w->ours, p, q);
    else if (!did_alone(w, &w->ours, p, q))
        merge_weave_take(w, &w->theirs, p, q);
    else if (p < q && merge_weave_holds(w, &w->ours, &w->theirs, p, q))
        merge_weave_take(w, &w->ours, p, q);
    else if (p < q && merge_weave_holds(w, &w->theirs, &w->ours, p, q))
        merge_weave_take(w, &w->theirs, p, q);
    else if (p < q)
        keep_ours(w, p, q);
    else if (p % 2 == 1)
        both_changed_line(w, p);
    else
        both_filled_gap(w, p);
}

static bool any_did(const struct weave *w, uint32_t p)
{
    return did(w, &w->ours, p) || did(w, &w->theirs, p);
}

/*
 * The last position that is joined with p by changes. Unchanged lines separate changes,
 * empty gaps do not.
 */
static uint32_t last_joined(const struct weave *w, uint32_t p)
{
    for (;;) {
        if (p + 1 < w->end && w->joined[p] && any_did(w, p + 1))
            p++;
        else if (p % 2 == 1 && p + 2 < w->end && w->joined[p] && w->joined[p + 1] &&
                 any_did(w, p + 2))
            p += 2;
        else
            return p;
    }
}

/* --- equal lines between different blank lines --- */

/* Whether p cannot be an anchor: a gap, a blank line, or a line that both removed. */
static bool is_loose(const struct weave *w, uint32_t p)
{
    return p % 2 == 0 || w->base->items[p / 2].kind == LINE_BLANK ||
           (count_at(&w->ours, p) == 0 && count_at(&w->theirs, p) == 0);
}

/* Record where ours added lines from p to q, or clear that. */
static void mark_new(struct weave *w, uint32_t p, uint32_t q, bool on)
{
    uint32_t i = w->ours.at[p];
    const struct merge_line *line;
    while ((line = next_new(w, &w->ours, &p, &i, q)) != NULL)
        w->ours_new[line->name] = on && line->kind != LINE_BLANK ? p + 1 : 0;
}

/* Whether both added the same line from p to q, but at different positions. */
static bool share_new(struct weave *w, uint32_t p, uint32_t q)
{
    uint32_t at = p, i = w->theirs.at[p];
    const struct merge_line *line;
    mark_new(w, p, q, true);
    do
        line = next_new(w, &w->theirs, &at, &i, q);
    while (line != NULL &&
           (w->ours_new[line->name] == 0 || w->ours_new[line->name] == at + 1));
    mark_new(w, p, q, false);
    return line != NULL;
}

/*
 * Which of several blank lines is base's is a guess. So if both added the same line in
 * gaps with only blank lines between them, these gaps are treated as one. Returns its
 * last position, or p if there is no such gap.
 */
static uint32_t spread_end(struct weave *w, uint32_t p)
{
    uint32_t last = p;
    for (uint32_t q = p; q < w->end && q - p < SPREAD_MAX && is_loose(w, q); q++)
        if (any_did(w, q))
            last = q;
    return last > p && is_loose(w, p) && share_new(w, p, last) ? last : p;
}

static void settle_spread(struct weave *w, uint32_t p, uint32_t q)
{
    const struct merge_line *base = w->base->items;
    struct merge_around place = {
        .before = p > 0 ? &base[(p - 1) / 2] : NULL,
        .after = q + 1 < w->end ? &base[(q + 1) / 2] : NULL,
    };
    struct merge_piece ours = {merge_weave_line_at(&w->ours, p),
                               w->ours.at[q + 1] - w->ours.at[p]};
    struct merge_piece theirs = {merge_weave_line_at(&w->theirs, p),
                                 w->theirs.at[q + 1] - w->theirs.at[p]};
    if (same_lines(&w->ours, &w->theirs, p, q + 1))
        merge_weave_take(w, &w->ours, p, q);
    else
        merge_put_both(w->m, ours, theirs, &place);
}

void merge_weave(struct merge *m, const struct merge_lines *base,
                 const struct merge_lines *ours, const struct merge_lines *theirs)
{
    const uint32_t *at[2];
    merge_match(m, base, (const struct merge_lines *const[]){ours, theirs}, at);
    struct weave w = {
        .m = m,
        .base = base,
        .ours = {ours, at[0]},
        .theirs = {theirs, at[1]},
        .end = 2 * base->n + 1,
        .ours_new = ARENA_ARRAY(m->scratch, uint32_t, m->n_names),
    };
    join_all(&w);
    for (uint32_t p = 0, q; p < w.end; p = q + 1) {
        q = any_did(&w, p) ? spread_end(&w, p) : p;
        if (q > p) {
            settle_spread(&w, p, q);
        } else if (any_did(&w, p)) {
            q = last_joined(&w, p);
            merge_weave_settle(&w, p, q);
        } else if (p % 2 == 1) {
            merge_weave_put_line(&w, &w.ours, p);
        }
    }
}
