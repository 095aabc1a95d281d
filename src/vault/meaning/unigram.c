/*
 * The tokenizer of SentencePiece models: the pieces of a word whose scores have the largest
 * sum. For each place of the word, the best way to it is known when the places before it
 * are done.
 */
#include "base/arena.h"
#include "base/utf8.h"
#include "vault/meaning/charsmap.h"
#include "vault/meaning/tokens.h"

#define UNIGRAM_SPACE "\xE2\x96\x81" /* U+2581, before each word */
enum { CHAR_BYTES = 8 };             /* a character more, and a space before it */

struct unigram_place {
    float score;   /* of the best way here */
    uint32_t from; /* the place before; UNIGRAM_NOWHERE: there is no way yet */
    uint32_t to;   /* the place after it on the best way to the end */
    uint32_t id;   /* of the token that ends here */
};
#define UNIGRAM_NOWHERE UINT32_MAX

struct unigram {
    const struct vocabulary *vocabulary;
    struct tokens *out;
    size_t max;
    bool full, inside; /* a word has begun */
    size_t n;          /* bytes of the word, with its space */
    char word[TOKENS_RUN_MAX + CHAR_BYTES];
    struct unigram_place places[TOKENS_RUN_MAX + CHAR_BYTES + 1];
};

static void unigram_reach(struct unigram *u, size_t from, size_t to, float score,
                          uint32_t id)
{
    struct unigram_place *p = &u->places[to];
    score += u->places[from].score;
    if (p->from == UNIGRAM_NOWHERE || score > p->score)
        *p = (struct unigram_place){score, (uint32_t)from, 0, id};
}

/* All pieces that begin at this place; returns the length of the character there. */
static size_t unigram_look(struct unigram *u, size_t at)
{
    const struct vocabulary *v = u->vocabulary;
    struct vocabulary_range r = vocabulary_all(v);
    uint32_t whole;
    size_t one;
    bool known = false;
    utf8_decode((str){u->word + at, u->n - at}, &one);
    for (size_t i = at; i < u->n && vocabulary_narrow(v, &r, u->word[i], &whole); i++)
        if (whole != VOCABULARY_NONE) {
            unigram_reach(u, at, i + 1, v->scores[whole], v->ids[whole]);
            known = known || i + 1 == at + one;
        }
    if (!known)
        unigram_reach(u, at, at + one, v->lowest, v->unknown);
    return one;
}

static void unigram_find_way(struct unigram *u)
{
    for (size_t i = 0; i <= u->n; i++)
        u->places[i] = (struct unigram_place){.from = UNIGRAM_NOWHERE};
    for (size_t at = 0; at < u->n;)
        at += unigram_look(u, at);
    for (size_t at = u->n; at > 0; at = u->places[at].from)
        u->places[u->places[at].from].to = (uint32_t)at;
}

/* A token from one place to another; neighbours that are unknown are one. */
static void unigram_add_token(struct unigram *u, size_t from, size_t to, bool joined)
{
    size_t n;
    uint32_t id = u->places[to].id;
    if (joined)
        return;
    u->full = !tokens_add_id(u->out, id, u->max);
    u->out->unknown += id == u->vocabulary->unknown &&
                       utf8_is_word(utf8_decode((str){u->word + from, to - from}, &n));
}

static void unigram_end_run(struct unigram *u)
{
    bool before = false;
    unigram_find_way(u);
    for (size_t at = 0, to; at < u->n && !u->full; at = to) {
        to = u->places[at].to;
        bool unknown = u->places[to].id == u->vocabulary->unknown;
        unigram_add_token(u, at, to, unknown && before);
        before = unknown;
    }
    u->n = 0;
}

static void unigram_add_bytes(struct unigram *u, str bytes)
{
    memcpy(u->word + u->n, bytes.p, bytes.n);
    u->n += bytes.n;
}

static bool unigram_is_space(const struct unigram *u, uint32_t c)
{
    if (c == ' ' || c == 0x2581)
        return true;
    return (u->vocabulary->flags & TOKENS_SPACES) != 0 &&
           ((c >= '\t' && c <= '\r') || c == 0x85 ||
            (c > 0x7F && utf8_kind(c) == UTF8_SPACE));
}

static void unigram_add_char(struct unigram *u, uint32_t c, str bytes)
{
    if (unigram_is_space(u, c)) {
        unigram_end_run(u);
        u->inside = false;
        return;
    }
    if (!u->inside)
        unigram_add_bytes(u, STR(UNIGRAM_SPACE));
    u->inside = true;
    unigram_add_bytes(u, bytes);
    if (u->n >= TOKENS_RUN_MAX)
        unigram_end_run(u);
}

size_t unigram_split(const struct vocabulary *v, str text, size_t max, struct tokens *out)
{
    struct unigram *u = mem_alloc(sizeof(*u));
    size_t at = 0;
    u->vocabulary = v;
    u->out = out;
    u->max = max;
    u->full = u->inside = false;
    u->n = 0;
    while (at < text.n && !u->full) {
        str chunk;
        at += charsmap_next(v->charsmap, str_skip(text, at), &chunk);
        for (size_t n; chunk.n > 0 && !u->full; chunk = str_skip(chunk, n)) {
            uint32_t c = utf8_decode(chunk, &n);
            unigram_add_char(u, c, str_slice(chunk, 0, n));
        }
    }
    if (!u->full)
        unigram_end_run(u);
    free(u);
    return at;
}
