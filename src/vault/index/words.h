/*
 * words - ranked full-text search: an inverted index in memory, BM25 over weighted
 * fields.
 *
 * Words are folded (case, diacritics; ß is ss), scripts without blanks become pairs of
 * letters, mixed scripts are split. The whole body is indexed. One writer changes the
 * index, document by document; queries are read-only and safe for any number of threads
 * while nobody changes it. A document that was replaced stays in the lists until there
 * are enough of them to rewrite the lists, which is then done bit by bit with every add
 * and remove.
 *
 * Scores and totals depend on the documents that are there, never on the order in which
 * they came and went.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
    WORDS_QUERY_MAX = 4096, /* bytes */
    WORDS_TERMS_MAX = 32,   /* words and phrases of a query */
    WORDS_PHRASE_MAX = 64,  /* words or signs of one phrase */
    WORDS_PREFIX_MAX = 256, /* words that prefix* may stand for: the most common ones */
};

struct words;

/* Fields by weight: what a note is called counts more than what it mentions. */
enum words_field {
    WORDS_TITLE,
    WORDS_ALIASES,
    WORDS_HEADINGS,
    WORDS_TAGS,
    WORDS_BODY,
    WORDS_FIELDS
};

struct words_doc {
    uint32_t id; /* the caller's; small numbers, reused after remove */
    str fields[WORDS_FIELDS];
};

struct words *words_create(void);
void words_free(struct words *w);

/* The text is not kept. A document that is there with the same id is replaced. */
void words_add(struct words *w, const struct words_doc *doc);

/* One that is not there is fine. */
void words_remove(struct words *w, uint32_t id);

/*
 * Take over all documents of from, which is empty afterwards; no id may be in both. Much
 * cheaper than adding them, so several threads can fill an index each.
 */
void words_take(struct words *w, struct words *from);

/* Give back the memory that is kept for growing. Worth it after many adds, not few. */
void words_trim(struct words *w);

size_t words_count(const struct words *w);  /* documents */
size_t words_memory(const struct words *w); /* bytes, about */

/* The whole index as bytes, for words_load(), in any number of pieces. */
void words_save(const struct words *w,
                void (*write)(void *arg, const void *bytes, size_t n), void *arg);

/*
 * The index that was saved as image, which is borrowed: it must be aligned to 8 bytes and
 * outlive the index. It is used where it lies and copied when it changes. Fails
 * with ERR_INVALID on what is not an image, one of another version or kind of machine, or
 * one that does not fit together. A flipped bit may go unnoticed and give wrong answers
 * (so keep a checksum), but never more than that.
 */
MUST_CHECK bool words_load(str image, struct words **out, struct err *err);

struct words_hit {
    uint32_t id;
    float score;
};

struct words_result {
    struct words_hit *hits; /* best first, ties by id */
    size_t n;
    size_t total; /* documents that match, whatever the limit */
    bool any;     /* nothing matched all words: these match some (OR) */
    bool cut;     /* a prefix* stood for more than WORDS_PREFIX_MAX words */
    str *missing; /* words of the query that no document has, folded */
    size_t n_missing;
};

/* A field of a document as it was added. */
typedef str (*words_text_fn)(void *arg, uint32_t id, enum words_field field);

/*
 * query: words (all must occur, else any), "phrases", prefix*, -excluded, -"phrases",
 * separated by blanks. What is written without a blank is a phrase, too: node.js, 東京都;
 * e-mail also finds email. Phrases are checked against text, across punctuation, without
 * case and diacritics; if text is NULL it is enough that all their words occur. A query
 * of exclusions only finds all other documents, one without words finds nothing.
 * limit hits are returned from offset on. Fails with ERR_LIMIT only.
 */
MUST_CHECK bool words_search(const struct words *w, struct arena *a, str query,
                             size_t offset, size_t limit, words_text_fn text, void *arg,
                             struct words_result *out, struct err *err);

/* Documents by id. */
struct words_set {
    const uint64_t *bits; /* in the arena */
    uint32_t n;           /* ids are below it */
};

static inline bool words_set_has(const struct words_set *s, uint32_t id)
{
    return id < s->n && (s->bits[id / 64] >> (id % 64) & 1) != 0;
}

/*
 * The documents that may hold one of the texts in a field, case ignored; a few too many,
 * never too few. So whoever looks for a text needs to look at these only. False when the
 * index cannot tell, or not for much less than looking costs.
 */
MUST_CHECK bool words_may_hold(const struct words *w, struct arena *a, const str *texts,
                               size_t n, struct words_set *out);

/*
 * Indexed words near a misspelt one, best first: one or two letters wrong, missing, too
 * many or swapped (one for words up to four letters); nearer first, then commoner ones.
 */
size_t words_suggest(const struct words *w, struct arena *a, str word, size_t max,
                     str **out);

/*
 * The folded words of text as they are indexed, in the arena, with their bytes in text,
 * for highlighting and tests; fn returns false to stop. They overlap: 日本 and 本語,
 * e-mail and e.
 */
void words_split(struct arena *a, str text,
                 bool (*fn)(void *arg, str folded, size_t start, size_t end), void *arg);
