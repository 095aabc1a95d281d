/*
 * ask - questions to a person on a terminal, one line each. Every one has a default,
 * which an empty line means.
 *
 * The end of the input fails with ERR_INVALID. Ctrl-C ends the program as always, so who
 * asks changes nothing before everything is answered.
 */
#pragma once

#include "app/answers/term.h"
#include "base/err.h"

enum { ASK_LINE_MAX = 4096 };

struct ask {
    struct arena *arena;
    struct term *out;
};

/* A line without blanks around it. Lines with control characters are asked for again. */
MUST_CHECK bool ask_line(struct ask *q, str question, str dflt, str *out,
                         struct err *err);

MUST_CHECK bool ask_yes(struct ask *q, str question, bool dflt, bool *out,
                        struct err *err);

/*
 * One of n choices by its number, the first being the default; other: or any text, which
 * is then in *text, *chosen being n.
 */
MUST_CHECK bool ask_choice(struct ask *q, str question, const str *choices, size_t n,
                           bool other, size_t *chosen, str *text, struct err *err);
