#include "base/os/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/os/thread.h"

enum { NUMBER_SHORT = 64 }; /* bytes of a number that needs no heap */

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The calling thread uses the C locale from now on; the result is the one it used. */
static locale_t enter_locale(void)
{
    static struct once once = ONCE_INIT;
    once_run(&once, make_locale);
    return uselocale(c_locale);
}

double number_read(str text)
{
    char few[NUMBER_SHORT];
    char *copy = text.n < sizeof(few) ? few : mem_alloc(text.n + 1);
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    locale_t before = enter_locale();
    double d = strtod(copy, NULL);
    uselocale(before);
    if (copy != few)
        free(copy);
    return d;
}

size_t number_print(char *out, size_t size, int digits, double d)
{
    locale_t before = enter_locale();
    int n = snprintf(out, size, "%.*g", digits, d);
    uselocale(before);
    return (size_t)n;
}
