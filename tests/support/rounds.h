/*
 * rounds - how often a random test repeats, and how large a large one is. ROUNDS_FACTOR in the environment is an
 * integer of at least 1 (1 if it is not set); ./test --full sets it to 20.
 */
#pragma once

#include <stdlib.h>

enum { ROUNDS_FACTOR_MAX = 1000 };

static inline int rounds_factor(void)
{
    const char *text = getenv("ROUNDS_FACTOR");
    long factor = text != NULL ? strtol(text, NULL, 10) : 1;
    return (int)(factor < 1                   ? 1
                 : factor > ROUNDS_FACTOR_MAX ? ROUNDS_FACTOR_MAX
                                              : factor);
}

/* n times the factor. */
static inline int rounds(int n)
{
    return n * rounds_factor();
}

/* n times the factor, but at most most: for what gets no better beyond that. */
static inline int rounds_up_to(int n, int most)
{
    int wanted = rounds(n);
    return wanted < most ? wanted : most;
}
