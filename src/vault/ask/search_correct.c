#include "vault/ask/search_correct.h"

#include "base/array.h"
#include "base/chars.h"
#include "base/near.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/index/words.h"
#include "vault/meaning/meaning.h"
#include "vault/text/language.h"

enum {
    CORRECTED_MAX = 8,  /* words of a query */
    LEAST_LETTERS = 4,  /* of a word: others are too similar to too many */
    LONG_LETTERS = 8,   /* in so many letters two slips are likely */
    KEYED_LETTERS = 3,  /* of a word that was typed on another keyboard */
    READ_BYTES = 1024,  /* of a query: what is longer is a text, not a question */
    CANDIDATES_MAX = 8, /* similar words that are looked at */
};

/* A word of the query, folded, and where it is. */
struct query_word {
    str folded;
    size_t start, end;
    bool fixed; /* it may not be changed */
};

struct correcting {
    const struct words *words;
    const struct meaning *meaning;
    struct arena *arena;
    str query;
    struct query_word *items;
    size_t n, corrected;
    struct sbuf out, note;
};

/* --- the words of the query --- */

/* Whether the word is what the user asks for by syntax: within quotes, excluded, a prefix,
 * or the name of an operator. */
static bool is_syntax(str query, size_t start, size_t end)
{
    bool quoted = false;
    for (size_t i = 0; i < start; i++)
        quoted ^= query.p[i] == '"';
    char before = start > 0 ? query.p[start - 1] : ' ';
    char after = end < query.n ? query.p[end] : ' ';
    bool excluded = before == '-' && (start == 1 || query.p[start - 2] == ' ');
    return quoted || excluded || after == '*' || after == ':';
}

static size_t letters_of(str word)
{
    struct near_letters letters;
    near_read(&letters, word);
    return letters.n;
}

static bool is_plain(str word)
{
    for (size_t i = 0, n; i < word.n; i += n) {
        uint32_t c = utf8_decode(str_skip(word, i), &n);
        if (utf8_is_cjk(c) || !utf8_is_word(c) || (c >= '0' && c <= '9'))
            return false;
    }
    return true;
}

static bool search_correct_knows(struct correcting *c, str word)
{
    return words_has(c->words, word) || words_has_form(c->words, c->arena, word);
}

/* Words that are joined (e-mail) overlap with their parts: if it is known together, all of
 * it is; else only the parts can be wrong. */
static bool take_word(void *arg, str folded, size_t start, size_t end)
{
    struct correcting *c = arg;
    bool joined = false, known = search_correct_knows(c, folded);
    for (size_t i = 0; i < c->n; i++)
        if (c->items[i].start >= start && c->items[i].start < end) {
            c->items[i].fixed |= known;
            joined = true;
        }
    if (!joined)
        *ARRAY_ADD(c->arena, c->items, c->n) = (struct query_word){
            folded, start, end,
            known || !is_plain(folded) || is_syntax(c->query, start, end)};
    return true;
}

/* --- another keyboard --- */

/* Keys from left to right, and the letters that they have in other countries. */
static const char keys[] = "qwertyuiop[]asdfghjkl;'zxcvbnm,.";
static const char *const layouts[] = {
    "йцукенгшщзхъфывапролджэячсмитьбю",
    "йцукенгшщзхїфівапролджєячсмитьбю",
    ";ςερτυθιοπ[]ασδφγηξκλ;'ζχψωβνμ,.",
    "/'קראטוןםפ[]שדגכעיחלךף,זסבהנמצתץ",
};

/* The letter of one layout for that of the same key of another; 0: it has no key. */
static uint32_t retyped(uint32_t letter, str from, str to)
{
    for (size_t n, m; from.n > 0 && to.n > 0; from = str_skip(from, n)) {
        uint32_t key = utf8_decode(from, &n), other = utf8_decode(to, &m);
        if (key == letter)
            return other;
        to = str_skip(to, m);
    }
    return 0;
}

static bool retype(str text, str from, str to, struct sbuf *out)
{
    for (size_t i = 0, n; i < text.n; i += n) {
        char bytes[4];
        uint32_t c = utf8_lower_char(utf8_decode(str_skip(text, i), &n));
        uint32_t other = retyped(c, from, to);
        if (other == 0)
            return false;
        sbuf_add(out, (str){bytes, utf8_encode(other, bytes)});
    }
    return true;
}

struct known_words {
    const struct words *words;
    size_t letters;
    bool all;
};

static bool is_known_word(void *arg, str folded, size_t start, size_t end)
{
    struct known_words *k = arg;
    k->letters += letters_of(folded);
    k->all = words_has(k->words, folded);
    return k->all;
}

/* Whether notes have all words of the text. */
static bool all_known(struct correcting *c, str text)
{
    struct known_words k = {.words = c->words};
    words_split(c->arena, text, is_known_word, &k);
    return k.all && k.letters >= KEYED_LETTERS;
}

/* What was meant by text, typed on another keyboard; empty if notes do not have it. */
static str on_other_keyboard(struct correcting *c, str text)
{
    for (size_t i = 0; i < 2 * COUNT_OF(layouts); i++) {
        str from = str_c(keys), to = str_c(layouts[i / 2]);
        struct sbuf b = SBUF_ON(c->arena);
        if (i % 2 == 0 ? retype(text, from, to, &b) : retype(text, to, from, &b))
            if (all_known(c, sbuf_str(&b)))
                return sbuf_str(&b);
    }
    return (str){0};
}

/* --- a similar word --- */

/* Two slips are believed only in a long word; and the first letter is rarely wrong, unless
 * it changed places with the next one. */
static bool is_likely(str wrong, str right)
{
    struct near_letters a, b;
    near_read(&a, wrong);
    near_read(&b, right);
    size_t most = a.n >= LONG_LETTERS ? 2 : 1;
    bool begins = a.n > 0 && b.n > 1 &&
                  (a.at[0] == b.at[0] || (a.at[0] == b.at[1] && a.at[1] == b.at[0]));
    return begins && near_count(&a, &b, most) != NEAR_NONE;
}

bool search_is_slip(str wrong, str right)
{
    return letters_of(wrong) >= LEAST_LETTERS && !language_has_common(wrong) &&
           !language_has_common(right) && is_plain(right) && is_likely(wrong, right);
}

static str similar_to(struct correcting *c, str word)
{
    str *near;
    size_t n = 0;
    if (letters_of(word) >= LEAST_LETTERS && !language_has_common(word) &&
        !meaning_has_word(c->meaning, word))
        n = words_suggest(c->words, c->arena, word, CANDIDATES_MAX, &near);
    for (size_t i = 0; i < n; i++)
        if (is_plain(near[i]) && is_likely(word, near[i]))
            return near[i];
    return (str){0};
}

/* --- the new query --- */

static void correct_text(struct correcting *c, size_t *done, size_t start, size_t end,
                         str right)
{
    str wrong = str_slice(c->query, start, end);
    sbuf_add(&c->out, str_slice(c->query, *done, start));
    sbuf_add(&c->out, right);
    sbuf_printf(&c->note, "%s" STR_FMT " (for " STR_FMT ")", c->corrected > 0 ? ", " : "",
                STR_ARG(right), STR_ARG(wrong));
    c->corrected++;
    *done = end;
}

static size_t space_before(str s, size_t at)
{
    while (at > 0 && !is_space(s.p[at - 1]))
        at--;
    return at;
}

static size_t space_after(str s, size_t at)
{
    while (at < s.n && !is_space(s.p[at]))
        at++;
    return at;
}

/* Between spaces, since letters of one keyboard are signs of another. A known word there
 * says that it is the right keyboard. */
static bool correct_keyboard(struct correcting *c, size_t i, size_t *done)
{
    size_t start = space_before(c->query, c->items[i].start);
    size_t end = space_after(c->query, c->items[i].end);
    for (size_t k = 0; k < c->n; k++)
        if (c->items[k].start >= start && c->items[k].end <= end && c->items[k].fixed)
            return false;
    if (start < *done)
        return false;
    str right = on_other_keyboard(c, str_slice(c->query, start, end));
    if (right.n > 0)
        correct_text(c, done, start, end, right);
    return right.n > 0;
}

static void correct_word(struct correcting *c, size_t i, size_t *done)
{
    const struct query_word *word = &c->items[i];
    if (word->fixed || word->start < *done || correct_keyboard(c, i, done))
        return;
    str right = similar_to(c, word->folded);
    if (right.n > 0)
        correct_text(c, done, word->start, word->end, right);
}

bool search_correct(const struct words *w, const struct meaning *m, struct arena *a,
                    str query, struct search_correction *out)
{
    struct correcting c = {.words = w, .meaning = m, .arena = a, .query = query};
    c.out = c.note = SBUF_ON(a);
    if (query.n > READ_BYTES || !utf8_valid(query))
        return false;
    words_split(a, query, take_word, &c);
    size_t done = 0;
    for (size_t i = 0; i < c.n && c.corrected < CORRECTED_MAX; i++)
        correct_word(&c, i, &done);
    sbuf_add(&c.out, str_skip(query, done));
    *out = (struct search_correction){sbuf_str(&c.out), sbuf_str(&c.note)};
    return c.corrected > 0;
}
