/*
 * Which documents may contain a text, judged by their words.
 *
 * A run of letters or of digits in the text is inside one word of any document that
 * contains it: so some indexed word of that document contains the run, or was cut too
 * early to tell. The names of all words are contiguous and are searched at memory speed;
 * then the lists of the words found are read. Letters and digits are searched separately,
 * because "7a" may be two words, as in "Ж7a". Everything else in the text is ignored: the
 * result may have too many documents, never too few.
 */
#include "base/text.h"
#include "vault/index/words_match.h"
#include "vault/text/needles.h"

_Static_assert(WORDS_TOKEN_MAX == '@',
               "length bytes near it are not letters, digits, + or #");

enum {
    RUN_LEAST = 2,                   /* letters or digits worth searching for */
    RUNS_MAX = 4,                    /* of one text */
    CUT_LEAST = WORDS_TOKEN_MAX - 3, /* bytes; a word of this length may have been cut */
    LIST_SHARE = 8, /* bytes of lists that cost less than reading one document */
    TERM_SHARE = 4, /* documents per word whose list is read */
};

/* The documents found, and the budget left for finding more. */
struct gathered {
    const struct words *words;
    uint64_t *bits; /* by id */
    size_t terms, bytes;
};

static size_t bits_length(const struct words *w)
{
    return w->n_ids / 64 + 1;
}

static struct gathered gather_for(const struct words *w, struct arena *a)
{
    return (struct gathered){
        .words = w,
        .bits = ARENA_ARRAY(a, uint64_t, bits_length(w)),
        .terms = w->live / TERM_SHARE + 64,
        .bytes = size_mul(w->live, LIST_SHARE) + 4096,
    };
}

/* The term whose name contains byte at, which is below n_names. */
static const struct words_term *term_at(const struct words *w, size_t at)
{
    size_t from = 0, to = w->n_terms;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (w->terms[middle].name <= at)
            from = middle;
        else
            to = middle;
    }
    return &w->terms[from];
}

/* Add the documents of one term; false if the budget is exceeded. */
static bool add_term(struct gathered *g, const struct words_term *t)
{
    const struct words *w = g->words;
    if (g->terms == 0 || g->bytes < t->used)
        return false;
    g->terms--;
    g->bytes -= t->used;
    const uint8_t *at = words_bytes(w, t), *end = at + t->used;
    for (struct words_posting p = {0}; at < end;) {
        at = words_read_posting(at, end, &p);
        uint32_t slot = words_slot_now(w, t, p.slot);
        if (slot >= w->n_slots)
            break;
        uint32_t id = w->ids[slot];
        if (w->lengths[slot] != 0 && id < w->n_ids)
            g->bits[id / 64] |= UINT64_C(1) << (id % 64);
    }
    return true;
}

/* Add the documents with a word that contains run. */
static bool add_documents(struct gathered *g, struct arena *a, str run)
{
    const struct words *w = g->words;
    const struct needles *needles = needles_create(a, &run, 1, false);
    str names = {w->names, w->n_names};
    for (size_t at = 0, start, end; needles_next(needles, names, at, &start, &end);) {
        const struct words_term *t = term_at(w, start);
        size_t name_end = t->name + 1 + words_name(w, t).n;
        at = start + 1;
        if (start == t->name || end > name_end) /* a length byte was taken for a digit */
            continue;
        if (!add_term(g, t))
            return false;
        at = name_end;
    }
    return true;
}

/*
 * Add the documents with a word of that length; the length byte does not occur inside
 * words.
 */
static bool add_long(struct gathered *g, int length)
{
    const struct words *w = g->words;
    const char *at = w->names, *end = at + w->n_names;
    for (; at < end && (at = memchr(at, length, (size_t)(end - at))) != NULL; at++) {
        const struct words_term *t = term_at(w, (size_t)(at - w->names));
        if (w->names + t->name == at && !add_term(g, t))
            return false;
    }
    return true;
}

/* Add the documents with a word so long that it may have been cut. */
static bool add_cut(struct gathered *g)
{
    for (int length = CUT_LEAST; length <= WORDS_TOKEN_MAX; length++)
        if (!add_long(g, length))
            return false;
    return true;
}

static int words_within_kind_of(char c)
{
    return is_letter(c) ? 1 : is_digit(c) ? 2 : 0;
}

/* The next run from *at, folded; empty at the end. */
static str next_run(struct arena *a, str text, size_t *at)
{
    while (*at < text.n) {
        size_t from = *at;
        while (*at < text.n &&
               words_within_kind_of(text.p[*at]) == words_within_kind_of(text.p[from]))
            ++*at;
        if (words_within_kind_of(text.p[from]) == 0 || *at - from < RUN_LEAST)
            continue;
        str run = arena_str(a, str_slice(text, from, *at));
        run.n = run.n < CUT_LEAST ? run.n : CUT_LEAST;
        for (size_t i = 0; i < run.n; i++)
            ((char *)run.p)[i] |= 0x20; /* digits have that bit already */
        return run;
    }
    return (str){0};
}

/*
 * Put the documents that match all runs of text into bits; false if none of the runs is
 * usable.
 */
static bool words_within_add_text(const struct words *w, struct arena *a, str text,
                                  uint64_t *bits)
{
    uint64_t *all = NULL;
    size_t n = bits_length(w), at = 0;
    for (int i = 0; i < RUNS_MAX; i++) {
        str run = next_run(a, text, &at);
        struct gathered g = gather_for(w, a);
        if (run.n == 0)
            break;
        if (!add_documents(&g, a, run))
            continue;
        for (size_t k = 0; all != NULL && k < n; k++)
            g.bits[k] &= all[k];
        all = g.bits;
    }
    for (size_t k = 0; all != NULL && k < n; k++)
        bits[k] |= all[k];
    return all != NULL;
}

bool words_may_hold(const struct words *w, struct arena *a, const str *texts, size_t n,
                    struct words_set *out)
{
    struct gathered cut = gather_for(w, a);
    for (size_t i = 0; i < n; i++)
        if (!words_within_add_text(w, a, texts[i], cut.bits))
            return false;
    if (n == 0 || !add_cut(&cut))
        return false;
    *out = (struct words_set){cut.bits, w->n_ids};
    return true;
}
