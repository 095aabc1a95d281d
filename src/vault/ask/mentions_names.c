#include "vault/ask/mentions_names.h"

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/mentions.h"
#include "vault/index/file.h"

/* A step in the tree: an entry of an open hash table by from and unit. to 0: free. */
struct step {
    uint64_t unit;
    uint32_t from, to;
};

/* A note that has the name; each node has a list of them. */
struct target {
    file_id file;
    uint32_t next; /* index + 1; 0: the last */
};

enum { STARTS_BITS = 1 << 18 };

struct mentions_names {
    struct arena *arena;
    struct step *steps;
    size_t mask;
    uint32_t *nodes; /* by node: index of its first target + 1, or 0 */
    uint32_t n_nodes;
    struct target *targets;
    uint32_t n_targets;
    bool signs[256];                   /* first bytes of signs that begin a name */
    uint64_t starts[STARTS_BITS / 64]; /* hashes of units that begin a name: few words
                                          pass, so the table is rarely needed */
};

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

static struct step *slot(const struct mentions_names *n, uint32_t from, uint64_t unit)
{
    size_t at = (unit + from * 0x9E3779B97F4A7C15u) & n->mask;
    while (n->steps[at].to != 0 &&
           (n->steps[at].unit != unit || n->steps[at].from != from))
        at = (at + 1) & n->mask;
    return &n->steps[at];
}

static void grow_steps(struct mentions_names *n)
{
    struct step *old = n->steps;
    size_t n_old = n->mask + 1;
    n->mask = 2 * n->mask + 1;
    n->steps = ARENA_ARRAY(n->arena, struct step, n->mask + 1);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].to != 0)
            *slot(n, old[i].from, old[i].unit) = old[i];
}

static uint32_t step_into(struct mentions_names *n, uint32_t from, uint64_t unit)
{
    struct step *s = slot(n, from, unit);
    if (s->to != 0)
        return s->to;
    *ARRAY_ADD(n->arena, n->nodes, n->n_nodes) = 0;
    uint32_t to = n->n_nodes - 1;
    *s = (struct step){unit, from, to};
    if (2 * (size_t)n->n_nodes > n->mask)
        grow_steps(n);
    return to;
}

static void add_target(struct mentions_names *n, uint32_t node, file_id file)
{
    uint32_t last = n->nodes[node]; /* names are added note by note */
    if (last != 0 && n->targets[last - 1].file == file)
        return; /* an alias that equals the note's title */
    *ARRAY_ADD(n->arena, n->targets, n->n_targets) = (struct target){file, last};
    n->nodes[node] = n->n_targets;
}

bool mentions_is_name(str folded)
{
    size_t characters = 0;
    bool digits = true;
    for (size_t i = 0, n; i < folded.n; i += n, characters++) {
        uint32_t c = utf8_decode(str_skip(folded, i), &n);
        digits = digits && is_digit(c);
    }
    return characters >= MENTIONS_NAME_MIN && folded.n <= MENTIONS_NAME_MAX &&
           (!digits || characters >= MENTIONS_DIGITS_MIN);
}

static bool may_start(const struct mentions_names *n, uint64_t unit)
{
    size_t bit = unit % STARTS_BITS;
    return (n->starts[bit / 64] >> bit % 64 & 1) != 0;
}

static void add_start(struct mentions_names *n, str name, uint64_t unit)
{
    size_t bit = unit % STARTS_BITS;
    n->starts[bit / 64] |= (uint64_t)1 << bit % 64;
    n->signs[(unsigned char)name.p[0]] = true;
}

static void mentions_names_add_name(struct mentions_names *n, struct arena *scratch,
                                    str name, file_id file)
{
    str folded = utf8_fold(scratch, str_trim(name));
    if (!mentions_is_name(folded))
        return;
    uint32_t node = 0;
    for (size_t at = 0, end; at < folded.n; at = end) {
        next_unit(folded, at, &end);
        uint64_t unit = hash_table(str_slice(folded, at, end));
        if (at == 0)
            add_start(n, folded, unit);
        node = step_into(n, node, unit);
    }
    add_target(n, node, file);
}

const struct mentions_names *mentions_names_of(const struct index *x, struct arena *a,
                                               file_id always)
{
    enum { STEPS_AT_FIRST = 1024 };
    struct arena scratch = {0};
    struct mentions_names *n = ARENA_NEW(a, struct mentions_names);
    n->arena = a;
    n->steps = ARENA_ARRAY(a, struct step, STEPS_AT_FIRST);
    n->mask = STEPS_AT_FIRST - 1;
    *ARRAY_ADD(a, n->nodes, n->n_nodes) = 0; /* the root */
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = x->files[id];
        if (f == NULL || f->kind != FILE_NOTE || (f->excluded && id != always))
            continue;
        mentions_names_add_name(n, &scratch, file_title(f->path), id);
        for (size_t i = 0; i < f->aliases.n; i++)
            mentions_names_add_name(n, &scratch, f->aliases.items[i], id);
        arena_reset(&scratch);
    }
    arena_release(&scratch);
    return n;
}

/* --- matching --- */

static bool begins_word(str text, size_t at)
{
    size_t n;
    return at < text.n && unit_of(utf8_decode(str_skip(text, at), &n)) == UNIT_WORD;
}

/* The longest name that begins where m->end is, into *m; its first unit is known. */
static bool longest(const struct mentions_names *n, str text, enum unit unit,
                    uint64_t hash, size_t end, struct mentions_match *m)
{
    const size_t start = m->end;
    m->name = 0;
    for (uint32_t node = 0; (node = slot(n, node, hash)->to) != 0;) {
        if (n->nodes[node] != 0 && (unit != UNIT_SIGN || !begins_word(text, end)))
            *m = (struct mentions_match){start, end, node, unit == UNIT_WORD};
        if (end == text.n)
            break;
        size_t at = end;
        unit = next_unit(text, at, &end);
        hash = hash_table(str_slice(text, at, end));
    }
    return m->name != 0;
}

bool mentions_next(const struct mentions_names *n, str folded, struct mentions_match *m)
{
    for (size_t end; m->end < folded.n; m->end = end) {
        enum unit unit = next_unit(folded, m->end, &end);
        bool after_word = m->after_word;
        m->after_word = unit == UNIT_WORD;
        if (unit == UNIT_SIGN &&
            (after_word || !n->signs[(unsigned char)folded.p[m->end]]))
            continue;
        uint64_t hash = hash_table(str_slice(folded, m->end, end));
        if (may_start(n, hash) && longest(n, folded, unit, hash, end, m))
            return true;
    }
    return false;
}

file_id mentions_target(const struct mentions_names *n, uint32_t name, uint32_t *at)
{
    *at = *at == 0 ? n->nodes[name] : n->targets[*at - 1].next;
    return *at == 0 ? NO_FILE : n->targets[*at - 1].file;
}
