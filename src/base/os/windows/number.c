#include "base/os/number.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

enum { NUMBER_SHORT = 64 }; /* bytes of a number that needs no heap */

/* The locale is that of C: nothing here sets another one. */
double number_read(str text)
{
    char few[NUMBER_SHORT];
    char *copy = text.n < sizeof(few) ? few : mem_alloc(text.n + 1);
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    double d = strtod(copy, NULL);
    if (copy != few)
        free(copy);
    return d;
}

size_t number_print(char *out, size_t size, int digits, double d)
{
    return (size_t)snprintf(out, size, "%.*g", digits, d);
}
