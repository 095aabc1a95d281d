/*
 * Both sides added lines in one gap of base. Lines that both added are found first, so
 * that they are written once; between them come our lines, then theirs.
 */
#include "base/map.h"
#include "vault/note/merge_parts.h"
#include "vault/text/diff_core.h"

static bool begins_blank(struct merge_piece p)
{
    return p.lines[0].kind == LINE_BLANK;
}

static bool ends_blank(struct merge_piece p)
{
    return p.lines[p.n - 1].kind == LINE_BLANK;
}

static bool merge_gap_is_text(const struct merge_line *line)
{
    return line != NULL && line->kind != LINE_BLANK;
}

/*
 * Whether y must come first: it continues the block before, or x belongs to the block
 * after, and the other does not.
 */
static bool comes_first(struct merge_piece x, struct merge_piece y,
                        const struct merge_around *place)
{
    if (merge_gap_is_text(place->before) && begins_blank(x) != begins_blank(y))
        return begins_blank(x);
    return merge_gap_is_text(place->after) && !ends_blank(x) && ends_blank(y);
}

static uint32_t blanks_at_start(struct merge_piece p)
{
    uint32_t n = 0;
    while (n < p.n && p.lines[n].kind == LINE_BLANK)
        n++;
    return n;
}

/* Whether both begin with a blank line, and y's items can continue x's list. */
static bool continues_list(struct merge_piece x, struct merge_piece y)
{
    uint32_t first = blanks_at_start(y);
    enum merge_line_kind last = x.lines[x.n - 1].kind;
    return begins_blank(x) && begins_blank(y) && first < y.n &&
           y.lines[first].kind == LINE_ITEM && (last == LINE_ITEM || last == LINE_MORE);
}

/* Whether y directly after x would become a part of it. */
static bool needs_blank(struct merge_piece x, struct merge_piece y,
                        const struct merge_around *place)
{
    enum merge_line_kind last = x.lines[x.n - 1].kind, first = y.lines[0].kind;
    bool go_on = merge_gap_is_text(place->before) && !begins_blank(x);
    if (last == LINE_BLANK || first == LINE_BLANK || first == LINE_HEADING)
        return false;
    return !go_on && !(first == LINE_ITEM && (last == LINE_ITEM || last == LINE_MORE));
}

static void put_piece(struct merge *m, struct merge_piece p)
{
    for (uint32_t i = 0; i < p.n; i++)
        merge_put_new(m, &p.lines[i]);
}

static void put_pieces(struct merge *m, struct merge_piece x, struct merge_piece y,
                       const struct merge_around *place)
{
    if (x.n > 0 && y.n > 0 && comes_first(x, y, place)) {
        struct merge_piece first = y;
        y = x;
        x = first;
    }
    put_piece(m, x);
    if (x.n > 0 && y.n > 0) {
        if (needs_blank(x, y, place))
            merge_put(m, STR(""), STR(""), m->eol);
        uint32_t blanks = ends_blank(x) || continues_list(x, y) ? blanks_at_start(y) : 0;
        y.lines += blanks;
        y.n -= blanks;
    }
    put_piece(m, y);
}

/* Take the lines up to the first heading and the blank lines before it. */
static struct merge_piece until_heading(struct merge_piece *rest)
{
    struct merge_piece head = {rest->lines, 0};
    while (head.n < rest->n && rest->lines[head.n].kind != LINE_HEADING)
        head.n++;
    while (head.n < rest->n && head.n > 0 && ends_blank(head))
        head.n--;
    rest->lines += head.n;
    rest->n -= head.n;
    return head;
}

/* Lines that continue the current section stay before new sections. */
static void put_apart(struct merge *m, struct merge_piece x, struct merge_piece y,
                      const struct merge_around *place)
{
    struct merge_piece x_head = until_heading(&x), y_head = until_heading(&y);
    put_pieces(m, x_head, y_head, place);
    put_pieces(m, x, y, &(struct merge_around){NULL, place->after});
}

/* --- what both put there --- */

/*
 * Lines are the same if both text and heading above are equal; for code and the like, the
 * whole block must be equal. Blank lines are never the same.
 */
struct key {
    uint32_t text, within;
};

enum { OURS = 1, THEIRS = 2 }; /* added to blank lines to make them differ */

static str whole_unit(struct merge_piece p, uint32_t i)
{
    uint32_t end = i;
    while (end + 1 < p.n && p.lines[end + 1].unit == p.lines[i].unit)
        end++;
    const char *start = p.lines[i].text.p;
    return (str){start, (size_t)(p.lines[end].text.p + p.lines[end].text.n - start)};
}

static struct key *keys_of(struct merge *m, struct merge_piece p, struct map *units,
                           uint32_t side)
{
    struct key *keys = ARENA_ARRAY(m->scratch, struct key, p.n);
    uint32_t heading = 0, unit = 0;
    for (uint32_t i = 0; i < p.n; i++) {
        const struct merge_line *line = &p.lines[i];
        bool first = i == 0 || line->unit != line[-1].unit;
        keys[i] = (struct key){line->name + 1, heading};
        if (line->kind == LINE_HEADING) {
            heading = line->name + 1;
            keys[i].within = 0;
        } else if (line->kind == LINE_BLANK) {
            keys[i] = (struct key){0, 2 * i + side};
        } else if (line->kind == LINE_FIXED) {
            if (first)
                unit = map_add(units, whole_unit(p, i));
            keys[i].within = UINT32_MAX - unit;
        }
    }
    return keys;
}

static struct diff_row name_keys(struct merge *m, const struct key *keys, uint32_t n,
                                 struct map *names)
{
    uint32_t *out = ARENA_ARRAY(m->scratch, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = map_add(names, (str){(const char *)&keys[i], sizeof(keys[i])});
    return (struct diff_row){out, n};
}

/* Mark the lines that only one of them has. */
static void merge_gap_compare(struct merge *m, struct merge_piece x, struct merge_piece y,
                              bool *only_x, bool *only_y)
{
    struct map units = {.arena = m->scratch}, names = {.arena = m->scratch};
    struct diff_row old = name_keys(m, keys_of(m, x, &units, OURS), x.n, &names);
    struct diff_row now = name_keys(m, keys_of(m, y, &units, THEIRS), y.n, &names);
    (void)diff_rows(m->scratch, old, now, names.n, &m->work, only_x, only_y);
}

static uint32_t run_of(const bool *only, uint32_t from, uint32_t n)
{
    uint32_t end = from;
    while (end < n && only[end])
        end++;
    return end - from;
}

static bool merge_gap_has_text(struct merge_piece p)
{
    return blanks_at_start(p) < p.n;
}

/*
 * Write the lines before a common line, or at the end. If one side has only blank lines
 * there, only the lines of the other are written; if both do, ours.
 */
static void put_gap(struct merge *m, struct merge_piece x, struct merge_piece y,
                    const struct merge_around *place)
{
    if (!merge_gap_has_text(y))
        put_piece(m, x);
    else if (!merge_gap_has_text(x))
        put_piece(m, y);
    else
        put_apart(m, x, y, place);
}

void merge_put_both(struct merge *m, struct merge_piece x, struct merge_piece y,
                    const struct merge_around *place)
{
    bool *only_x = ARENA_ARRAY(m->scratch, bool, x.n);
    bool *only_y = ARENA_ARRAY(m->scratch, bool, y.n);
    struct merge_around here = *place;
    uint32_t i = 0, j = 0;
    merge_gap_compare(m, x, y, only_x, only_y);
    for (;;) {
        struct merge_piece in_x = {x.lines + i, run_of(only_x, i, x.n)};
        struct merge_piece in_y = {y.lines + j, run_of(only_y, j, y.n)};
        i += in_x.n;
        j += in_y.n;
        if (i == x.n) {
            here.after = place->after;
            put_gap(m, in_x, in_y, &here);
            return;
        }
        here.after = &x.lines[i];
        put_gap(m, in_x, in_y, &here);
        here.before = &x.lines[i];
        merge_put_new(m, &x.lines[i++]);
        j++;
    }
}
