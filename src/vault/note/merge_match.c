/*
 * Finds each line of base in one side. First equal lines (diff_core.h), without blank
 * ones, which would match anywhere; then, where lines were replaced by others, similar
 * lines; then blank lines between those; then the rest, if number and kinds agree.
 * Finally, groups of new and of removed lines are moved to a canonical place, so that two
 * sides with the same change look the same.
 */
#include "base/hash.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/note/merge_parts.h"
#include "vault/text/diff_core.h"

enum {
    NONE = UINT32_MAX,
    ALIKE = 50,          /* percent; less similar lines are different lines */
    PAIRS_MAX = 1 << 12, /* old * new lines of a change; above, not all are compared */
    WORDS_MAX = 64,      /* of a line that are compared */
};

/* --- the same lines --- */

/* The lines that are not blank, and their positions. */
struct texts {
    struct diff_row names;
    uint32_t *at;
    bool *changed;
};

static struct texts texts_of(struct merge *m, const struct merge_lines *l)
{
    uint32_t *names = ARENA_ARRAY(m->scratch, uint32_t, l->n), n = 0;
    struct texts t = {
        .at = ARENA_ARRAY(m->scratch, uint32_t, l->n),
        .changed = ARENA_ARRAY(m->scratch, bool, l->n),
    };
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->items[i].text.n == 0)
            continue;
        t.at[n] = i;
        names[n++] = l->items[i].name;
    }
    t.names = (struct diff_row){names, n};
    return t;
}

static uint32_t *match_same(struct merge *m, const struct merge_lines *base,
                            const struct merge_lines *side)
{
    struct texts old = texts_of(m, base), now = texts_of(m, side);
    uint32_t *map = ARENA_ARRAY(m->scratch, uint32_t, base->n), y = 0;
    (void)diff_rows(m->scratch, old.names, now.names, m->n_names, &m->work, old.changed,
                    now.changed);
    for (uint32_t i = 0; i < base->n; i++)
        map[i] = NONE;
    for (uint32_t x = 0; x < old.names.n; x++) {
        if (old.changed[x])
            continue;
        while (now.changed[y])
            y++;
        map[old.at[x]] = now.at[y++];
    }
    return map;
}

/* --- lines that are alike --- */

/* The words of a line as sorted numbers. */
struct bag {
    uint64_t words[WORDS_MAX];
    uint32_t n;
};

static int merge_match_by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void fill_bag(str text, struct bag *bag)
{
    str word;
    bag->n = 0;
    while (bag->n < WORDS_MAX && str_next(&text, ' ', &word))
        if (word.n > 0 && !str_eq(word, STR("|")))
            bag->words[bag->n++] = hash_table(word);
    sort_items(bag->words, bag->n, sizeof(bag->words[0]), merge_match_by_number);
}

static unsigned words_alike(const struct bag *x, const struct bag *y)
{
    uint32_t i = 0, j = 0, same = 0;
    while (i < x->n && j < y->n) {
        same += x->words[i] == y->words[j];
        if (x->words[i] < y->words[j])
            i++;
        else
            j++;
    }
    return x->n + y->n > 0 ? 200 * same / (x->n + y->n) : 0;
}

static unsigned ends_alike(str x, str y)
{
    size_t most = x.n < y.n ? x.n : y.n, head = 0, tail = 0, longer = x.n + y.n - most;
    while (head < most && x.p[head] == y.p[head])
        head++;
    while (tail < most - head && x.p[x.n - 1 - tail] == y.p[y.n - 1 - tail])
        tail++;
    return longer > 0 ? (unsigned)(100 * (head + tail) / longer) : 100;
}

/* One side, while lines of base are matched with it. */
struct merge_match_search {
    const struct merge_lines *lines;
    uint32_t *same; /* by line of base: the equal line, or NONE */
    uint32_t *map;  /* by line of base: the equal or similar line, or NONE */
    bool *is_new;   /* by name: the line is not in base */
    bool *gone;     /* by line of base: removed, and not replaced */
};

/* Lines of base that were replaced by lines of side. */
struct merge_change {
    const struct merge_line *old, *now;
    uint32_t n_old, n_new;
    struct bag *old_bags, *new_bags;
    const struct merge_match_search *other; /* the other side */
    uint32_t old_at;                        /* the position of old in base */
};

/*
 * Whether the other side has both the old and the new line, so that the new one does not
 * replace the old one.
 */
static bool is_beside(const struct merge_change *c, uint32_t i, uint32_t j)
{
    return c->other->same[c->old_at + i] != NONE && c->other->is_new[c->now[j].name];
}

/* The likeness of two lines in percent; common markers such as "- [ ] " do not count. */
static unsigned alike(const struct merge_change *c, uint32_t i, uint32_t j)
{
    const struct merge_line *x = &c->old[i], *y = &c->now[j];
    if (x->text.n == 0 || y->text.n == 0 || is_beside(c, i, j))
        return 0;
    str old = str_skip(x->text, merge_marks(x->text));
    str now = str_skip(y->text, merge_marks(y->text));
    unsigned ends = ends_alike(old, now);
    unsigned words = words_alike(&c->old_bags[i], &c->new_bags[j]);
    return ends > words ? ends : words;
}

static struct bag *bags_of(struct merge *m, const struct merge_line *lines, uint32_t n)
{
    struct bag *bags = ARENA_ARRAY(m->scratch, struct bag, n);
    for (uint32_t i = 0; i < n; i++)
        fill_bag(str_skip(lines[i].text, merge_marks(lines[i].text)), &bags[i]);
    return bags;
}

/*
 * Find the pairs, in order, with the greatest sum of likeness. best[i][j] is the sum for
 * the lines from i and from j.
 */
static void pair_alike(struct merge *m, const struct merge_change *c, uint32_t *map)
{
    uint32_t wide = c->n_new + 1;
    unsigned *like = ARENA_ARRAY(m->scratch, unsigned, (size_t)c->n_old * c->n_new);
    unsigned *best = ARENA_ARRAY(m->scratch, unsigned, (size_t)(c->n_old + 1) * wide);
    for (uint32_t i = c->n_old; i-- > 0;)
        for (uint32_t j = c->n_new; j-- > 0;) {
            unsigned here = alike(c, i, j), skip = best[(i + 1) * wide + j];
            like[i * c->n_new + j] = here < ALIKE ? 0 : here;
            here = here < ALIKE ? 0 : here + best[(i + 1) * wide + j + 1];
            skip = skip > best[i * wide + j + 1] ? skip : best[i * wide + j + 1];
            best[i * wide + j] = here > skip ? here : skip;
        }
    for (uint32_t i = 0, j = 0; i < c->n_old && j < c->n_new;) {
        unsigned here = like[i * c->n_new + j];
        if (here > 0 && best[i * wide + j] == here + best[(i + 1) * wide + j + 1])
            map[i++] = j++;
        else if (best[i * wide + j] == best[(i + 1) * wide + j])
            i++;
        else
            j++;
    }
}

/*
 * If the numbers and kinds of the lines agree, each new line is the changed old one,
 * unless the other side removed an old line, or has both an old and its new line.
 */
static void pair_in_order(struct merge *m, struct merge_change *c, uint32_t *map)
{
    if (c->n_old != c->n_new)
        return;
    for (uint32_t i = 0; i < c->n_old; i++)
        if (c->old[i].kind != c->now[i].kind || c->other->gone[c->old_at + i] ||
            is_beside(c, i, i))
            return;
    for (uint32_t i = 0; i < c->n_old; i++)
        map[i] = i;
}

static void pair_lines(struct merge *m, struct merge_change *c, uint32_t *map)
{
    size_t pairs = (size_t)c->n_old * c->n_new;
    if (pairs > PAIRS_MAX || m->work < pairs * WORDS_MAX)
        return;
    m->work -= pairs * WORDS_MAX;
    c->old_bags = bags_of(m, c->old, c->n_old);
    c->new_bags = bags_of(m, c->now, c->n_new);
    pair_alike(m, c, map);
}

/* --- blank lines --- */

/* Blank lines are paired in order, starting with the first ones. */
static void pair_blanks(struct merge *m, struct merge_change *c, uint32_t *map)
{
    for (uint32_t i = 0, j = 0;; i++, j++) {
        while (i < c->n_old && c->old[i].text.n > 0)
            i++;
        while (j < c->n_new && c->now[j].text.n > 0)
            j++;
        if (i == c->n_old || j == c->n_new)
            return;
        map[i] = j;
    }
}

/* --- all of it --- */

/*
 * Move groups of new lines down: while the line after a group equals its first line, line
 * g of base may as well be matched with that first line. Stops at removed lines of base.
 */
static void slide_new(const struct merge_lines *base, const struct merge_lines *side,
                      uint32_t *map)
{
    uint32_t next = 0;
    for (uint32_t g = 0; g < base->n; g++) {
        while (map[g] != NONE && map[g] > next && (g == 0 || map[g - 1] != NONE) &&
               side->items[next].name == base->items[g].name) {
            map[g] = next++;
            if (++g == base->n)
                return;
        }
        if (map[g] != NONE)
            next = map[g] + 1;
    }
}

/*
 * If a line between two groups of new lines equals one in the second group, match that
 * one, so that the groups become one.
 */
static void gather_new(const struct merge_lines *base, const struct merge_lines *side,
                       uint32_t *map)
{
    uint32_t next = 0, g = 0, end;
    while (g < base->n) {
        if (map[g] == NONE) {
            g++;
            continue;
        }
        for (end = g + 1; end < base->n && map[end] == NONE;)
            end++;
        uint32_t limit = end < base->n ? map[end] : side->n;
        while (map[g] > next && map[g] + 1 < limit &&
               side->items[map[g] + 1].name == base->items[g].name)
            map[g]++;
        next = map[g] + 1;
        g = end;
    }
}

/* The same as slide_new() for groups of removed lines. */
static void slide_gone(const struct merge_lines *base, uint32_t *map)
{
    uint32_t next = 0; /* the next line of side */
    for (uint32_t x = 0, end; x < base->n; x++) {
        if (map[x] != NONE) {
            next = map[x] + 1;
            continue;
        }
        for (end = x; end < base->n; x++, end++, next++) {
            while (end < base->n && map[end] == NONE)
                end++;
            if (end == base->n || map[end] != next ||
                base->items[x].name != base->items[end].name)
                break;
            map[x] = next;
            map[end] = NONE;
        }
        x = end - 1;
    }
}

/* Lines that were removed where nothing was added. */
static void find_gone(const struct merge_lines *base, struct merge_match_search *side)
{
    uint32_t next = 0;
    for (uint32_t x = 0, end; x < base->n; x = end) {
        end = x + 1;
        if (side->map[x] != NONE) {
            next = side->map[x] + 1;
            continue;
        }
        while (end < base->n && side->map[end] == NONE)
            end++;
        uint32_t to = end < base->n ? side->map[end] : side->lines->n;
        for (uint32_t i = x; i < end; i++)
            side->gone[i] = to == next;
    }
}

/*
 * Call fn for all lines of base that are not matched yet, with the lines of side at that
 * place.
 */
static void each_change(struct merge *m, const struct merge_lines *base,
                        struct merge_match_search *side,
                        const struct merge_match_search *other,
                        void (*pair)(struct merge *, struct merge_change *, uint32_t *))
{
    uint32_t next = 0, *map = side->map;
    for (uint32_t x = 0, end; x < base->n; x = end) {
        end = x + 1;
        if (map[x] != NONE) {
            next = map[x] + 1;
            continue;
        }
        while (end < base->n && map[end] == NONE)
            end++;
        uint32_t to = end < base->n ? map[end] : side->lines->n;
        struct merge_change c = {
            .old = base->items + x,
            .now = side->lines->items + next,
            .n_old = end - x,
            .n_new = to - next,
            .other = other,
            .old_at = x,
        };
        pair(m, &c, map + x);
        for (uint32_t i = x; i < end; i++)
            map[i] += map[i] != NONE ? next : 0;
    }
}

static void find_same(struct merge *m, const struct merge_lines *base,
                      const struct merge_lines *side, const bool *in_base,
                      struct merge_match_search *out)
{
    out->lines = side;
    out->same = match_same(m, base, side);
    out->map = ARENA_ARRAY(m->scratch, uint32_t, base->n);
    out->is_new = ARENA_ARRAY(m->scratch, bool, m->n_names);
    for (uint32_t i = 0; i < base->n; i++)
        out->map[i] = out->same[i];
    for (uint32_t i = 0; i < side->n; i++)
        out->is_new[side->items[i].name] = !in_base[side->items[i].name];
    out->gone = ARENA_ARRAY(m->scratch, bool, base->n);
}

/*
 * Whether the lines that replace lines [from, to) of base are placed before them rather
 * than after them. They are, unless the old lines are all blank; then only if the other
 * side has the same line, side's line first, at that place.
 */
static bool is_before(const struct merge_lines *base,
                      const struct merge_match_search *side,
                      const struct merge_match_search *other, uint32_t from, uint32_t to,
                      uint32_t first)
{
    uint32_t there = from == 0 ? 0 : other->map[from - 1];
    for (uint32_t i = from; i < to; i++)
        if (base->items[i].text.n > 0)
            return true;
    there += from > 0 && there != NONE;
    return there < other->lines->n &&
           other->lines->items[there].name == side->lines->items[first].name;
}

/* The map as merge_parts.h describes it. */
static const uint32_t *positions(struct merge *m, const struct merge_lines *base,
                                 const struct merge_match_search *side,
                                 const struct merge_match_search *other)
{
    uint32_t *at = ARENA_ARRAY(m->scratch, uint32_t, 2 * (size_t)base->n + 2), next = 0;
    for (uint32_t i = 0, end; i < base->n; i = end) {
        end = i;
        while (end < base->n && side->map[end] == NONE)
            end++;
        uint32_t to = end < base->n ? side->map[end] : side->lines->n;
        bool before = to > next && end > i && is_before(base, side, other, i, end, next);
        at[2 * i] = next;
        for (; i < end; i++)
            at[2 * i + 1] = at[2 * i + 2] = before ? to : next;
        next = before ? to : next;
        if (end < base->n) {
            at[2 * end + 1] = to;
            next = to + 1;
            end++;
        }
    }
    at[2 * base->n] = next;
    at[2 * base->n + 1] = side->lines->n;
    return at;
}

void merge_match(struct merge *m, const struct merge_lines *base,
                 const struct merge_lines *const sides[2], const uint32_t *at[2])
{
    struct merge_match_search found[2];
    bool *in_base = ARENA_ARRAY(m->scratch, bool, m->n_names);
    for (uint32_t i = 0; i < base->n; i++)
        in_base[base->items[i].name] = true;
    for (int s = 0; s < 2; s++)
        find_same(m, base, sides[s], in_base, &found[s]);
    for (int s = 0; s < 2; s++) {
        each_change(m, base, &found[s], &found[!s], pair_lines);
        each_change(m, base, &found[s], &found[!s], pair_blanks);
        slide_new(base, sides[s], found[s].map);
        slide_gone(base, found[s].map);
        gather_new(base, sides[s], found[s].map);
        find_gone(base, &found[s]);
    }
    for (int s = 0; s < 2; s++)
        each_change(m, base, &found[s], &found[!s], pair_in_order);
    for (int s = 0; s < 2; s++)
        at[s] = positions(m, base, &found[s], &found[!s]);
}
