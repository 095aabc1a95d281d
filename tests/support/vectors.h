/*
 * vectors - the cases of tests/vectors, parsed. VECTORS_DIR is that folder.
 */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "check.h"

/* A whole file of VECTORS_DIR; the test fails if it is missing. */
static inline const struct json *vectors_read(struct arena *a, const char *name)
{
    enum { VECTORS_MAX = 4 << 20 };
    str path = arena_printf(a, "%s/%s", VECTORS_DIR, name);
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
