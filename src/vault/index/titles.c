#include "vault/index/titles.h"

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/index/derived.h"
#include "vault/index/file.h"

/* A step in the tree: an entry of an open hash table by from and unit. to 0: free. */
struct titles_step {
    uint64_t unit;
    uint32_t from, to;
};

/* A note that has the name; each node has a list of them. */
struct target {
    file_id file;
    bool excluded;
    uint32_t next; /* index + 1; 0: the last */
};

enum { STARTS_BITS = 1 << 18 };

struct titles {
    struct derived derived;
    struct titles_step *steps;
    size_t mask;
    uint32_t *nodes; /* by node: index of its first target + 1, or 0 */
    uint32_t n_nodes;
    struct target *targets;
    uint32_t n_targets;
    uint32_t unused;                   /* targets: index + 1 of the first */
    uint32_t removed;                  /* names whose nodes may be left behind */
    uint32_t breaks;                   /* names with a line break */
    struct arena scratch;              /* of the writer */
    bool signs[256];                   /* first bytes of signs that begin a name */
    uint64_t starts[STARTS_BITS / 64]; /* hashes of units that begin a name: few words
                                          pass, so the table is rarely needed */
};

static void titles_clear(void *table)
{
    struct titles *t = table;
    free(t->steps);
    free(t->nodes);
    free(t->targets);
    t->steps = NULL;
    t->nodes = NULL;
    t->targets = NULL;
    t->n_nodes = t->n_targets = t->unused = t->removed = t->breaks = 0;
    memset(t->signs, 0, sizeof(t->signs));
    memset(t->starts, 0, sizeof(t->starts));
}

static void titles_release(void *table)
{
    struct titles *t = table;
    arena_release(&t->scratch);
}

static size_t titles_memory(const void *table)
{
    const struct titles *t = table;
    size_t steps = t->steps != NULL ? t->mask + 1 : 0;
    return sizeof(*t) + steps * sizeof(*t->steps) + t->n_nodes * sizeof(*t->nodes) +
           t->n_targets * sizeof(*t->targets);
}

bool titles_have_breaks(const struct titles *t)
{
    return t->breaks > 0;
}

/* --- units --- */

enum unit { UNIT_WORD, UNIT_LETTER, UNIT_SIGN };

static enum unit unit_of(uint32_t c)
{
    if (!utf8_is_word(c))
        return UNIT_SIGN;
    return c >= 0x80 && utf8_is_cjk(c) ? UNIT_LETTER : UNIT_WORD;
}

/* The unit at at, whose characters up to *end are known to be of a word. */
static enum unit wide_unit(str text, size_t at, size_t *end)
{
    size_t n;
    enum unit unit = UNIT_WORD;
    if (*end == at) {
        unit = unit_of(utf8_decode(str_skip(text, at), &n));
        *end = at + n;
    }
    while (unit == UNIT_WORD && *end < text.n &&
           unit_of(utf8_decode(str_skip(text, *end), &n)) == UNIT_WORD)
        *end += n;
    return unit;
}

/* The kind of unit that begins at at, which is inside text, and where it ends. */
static inline enum unit next_unit(str text, size_t at, size_t *end)
{
    const unsigned char *p = (const unsigned char *)text.p;
    size_t i = at;
    while (i < text.n && is_alnum(p[i]))
        i++;
    *end = i;
    if (i < text.n && p[i] >= 0x80)
        return wide_unit(text, at, end);
    if (i > at)
        return UNIT_WORD;
    *end = at + 1;
    return UNIT_SIGN;
}

/* --- the tree --- */

static struct titles_step *titles_slot(const struct titles *t, uint32_t from,
                                       uint64_t unit)
{
    size_t at = (unit + from * 0x9E3779B97F4A7C15u) & t->mask;
    while (t->steps[at].to != 0 &&
           (t->steps[at].unit != unit || t->steps[at].from != from))
        at = (at + 1) & t->mask;
    return &t->steps[at];
}

static void grow_steps(struct titles *t)
{
    struct titles_step *old = t->steps;
    size_t n_old = t->mask + 1;
    t->mask = 2 * t->mask + 1;
    t->steps = mem_zero(size_mul(t->mask + 1, sizeof(*t->steps)));
    for (size_t i = 0; i < n_old; i++)
        if (old[i].to != 0)
            *titles_slot(t, old[i].from, old[i].unit) = old[i];
    free(old);
}

static uint32_t step_into(struct titles *t, uint32_t from, uint64_t unit)
{
    struct titles_step *s = titles_slot(t, from, unit);
    if (s->to != 0)
        return s->to;
    *ARRAY_ADD(NULL, t->nodes, t->n_nodes) = 0;
    uint32_t to = t->n_nodes - 1;
    *s = (struct titles_step){unit, from, to};
    if (2 * (size_t)t->n_nodes > t->mask)
        grow_steps(t);
    return to;
}

static uint32_t take_target(struct titles *t)
{
    uint32_t number = t->unused;
    if (number == 0) {
        (void)ARRAY_ADD(NULL, t->targets, t->n_targets);
        return t->n_targets;
    }
    t->unused = t->targets[number - 1].next;
    return number;
}

static void add_target(struct titles *t, uint32_t node, const struct file *f)
{
    uint32_t last = t->nodes[node]; /* names are added note by note */
    if (last != 0 && t->targets[last - 1].file == f->id)
        return; /* an alias that equals the note's title */
    uint32_t number = take_target(t);
    t->targets[number - 1] = (struct target){f->id, f->excluded, last};
    t->nodes[node] = number;
}

static void remove_target(struct titles *t, uint32_t node, file_id file)
{
    uint32_t *at = &t->nodes[node];
    while (*at != 0 && t->targets[*at - 1].file != file)
        at = &t->targets[*at - 1].next;
    uint32_t number = *at;
    if (number == 0)
        return;
    *at = t->targets[number - 1].next;
    t->targets[number - 1].next = t->unused;
    t->unused = number;
}

/* --- names --- */

bool titles_is_name(str folded)
{
    size_t characters = 0;
    bool digits = true;
    for (size_t i = 0, n; i < folded.n; i += n, characters++) {
        uint32_t c = utf8_decode(str_skip(folded, i), &n);
        digits = digits && is_digit(c);
    }
    return characters >= TITLES_NAME_MIN && folded.n <= TITLES_NAME_MAX &&
           (!digits || characters >= TITLES_DIGITS_MIN);
}

static bool may_start(const struct titles *t, uint64_t unit)
{
    size_t bit = unit % STARTS_BITS;
    return (t->starts[bit / 64] >> bit % 64 & 1) != 0;
}

static void add_start(struct titles *t, str name, uint64_t unit)
{
    size_t bit = unit % STARTS_BITS;
    t->starts[bit / 64] |= (uint64_t)1 << bit % 64;
    t->signs[(unsigned char)name.p[0]] = true;
}

/* The node of a folded name; missing ones are made. */
static uint32_t node_of(struct titles *t, str folded)
{
    uint32_t node = 0;
    for (size_t at = 0, end; at < folded.n; at = end) {
        next_unit(folded, at, &end);
        uint64_t unit = hash_table(str_slice(folded, at, end));
        if (at == 0)
            add_start(t, folded, unit);
        node = step_into(t, node, unit);
    }
    return node;
}

static void change_name(struct titles *t, str name, const struct file *f, bool add)
{
    str folded = utf8_fold(&t->scratch, str_trim(name));
    if (!titles_is_name(folded))
        return;
    bool breaks = str_find_char(folded, '\n') != STR_NONE;
    uint32_t node = node_of(t, folded);
    t->removed += !add;
    t->breaks += add ? breaks : -(uint32_t)breaks;
    if (add)
        add_target(t, node, f);
    else
        remove_target(t, node, f->id);
}

static void change_names(struct titles *t, const struct file *f, bool add)
{
    if (f->kind != FILE_NOTE)
        return;
    arena_reset(&t->scratch);
    change_name(t, file_title(f->path), f, add);
    for (size_t i = 0; i < f->aliases.n; i++)
        change_name(t, f->aliases.items[i], f, add);
}

static void titles_begin(void *table)
{
    enum { STEPS_AT_FIRST = 1024 };
    struct titles *t = table;
    t->steps = mem_zero(STEPS_AT_FIRST * sizeof(*t->steps));
    t->mask = STEPS_AT_FIRST - 1;
    *ARRAY_ADD(NULL, t->nodes, t->n_nodes) = 0; /* the root */
}

static void titles_add(void *t, const struct file *f)
{
    change_names(t, f, true);
}

static void titles_remove(void *table, const struct file *f)
{
    enum { REMOVED_MANY = 4096 };
    struct titles *t = table;
    change_names(t, f, false);
    if (t->removed > REMOVED_MANY && t->removed > t->n_targets)
        derived_forget(&t->derived, &titles_kind); /* most of the tree may be unused */
}

const struct derived_kind titles_kind = {
    .size = sizeof(struct titles),
    .begin = titles_begin,
    .add = titles_add,
    .remove = titles_remove,
    .clear = titles_clear,
    .release = titles_release,
    .memory = titles_memory,
};

/* --- matching --- */

static bool begins_word(str text, size_t at)
{
    size_t n;
    return at < text.n && unit_of(utf8_decode(str_skip(text, at), &n)) == UNIT_WORD;
}

/* Whether the node is a name of a note that counts. */
static bool titles_do_is_name(const struct titles *t, uint32_t node, file_id always)
{
    for (uint32_t i = t->nodes[node]; i != 0; i = t->targets[i - 1].next)
        if (!t->targets[i - 1].excluded || t->targets[i - 1].file == always)
            return true;
    return false;
}

/* The longest name that begins where m->end is, into *m; its first unit is known. */
static bool longest(const struct titles *t, file_id always, str text, enum unit unit,
                    uint64_t hash, size_t end, struct titles_match *m)
{
    const size_t start = m->end;
    m->name = 0;
    for (uint32_t node = 0; (node = titles_slot(t, node, hash)->to) != 0;) {
        if (titles_do_is_name(t, node, always) &&
            (unit != UNIT_SIGN || !begins_word(text, end)))
            *m = (struct titles_match){start, end, node, unit == UNIT_WORD};
        if (end == text.n)
            break;
        size_t at = end;
        unit = next_unit(text, at, &end);
        hash = hash_table(str_slice(text, at, end));
    }
    return m->name != 0;
}

bool titles_next(const struct titles *t, file_id always, str folded,
                 struct titles_match *m)
{
    for (size_t end; m->end < folded.n; m->end = end) {
        enum unit unit = next_unit(folded, m->end, &end);
        bool after_word = m->after_word;
        m->after_word = unit == UNIT_WORD;
        if (unit == UNIT_SIGN &&
            (after_word || !t->signs[(unsigned char)folded.p[m->end]]))
            continue;
        uint64_t hash = hash_table(str_slice(folded, m->end, end));
        if (may_start(t, hash) && longest(t, always, folded, unit, hash, end, m))
            return true;
    }
    return false;
}

uint32_t titles_find(const struct titles *t, str folded)
{
    uint32_t node = 0;
    for (size_t at = 0, end; at < folded.n; at = end) {
        next_unit(folded, at, &end);
        node = titles_slot(t, node, hash_table(str_slice(folded, at, end)))->to;
        if (node == 0)
            break;
    }
    return t->nodes[node] != 0 ? node : 0;
}
