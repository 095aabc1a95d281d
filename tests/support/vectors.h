/*
 * vectors - the cases of tests/vectors, parsed.
 */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "check.h"
#include "tests_dir.h"

/* A whole file of that folder; the test fails if it is missing. */
static inline const struct json *vectors_read(struct arena *a, const char *name)
{
    enum { VECTORS_MAX = 4 << 20 };
    str path = arena_printf(a, "%s/vectors/%s", tests_dir(), name);
    FILE *f = fopen(path.p, "rb");
    if (f == NULL)
        fail_msg("%s is missing", path.p);
    char *text = arena_alloc(a, VECTORS_MAX);
    size_t n = fread(text, 1, VECTORS_MAX, f);
    fclose(f);
    const struct json *j = NULL;
    struct err err = {0};
    if (n == VECTORS_MAX || !json_parse(a, (str){text, n}, &j, &err))
        fail_msg("%s: %s", path.p, err.msg);
    return j;
}
