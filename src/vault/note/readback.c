/*
 * A place of a text is known by the number of bytes before it that were not replaced, so
 * places of both texts can be compared. What is in a replaced range has no place, only the
 * number of the range.
 */
#include "vault/note/readback.h"

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"

enum { READBACK_SHOWN = 60 }; /* bytes of a line in a message */

enum readback_thing {
    THING_PROPERTIES,
    THING_HEADING,
    THING_LINK,
    THING_TAG,
    THING_TASK,
    THING_ID,
    THING_FOOTNOTE,
    THING_REGION,
    THINGS,
};

static const char *const thing_names[] = {
    "the end of the properties",
    "a heading",
    "a link",
    "a tag",
    "a task",
    "a block id",
    "a footnote",
    "a block of its own",
};

struct readback_place {
    bool inside; /* of a range */
    size_t at;   /* its number, or the bytes before it that are in no range */
};

struct readback_item {
    enum readback_thing thing;
    unsigned kind; /* the level of a heading, the kind of a region */
    struct readback_place place;
    struct readback_place end; /* of a region that ends below the first range */
    size_t start;              /* for messages */
};

/* What one text has outside of the ranges, in the order of the scan. */
struct readback_side {
    struct arena *arena;
    const struct edit_range *ranges;
    size_t n_ranges;
    const size_t *taken; /* by range: bytes of those before it; the last: of all */
    const struct readback *how;
    struct readback_item *items;
    size_t n;
    size_t inside[THINGS]; /* how many begin in a range */
    size_t first_inside[THINGS];
};

static size_t *add_up(struct arena *a, const struct edit_range *ranges, size_t n)
{
    size_t *sums = ARENA_ARRAY(a, size_t, n + 1);
    for (size_t i = 0; i < n; i++)
        sums[i + 1] = sums[i] + ranges[i].end - ranges[i].start;
    return sums;
}

/* How many ranges end at or before a byte. */
static size_t ranges_before(const struct readback_side *s, size_t at)
{
    size_t low = 0, high = s->n_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->ranges[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* close: what begins with a range is not in it. */
static struct readback_place readback_place_of(const struct readback_side *s, size_t at,
                                               bool close)
{
    size_t i = ranges_before(s, at);
    bool inside = i < s->n_ranges && at >= s->ranges[i].start + close;
    return (struct readback_place){inside, inside ? i : at - s->taken[i]};
}

/* Whether a region goes on after the range in which it begins, or after the first one. */
static bool readback_goes_on(const struct readback_side *s, struct readback_place start,
                             size_t end)
{
    return s->n_ranges > 0 && end > s->ranges[start.inside ? start.at : 0].end;
}

static void side_add(struct readback_side *s, enum readback_thing thing, unsigned kind,
                     struct span span)
{
    bool names = s->how->inside != READBACK_ANY; /* links are replaced as a whole */
    struct readback_item item = {
        .thing = thing,
        .kind = kind,
        .place = readback_place_of(s, span.start, names && thing != THING_LINK),
        .start = span.start};
    bool swallows = thing == THING_REGION && !s->how->starts &&
                    readback_goes_on(s, item.place, span.end);
    if (swallows)
        item.end = readback_place_of(s, span.end, names);
    if (!item.place.inside || swallows)
        *ARRAY_ADD(s->arena, s->items, s->n) = item;
    if (item.place.inside && s->inside[thing]++ == 0)
        s->first_inside[thing] = span.start;
}

bool readback_is_block(enum note_region_kind kind)
{
    return kind != NOTE_INLINE_CODE && kind != NOTE_INLINE_MATH &&
           kind != NOTE_INDENTED_CODE;
}

const struct note_region *readback_open_block(const struct note *n, size_t at)
{
    for (uint32_t i = 0; i < n->n_regions; i++) {
        const struct note_region *r = &n->regions[i];
        if (readback_is_block(r->kind) && r->kind != NOTE_TABLE_REGION &&
            r->span.start < at && r->span.end > at)
            return r;
    }
    return NULL;
}

static void side_collect(struct readback_side *s, const struct note *n)
{
    if (n->has_frontmatter)
        side_add(s, THING_PROPERTIES, 0, (struct span){n->frontmatter.end, n->body});
    for (uint32_t i = 0; i < n->n_headings; i++)
        side_add(s, THING_HEADING, n->headings[i].level, n->headings[i].section);
    for (uint32_t i = 0; i < n->n_links; i++)
        if (n->links[i].kind != NOTE_REFERENCE)
            side_add(s, THING_LINK, n->links[i].kind, n->links[i].whole);
    for (uint32_t i = 0; i < n->n_tags; i++)
        side_add(s, THING_TAG, 0, n->tags[i].name);
    for (uint32_t i = 0; i < n->n_tasks; i++)
        side_add(s, THING_TASK, 0, n->tasks[i].mark);
    for (uint32_t i = 0; i < n->n_blocks; i++)
        side_add(s, THING_ID, 0, n->blocks[i].id);
    for (uint32_t i = 0; i < n->n_footnotes; i++)
        side_add(s, THING_FOOTNOTE, n->footnotes[i].definition, n->footnotes[i].whole);
    for (uint32_t i = 0; i < n->n_regions; i++)
        if (readback_is_block(n->regions[i].kind))
            side_add(s, THING_REGION, n->regions[i].kind, n->regions[i].span);
}

/* --- comparing --- */

static bool is_same_place(struct readback_place x, struct readback_place y)
{
    return x.inside == y.inside && x.at == y.at;
}

static bool is_same_item(const struct readback_item *x, const struct readback_item *y)
{
    return x->thing == y->thing && x->kind == y->kind &&
           is_same_place(x->place, y->place) && is_same_place(x->end, y->end);
}

/* The first item that is not the same in both; NULL: there is none. */
static const struct readback_item *first_other(const struct readback_side *was,
                                               const struct readback_side *is, bool *lost)
{
    for (size_t i = 0; i < was->n || i < is->n; i++) {
        *lost = i < was->n;
        if (i >= was->n || i >= is->n || !is_same_item(&was->items[i], &is->items[i]))
            return *lost ? &was->items[i] : &is->items[i];
    }
    return NULL;
}

/* The same for what begins in the ranges: by numbers. */
static bool other_inside(const struct readback *r, const struct readback_side *was,
                         const struct readback_side *is, struct readback_item *out,
                         bool *lost)
{
    for (enum readback_thing t = 0; t < THINGS; t++) {
        bool may_go = t == THING_LINK && r->inside == READBACK_NO_LINKS;
        if (was->inside[t] == is->inside[t] || (may_go && was->inside[t] > is->inside[t]))
            continue;
        *lost = was->inside[t] > is->inside[t];
        *out = (struct readback_item){.thing = t,
                                      .start = (*lost ? was : is)->first_inside[t]};
        return true;
    }
    return false;
}

static str describe(struct arena *a, str text, const struct readback_item *item,
                    const char *verb)
{
    size_t start = text_line_start(text, item->start);
    str line = str_slice(text, start, text_find_break(text, item->start));
    return arena_printf(a, "line %u, '" STR_FMT "', %s %s",
                        text_line_number(text, item->start),
                        STR_ARG(utf8_cut(str_trim(line), READBACK_SHOWN)), verb,
                        thing_names[item->thing]);
}

str readback_problem(struct arena *a, const struct readback *r, const char *is_lost,
                     const char *is_new)
{
    struct arena work = {0};
    struct readback_side was = {&work, r->cut, r->n, add_up(&work, r->cut, r->n), r};
    struct readback_side is = {&work, r->put, r->n, add_up(&work, r->put, r->n), r};
    struct readback_item within;
    bool lost;
    side_collect(&was, r->was);
    side_collect(&is, r->is);
    const struct readback_item *other = first_other(&was, &is, &lost);
    if (other == NULL && r->inside != READBACK_ANY &&
        other_inside(r, &was, &is, &within, &lost))
        other = &within;
    str problem = {0};
    if (other != NULL)
        problem = describe(a, lost ? r->was->text : r->is->text, other,
                           lost ? is_lost : is_new);
    arena_release(&work);
    return problem;
}
