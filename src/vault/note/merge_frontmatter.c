/*
 * Properties are merged by key. A block is cut into entries, each of them the lines of
 * one property with the comments above it, so that an entry taken from a side keeps its
 * bytes. Lists that both changed are edited with frontmatter_edit.h. The result is read
 * again; if it is not as expected, the whole block is a collision.
 */
#include "base/map.h"
#include "base/text.h"
#include "vault/note/frontmatter.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/merge_parts.h"
#include "vault/note/prop.h"
#include "vault/text/diff_core.h"

enum { BASE, OUR, THEIR, SIDES, FIRST_LINE = 2 };

struct merge_frontmatter_entry {
    str key;
    str lines; /* with "\n" */
    const struct prop *value;
    uint32_t name;     /* of the key */
    struct span bytes; /* in the original block */
};

struct block {
    str text; /* with "\n" */
    str eol;  /* what the original has instead; empty if there are no lines */
    struct merge_frontmatter_entry *entries;
    uint32_t n;
    str rest; /* after the last entry */
    str tail; /* the closing line */
    bool there;
};

struct merge_work {
    struct merge *m;
    const struct merge_block *given[SIDES];
    struct block blocks[SIDES];
    const struct merge_frontmatter_entry **by_name[SIDES]; /* NULL: no such key */
    uint32_t n_names;
};

/* --- cutting --- */

/* False if line endings are mixed. */
static bool with_feeds(struct merge *m, str block, str *out, str *eol)
{
    size_t feeds = 0, pairs = 0, returns = 0;
    struct sbuf b = SBUF_ON(m->scratch);
    for (size_t i = 0; i < block.n; i++) {
        feeds += block.p[i] == '\n';
        returns += block.p[i] == '\r';
        pairs += block.p[i] == '\n' && i > 0 && block.p[i - 1] == '\r';
    }
    *out = block;
    *eol = feeds == 0 ? (str){0} : pairs > 0 ? STR("\r\n") : STR("\n");
    if (returns != pairs || (pairs > 0 && pairs != feeds))
        return false;
    if (pairs == 0)
        return true;
    for (size_t i = 0; i < block.n; i++)
        if (block.p[i] != '\r')
            sbuf_char(&b, block.p[i]);
    *out = sbuf_str(&b);
    return true;
}

static size_t merge_frontmatter_next_line(str text, size_t at)
{
    if (at > 0 && at <= text.n && text.p[at - 1] == '\n')
        return at;
    return text_next_line(text, at);
}

/* Map an offset of text, which has "\n", to the original block. */
static uint32_t given_at(const struct block *b, size_t at)
{
    size_t feeds = b->eol.n == 2 ? text_count_ends(b->text, 0, at) : 0;
    for (size_t i = 0; feeds > 0 && (i = text_lone_return(b->text, i, at) + 1) <= at;)
        feeds--; /* a lone CR is as long as before */
    return (uint32_t)(at + feeds);
}

static bool cut_entries(struct merge *m, struct block *b)
{
    struct frontmatter f;
    frontmatter_read(m->scratch, b->text, FIRST_LINE, &f);
    if (f.broken)
        return false;
    size_t start = 0;
    b->entries = ARENA_ARRAY(m->scratch, struct merge_frontmatter_entry, f.props->n);
    for (const struct prop *p = f.props->child; p != NULL; p = p->next) {
        bool own_line = p->key_start == 0 || b->text.p[p->key_start - 1] == '\n';
        size_t end = merge_frontmatter_next_line(
            b->text, p->end > p->key_start ? p->end : p->key_start);
        if (!own_line || p->key_start < start || end <= p->key_start)
            return false;
        b->entries[b->n++] = (struct merge_frontmatter_entry){
            .key = p->key,
            .lines = str_slice(b->text, start, end),
            .value = p,
            .bytes = {(uint32_t)start, (uint32_t)end},
        };
        start = end;
    }
    b->rest = str_skip(b->text, start);
    return b->text.n == 0 || str_ends(b->text, STR("\n"));
}

static bool merge_frontmatter_cut_block(struct merge *m, const struct merge_block *given,
                                        struct block *b)
{
    str head, eol, tail_eol;
    b->there = given->head.n > 0;
    if (!with_feeds(m, given->head, &head, &b->eol) ||
        !with_feeds(m, given->block, &b->text, &eol) ||
        !with_feeds(m, given->tail, &b->tail, &tail_eol))
        return false;
    return (eol.n == 0 || str_eq(eol, b->eol)) &&
           (tail_eol.n == 0 || str_eq(tail_eol, b->eol)) && cut_entries(m, b);
}

static bool cut_blocks(struct merge_work *w)
{
    for (int s = 0; s < SIDES; s++)
        if (!merge_frontmatter_cut_block(w->m, w->given[s], &w->blocks[s]))
            return false;
    return true;
}

static void name_keys(struct merge_work *w)
{
    struct map names = {.arena = w->m->scratch};
    size_t n = 0;
    for (int s = 0; s < SIDES; s++)
        n += w->blocks[s].n;
    for (int s = 0; s < SIDES; s++) {
        struct block *b = &w->blocks[s];
        w->by_name[s] =
            ARENA_ARRAY(w->m->scratch, const struct merge_frontmatter_entry *, n);
        for (uint32_t i = 0; i < b->n; i++) {
            b->entries[i].name = map_add(&names, b->entries[i].key);
            w->by_name[s][b->entries[i].name] = &b->entries[i];
        }
    }
    w->n_names = names.n;
}

/* --- one property --- */

static bool same_bytes(const struct merge_frontmatter_entry *x,
                       const struct merge_frontmatter_entry *y)
{
    return x == y || (x != NULL && y != NULL && str_eq(x->lines, y->lines));
}

static bool same_value(const struct merge_frontmatter_entry *x,
                       const struct merge_frontmatter_entry *y)
{
    return x != NULL && y != NULL && prop_same(x->value, y->value);
}

static bool may_be_list(const struct merge_frontmatter_entry *e)
{
    return e == NULL || e->value->type == PROP_NULL || e->value->type == PROP_TEXT ||
           (e->value->type == PROP_LIST && e->value->n <= FRONTMATTER_ITEMS_MAX);
}

static bool merge_frontmatter_is_list(const struct merge_frontmatter_entry *e)
{
    return e != NULL && e->value->type == PROP_LIST;
}

static const struct prop *
merge_frontmatter_items_of(struct arena *a, const struct merge_frontmatter_entry *e)
{
    if (e == NULL || prop_is_empty(e->value))
        return NULL;
    return e->value->type == PROP_LIST ? e->value->child : prop_copy(a, e->value);
}

/* A list of the items that x has and y does not. */
static const struct prop *items_without(struct arena *a, const struct prop *x,
                                        const struct prop *y)
{
    struct prop *first = NULL, **link = &first;
    for (; x != NULL; x = x->next) {
        const struct prop *same = y;
        while (same != NULL && !prop_same(same, x))
            same = same->next;
        if (same != NULL)
            continue;
        *link = prop_copy(a, x);
        link = &(*link)->next;
    }
    return prop_of_items(a, first);
}

/* Our list with the items that theirs added and removed. */
static bool merge_list(struct merge_work *w, const struct merge_frontmatter_entry *base,
                       const struct merge_frontmatter_entry *ours,
                       const struct merge_frontmatter_entry *theirs, str *out)
{
    static const str fence = STR("---\n");
    struct arena *a = w->m->scratch;
    const struct prop *old = merge_frontmatter_items_of(a, base),
                      *now = merge_frontmatter_items_of(a, theirs);
    struct frontmatter_edit edits[] = {
        {FRONTMATTER_TAKE, ours->key, items_without(a, old, now), {0}},
        {FRONTMATTER_ADD, ours->key, items_without(a, now, old), {0}},
    };
    struct frontmatter_edited done;
    struct err err = {0};
    str note = arena_printf(a, "---\n" STR_FMT "---\n", STR_ARG(ours->lines));
    if (!frontmatter_edit(a, note, edits, COUNT_OF(edits), &done, &err))
        return false;
    *out = str_slice(done.text, fence.n, done.text.n - fence.n);
    return true;
}

/* --- the time of the last change --- */

/* Keys that plugins set at every change, case ignored. */
static bool is_time_key(str key)
{
    static const str keys[] = {
        STR("updated"),       STR("modified"),      STR("date modified"),
        STR("date-modified"), STR("date_modified"), STR("date updated"),
        STR("last modified"), STR("last-modified"), STR("last_modified"),
        STR("lastmod"),       STR("updated_at"),    STR("modified_at"),
        STR("mtime"),         STR("updated-at"),
    };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (str_eq_nocase(key, keys[i]))
            return true;
    return false;
}

/* "2026-11-16", "2026-11-16T09:30:05+01:00"; *zone is what follows the clock time. */
static bool is_time(const struct merge_frontmatter_entry *e, str *time, str *zone)
{
    static const char day[] = "dddd-dd-dd";
    if (e == NULL || e->value == NULL || e->value->type != PROP_TEXT)
        return false;
    *time = e->value->text;
    for (size_t i = 0; day[i] != '\0'; i++)
        if (i >= time->n ||
            (day[i] == 'd' ? !is_digit(time->p[i]) : time->p[i] != day[i]))
            return false;
    size_t at = sizeof(day) - 1;
    if (at < time->n && time->p[at] != 'T' && time->p[at] != ' ')
        return false;
    while (++at < time->n && (is_digit(time->p[at]) || strchr(":.", time->p[at]) != NULL))
        continue;
    *zone = str_skip(*time, at);
    *time = str_slice(*time, 0, at);
    return zone->n == 0 || strchr("Z+-", zone->p[0]) != NULL;
}

/* The later of two times; NULL if they are not times or cannot be compared. */
static const struct merge_frontmatter_entry *
later(const struct merge_frontmatter_entry *x, const struct merge_frontmatter_entry *y)
{
    str times[2], zones[2];
    if (!is_time(x, &times[0], &zones[0]) || !is_time(y, &times[1], &zones[1]) ||
        !str_eq(zones[0], zones[1]))
        return NULL;
    for (size_t i = 0; i < times[0].n && i < times[1].n; i++) {
        char a = times[0].p[i], b = times[1].p[i];
        if (a != b && is_digit(a) && is_digit(b))
            return a > b ? x : y;
    }
    return times[0].n >= times[1].n ? x : y;
}

/*
 * Choose the entry for a key, or NULL to drop it. False on a collision, with our entry
 * chosen.
 */
static bool merge_frontmatter_choose(struct merge_work *w, uint32_t name,
                                     const struct merge_frontmatter_entry **out)
{
    const struct merge_frontmatter_entry *base = w->by_name[BASE][name],
                                         *ours = w->by_name[OUR][name],
                                         *theirs = w->by_name[THEIR][name];
    *out = ours;
    if (same_bytes(theirs, base) || same_bytes(ours, theirs))
        return true;
    if (same_bytes(ours, base)) {
        *out = theirs;
        return true;
    }
    if (same_value(ours, theirs) || same_value(theirs, base))
        return true;
    if (same_value(ours, base)) {
        *out = theirs;
        return true;
    }
    const struct merge_frontmatter_entry *last =
        ours != NULL && is_time_key(ours->key) ? later(ours, theirs) : NULL;
    if (last != NULL) {
        *out = last;
        return true;
    }
    if (ours == NULL || theirs == NULL ||
        !(merge_frontmatter_is_list(ours) || merge_frontmatter_is_list(theirs)) ||
        !may_be_list(base) || !may_be_list(ours) || !may_be_list(theirs))
        return false;
    struct merge_frontmatter_entry *merged =
        ARENA_NEW(w->m->scratch, struct merge_frontmatter_entry);
    *merged = *ours;
    merged->value = NULL;
    *out = merged;
    if (merge_list(w, base, ours, theirs, &merged->lines))
        return true;
    *out = ours;
    return false;
}

/* --- the block --- */

/* Whether the common keys are in the same order. */
static bool same_order(const struct merge_work *w, int x, int y)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < w->blocks[x].n; i++) {
        uint32_t name = w->blocks[x].entries[i].name;
        if (w->by_name[y][name] == NULL)
            continue;
        while (w->by_name[x][w->blocks[y].entries[j].name] == NULL)
            j++;
        if (w->blocks[y].entries[j++].name != name)
            return false;
    }
    return true;
}

/*
 * The keys in the order of the first side. Keys that only the second has come after the
 * key that they follow there, and after new keys of the first side.
 */
static uint32_t *order_keys(struct merge_work *w, int first, int second, uint32_t *n)
{
    struct block *x = &w->blocks[first], *y = &w->blocks[second];
    uint32_t *out = ARENA_ARRAY(w->m->scratch, uint32_t, w->n_names);
    uint32_t j = 0;
    *n = 0;
    for (uint32_t i = 0; i <= x->n; i++) {
        bool last = i == x->n;
        bool common = last || w->by_name[second][x->entries[i].name] != NULL;
        for (; common && j < y->n; j++) {
            uint32_t name = y->entries[j].name;
            if (w->by_name[first][name] == NULL)
                out[(*n)++] = name;
            else if (!last && name == x->entries[i].name)
                break;
        }
        if (!last)
            out[(*n)++] = x->entries[i].name;
    }
    return out;
}

/* The last line may have no line ending. */
static void merge_frontmatter_put_lines(struct merge *m, str lines, str eol)
{
    while (lines.n > 0) {
        size_t feed = str_find_char(lines, '\n');
        sbuf_add(&m->out, str_slice(lines, 0, feed));
        if (feed != STR_NONE)
            sbuf_add(&m->out, eol);
        lines = str_skip(lines, feed == STR_NONE ? lines.n : feed + 1);
    }
}

static struct span in_theirs(const struct merge_work *w, uint32_t name)
{
    const struct block *b = &w->blocks[THEIR];
    const struct merge_block *given = w->given[THEIR];
    const struct merge_frontmatter_entry *e = w->by_name[THEIR][name];
    uint32_t start = given->at + (uint32_t)given->head.n;
    if (e == NULL)
        return (struct span){start, start};
    return (struct span){start + given_at(b, e->bytes.start),
                         start + given_at(b, e->bytes.end)};
}

/* Whether the result reads back correctly: every key has the value that was chosen. */
static bool merge_frontmatter_is_right(struct merge_work *w, str block,
                                       const struct merge_frontmatter_entry **chosen)
{
    struct frontmatter f;
    uint32_t expected = 0;
    frontmatter_read(w->m->scratch, block, FIRST_LINE, &f);
    for (uint32_t i = 0; i < w->n_names; i++)
        expected += chosen[i] != NULL;
    if (f.broken || f.props->n != expected)
        return false;
    for (uint32_t i = 0; i < w->n_names; i++) {
        const struct prop *p = chosen[i] != NULL && chosen[i]->value != NULL
                                   ? frontmatter_get(&f, chosen[i]->key)
                                   : NULL;
        if (p != NULL && !prop_same(p, chosen[i]->value))
            return false;
    }
    return true;
}

static bool merge_frontmatter_is_there(const struct merge_work *w)
{
    const struct block *b = w->blocks;
    return b[OUR].there == b[BASE].there ? b[THEIR].there : b[OUR].there;
}

/* The line ending of the result. */
static str choose_eol(const struct merge_work *w)
{
    str ours = w->blocks[OUR].eol, theirs = w->blocks[THEIR].eol,
        base = w->blocks[BASE].eol;
    if (ours.n == 0 || theirs.n == 0)
        return ours.n > 0 ? ours : theirs;
    return base.n > 0 ? merge_pick(base, ours, theirs) : ours;
}

/* The closing line. */
static str choose_tail(const struct merge_work *w)
{
    const struct block *b = w->blocks;
    if (!b[OUR].there || !b[THEIR].there)
        return b[OUR].there ? b[OUR].tail : b[THEIR].tail;
    return b[BASE].there ? merge_pick(b[BASE].tail, b[OUR].tail, b[THEIR].tail)
                         : b[OUR].tail;
}

/* The result: what is chosen for each key, in order. */
struct merge_plan {
    uint32_t *order; /* names */
    uint32_t n;
    const struct merge_frontmatter_entry **chosen; /* by name; NULL: dropped */
    bool *collides;                                /* by name */
    str rest;
};

/*
 * False if the result would not read back correctly, or if both changed what follows the
 * last key.
 */
static bool make_plan(struct merge_work *w, struct merge_plan *p)
{
    const struct block *b = w->blocks;
    struct arena *a = w->m->scratch;
    struct sbuf all = SBUF_ON(a);
    bool turned = same_order(w, BASE, OUR) && !same_order(w, BASE, THEIR);
    p->order = order_keys(w, turned ? THEIR : OUR, turned ? OUR : THEIR, &p->n);
    p->chosen = ARENA_ARRAY(a, const struct merge_frontmatter_entry *, w->n_names);
    p->collides = ARENA_ARRAY(a, bool, w->n_names);
    p->rest = merge_pick(b[BASE].rest, b[OUR].rest, b[THEIR].rest);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t name = p->order[i];
        p->collides[name] = !merge_frontmatter_choose(w, name, &p->chosen[name]);
        if (p->chosen[name] != NULL)
            sbuf_add(&all, p->chosen[name]->lines);
    }
    sbuf_add(&all, p->rest);
    bool rest_collides =
        !str_eq(p->rest, b[THEIR].rest) && !str_eq(b[THEIR].rest, b[BASE].rest);
    return !rest_collides && merge_frontmatter_is_right(w, sbuf_str(&all), p->chosen);
}

static void put_entry(struct merge_work *w, const struct merge_plan *p, uint32_t name,
                      str eol)
{
    size_t from = w->m->out.n;
    if (p->chosen[name] != NULL)
        merge_frontmatter_put_lines(w->m, p->chosen[name]->lines, eol);
    if (p->collides[name]) {
        struct span theirs = in_theirs(w, name);
        merge_collide(w->m, from, theirs.start, theirs.end);
    }
}

static bool merge_blocks(struct merge_work *w)
{
    struct merge_plan p;
    str eol = choose_eol(w);
    if (!make_plan(w, &p))
        return false;
    bool there = merge_frontmatter_is_there(w) || p.rest.n > 0;
    for (uint32_t i = 0; i < p.n; i++)
        there |= p.chosen[p.order[i]] != NULL;
    if (there)
        merge_frontmatter_put_lines(w->m, STR("---\n"), eol);
    for (uint32_t i = 0; i < p.n; i++)
        put_entry(w, &p, p.order[i], eol);
    merge_frontmatter_put_lines(w->m, p.rest, eol);
    if (there)
        merge_frontmatter_put_lines(w->m, choose_tail(w), eol);
    return true;
}

static void put_block(struct merge *m, const struct merge_block *b)
{
    sbuf_add(&m->out, b->head);
    sbuf_add(&m->out, b->block);
    sbuf_add(&m->out, b->tail);
}

static bool same_block(const struct merge_block *x, const struct merge_block *y)
{
    return str_eq(x->head, y->head) && str_eq(x->block, y->block) &&
           str_eq(x->tail, y->tail);
}

void merge_frontmatter(struct merge *m, const struct merge_block *base,
                       const struct merge_block *ours, const struct merge_block *theirs)
{
    struct merge_work w = {.m = m, .given = {base, ours, theirs}};
    if (same_block(ours, theirs) || same_block(theirs, base)) {
        put_block(m, ours);
        return;
    }
    if (same_block(ours, base)) {
        put_block(m, theirs);
        return;
    }
    if (cut_blocks(&w)) {
        name_keys(&w);
        if (merge_blocks(&w))
            return;
    }
    size_t from = m->out.n;
    put_block(m, ours);
    merge_collide(m, from, theirs->at,
                  theirs->at +
                      (uint32_t)(theirs->head.n + theirs->block.n + theirs->tail.n));
}
