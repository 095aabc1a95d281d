/*
 * words - ranked full-text search: an inverted index in memory, BM25 over weighted
 * fields.
 *
 * A word of a query also finds its other forms in documents of the same language (run,
 * running), which score less; quoted, excluded and open words are exact.
 *
 * Words are folded (case, diacritics; ß is ss), scripts without spaces become pairs of
 * characters, words of mixed scripts are split. The whole body is indexed. One writer
 * changes the index, document by document; queries are read-only and safe for any number
 * of threads while there is no writing. A replaced document stays in the lists until
 * there are enough of them to rewrite the lists, which is then done gradually with every
 * add and remove.
 *
 * Scores and totals depend only on the documents in the index, not on the order in which
 * documents were added and removed.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "vault/text/language.h"

enum {
    WORDS_QUERY_MAX = 4096, /* bytes */
    WORDS_TERMS_MAX = 32,   /* words and phrases of a query */
    WORDS_PHRASE_MAX = 64,  /* words or signs in one phrase */
    WORDS_PREFIX_MAX = 256, /* words that prefix* may match: the most common ones */
};

struct words;

/* Fields by weight: the name of a note counts more than its text. */
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
    enum language language;
    str fields[WORDS_FIELDS];
};

struct words *words_create(void);

/* Documents with equal scores are ordered by their paths there, instead of by id. names is
 * borrowed. */
struct names;
void words_set_paths(struct words *w, const struct names *names);
void words_free(struct words *w);

/* The text is not kept. A document with the same id is replaced. */
void words_add(struct words *w, const struct words_doc *doc);

/* The document need not exist. */
void words_remove(struct words *w, uint32_t id);

/*
 * Many documents at a time, for much less than adding each of them to an index. Several
 * threads can fill one each.
 */
struct words_bulk;
struct words_bulk *words_bulk_create(void);
void words_bulk_free(struct words_bulk *b);

/* The text is not kept. Ids ascend. */
void words_bulk_add(struct words_bulk *b, const struct words_doc *doc);

/* An index of the documents of n bulks, which are freed; no id may be in two of them. */
struct words *words_bulk_join(struct words_bulk **bulks, size_t n);

size_t words_count(const struct words *w); /* documents */
/* The known languages of the documents, the most frequent first. */
struct words_language {
    enum language language;
    uint32_t documents;
};
size_t words_languages(const struct words *w, struct words_language out[LANGUAGES]);
size_t words_memory(const struct words *w); /* approximate, in bytes */

/* The whole index as bytes, for words_load(), in any number of pieces. */
void words_save(const struct words *w,
                void (*write)(void *arg, const void *bytes, size_t n), void *arg);

/*
 * Load a saved index from image, which is borrowed: it must be aligned to 8 bytes and
 * outlive the index. It is used in place, and copied when it changes. Fails with
 * ERR_INVALID if it is not an image, comes from another version or type of machine, or is
 * inconsistent. A flipped bit may go unnoticed and cause wrong results (so keep a
 * checksum), but nothing worse.
 */
MUST_CHECK bool words_load(str image, struct words **out, struct err *err);

struct words_hit {
    uint32_t id;
    float score;
    uint32_t words; /* of words_rank(): those of the question that it has */
};

/* A word of the query, and a form of it that documents have; both folded. */
struct words_other_form {
    str word, form;
};

struct words_result {
    struct words_hit *hits; /* by score; ties by path (words_set_paths()) */
    size_t n;
    size_t total; /* all documents that match, regardless of limit */
    bool any;     /* no document has all words: these have some (OR) */
    bool loose;   /* none has all words as written: these have other forms, or some */
    bool cut;     /* a prefix* matched more than WORDS_PREFIX_MAX words */
    str *missing; /* words of the query that no document has, folded */
    size_t n_missing;
    str *common; /* with any: words that many documents have; alone they find nothing */
    size_t n_common;
    struct words_other_form *forms; /* that documents have instead of words */
    size_t n_forms;
    float ideal;    /* of words_rank(): what the best document imaginable would score */
    uint32_t words; /* of words_rank(): in the question; phrases and prefixes* not */
};

/* A field of a document as it was added. */
typedef str (*words_text_fn)(void *arg, uint32_t id, enum words_field field);

/*
 * query: words (all must occur; if no document has all, any), "phrases", prefix*,
 * -excluded, -"phrases", separated by spaces. Several words without a space between them
 * are a phrase, too: node.js, 東京都; e-mail also finds email. Phrases are checked
 * against text, ignoring punctuation, case and diacritics; if text is NULL, it suffices
 * that all their words occur. A query with only exclusions finds all other documents, one
 * without words finds nothing. Returns limit hits starting at offset. The query is read
 * with words_read_query().
 */
struct words_query;
void words_search(const struct words *w, struct arena *a, const struct words_query *query,
                  size_t offset, size_t limit, words_text_fn text, void *arg,
                  struct words_result *out);

/* The same for a query that is not needed again. Fails only with ERR_LIMIT. */
MUST_CHECK bool words_search_text(const struct words *w, struct arena *a, str query,
                                  size_t offset, size_t limit, words_text_fn text,
                                  void *arg, struct words_result *out, struct err *err);

/*
 * The same for a question: documents with any of the words, which are not only common
 * ones; "phrases", prefixes* and exclusions must hold. If no document has them, the
 * result is as that of words_search().
 */
void words_rank(const struct words *w, struct arena *a, const struct words_query *query,
                size_t offset, size_t limit, words_text_fn text, void *arg,
                struct words_result *out);

/* Documents by id. */
struct words_set {
    const uint64_t *bits; /* in the arena */
    uint32_t n;           /* all ids are below n */
};

static inline bool words_set_has(const struct words_set *s, uint32_t id)
{
    return id < s->n && (s->bits[id / 64] >> (id % 64) & 1) != 0;
}

/*
 * The documents that have the "phrases" and prefixes* of a query and nothing that it
 * excludes. bits is NULL if it has none of these: then all documents have.
 */
void words_filter(const struct words *w, struct arena *a, const struct words_query *query,
                  words_text_fn text, void *arg, struct words_set *out);

/*
 * The documents that may contain one of the texts in a field, case ignored: perhaps too
 * many, never too few. So a search for a text needs to read only these. False if the
 * index cannot tell, or not for much less than reading all would cost.
 */
MUST_CHECK bool words_may_hold(const struct words *w, struct arena *a, const str *texts,
                               size_t n, struct words_set *out);

/* A word of a document, and how much it says about it: frequent there, rare elsewhere. */
struct words_weight {
    str word; /* folded, in the arena */
    float weight;
};

enum { WORDS_HEAVY_MAX = 64 };

/* The max (at most WORDS_HEAVY_MAX) heaviest words of a document that others have, too;
 * the heaviest first. */
size_t words_heavy(const struct words *w, struct arena *a, const struct words_doc *doc,
                   size_t max, struct words_weight **out);

/* A document that has some of n words. */
struct words_alike {
    uint32_t id;
    float score;  /* the words count by weight */
    uint64_t has; /* bit i: word i */
    str path;     /* words_set_paths() */
};

/* Documents with any of the words, best first, then by path; at most max of them. */
size_t words_alike(const struct words *w, struct arena *a,
                   const struct words_weight *words, size_t n, size_t max,
                   struct words_alike **out);

/* Whether a document has the word, which is folded, or another form of it. */
bool words_has(const struct words *w, str word);
bool words_has_form(const struct words *w, struct arena *a, str word);

/*
 * Indexed words similar to a misspelled one: one or two letters wrong, missing, extra or
 * swapped (one for words up to four letters). Closer words come first, then more common
 * ones.
 */
size_t words_suggest(const struct words *w, struct arena *a, str word, size_t max,
                     str **out);

/*
 * Call fn for the folded words of text as they are indexed (in the arena), with their
 * bytes in text, for highlighting and tests; fn returns false to stop. They overlap: 日本
 * and 本語, e-mail and e.
 */
void words_split(struct arena *a, str text,
                 bool (*fn)(void *arg, str folded, size_t start, size_t end), void *arg);
