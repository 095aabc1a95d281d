#include "base/os/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

enum { NUMBER_SHORT = 64 }; /* bytes of a number that needs no heap */

/* Some locales have another point, which is all that matters here. */
static char locale_point(void)
{
    return localeconv()->decimal_point[0];
}

static void replace_point(char *text, char from, char to)
{
    char *found = strchr(text, from);
    if (found != NULL)
        *found = to;
}

double number_read(str text)
{
    char few[NUMBER_SHORT];
    char *copy = text.n < sizeof(few) ? few : mem_alloc(text.n + 1);
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    replace_point(copy, '.', locale_point());
    double d = strtod(copy, NULL);
    if (copy != few)
        free(copy);
    return d;
}

size_t number_print(char *out, size_t size, int digits, double d)
{
    int n = snprintf(out, size, "%.*g", digits, d);
    replace_point(out, locale_point(), '.');
    return (size_t)n;
}
