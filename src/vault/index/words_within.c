/*
 * Which documents may contain a text, judged by their words.
 *
 * A run of letters of one alphabet, or of digits, in the text is inside one word of any
 * document that contains it: so some indexed word of that document contains the folded
 * run, or was cut too early to tell. The names of words are contiguous and are searched
 * at memory speed, except for those that cannot contain the run (words_term_filter.h);
 * then the lists of the words found are read. Of scripts without spaces, pairs of signs
 * are words. Everything else in the text is ignored: the result may have too many
 * documents, never too few.
 */
#include "base/utf8.h"
#include "vault/index/words_match.h"
#include "vault/text/needles.h"

_Static_assert(WORDS_TOKEN_MAX == '@',
               "length bytes near it are not letters, digits, + or #");

enum {
    RUN_LEAST = 2,  /* bytes worth searching for */
    PARTS_MAX = 4,  /* of one text */
    LIST_SHARE = 8, /* bytes of lists that cost less than reading one document */
    TERM_SHARE = 4, /* documents per word whose list is read */
};

/* The documents found, and the budget left for finding more. */
struct words_within_gathered {
    const struct words *words;
    uint64_t *bits; /* by id */
    size_t terms, bytes;
};

static size_t bits_length(const struct words *w)
{
    return w->n_ids / 64 + 1;
}

static struct words_within_gathered gather_for(const struct words *w, struct arena *a)
{
    return (struct words_within_gathered){
        .words = w,
        .bits = ARENA_ARRAY(a, uint64_t, bits_length(w)),
        .terms = w->live / TERM_SHARE + 64,
        .bytes = size_mul(w->live, LIST_SHARE) + 4096,
    };
}

/* The term in a range whose name contains byte at. */
static const struct words_term *term_at(const struct words *w, struct words_range in,
                                        size_t at)
{
    while (in.to - in.from > 1) {
        uint32_t middle = in.from + (in.to - in.from) / 2;
        if (w->terms[middle].name <= at)
            in.from = middle;
        else
            in.to = middle;
    }
    return &w->terms[in.from];
}

/* The names up to the end of a range, and where the range begins in them. */
static str names_up_to(const struct words *w, struct words_range in, size_t *from)
{
    *from = w->terms[in.from].name;
    return (str){w->names, in.to < w->n_terms ? w->terms[in.to].name : w->n_names};
}

/* Add the documents of one term; false if the budget is exceeded. */
static bool add_term(struct words_within_gathered *g, const struct words_term *t)
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

/* --- words that contain a run --- */

/* A run that is looked for in the names of terms. */
struct words_with {
    const struct words *words;
    str run;
    const struct needles *needles;
    bool (*fn)(void *arg, const struct words_term *t);
    void *arg;
};

static bool look_in_range(const struct words_with *l, struct words_range in)
{
    const struct words *w = l->words;
    size_t at, start, end;
    str names = names_up_to(w, in, &at);
    while (needles_next(l->needles, names, at, &start, &end)) {
        const struct words_term *t = term_at(w, in, start);
        size_t name_end = t->name + 1 + words_name(w, t).n;
        at = start + 1;
        if (start == t->name || end > name_end) /* a length byte was taken for a digit */
            continue;
        if (!l->fn(l->arg, t))
            return false;
        at = name_end;
    }
    return true;
}

bool words_with_run(const struct words *w, struct arena *a, str run,
                    bool (*fn)(void *arg, const struct words_term *t), void *arg)
{
    struct words_with l = {w, run, needles_create(a, &run, 1, false), fn, arg};
    struct term_candidates candidates;
    struct words_range some;
    term_candidates_run(&candidates, w, run);
    while (term_candidates_next(&candidates, &some)) {
        const struct words_term *first = &w->terms[some.from];
        bool ok = some.to - some.from > 1 ? look_in_range(&l, some)
                  : str_find(words_name(w, first), run) != STR_NONE ? fn(arg, first)
                                                                    : true;
        if (!ok)
            return false;
    }
    return true;
}

static bool add_containing(void *arg, const struct words_term *t)
{
    return add_term(arg, t);
}

/* Add the documents with a word that contains run. */
static bool add_documents(struct words_within_gathered *g, struct arena *a, str run)
{
    return words_with_run(g->words, a, run, add_containing, g);
}

static bool is_cut_length(unsigned char c)
{
    return (unsigned char)(c - WORDS_CUT_LEAST) <= WORDS_TOKEN_MAX - WORDS_CUT_LEAST;
}

enum { CUT_BLOCK = 64 };

/* Written so that the compiler compares many bytes at a time. */
static bool has_cut_length(const unsigned char *block)
{
    unsigned char any = 0;
    for (size_t i = 0; i < CUT_BLOCK; i++)
        any |= (unsigned char)is_cut_length(block[i]);
    return any != 0;
}

/*
 * The next byte of the names from at on that is the length of a word that may have been
 * cut; such bytes do not occur inside words.
 */
static size_t next_cut(str names, size_t at)
{
    const unsigned char *p = (const unsigned char *)names.p;
    while (at + CUT_BLOCK <= names.n && !has_cut_length(p + at))
        at += CUT_BLOCK;
    while (at < names.n && !is_cut_length(p[at]))
        at++;
    return at;
}

static bool add_cut_range(struct words_within_gathered *g, struct words_range in)
{
    const struct words *w = g->words;
    size_t from;
    str names = names_up_to(w, in, &from);
    for (size_t at = next_cut(names, from); at < names.n; at = next_cut(names, at + 1)) {
        const struct words_term *t = term_at(w, in, at);
        if (t->name == at && !add_term(g, t))
            return false;
    }
    return true;
}

/* Add the documents with a word so long that it may have been cut. */
static bool add_cut(struct words_within_gathered *g)
{
    struct term_candidates candidates;
    struct words_range some;
    term_candidates_cut(&candidates, g->words);
    while (term_candidates_next(&candidates, &some))
        if (!add_cut_range(g, some))
            return false;
    return true;
}

/* --- the parts of a text --- */

/* The documents that match all parts so far. */
struct words_within {
    const struct words *words;
    struct arena *arena;
    uint64_t *bits; /* NULL: no part was usable */
    int parts;      /* usable ones */
};

static void keep_common(struct words_within *in, struct words_within_gathered *g)
{
    for (size_t i = 0; in->bits != NULL && i < bits_length(in->words); i++)
        g->bits[i] &= in->bits[i];
    in->bits = g->bits;
    in->parts++;
}

/*
 * The next run of a folded word: letters of one alphabet, or digits. Between them another
 * word may begin, depending on what comes before: 7a are two words in "\u04167a".
 */
static str next_run(str word, size_t *at)
{
    size_t from = *at, n;
    int script = -1;
    for (; *at < word.n; *at += n) {
        utf8_decode(str_skip(word, *at), &n);
        int other = words_script(str_slice(word, *at, *at + n));
        if (script >= 0 && other != script)
            break;
        script = other;
    }
    return str_slice(word, from, *at);
}

/* A mark that follows in a document may make another letter of the last one. */
static str without_open_end(str word)
{
    static const str open[] = {STR("\u0438"), STR("\u0443"), STR("\u0456")};
    for (size_t i = 0; i < COUNT_OF(open); i++)
        if (str_ends(word, open[i]))
            return str_slice(word, 0, word.n - open[i].n);
    return word;
}

static void words_within_take_word(struct words_within *in, str word)
{
    for (size_t at = 0; at < word.n && in->parts < PARTS_MAX;) {
        str run = next_run(word, &at);
        struct words_within_gathered g = gather_for(in->words, in->arena);
        run.n = run.n < WORDS_CUT_LEAST ? run.n : WORDS_CUT_LEAST;
        if (run.n >= RUN_LEAST && add_documents(&g, in->arena, run))
            keep_common(in, &g);
    }
}

/*
 * Whether a sign is the same in every document that contains the text. At the edges of
 * the text, others may be composed with what comes before or after.
 */
static bool is_firm(str sign, bool edge)
{
    size_t n;
    uint32_t c = utf8_decode(sign, &n);
    bool letter = (c >= 0x1100 && c <= 0x11FF) || (c >= 0xA960 && c <= 0xA97F) ||
                  (c >= 0xD7B0 && c <= 0xD7FF); /* of Hangul */
    bool whole = (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);
    return whole || (!letter && !edge);
}

/* The sign before the current one. */
struct sign {
    char text[8];
    size_t n; /* 0: none */
    bool firm;
};

/* Two adjacent signs are a word of any document that contains the text. */
static void take_sign(struct words_within *in, struct sign *before,
                      const struct words_atom *atom, bool edge)
{
    bool firm = is_firm(atom->text, edge);
    struct words_within_gathered g = gather_for(in->words, in->arena);
    if (before->n > 0 && before->firm && firm && atom->glue == WORDS_ADJACENT) {
        str pair =
            arena_printf(in->arena, STR_FMT STR_FMT,
                         STR_ARG(((str){before->text, before->n})), STR_ARG(atom->text));
        const struct words_term *t = words_find(in->words, pair);
        if (t == NULL || add_term(&g, t))
            keep_common(in, &g);
    }
    memcpy(before->text, atom->text.p, atom->text.n);
    before->n = atom->text.n;
    before->firm = firm;
}

/*
 * Put the documents that match all parts of text into bits; false if none of the parts is
 * usable.
 */
static bool words_within_add_text(const struct words *w, struct arena *a, str text,
                                  uint64_t *bits)
{
    struct words_within in = {.words = w, .arena = a};
    struct words_lexer lexer = WORDS_LEXER_ON(text);
    struct sign before = {.n = 0};
    for (struct words_atom atom; in.parts < PARTS_MAX && words_lex(&lexer, &atom);) {
        bool last = atom.end == text.n;
        if (atom.cjk) {
            take_sign(&in, &before, &atom, last || atom.start == 0);
            continue;
        }
        before.n = 0;
        if (!atom.sign)
            words_within_take_word(&in, last ? without_open_end(atom.text) : atom.text);
    }
    for (size_t k = 0; in.bits != NULL && k < bits_length(w); k++)
        bits[k] |= in.bits[k];
    return in.bits != NULL;
}

bool words_may_hold(const struct words *w, struct arena *a, const str *texts, size_t n,
                    struct words_set *out)
{
    struct words_within_gathered cut = gather_for(w, a);
    for (size_t i = 0; i < n; i++)
        if (!words_within_add_text(w, a, texts[i], cut.bits))
            return false;
    if (n == 0 || !add_cut(&cut))
        return false;
    *out = (struct words_set){cut.bits, w->n_ids};
    return true;
}
