/*
 * ask - questions to the user on a terminal, one line each. An empty line selects the
 * default, if the question has one.
 *
 * The end of the input fails with ERR_INVALID. Ctrl-C ends the program as usual, so
 * callers must not change anything before every question is answered.
 */
#pragma once

#include "app/answers/term.h"
#include "base/err.h"

enum { ASK_LINE_MAX = 4096 };

struct ask {
    struct arena *arena;
    struct term *out;
};

/* A line without spaces around it. A line with control characters is refused, and the
 * question is asked again. */
MUST_CHECK bool ask_line(struct ask *q, str question, str dflt, str *out,
                         struct err *err);

MUST_CHECK bool ask_yes(struct ask *q, str question, bool dflt, bool *out,
                        struct err *err);

/*
 * One of n choices by its number; the first is the default. With other, any text is
 * allowed, too: then it is in *text, and *chosen is n.
 */
MUST_CHECK bool ask_choice(struct ask *q, str question, const str *choices, size_t n,
                           bool other, size_t *chosen, str *text, struct err *err);
