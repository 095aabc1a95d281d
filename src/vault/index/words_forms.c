/*
 * Other forms of a word, in the documents of a language that has them: "composting" for
 * "compost" in English ones. Nothing of this is stored: words that begin with the stem of
 * the word (but for its last letter, as in happy and happily) are found as words that
 * contain something are (words_term_filter.h), and those with the same stem are forms.
 */
#include "base/array.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/index/words_match.h"
#include "vault/text/language.h"
#include "vault/text/stem.h"

enum {
    LEAST_LETTERS = 3,    /* of a word that has forms, and of what its forms contain */
    ENDING_LETTERS = 9,   /* that a form may have more than the stem */
    PART_LETTERS = 4,     /* of a part of a compound */
    LANGUAGE_SHARE = 200, /* one that fewer documents have is not worth the time */
    LOOKS_MAX = 500,      /* words that contain what forms begin with, */
    STEMS_MAX = 60,       /* and of them whose stem is compared; above, none is a form */
};

/* --- the languages of a word --- */

/* Those in which a word of this script has stems and that documents are in, as bits. */
static uint64_t languages_for(const struct words *w, enum language_script script)
{
    uint64_t bits = 0;
    for (unsigned l = 1; l < LANGUAGES; l++)
        if (w->spoken[l] > w->live / LANGUAGE_SHARE && language_script(l) == script &&
            stem_has(l))
            bits |= UINT64_C(1) << l;
    return bits;
}

/* --- candidates --- */

struct forms {
    struct words_run *run;
    str word;
    struct stemmer *stemmer;
    uint64_t language; /* bit */
    str stem, begin;
    bool anywhere;  /* begin may be anywhere in the word */
    bool compounds; /* words may be written together */
    struct words_form *items;
    size_t n;
    size_t looks, stems;
};

static size_t words_forms_letters(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return n;
}

static void add_form(struct forms *f, const struct words_term *t, bool compound)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->items[i].term == t) {
            f->items[i].languages |= f->language;
            f->items[i].compound &= compound;
            return;
        }
    *ARRAY_ADD(f->run->arena, f->items, f->n) =
        (struct words_form){t, f->language, compound, 0};
}

/* --- words that are written together --- */

/* What may be between them: Arbeit-s-zimmer. */
static const str links[] = {STR(""),   STR("s"),  STR("es"), STR("n"),
                            STR("en"), STR("er"), STR("e")};

static bool words_forms_is_indexed(const struct forms *f, str word)
{
    return words_forms_letters(word) >= PART_LETTERS &&
           words_find(f->run->words, word) != NULL;
}

/* The word is the second part, from at: Regen-hosen for Hose. */
static bool is_second_part(const struct forms *f, str name, size_t at)
{
    str first = str_slice(name, 0, at);
    for (size_t i = 0; i < COUNT_OF(links); i++)
        if (str_ends(first, links[i]) &&
            words_forms_is_indexed(f, str_slice(first, 0, first.n - links[i].n)))
            return str_eq(stemmer_stem(f->stemmer, str_skip(name, at)), f->stem);
    return false;
}

/* The word is the first part: Regen-hosen for Regen. */
static bool is_first_part(const struct forms *f, str name)
{
    str own = str_starts(name, f->word) ? f->word : f->stem;
    str rest = str_skip(name, own.n);
    for (size_t i = 0; str_starts(name, own) && i < COUNT_OF(links); i++)
        if (str_starts(rest, links[i]) &&
            words_forms_is_indexed(f, str_skip(rest, links[i].n)))
            return true;
    return false;
}

static bool is_compound(const struct forms *f, str name)
{
    if (!f->compounds || words_forms_letters(f->word) < PART_LETTERS)
        return false;
    size_t at = str_find(name, f->begin);
    return at == 0 ? is_first_part(f, name)
                   : at != STR_NONE && is_second_part(f, name, at);
}

static bool words_forms_look_at(void *arg, const struct words_term *t)
{
    struct forms *f = arg;
    str name = words_name(f->run->words, t);
    bool begins = f->anywhere || str_starts(name, f->begin);
    if (++f->looks > LOOKS_MAX || f->stems > STEMS_MAX)
        return false;
    if (t->used == 0 || str_eq(name, f->word))
        return true;
    f->stems += begins || f->compounds;
    if (begins &&
        words_forms_letters(name) <= words_forms_letters(f->stem) + ENDING_LETTERS &&
        str_eq(stemmer_stem(f->stemmer, name), f->stem))
        add_form(f, t, false);
    else if (is_compound(f, name))
        add_form(f, t, true);
    return true;
}

/* What all forms contain. */
static str begin_of(str stem)
{
    size_t n = 0, keep = words_forms_letters(stem);
    keep = keep > LEAST_LETTERS ? keep - 1 : keep;
    size_t end = 0;
    for (; end < stem.n && n < keep; n++)
        do
            end++;
        while (end < stem.n && ((unsigned char)stem.p[end] & 0xC0) == 0x80);
    return str_slice(stem, 0, end);
}

/* False if there are too many to look at; then none is taken. */
static bool find_from_begin(struct forms *f)
{
    size_t before = f->n;
    f->looks = f->stems = 0;
    if (words_forms_letters(f->begin) < LEAST_LETTERS ||
        words_with_run(f->run->words, f->run->arena, f->begin, words_forms_look_at, f))
        return true;
    for (size_t i = 0; i < before; i++)
        f->items[i].languages &= ~f->language;
    f->n = before;
    return false;
}

static void find_in_language(struct forms *f, enum language l)
{
    f->stemmer = stemmer_create(l);
    f->language = UINT64_C(1) << l;
    f->stem = arena_str(f->run->arena, stemmer_stem(f->stemmer, f->word));
    f->anywhere = stem_has_prefixes(l);
    f->compounds = stem_has_compounds(l);
    f->begin = begin_of(f->stem);
    if (!find_from_begin(f)) { /* too many words begin like this */
        f->begin = f->stem;
        (void)find_from_begin(f);
    }
    stemmer_free(f->stemmer);
}

static int most_common_first(const void *a, const void *b)
{
    const struct words_form *x = a, *y = b;
    return x->df != y->df ? (x->df > y->df ? -1 : 1) : 0;
}

static bool has_digit(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] >= '0' && s.p[i] <= '9')
            return true;
    return false;
}

size_t words_find_forms(struct words_run *run, str word, struct words_form **out)
{
    struct forms f = {.run = run, .word = word};
    size_t n;
    *out = NULL;
    if (word.n == 0 || has_digit(word) || words_forms_letters(word) < LEAST_LETTERS ||
        word.n >= WORDS_CUT_LEAST || language_has_common(word))
        return 0;
    enum language_script script = language_script_of(utf8_decode(word, &n));
    uint64_t bits = languages_for(run->words, script);
    for (; bits != 0; bits &= bits - 1)
        find_in_language(&f, (enum language)__builtin_ctzll(bits));
    if (f.n > WORDS_FORMS_MAX) {
        for (size_t i = 0; i < f.n; i++)
            f.items[i].df = words_df(f.items[i].term);
        sort_items(f.items, f.n, sizeof(*f.items), most_common_first);
        f.n = WORDS_FORMS_MAX;
    }
    *out = f.items;
    return f.n;
}

bool words_has_form(const struct words *w, struct arena *a, str word)
{
    struct words_run run = {.words = w, .arena = a};
    struct words_form *forms;
    size_t n = words_find_forms(&run, word, &forms);
    for (size_t i = 0; i < n; i++)
        if (words_live_df(w, forms[i].term) > 0)
            return true;
    return false;
}

/* --- documents --- */

/* A form counts in documents of its language, and in those whose language is unknown. */
static bool counts_in(const struct words *w, const struct words_form *f, uint32_t slot)
{
    uint8_t l = w->languages[slot];
    return l == LANGUAGE_UNKNOWN || (f->languages >> l & 1) != 0;
}

/* Remember which forms of a word documents have, to show them. */
static void show_form(struct words_run *run, str word, const struct words_term *t)
{
    *ARRAY_ADD(run->arena, run->forms, run->n_forms) = (struct words_other_form){
        arena_str(run->arena, word), arena_str(run->arena, words_name(run->words, t))};
}

/* A compound is about something else, too. */
static const float compound_part = 0.5F;

/* Occurrences of all forms, by slot; returns how many documents have one. */
static size_t words_forms_add_up(struct words_run *run, const struct words_form *forms,
                                 size_t n, str word, float *sums)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        struct words_matches m = words_match_term(run, forms[i].term);
        bool any = false;
        for (size_t k = 0; k < m.n; k++) {
            struct words_match it = m.items[k];
            if (!counts_in(run->words, &forms[i], it.slot))
                continue;
            found += sums[it.slot] == 0;
            sums[it.slot] += forms[i].compound ? compound_part * it.tf : it.tf;
            any = true;
        }
        if (any)
            show_form(run, word, forms[i].term);
    }
    return found;
}

/*
 * What a document scores that has other forms is less than that of one that has the word,
 * and never more than with the rarity of all forms: so the sum of their occurrences is made
 * smaller, to give those points with the rarity of the word.
 */
static const float form_part = 0.8F;

static float form_tf(const struct words_run *run, float sum, float all, float exact)
{
    float points = form_part * words_points(all, sum);
    float part = exact > 0 ? points / exact : 0; /* of what the word itself can give */
    return words_tf_for(part);
}

struct words_matches words_add_forms(struct words_run *run, struct words_matches exact,
                                     str word)
{
    const struct words *w = run->words;
    struct words_form *forms;
    size_t n = words_find_forms(run, word, &forms);
    if (n == 0)
        return exact;
    float *sums = ARENA_ARRAY(run->arena, float, w->n_slots);
    size_t found = words_forms_add_up(run, forms, n, word, sums), all = found;
    if (found == 0)
        return exact;
    for (size_t i = 0; i < exact.n; i++)
        all += sums[exact.items[i].slot] == 0;
    size_t df = exact.n > 0 ? exact.n : all;
    float idf_all = words_idf(w, all), idf = words_idf(w, df);
    struct words_matches out = {ARENA_ARRAY(run->arena, struct words_match, all), 0, df};
    size_t k = 0;
    for (uint32_t slot = 1; slot < w->n_slots; slot++) {
        bool has = k < exact.n && exact.items[k].slot == slot;
        float tf = has              ? exact.items[k].tf
                   : sums[slot] > 0 ? form_tf(run, sums[slot], idf_all, idf)
                                    : 0;
        k += has;
        if (tf > 0)
            out.items[out.n++] = (struct words_match){slot, tf};
    }
    return out;
}
