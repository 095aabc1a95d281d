/*
 * quoted - readable JSON in the tables of tests: ' is written for ", and ` for '.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"

#include "check.h"

/* In the arena, NUL-terminated. */
static inline str quoted(struct arena *a, const char *text)
{
    str copy = arena_str(a, str_c(text));
    for (char *p = (char *)copy.p; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p == '`' ? '\'' : *p;
    return copy;
}

/* The same, parsed; the test fails if the text is not JSON. */
static inline const struct json *quoted_json(struct arena *a, const char *text)
{
    const struct json *j;
    struct err err = {0};
    if (!json_parse(a, quoted(a, text), &j, &err))
        fail_msg("%s: %s", text, err.msg);
    return j;
}

#define CHECK_QUOTED(a, row, got, want) CHECK_STR(row, got, quoted(a, want).p)
