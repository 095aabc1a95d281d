/*
 * A sorted array of nodes. A slash sorts before everything else, so that the tags below a
 * tag follow it directly.
 */
#include "vault/index/tags.h"

#include "base/array.h"
#include "base/map.h"
#include "base/utf8.h"
#include "vault/index/ids.h"

struct tags_spelling {
    char *text;
    uint32_t n, count;
};

struct node {
    char *key; /* folded */
    uint32_t n_key, depth;
    uint32_t notes; /* with exactly this tag */
    struct ids all;
    struct tags_spelling *spellings;
    uint32_t n_spellings;
};

struct tags {
    struct node **nodes;
    size_t n, cap;
};

struct tags *tags_create(void)
{
    return mem_zero(sizeof(struct tags));
}

static void free_node(struct node *n)
{
    for (uint32_t i = 0; i < n->n_spellings; i++)
        free(n->spellings[i].text);
    free(n->spellings);
    free(n->all.at);
    free(n->key);
    free(n);
}

void tags_free(struct tags *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->n; i++)
        free_node(t->nodes[i]);
    free(t->nodes);
    free(t);
}

/* --- finding --- */

static int rank(unsigned char c)
{
    return c == '/' ? 0 : c + 1;
}

static int tags_compare(str a, str b)
{
    size_t n = a.n < b.n ? a.n : b.n, i = 0;
    while (i < n && a.p[i] == b.p[i])
        i++;
    if (i < n)
        return rank((unsigned char)a.p[i]) - rank((unsigned char)b.p[i]);
    return (a.n > b.n) - (a.n < b.n);
}

/* The position of the folded name, or where it would be. */
static size_t position(const struct tags *t, str folded, bool *found)
{
    size_t low = 0, high = t->n;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        const struct node *n = t->nodes[middle];
        int order = tags_compare((str){n->key, n->n_key}, folded);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
        if (order == 0) {
            low = middle;
            *found = true;
        }
    }
    return low;
}

static struct node *tags_insert(struct tags *t, size_t at, str folded, uint32_t depth)
{
    (void)ARRAY_ADD_CAP(NULL, t->nodes, t->n, t->cap);
    memmove(t->nodes + at + 1, t->nodes + at, (t->n - 1 - at) * sizeof(*t->nodes));
    struct node *n = mem_zero(sizeof(*n));
    n->key = mem_str(folded);
    n->n_key = (uint32_t)folded.n;
    n->depth = depth;
    return t->nodes[at] = n;
}

static void tags_drop(struct tags *t, size_t at)
{
    free_node(t->nodes[at]);
    t->n--;
    memmove(t->nodes + at, t->nodes + at + 1, (t->n - at) * sizeof(*t->nodes));
}

/* --- spellings --- */

/* Count more (or fewer) notes with this spelling. */
static void count_spelling(struct node *n, str text, int32_t more)
{
    for (uint32_t i = 0; i < n->n_spellings; i++) {
        struct tags_spelling *s = &n->spellings[i];
        if (!str_eq((str){s->text, s->n}, text))
            continue;
        s->count += (uint32_t)more;
        if (s->count == 0) {
            free(s->text);
            *s = n->spellings[--n->n_spellings];
        }
        return;
    }
    if (more < 0)
        return;
    n->spellings = mem_grow(n->spellings, (n->n_spellings + 1) * sizeof(*n->spellings));
    n->spellings[n->n_spellings++] =
        (struct tags_spelling){mem_str(text), (uint32_t)text.n, (uint32_t)more};
}

static str tags_shown(const struct node *n)
{
    str best = {n->key, n->n_key};
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->n_spellings; i++) {
        const struct tags_spelling *s = &n->spellings[i];
        str text = {s->text, s->n};
        if (s->count > count || (s->count == count && str_cmp(text, best) < 0)) {
            best = text;
            count = s->count;
        }
    }
    return best;
}

/* --- changing --- */

/* Call step for every level of tag, from the top. */
static void each_level(struct tags *t, const struct ids *files, str tag,
                       void (*step)(struct tags *, const struct ids *, str spelling,
                                    str folded, uint32_t depth, bool last))
{
    struct arena a = {0};
    uint32_t depth = 0;
    for (size_t i = 0; i <= tag.n; i++) {
        bool last = i == tag.n;
        if (!last && (tag.p[i] != '/' || depth == TAGS_LEVELS_MAX))
            continue;
        str spelling = str_slice(tag, 0, i);
        if (spelling.n > 0)
            step(t, files, spelling, utf8_fold(&a, spelling), depth++, last);
    }
    arena_release(&a);
}

/* If there are several files, they are appended unsorted, for ids_sort(). */
static void add_level(struct tags *t, const struct ids *files, str spelling, str folded,
                      uint32_t depth, bool last)
{
    bool found;
    size_t at = position(t, folded, &found);
    struct node *n = found ? t->nodes[at] : tags_insert(t, at, folded, depth);
    if (files->n == 1) {
        ids_add(&n->all, files->at[0]);
    } else {
        ids_reserve(&n->all, files->n);
        memcpy(n->all.at + n->all.n, files->at, files->n * sizeof(file_id));
        n->all.n += files->n;
    }
    n->notes += last ? files->n : 0;
    count_spelling(n, spelling, (int32_t)files->n);
}

static void remove_level(struct tags *t, const struct ids *files, str spelling,
                         str folded, uint32_t depth, bool last)
{
    bool found;
    size_t at = position(t, folded, &found);
    if (!found)
        return;
    struct node *n = t->nodes[at];
    ids_remove(&n->all, files->at[0]);
    n->notes -= last;
    count_spelling(n, spelling, -1);
    if (n->n_spellings == 0)
        tags_drop(t, at);
}

void tags_add(struct tags *t, file_id file, const struct str_list *tags)
{
    const struct ids one = {&file, 1, 1};
    for (size_t i = 0; i < tags->n; i++)
        each_level(t, &one, tags->items[i], add_level);
}

void tags_remove(struct tags *t, file_id file, const struct str_list *tags)
{
    const struct ids one = {&file, 1, 1};
    for (size_t i = 0; i < tags->n; i++)
        each_level(t, &one, tags->items[i], remove_level);
}

/* --- many notes --- */

/* The files of every spelling, by its number. */
struct spelt_tags {
    struct map texts;
    struct ids *files;
    size_t n;
};

static void tags_collect(struct spelt_tags *s, file_id file, const struct str_list *tags)
{
    for (size_t i = 0; i < tags->n; i++) {
        uint32_t tag = map_add(&s->texts, tags->items[i]);
        if (tag == s->n)
            *ARRAY_ADD(NULL, s->files, s->n) = (struct ids){0};
        *ARRAY_ADD_CAP(NULL, s->files[tag].at, s->files[tag].n, s->files[tag].cap) = file;
    }
}

/* Prefetch the tags of coming notes, because they are scattered over memory. */
static void fetch_ahead(const struct tags_note *notes, size_t n, size_t i)
{
    enum { AHEAD = 4 };
    if (n - i > 3 * AHEAD)
        __builtin_prefetch(notes[i + 3 * AHEAD].tags);
    if (n - i > 2 * AHEAD)
        __builtin_prefetch(notes[i + 2 * AHEAD].tags->items);
    const struct str_list *tags = n - i > AHEAD ? notes[i + AHEAD].tags : NULL;
    for (size_t k = 0; tags != NULL && k < tags->n; k++)
        __builtin_prefetch(tags->items[k].p);
}

void tags_add_all(struct tags *t, const struct tags_note *notes, size_t n)
{
    struct spelt_tags s = {0};
    for (size_t i = 0; i < n; i++) {
        fetch_ahead(notes, n, i);
        tags_collect(&s, notes[i].file, notes[i].tags);
    }
    for (size_t i = 0; i < s.n; i++) {
        each_level(t, &s.files[i], s.texts.keys[i], add_level);
        free(s.files[i].at);
    }
    free(s.files);
    map_release(&s.texts);
    for (size_t i = 0; i < t->n; i++)
        ids_sort(&t->nodes[i]->all);
}

/* --- queries --- */

size_t tags_count(const struct tags *t)
{
    return t->n;
}

struct tag tags_at(const struct tags *t, size_t i)
{
    const struct node *n = t->nodes[i];
    return (struct tag){tags_shown(n), n->notes, n->all.n, n->depth, n->all.at};
}

bool tags_find(const struct tags *t, str name, struct tag *out)
{
    struct arena a = {0};
    bool found;
    if (str_starts(name, STR("#")))
        name = str_skip(name, 1);
    size_t at = position(t, utf8_fold(&a, name), &found);
    if (found)
        *out = tags_at(t, at);
    arena_release(&a);
    return found;
}

size_t tags_memory(const struct tags *t)
{
    size_t n = t->cap * sizeof(*t->nodes);
    for (size_t i = 0; i < t->n; i++) {
        const struct node *node = t->nodes[i];
        n += sizeof(*node) + node->n_key + node->all.cap * sizeof(file_id) +
             node->n_spellings * (sizeof(struct tags_spelling) + node->n_key);
    }
    return n;
}
