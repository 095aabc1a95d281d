/*
 * answer - how the answer to a question or a change is written.
 *
 * Whoever answers fills a result struct and hands it on together with its shape, a const
 * row of printers: JSON for a tool and for --json, plain text for a model, lines for a
 * terminal. Nothing else writes the body of an answer, so tool and command line say the
 * same. docs/answers.md has a section for each shape of our own; the sets in the form of
 * other servers have shapes of their own for the same results.
 */
#pragma once

#include "app/answers/term.h"
#include "base/json_write.h"

enum { ANSWER_REST = 120 }; /* bytes of an answer besides its list: total, next */

/* Where the JSON goes. */
struct answer_out {
    struct jsonw *w;
    size_t max; /* bytes that the whole answer may have; SIZE_MAX: any number */
};

struct answer_shape {
    const char *name; /* of its section in docs/answers.md; NULL: another server's */
    void (*json)(struct answer_out *out, const void *result);
    void (*text)(struct sbuf *out, const void *result); /* where there is no JSON */
    void (*term)(struct term *t, const void *result);
};

/* Bytes that are left, without those for what is around a list. */
size_t answer_room(const struct answer_out *out);

/*
 * Something that may turn out too large: answer_mark() before it is written, then
 * answer_keep(). False: the answer is as it was at the mark.
 */
struct answer_mark {
    struct jsonw w;
    size_t n;
};

struct answer_mark answer_mark(const struct answer_out *out);
bool answer_keep(struct answer_out *out, const struct answer_mark *mark);

/* Writes item i of a result. */
typedef void answer_item(struct answer_out *out, const void *result, size_t i);

/*
 * The member key, a list of the first items of n that fit; one is written in any case.
 * Returns how many.
 */
size_t answer_items(struct answer_out *out, str key, const void *result, size_t n,
                    answer_item *put);

/* How many of n parts of an item are written: the first few when room is limited. */
size_t answer_some(const struct answer_out *out, size_t n, size_t few);

/* The member key, a list of texts. */
void answer_strs(struct answer_out *out, str key, const str *items, size_t n);

/* There is more: "truncated": true and "next", an object with what to ask for then. The
 * caller writes its members and ends it. */
void answer_more(struct answer_out *out);

/* The same with "offset": end, unless that is all of total. */
void answer_next(struct answer_out *out, size_t end, size_t total);
