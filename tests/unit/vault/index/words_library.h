/* words_library - an index together with its texts, for tests. */
#pragma once

#include "vault/index/words.h"

#include "base/sbuf.h"

#include "check.h"

enum { DOCS_MAX = 64 };

struct library {
    struct words *words;
    struct words_doc docs[DOCS_MAX];
};

/* Without documents. */
static inline void open_library(struct library *l)
{
    *l = (struct library){.words = words_create()};
    for (uint32_t i = 0; i < DOCS_MAX; i++)
        l->docs[i].id = UINT32_MAX;
}

static inline str text_of(void *arg, uint32_t id, enum words_field field)
{
    struct library *l = arg;
    return l->docs[id].fields[field];
}

static inline void put(struct library *l, uint32_t id, const char *title,
                       const char *body)
{
    l->docs[id] = (struct words_doc){.id = id};
    l->docs[id].fields[WORDS_TITLE] = str_c(title);
    l->docs[id].fields[WORDS_BODY] = str_c(body);
    words_add(l->words, &l->docs[id]);
}

static inline struct words_result search(struct arena *a, struct library *l,
                                         const char *query)
{
    struct words_result r;
    struct err err = {0};
    if (!words_search_text(l->words, a, str_c(query), 0, DOCS_MAX, text_of, l, &r, &err))
        fail_msg("%s: %s", query, err.msg);
    return r;
}

/* "1 2 ~": the ids found, by score; ~ if they match only some of the words. */
static inline str found(struct arena *a, struct library *l, const char *query)
{
    struct words_result r = search(a, l, query);
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < r.n; i++)
        sbuf_printf(&b, "%s%u", i > 0 ? " " : "", r.hits[i].id);
    if (r.any)
        sbuf_add(&b, STR(" ~"));
    return sbuf_str(&b);
}

static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline const char *random_text(struct arena *a, uint32_t *seed)
{
    static const char *const words[] = {
        "apple", "pear",       "plum", "e-mail", "node.js", "\u6771\u4EAC\u90FD",
        "cafe",  "caf\u00E9",  "c++",  "star",   "start",   "\u0451\u043B\u043A\u0430",
        "a",     "2024-01-02", "the",  "stars",  "\u90FD",  "\u2705"};
    struct sbuf b = SBUF_ON(a);
    for (uint32_t n = next_random(seed) % 30; n > 0; n--) {
        sbuf_add(&b, str_c(words[next_random(seed) % COUNT_OF(words)]));
        sbuf_add(&b, next_random(seed) % 4 == 0 ? STR("") : STR(" "));
    }
    sbuf_char(&b, '\0');
    return b.p;
}

/* Whether the index answers like a fresh one of the same documents. */
static inline void check_same(struct arena *a, struct library *l, const char *query)
{
    struct library fresh = *l;
    fresh.words = words_create();
    for (uint32_t i = DOCS_MAX; i-- > 0;) /* in another order, too */
        if (l->docs[i].id != UINT32_MAX)
            words_add(fresh.words, &l->docs[i]);
    struct words_result x = search(a, l, query), y = search(a, &fresh, query);
    CHECK_INT(query, x.total, y.total);
    CHECK_INT(query, x.any, y.any);
    CHECK_INT(query, words_count(l->words), words_count(fresh.words));
    for (size_t i = 0; i < x.n; i++) {
        CHECK_INT(query, x.hits[i].id, y.hits[i].id);
        CHECK(query, memcmp(&x.hits[i].score, &y.hits[i].score, sizeof(float)) == 0);
    }
    words_free(fresh.words);
}
