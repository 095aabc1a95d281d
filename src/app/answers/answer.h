/*
 * answer - how the answer to a question or a change is written.
 *
 * The code that answers fills a result struct and passes it on with its shape, a const
 * row of printers: plain text for a model (model_text.h), JSON for programs and for --json, lines
 * for a terminal. Nothing else writes the body of an answer, so tool and command line say
 * the same. docs/answers.md has a section for each of our shapes; the tool sets of other
 * servers have their own shapes for the same results.
 */
#pragma once

#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/arena.h"
#include "base/json_write.h"

enum { ANSWER_REST = 120 }; /* bytes in an answer besides its list: total, next */

struct hidden_list;
struct answer_flags;

/* Where the JSON goes. */
struct answer_out {
    struct jsonw *w;
    size_t max;                 /* most bytes in the whole answer; SIZE_MAX: no limit */
    struct answer_flags *flags; /* set by answer_print() */
    const struct answer_tools *tools; /* that may be named; NULL: all */
};

typedef void answer_printer(struct answer_out *out, const void *result);

struct answer_shape {
    const char *name;  /* of its section in docs/answers.md; NULL: another server's */
    bool flags_hidden; /* it reports hidden text itself */
    answer_printer *json;
    void (*text)(struct model_text *s,
                 const void *result); /* NULL: models get JSON, too */
    void (*term)(struct term *t, const void *result);
};

/*
 * Write the JSON of a result. Every text in it is searched for what people do not see
 * (hidden.h), and the member hidden_text says in which members it is; so no answer can
 * forget it. Not for shapes that report it themselves, nor for those of other servers,
 * whose members are fixed.
 */
void answer_print(struct arena *a, struct answer_out *out,
                  const struct answer_shape *shape, const void *result);

/* Write the plain text of a result, and after it what people do not see in it. */
void answer_text(struct model_text *s, const struct answer_shape *shape,
                 const void *result);

/* For printers of plain text: what a JSON printer writes, one line for each member. For
 * answers that are short. */
void answer_members(struct model_text *s, answer_printer *json, const void *result);

/* For printers: the text at member `in` of item i of the list `list` comes from a place
 * where text is hidden, even if the text alone does not show it. */
void answer_flag(struct answer_out *out, const char *list, size_t i, const char *in,
                 const struct hidden_list *hidden);

/* Bytes left, less those needed for what surrounds a list. */
size_t answer_room(const struct answer_out *out);

/*
 * For output that may be too large: call answer_mark() before writing it, then
 * answer_keep(). If that returns false, the answer is as it was at the mark.
 */
struct answer_mark {
    struct jsonw w;
    size_t n;
};

struct answer_mark answer_mark(const struct answer_out *out);
bool answer_keep(struct answer_out *out, const struct answer_mark *mark);

/* Write item i of a result. */
typedef void answer_item(struct answer_out *out, const void *result, size_t i);

/*
 * Write the member key, a list of as many of the n items as fit, but at least one.
 * Returns how many.
 */
size_t answer_items(struct answer_out *out, str key, const void *result, size_t n,
                    answer_item *put);

/* How many of n parts of an item to write: only the first few if room is limited. */
size_t answer_some(const struct answer_out *out, size_t n, size_t few);

/* Write the member "meaning": how near a note is, in hundredths. */
void answer_cosine(struct answer_out *out, float cosine);

/* Say that there is more: "truncated": true and "next", an object with the arguments of
 * the next call. The caller writes its members and ends it. */
void answer_more(struct answer_out *out);

/* The same with "offset": end, unless end is total. */
void answer_next(struct answer_out *out, size_t end, size_t total);
